"""`foliot node drain|undrain`: take a worker or a server out of service, and wait until nothing is left there."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import click

from foliot.cli.completion import node_name
from foliot.cli.crews import GONE, Node, live_workers
from foliot.cli.progress import Bar
from foliot.cli.refusal import TOOK_TOO_LONG
from foliot.cli.server_access import User, remote

LEFT_SHOWN: Final = 10


@click.command()
@click.argument("name", shell_complete=node_name, required=False)
@click.option("--self", "is_self", is_flag=True, help="The worker on this machine.")
@click.option("--reason", default="", metavar="TEXT")
@click.option("--no-wait", is_flag=True, help="Do not wait for its runs.")
@click.option("--wait-for", "within", metavar="DURATION", default="10m", show_default=True, help="How long to wait.")
@remote
def drain(user: User, *, name: str | None, is_self: bool, reason: str, no_wait: bool, within: str) -> None:
    """Take a node out of service: it takes no more work, what it runs goes on to its end.

    A server fires, leases and leads no more, sends its workers to other servers, and goes on to answer users.

    \b
    Examples:
      foliot node drain w-3 --reason "kernel update"
      foliot node drain --self --no-wait
      foliot node drain w-3 --wait-for 30m
      foliot node drain s-2
    """
    from foliot.domain.instants import SECOND, parse_duration

    if bool(name) == is_self:
        raise click.UsageError("Say which node: a name, or --self.")
    within_s = parse_duration(within) / SECOND
    name = name or _on_this_machine(user)
    asked = user.client.nodes.drain(name, reason=reason)
    wait = _of_server if asked["kind"] == "server" else _of_worker
    try:
        is_drained = wait(user, asked, name, within_s=0 if no_wait else within_s)
    except KeyboardInterrupt:
        user.out.talk("drain_goes_on", mark="warn", node=name)
        raise
    if is_drained is False:
        raise SystemExit(TOOK_TOO_LONG)
    if is_drained:
        user.out.talk("drained", mark="good", node=name)


@click.command()
@click.argument("name", shell_complete=node_name)
@click.option("--reason", default="", metavar="TEXT")
@remote
def undrain(user: User, *, name: str, reason: str) -> None:
    """Take a drained node back into service.

    \b
    Examples:
      foliot node undrain w-3
      foliot node undrain w-3 --reason "done"
    """
    user.out.done("undrained", user.client.nodes.undrain(name, reason=reason), node=name)


def _on_this_machine(user: User) -> str:
    """The name of the one worker that runs here."""
    import socket

    host = socket.gethostname()
    here = [one for one in user.client.nodes.list() if one["kind"] != "server" and one["host"] == host]
    names = sorted({one["name"] for one in here if one["health"] not in GONE})
    if len(names) != 1:
        if not names:
            raise click.UsageError(f"Exactly one worker must run on {host} for --self; none is.")
        raise click.UsageError(f"Exactly one worker must run on {host} for --self; these are: {', '.join(names)}.")
    return str(names[0])


def _wait(bar: Bar, is_over: Callable[[], bool], *, within_s: float) -> bool:
    """Look once a second; False when it takes longer."""
    left_s = within_s
    while left_s > 0:
        if is_over():
            return True
        bar.pause(1.0)
        left_s -= 1.0
    return False


# ------------------------------------------------------------------------------------------------------------- a worker


def _of_worker(user: User, asked: Node, name: str, *, within_s: float) -> bool | None:
    """Whether its runs ended in time; None: there was nothing to wait for."""
    total = _running(user, name)
    user.out.done("draining", asked, node=name, running=total)
    if not total or not within_s:
        return None
    with Bar(user.out, total=total) as bar:

        def is_over() -> bool:
            running = _running(user, name)
            longest = _longest(user, name) if running else {}
            done = total - running
            bar.tell(done, user.out.say("drain_progress", node=name, done=done, total=total, **longest))
            return not running

        is_empty = _wait(bar, is_over, within_s=within_s)
    if not is_empty:
        _tell_left(user, name)
    return is_empty


def _running(user: User, name: str) -> int:
    """Runs on all live workers of this name: each was asked to drain."""
    return sum(one["running"] for one in live_workers(name, user.client.nodes.list()))


def _left(user: User, name: str) -> list[Mapping[str, Any]]:
    """The runs that are still on the live workers of this name, the one that began first in front."""
    workers = live_workers(name, user.client.nodes.list())
    runs = [run for one in workers for run in user.client.nodes.get(one["id"])["runs"] or ()]
    return sorted(runs, key=lambda run: run["started_at"] or run["created_at"])


def _longest(user: User, name: str) -> dict[str, Any]:
    """The job whose run is the oldest there, and since when it runs; nothing when all ended just now."""
    left = _left(user, name)
    if not left:
        return {}
    return {"job": left[0]["job"], "since": user.times.show(left[0]["started_at"] or left[0]["created_at"])}


def _tell_left(user: User, name: str) -> None:
    """Say which runs keep a node from being empty, and what each waits for."""
    left = _left(user, name)
    user.out.talk("drain_left", mark="warn", node=name, count=len(left))
    for run in left[:LEFT_SHOWN]:
        waits = run["waits"]["what"] if run.get("waits") else None
        since = user.times.show(run["started_at"] or run["created_at"])
        user.out.talk("drain_left_run", run=run["id"], job=run["job"], since=since, waits=waits)


# ------------------------------------------------------------------------------------------------------------- a server


def _of_server(user: User, asked: Node, name: str, *, within_s: float) -> bool | None:
    """Whether a server came to rest in time; None: the user does not wait."""
    user.out.done("draining_server", asked, node=name)
    if not within_s:
        return None
    with Bar(user.out, total=1) as bar:

        def is_over() -> bool:
            left = _left_at(user, user.client.nodes.get(asked["id"]))
            bar.tell(0 if left else 1, user.out.say("drain_server_progress", node=name, left=left))
            return not left

        is_idle = _wait(bar, is_over, within_s=within_s)
    if not is_idle:
        left = _left_at(user, user.client.nodes.get(asked["id"]))
        user.out.talk("drain_server_left", mark="warn", node=name, left=left)
    return is_idle


def _left_at(user: User, server: Node) -> str:
    """What keeps a server from being idle, as its last beat said; empty: nothing, or the server is gone."""
    load, say = server["load"], user.out.say
    if server["health"] in GONE or (load.get("drained") and not server["is_leader"]):
        return ""
    parts = [say("left_unheard")] if "drained" not in load else []
    if server["is_leader"]:
        parts.append(say("left_leading"))
    if polls := int(load.get("queue", 0)):
        parts.append(say("left_polls", count=polls))
    return ", ".join(parts) or say("left_deciding")
