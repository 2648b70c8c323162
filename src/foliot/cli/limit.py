"""`foliot limit`: how many runs may hold a named resource at once."""

import click

from foliot.cli import EXIT_CODES
from foliot.cli.groups import Group
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column


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
def list_limits(user: User, *, most: int) -> None:
    """List the limits of the cluster and of the namespace, and how many runs hold each.

    \b
    Examples:
      foliot limit list
      foliot limit list -n billing -o json
    """
    answer = user.listed(user.client.limits.list, limit=most)
    columns = [
        Column("NAME", "name", least=8),
        Column("NAMESPACE", "namespace", empty=user.out.say("every_namespace")),
        Column("USED", "used"),
        Column("MAX", "max"),
    ]
    user.out.items(answer["items"], columns, answer=answer)


@limit.command("set")
@click.argument("name")
@click.argument("max_", metavar="MAX", type=click.IntRange(1, 100_000))
@click.option("--reason", default="", metavar="TEXT")
@remote
def set_limit(user: User, *, name: str, max_: int, reason: str) -> None:
    """Make a limit of the whole cluster, or change how many runs it lets through. Needs an admin's token.

    \b
    Examples:
      foliot limit set settle-db 4
      foliot limit set settle-db 8 --reason "a larger database"
    """
    saved = user.client.limits.set(name, max_, reason=reason)
    if user.out.is_for_people:
        user.out.talk("limit_set", mark="good", name=saved["name"], max=saved["max"])
    else:
        user.out.item(saved, ())


@limit.command("delete")
@click.argument("name")
@remote
def delete_limit(user: User, *, name: str) -> None:
    """Take a limit of the whole cluster away, once no job counts in it and no run holds it. Needs an admin's token.

    \b
    Examples:
      foliot limit delete settle-db
    """
    user.confirm([name])
    user.client.limits.remove(name)
    user.out.talk("limit_gone", mark="good", name=name)
