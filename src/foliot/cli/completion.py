"""What the shell completes: names of jobs, nodes, locks, checks, contexts; known for half a minute."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from foliot.client.blocking.foliot import Foliot
    from foliot.client.discovery import Resolved

FRESH_S: Final = 30.0
NAMES_MAX: Final = 5000


def job_name(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of jobs that begin so."""
    names = _known("jobs", _jobs)
    return _beginning(names, incomplete)


def node_name(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of nodes that begin so."""
    names = _known("nodes", _nodes)
    return _beginning(names, incomplete)


def lock_name(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of locks that begin so."""
    names = _known("locks", _locks)
    return _beginning(names, incomplete)


def check_name(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of checks that begin so."""
    names = _known("checks", _checks)
    return _beginning(names, incomplete)


def handler_kind(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Kinds of handlers that begin so."""
    names = _known("handlers", _kinds)
    return _beginning(names, incomplete)


def context_name(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of contexts that begin so."""
    from foliot.client.contexts import Contexts

    known, _ = Contexts().all()
    return _beginning(sorted(known), incomplete)


def _beginning(names: Sequence[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _jobs(client: "Foliot") -> list[str]:
    found: list[str] = []
    cursor = None
    while len(found) < NAMES_MAX:
        page = client.jobs.list(limit=200, cursor=cursor)
        found += [job.name for job in page]
        cursor = page.next_cursor
        if cursor is None:
            break
    return found


def _locks(client: "Foliot") -> list[str]:
    """The first page is enough: somebody holds or awaits each of them now."""
    page = client.locks.list(limit=200)
    return sorted({lock["name"] for lock in page})


def _checks(client: "Foliot") -> list[str]:
    return sorted({check["name"] for check in client.checks.list()})


def _nodes(client: "Foliot") -> list[str]:
    nodes = client.nodes.list()
    return sorted({node["name"] for node in nodes})


def _kinds(client: "Foliot") -> list[str]:
    return [found["kind"] for found in client.handlers.list()]


def _known(kind: str, read: "Callable[[Foliot], list[str]]") -> list[str]:
    """The names, from the cluster or from what was kept; nothing at all when anything is wrong: a shell waits."""
    from foliot.app.system import SystemClock
    from foliot.client.contexts import Contexts
    from foliot.domain.errors import FoliotError

    try:
        contexts = Contexts()
        resolved = contexts.resolve({})
        file = contexts.folder / "cache" / f"{kind}.json"
        now = SystemClock().now().timestamp()
        kept = _kept(file, str(resolved.get("server")), now)
        if kept is not None:
            return kept
        names = [name for name in _asked(resolved, read) if _is_name(name)]
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.write_text(json.dumps({"server": resolved.get("server"), "at": now, "names": names}), "utf-8")
    except (FoliotError, OSError, ValueError):
        return []
    return names


def _is_name(written: str) -> bool:
    """Whether it is a name and nothing else: the shell puts it into the command line as it is."""
    from foliot.domain.errors import BadName
    from foliot.domain.names import check_name

    try:
        check_name("name", written.replace(":", "-"))  # of locks: acct:42
    except BadName:
        return False
    return True


def _kept(file: Path, server: str, now: float) -> list[str] | None:
    try:
        said = json.loads(file.read_text("utf-8"))
        if said["server"] == server and 0 <= now - said["at"] < FRESH_S:
            return [str(name) for name in said["names"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return None


def _asked(resolved: "Resolved", read: "Callable[[Foliot], list[str]]") -> list[str]:
    from foliot.cli.server_access import make_client

    with make_client(resolved, "en", "2s") as client:
        client.namespace = None  # names of every namespace
        return read(client)
