"""`foliot limit`: how many runs may hold a named resource at once."""

from collections.abc import Iterator, Mapping
from typing import Any

import click

from foliot.cli import EXIT_CODES
from foliot.cli.groups import Group
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.terminal import Line


@click.group(cls=Group, epilog=EXIT_CODES)
def limit() -> None:
    """Named limits: how many runs may hold a resource at once.

    A job brings the limits of its namespace along (place.concurrency); an admin makes those of the whole cluster.

    \b
    Examples:
      foliot limit list
      foliot limit show settle-db
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


@limit.command("show")
@click.argument("name")
@remote
def show_limit(user: User, *, name: str) -> None:
    """Show a limit: which runs hold it since when, how many wait for it, and which jobs count in it.

    It is the namespace's own limit, or else one of the whole cluster.

    \b
    Examples:
      foliot limit show settle-db
      foliot limit show settle-db -n billing
    """
    found = user.client.limits.get(name)
    if not user.out.is_for_people:
        user.out.item(found, ())
        return
    user.out.item(found, _lines(user, found))
    if not found["holders"]:
        return
    columns = [
        Column("RUN", "run", least=8),
        Column("JOB", _job_name, least=8),
        Column("WORKER", "worker", empty="-"),
        Column("TAKES", "takes"),
        Column(user.times.title("SINCE"), user.times.instant("since")),
    ]
    user.out.items(found["holders"], columns, name="run")


def _lines(user: User, found: Mapping[str, Any]) -> Iterator[tuple[str, Line]]:
    say = user.out.say
    yield "name", found["name"]
    yield "namespace", found["namespace"] or say("every_namespace")
    yield "used", say("limit_used", used=found["used"], max=found["max"])
    yield "hidden", say("limit_hidden", runs=found["hidden"]) if found["hidden"] else ""
    yield "waiting", str(found["waiting"])
    oldest = found["oldest"]
    if oldest:
        since = user.times.told(oldest["since"])
        yield "oldest", say("limit_oldest", run=oldest["run"], job=_job_name(oldest), since=since)
    yield "jobs", ", ".join(_counted(one) for one in found["jobs"]) or say("none")


def _counted(job: Mapping[str, Any]) -> str:
    """A job that counts in a limit, and how much each of its runs takes if that is more than one."""
    return _job_name(job) if job["takes"] == 1 else f"{_job_name(job)} (×{job['takes']})"


def _job_name(item: Mapping[str, Any]) -> str:
    return str(item["job"]) if item["namespace"] == "default" else f"{item['namespace']} / {item['job']}"


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
