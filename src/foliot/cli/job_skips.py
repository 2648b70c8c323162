"""`foliot job skips`: what was due and did not run, of all jobs."""

from collections.abc import Mapping
from typing import Any

import click

from foliot.cli.job_views import due_of
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.time_options import TypedTime, time_option


@click.command()
@click.option("--job", metavar="NAME", help="Of one job.")
@click.option("--reason", metavar="REASONS", help="Why they did not run; several with commas.")
@time_option("job skips --since", help="From then on.")
@time_option("job skips --until", help="Before then.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@remote
def skips(
    user: User, *, job: str | None, reason: str | None, since: TypedTime | None, until: TypedTime | None, limit: int
) -> None:
    """List what was due and did not run, of all jobs, the newest first.

    \b
    Examples:
      foliot job skips --since 24h
      foliot job skips --reason overlap,misfire
      foliot job skips --job settle -o json
    """
    times = user.times
    which = {"job": job, "reason": reason, "since": times.read(since), "until": times.read(until)}
    answer = user.listed(user.client.jobs.skips, limit=limit, namespace=user.namespace, **which)
    columns = [
        Column(times.title("DUE"), lambda row: due_of(times, _as_fire(row)), least=8),
        Column("JOB", "job", least=8),
        Column("NAMESPACE", "namespace", wide=True),
        Column("COUNT", "count"),
        Column("REASON", "reason"),
        Column("WHY", "why", least=10),
        Column(times.title("DECIDED"), times.instant("decided_at"), wide=True),
    ]
    user.out.items(answer["items"], columns, name="id", answer=answer)


def _as_fire(row: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"from_at": row["from_at"], "due_at": row["to_at"]}
