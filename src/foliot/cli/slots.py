"""`--slots`: how many runs a worker executes at one time."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from foliot.app.slots import SLOTS

Command = TypeVar("Command", bound=Callable[..., Any])


def slots_option(command: Command) -> Command:
    """Add the option to a command, which gets what was written as `slots`."""
    option = click.option(
        "--slots",
        multiple=True,
        envvar="FOLIOT_SLOTS",
        default=(str(SLOTS),),
        show_default=True,
        metavar="N,KIND=N",
        help="Runs at one time; http=2000: slots for one kind of handler.",
    )
    return option(command)
