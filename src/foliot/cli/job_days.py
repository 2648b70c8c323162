"""`foliot job days`: how a job's runs of each day ended."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import click

from foliot.cli.completion import job_name
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column


@click.command()
@click.argument("name", shell_complete=job_name)
@click.option("--days", "count", type=click.IntRange(1, 366), default=30, show_default=True, help="How many days.")
@click.option("--to", metavar="DATE", help="The last of them; today, unless said.")
@remote
def days(user: User, *, name: str, count: int, to: str | None) -> None:
    """Show how a job's runs of each day ended. Days on which nothing was due are left out.

    \b
    Examples:
      foliot job days settle
      foliot job days settle --days 7 --to 2026-03-02
      foliot job days settle --tz UTC -o json
    """
    found = user.client.jobs.days(name, days=count, to=to, tz=user.times.name)
    columns = [
        Column("DAY", "day"),
        Column("RUNS", lambda day: str(sum(day["counts"].values()) - day["counts"].get("SKIPPED", 0))),
        Column("SUCCEEDED", partial(_count, "SUCCEEDED"), empty="-"),
        Column("FAILED", partial(_count, "FAILED"), empty="-"),
        Column("CANCELLED", partial(_count, "CANCELLED"), empty="-"),
        Column("SKIPPED", partial(_count, "SKIPPED"), empty="-"),
    ]
    user.out.items(found["days"], columns, name="day", answer=found)
    if found["whole_since"]:
        user.out.talk("days_whole_since", mark="note", since=user.times.full(found["whole_since"]))


def _count(state: str, day: Mapping[str, Any]) -> str:
    count = day["counts"].get(state, 0)
    return str(count) if count else ""
