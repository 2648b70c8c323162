"""`--metrics-per-job`: of how many jobs the metrics of a server have series of their own."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from foliot.domain.metric_bounds import JOBS_SHOWN_MAX

Command = TypeVar("Command", bound=Callable[..., Any])


def metrics_option(command: Command) -> Command:
    """Add the option to a command that starts a server."""
    option = click.option(
        "--metrics-per-job",
        envvar="FOLIOT_METRICS_PER_JOB",
        type=click.IntRange(0, JOBS_SHOWN_MAX),
        default=0,
        show_default=True,
        metavar="N",
        help="The metrics show N jobs one by one, at most 1000, and all others added up.",
    )
    return option(command)
