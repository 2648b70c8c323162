"""`--allow-drills`: a node takes part in drills."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def drills_option(command: Command) -> Command:
    """Add the option to a command that starts a node."""
    option = click.option(
        "--allow-drills",
        envvar="FOLIOT_ALLOW_DRILLS",
        is_flag=True,
        help="Admins may break this process on purpose: foliot drill.",
    )
    return option(command)
