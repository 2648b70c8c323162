"""`foliot run lines`: a window of a run's log, and the way from one window to the next."""

from typing import Any

import click

from foliot.cli.server_access import User, remote
from foliot.cli.terminal import echo
from foliot.domain.visible import visible_line


@click.command()
@click.argument("run_id", metavar="ID")
@click.option("--before", metavar="POSITION", help="The lines in front of this one.")
@click.option("--after", metavar="POSITION", help="The lines behind this one.")
@click.option("--limit", type=click.IntRange(1, 1000), default=200, show_default=True, help="How many lines.")
@click.option("--shard", type=click.IntRange(0, 10_000), help="Of one shard.")
@click.option("--attempt", type=click.IntRange(1, 100_000), help="Of one try.")
@click.option("--level", type=click.Choice(["debug", "info", "warning", "error"], case_sensitive=False))
@click.option("--grep", metavar="TEXT", help="Lines that hold this text.")
@remote
def lines(user: User, *, run_id: str, before: str | None, after: str | None, **which: Any) -> None:
    """Show a window of a run's log: the last lines, or those in front of a line or behind it.

    \b
    Examples:
      foliot run lines r-8k2f
      foliot run lines r-8k2f --before 1-40960 --limit 50
      foliot run lines r-8k2f --grep "acct=88" -o json
    """
    if before and after:
        raise click.UsageError("Give either --before or --after.")
    found = user.client.runs.lines(run_id, before=before, after=after, **which)
    if not user.out.is_for_people:
        user.out.items(found["items"], [], name="position", answer=found)
        return
    for line in found["items"]:
        echo(visible_line(line["text"]))
    items, search_on = found["items"], found["search_on"]
    if not items and search_on is None:
        user.out.talk("nothing_matches")
        return
    first = search_on if search_on and not after else (items[0]["position"] if items else None)
    last = search_on if search_on and after else (items[-1]["position"] if items else None)
    if not found["is_begin"] and first:
        user.out.talk("lines_before", run=run_id, position=first)
    if not found["is_end"] and last:
        user.out.talk("lines_after", run=run_id, position=last)
