"""`foliot cluster ahead`: how many instants are due in each of the next minutes."""

from collections.abc import Mapping
from typing import Any

import click

from foliot.cli.server_access import User, remote
from foliot.cli.table import Column


@click.command()
@click.option("--minutes", type=click.IntRange(1, 1440), default=60, show_default=True, help="How far to look.")
@remote
def ahead(user: User, *, minutes: int) -> None:
    """Show what comes: how many instants are due in each of the next minutes, and of which jobs.

    \b
    Examples:
      foliot cluster ahead
      foliot cluster ahead --minutes 240 -o json
    """
    found = user.client.cluster.ahead(minutes=minutes, namespace=user.namespace)
    times = user.times
    columns = [
        Column(times.title("MINUTE"), times.instant("at")),
        Column("FIRES", "fires"),
        Column("JOBS", _jobs, least=10),
    ]
    user.out.items(found["minutes"], columns, name="at", answer=found)
    if not found["is_whole"]:
        user.out.talk("ahead_is_part", mark="warn")


def _jobs(minute: Mapping[str, Any]) -> str:
    names = [job["name"] for job in minute["jobs"]]
    return ", ".join(names) + (" …" if minute["fires"] > len(names) else "")
