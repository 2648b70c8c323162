"""`foliot job anomalies`: in what jobs differ from their own baselines."""

from functools import partial
from typing import Final

import click

from foliot.cli.completion import job_name
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.time_options import TypedTime, time_option
from foliot.domain.anomalies.anomaly import AnomalyKind

KINDS: Final = click.Choice([str(kind) for kind in AnomalyKind])


@click.command("anomalies")
@click.argument("name", shell_complete=job_name, required=False)
@click.option("--kind", type=KINDS, help="Of one kind.")
@time_option("job anomalies --since", help="Those that were seen then or later.")
@click.option("--open", "only_open", is_flag=True, help="Only what is not over.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@remote
def job_anomalies(
    user: User, *, name: str | None, kind: str | None, since: TypedTime | None, only_open: bool, limit: int
) -> None:
    """Show in what a job, or every job, differs from what is usual for it at this hour of the week.

    \b
    Examples:
      foliot job anomalies --open
      foliot job anomalies settle --since 7d
      foliot job anomalies --kind silence
    """
    times = user.times
    which = {"name": name, "kind": kind, "since": times.read(since), "namespace": user.namespace}
    answer = user.listed(partial(user.client.jobs.anomalies, only_open=only_open), limit=limit, **which)
    columns = [
        Column(times.title("BEGAN"), times.instant("began_at"), least=8),
        Column("JOB", "job", least=8),
        Column("KIND", "kind"),
        Column(times.title("ENDED"), times.instant("ended_at"), empty="-"),
        Column("WHAT", "message", least=20),
    ]
    user.out.items(answer["items"], columns, name="job", answer=answer)
