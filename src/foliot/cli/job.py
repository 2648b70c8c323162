"""`foliot job`: everything about jobs."""

import click

from foliot.cli import EXIT_CODES
from foliot.cli.groups import Group
from foliot.cli.job_anomalies import job_anomalies
from foliot.cli.job_changes import clone, delete, edit, pause, resume, rollback
from foliot.cli.job_creation import create
from foliot.cli.job_days import days
from foliot.cli.job_reschedule import reschedule
from foliot.cli.job_runs import backfill, backfills, trigger, try_out
from foliot.cli.job_skips import skips
from foliot.cli.job_views import diff, fires, list_jobs, show, why
from foliot.cli.stats import job_stats


@click.group(cls=Group, epilog=EXIT_CODES)
def job() -> None:
    """Jobs: list, look at, create, change, pause, run.

    \b
    Examples:
      foliot job list --failing
      foliot job show settle --fires 5
      foliot job create nightly --cron "0 2 * * *" --py billing.jobs:settle
      foliot job trigger settle -p day=2026-01-31 --wait
      foliot job why settle --at 02:00
    """


for command in (
    list_jobs,
    show,
    create,
    edit,
    clone,
    delete,
    diff,
    rollback,
    pause,
    resume,
    reschedule,
    trigger,
    try_out,
    why,
    fires,
    skips,
    backfill,
    backfills,
    days,
    job_stats,
    job_anomalies,
):
    job.add_command(command)
