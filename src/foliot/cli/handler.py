"""`foliot handler`: kinds of handlers, who offers them, and their options."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import click

from foliot.cli import EXIT_CODES
from foliot.cli.completion import handler_kind
from foliot.cli.groups import Group
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.terminal import Line, echo

NODES_SHOWN: Final = 10


@click.group(cls=Group, epilog=EXIT_CODES)
def handler() -> None:
    """Kinds of handlers: what jobs can execute, the workers that offer it, and the options of a job.

    \b
    Examples:
      foliot handler list
      foliot handler show http
    """


@handler.command("list")
@remote
def list_handlers(user: User) -> None:
    """List kinds of handlers, and the nodes that offer them.

    \b
    Examples:
      foliot handler list
      foliot handler list -o json
    """
    found = user.client.handlers.list()
    columns = [
        Column("KIND", "kind", least=6),
        Column("VERSIONS", versions_of, empty="-"),
        Column("NODES", nodes_of, empty="-"),
        Column("FAILED ON", failed_on, empty="-"),
    ]
    user.out.items(found.raw["items"], columns, name="kind", answer=found.raw)


@handler.command()
@click.argument("kind", shell_complete=handler_kind)
@remote
def show(user: User, *, kind: str) -> None:
    """Show a kind of handler: its versions, the nodes that offer it, and the options of a job.

    \b
    Examples:
      foliot handler show http
      foliot handler show http -o json
    """
    found = user.client.handlers.get(kind)
    user.out.item(found, _lines(user, found), name="kind")
    if user.out.is_for_people:
        echo("")
        show_options(user, found["options_schema"])


def show_options(user: User, schema: Mapping[str, Any] | None) -> None:
    """The options of a kind as a table, from their JSON Schema."""
    from foliot.domain.options import option_rows

    rows = option_rows(schema or {})
    if not rows:
        said = str((schema or {}).get("description", "")) or user.out.say("options_unknown")
        echo(said)
        return
    columns = [
        Column("OPTION", lambda row: f"{row['name']}{' *' if row['is_required'] else ''}", least=8),
        Column("TYPE", "type", least=6),
        Column("DEFAULT", "default", empty="-"),
        Column("MEANING", "meaning", empty="-", least=10),
    ]
    user.out.items([row._asdict() for row in rows], columns)
    if any(row.is_required for row in rows):
        user.out.talk("options_needed")


def versions_of(kind: Mapping[str, Any]) -> str:
    """The versions that live workers have."""
    return ", ".join(one["version"] or "?" for one in kind["versions"])


def nodes_of(kind: Mapping[str, Any]) -> str:
    """The nodes that offer some version."""
    return _named([node for one in kind["versions"] for node in one["nodes"]])


def failed_on(kind: Mapping[str, Any]) -> str:
    """The nodes where the kind does not work."""
    return _named([one["node"] for one in kind["failed"]])


def _named(nodes: Sequence[str]) -> str:
    names = sorted({*nodes})
    more = f" +{len(names) - NODES_SHOWN}" if len(names) > NODES_SHOWN else ""
    return f"{', '.join(names[:NODES_SHOWN])}{more}"


def _lines(user: User, kind: Mapping[str, Any]) -> Iterator[tuple[str, Line]]:
    origin = user.out.say("kind_of_foliot" if kind["is_own"] else "kind_of_package")
    yield "kind", f"{kind['kind']}  {origin}"
    for one in kind["versions"]:
        yield "version", f"{one['version'] or '?'}  {_named(one['nodes'])}"
    if not kind["versions"]:
        yield "version", user.out.say("kind_not_offered")
    for failed in kind["failed"]:
        package = f"{failed['package']} {failed['version']}".strip()
        yield "failed", f"{failed['node']}  {package}: {failed['why']}"
