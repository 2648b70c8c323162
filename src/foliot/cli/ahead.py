"""`foliot cluster ahead`: how many instants are due in each of the next minutes, and how many slots they need."""

from collections.abc import Mapping
from typing import Any

import click

from foliot.cli.server_access import User, remote
from foliot.cli.table import Column


@click.command()
@click.option("--minutes", type=click.IntRange(1, 180), default=60, show_default=True, help="How far to look.")
@remote
def ahead(user: User, *, minutes: int) -> None:
    """Show what comes: how many instants are due in each of the next minutes, of which jobs, on how many slots.

    How long runs take is known from the last week; runs that were triggered are not foreseen. A group that would have
    less than three tenths of its slots free has a line of its own.

    \b
    Examples:
      foliot cluster ahead
      foliot cluster ahead --minutes 180 -o json
    """
    found = user.client.cluster.ahead(minutes=minutes, namespace=user.namespace)
    times = user.times
    columns = [
        Column(times.title("MINUTE"), times.instant("at")),
        Column("FIRES", "fires"),
        Column("SLOTS", _slots),
        Column("JOBS", _jobs, least=10),
    ]
    user.out.items(found["minutes"], columns, name="at", answer=found)
    if not found["is_whole"]:
        user.out.talk("ahead_is_part", mark="warn")
    for group in found["groups"]:
        if group["is_short"]:
            needs, at = f"{group['needs']:.1f}", times.told(group["at"])
            user.out.talk("ahead_is_short", mark="warn", group=group["group"], slots=group["slots"], needs=needs, at=at)


def _slots(minute: Mapping[str, Any]) -> str:
    return f"{minute['slots']:.1f}"


def _jobs(minute: Mapping[str, Any]) -> str:
    names = [job["name"] for job in minute["jobs"]]
    return ", ".join(names) + (" …" if minute["fires"] > len(names) else "")
