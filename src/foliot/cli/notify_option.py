"""`--notify`: what a server knows of channels."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from foliot.cli.reach import FILE

Command = TypeVar("Command", bound=Callable[..., Any])


def notify_option(command: Command) -> Command:
    """Add the option to a command that starts a server."""
    option = click.option(
        "--notify",
        "notify_file",
        envvar="FOLIOT_NOTIFY",
        type=FILE,
        help="A TOML file about channels of alerts: [notify], [secrets.NAME] and own [channels.NAME].",
    )
    return option(command)
