"""`--hide-env`, `--keep-env`, `--clean-env`: which variables of the worker's environment jobs get."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import click

from foliot.domain.errors import InvalidInput
from foliot.worker.environment import EnvironmentRules

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\*?|\*", re.ASCII)

Command = TypeVar("Command", bound=Callable[..., Any])


def job_environment(command: Command) -> Command:
    """Add the options to a command."""
    for option in (
        click.option("--clean-env", is_flag=True, help="Jobs get only PATH, HOME, TZ and the like, and what is kept."),
        click.option("--keep-env", default="", help="Variables that jobs get in any case: FOLIOT_SERVER,AWS_*."),
        click.option("--hide-env", default="", help="Variables that jobs do not get: SMTP_PASSWORD,VAULT_*."),
    ):
        command = option(command)
    return command


def read_rules(
    *, hide: str, keep: str, clean: bool, secrets: Sequence[str] = (), secret_files: Sequence[str] = ()
) -> EnvironmentRules:
    """The rules people write; `secrets` and `secret_files` are the worker's own."""
    return EnvironmentRules(
        hide=_names("--hide-env", hide),
        keep=_names("--keep-env", keep),
        clean=clean,
        secrets=tuple(secrets),
        secret_files=tuple(secret_files),
    )


def _names(option: str, written: str) -> tuple[str, ...]:
    names = tuple(filter(None, (part.strip() for part in written.split(","))))
    for name in names:
        if not _NAME.fullmatch(name):
            shown = name.partition("=")[0] + "=…" if "=" in name else name  # a value may be a secret
            raise InvalidInput(
                f'{option}: "{shown}" is not the name of a variable.',
                hint=f"write {option} SMTP_PASSWORD,VAULT_* and give the values in the environment",
            )
    return names
