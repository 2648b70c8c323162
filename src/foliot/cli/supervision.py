"""`--supervise`: a command that runs for long starts itself as a child, and again when the child fails."""

import faulthandler
import os
from collections.abc import Callable
from typing import TypeVar

import click

from foliot.app.overseers import Overseers
from foliot.app.supervisor import Supervision, supervise
from foliot.app.system import SystemChance, SystemClock
from foliot.domain.instants import SECOND, parse_duration

C = TypeVar("C", bound=Callable[..., object])


def supervise_options(command: C) -> C:
    """Add the options to a command."""
    wedged = click.option(
        "--wedged-after",
        default="30s",
        show_default=True,
        metavar="DURATION",
        help="With --supervise: how long its loop may stand still.",
    )
    return click.option(
        "--supervise",
        "supervised",
        envvar="FOLIOT_SUPERVISE",
        is_flag=True,
        help="Start it again when it crashes or stands still.",
    )(wedged(command))


def overseers_of(*, supervised: bool, wedged_after: str) -> Overseers:
    """Whom this process tells how it is. The supervisor itself never comes back from here."""
    silent_s = parse_duration(wedged_after) / SECOND
    overseers = Overseers.of(os.environ)
    if supervised and not overseers.is_supervised:
        rules = Supervision(silent_s=max(1.0, silent_s))
        raise SystemExit(supervise(overseers, rules, clock=SystemClock(), chance=SystemChance()))
    if overseers.every_s is not None:
        faulthandler.enable()  # the signal of systemd's watchdog shows where each thread stands
    return overseers
