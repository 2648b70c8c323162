"""`foliot limit`: how many runs may hold a named resource at once."""

from urllib.parse import quote

import click

from foliot.cli import EXIT_CODES
from foliot.cli.asking import Desk, Group, remote
from foliot.cli.output import Column


@click.group(cls=Group, epilog=EXIT_CODES)
def limit() -> None:
    """Named limits: how many runs may hold a resource at once.

    A job brings the limits of its namespace along (place.concurrency); an admin makes those of the whole cluster.

    \b
    Examples:
      foliot limit list
      foliot limit set settle-db 4
    """


@limit.command("list")
@click.option("--limit", "most", type=click.IntRange(1, 10_000), default=200, show_default=True)
@remote
def list_limits(desk: Desk, *, most: int) -> None:
    """List the limits of the cluster and of the namespace, and how many runs hold each.

    \b
    Examples:
      foliot limit list
      foliot limit list -n billing -o json
    """
    answer = desk.listed("/limits", limit=most, namespace=desk.namespace)
    columns = [
        Column(title="NAME", of=lambda row: row["name"], least=8),
        Column(title="NAMESPACE", of=lambda row: row["namespace"] or desk.out.say("every_namespace")),
        Column(title="USED", of=lambda row: str(row["used"])),
        Column(title="MAX", of=lambda row: str(row["max"])),
    ]
    desk.out.items(answer["items"], columns, answer=answer)


@limit.command("set")
@click.argument("name")
@click.argument("max_", metavar="MAX", type=click.IntRange(1, 100_000))
@click.option("--reason", default="", metavar="TEXT")
@remote
def set_limit(desk: Desk, *, name: str, max_: int, reason: str) -> None:
    """Make a limit of the whole cluster, or change how many runs it lets through. Needs an admin's token.

    \b
    Examples:
      foliot limit set settle-db 4
      foliot limit set settle-db 8 --reason "a larger database"
    """
    from foliot.client.calls import PREFIX, Call

    path = f"{PREFIX}/cluster/limits/{quote(name, safe='')}"
    saved = desk.client.send(Call(method="PUT", path=path, body={"max": max_, "reason": reason}))
    if desk.out.is_for_people:
        desk.out.talk("limit_set", mark="good", name=saved["name"], max=saved["max"])
    else:
        desk.out.item(saved, ())


@limit.command("delete")
@click.argument("name")
@remote
def delete_limit(desk: Desk, *, name: str) -> None:
    """Take a limit of the whole cluster away, once no job counts in it and no run holds it. Needs an admin's token.

    \b
    Examples:
      foliot limit delete settle-db
    """
    desk.confirm([name])
    desk.delete(f"/cluster/limits/{quote(name, safe='')}")
    desk.out.talk("limit_gone", mark="good", name=name)
