"""`--enable`, `--handler-settings`, `--handler-option`: kinds of handlers that a worker has, and their settings."""

import json
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from foliot.app.handler_kinds import HandlerSettings
from foliot.domain.errors import InvalidInput
from foliot.worker.secrets.settings import SecretSettings, read_secret_settings

TABLE: Final = "handlers"
SECRETS: Final = "secrets"
_JSON_BEGINS: Final = ("[", "{", '"')

Command = TypeVar("Command", bound=Callable[..., Any])


class BadSettingsFile(InvalidInput):
    """A file with settings of kinds of handlers that cannot be read."""

    code = "FOL-1112"

    def __init__(self, file: Path, why: str) -> None:
        super().__init__(
            f"The settings of handlers in {file} cannot be read: {why}.",
            hint="write TOML with one table for each kind, [handlers.http], and each secret, [secrets.BILLING_TOKEN]",
            file=str(file),
            why=why,
        )


class BadHandlerOption(InvalidInput):
    """An option for a kind of handler that is not of the form KIND.KEY=VALUE."""

    code = "FOL-1113"

    def __init__(self, written: str, why: str) -> None:
        shown = written.partition("=")[0]  # a value may be a secret
        super().__init__(
            f'"--handler-option {shown}" cannot be read: {why}.',
            hint="write --handler-option KIND.KEY=VALUE, with a list or a table as JSON",
            shown=shown,
            why=why,
        )


def handler_settings(command: Command) -> Command:
    """Add the options to a command."""
    for option in (
        click.option(
            "--handler-option",
            "handler_options",
            multiple=True,
            metavar="KIND.KEY=VALUE",
            help="One setting of a kind of handler; it wins over the file.",
        ),
        click.option(
            "--handler-settings",
            "handler_file",
            envvar="FOLIOT_HANDLER_SETTINGS",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="A TOML file with a table for each kind of handler, [handlers.KIND], and each secret, [secrets.NAME].",
        ),
        click.option(
            "--enable",
            "enabled",
            envvar="FOLIOT_ENABLE",
            default="",
            metavar="KINDS",
            help="Kinds of handlers to execute beside Python: http,sql,shell.",
        ),
    ):
        command = option(command)
    return command


def read_handler_settings(file: Path | None, options: Iterable[str], enabled: str = "") -> HandlerSettings:
    """What people wrote of the kinds; an option wins over the file. A kind that is only enabled has an empty table."""
    settings = {} if file is None else _from_file(file)
    for kind in enabled.replace(",", " ").split():
        settings.setdefault(kind, {})
    for option in options:
        _put(settings, option)
    return settings


def read_secrets(file: Path | None) -> dict[str, SecretSettings]:
    """The secrets that jobs of these kinds may name, of the same file."""
    if file is None:
        return {}
    tables = _tables(file).get(SECRETS, {})
    if not isinstance(tables, dict):
        raise BadSettingsFile(file, f"{SECRETS} is not a table")
    return read_secret_settings(tables, folder=file.absolute().parent)


def _from_file(file: Path) -> dict[str, dict[str, Any]]:
    kinds = _tables(file).get(TABLE, {})
    if not isinstance(kinds, dict):
        raise BadSettingsFile(file, f"{TABLE} is not a table")
    for kind, values in kinds.items():
        if not isinstance(values, dict):
            raise BadSettingsFile(file, f"{TABLE}.{kind} is not a table")
    return kinds


def _tables(file: Path) -> dict[str, Any]:
    try:
        found = tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadSettingsFile(file, _without_end(str(error))) from error
    for name in found.keys() - {TABLE, SECRETS}:
        raise BadSettingsFile(file, f'it has "{name}" beside [{TABLE}] and [{SECRETS}]')
    return found


def _put(settings: dict[str, dict[str, Any]], option: str) -> None:
    """Add `http.connect_within=5` to what is set already."""
    where, equals, value = option.partition("=")
    kind, *keys = where.split(".")
    if not equals or not keys or not all((kind, *keys)):
        raise BadHandlerOption(option, "it is not of this form")
    table: dict[str, Any] = settings.setdefault(kind, {})
    for key in keys[:-1]:
        table = table.setdefault(key, {})
        if not isinstance(table, dict):
            raise BadHandlerOption(option, f"{key} is not a table")
    table[keys[-1]] = _value(option, value)


def _value(option: str, written: str) -> Any:
    """A list, a table or a text in quotes is JSON; everything else is text, which the kind's own type reads."""
    if not written.startswith(_JSON_BEGINS):
        return written
    try:
        return json.loads(written)
    except ValueError as error:
        raise BadHandlerOption(option, "its value begins like JSON and is none") from error


def _without_end(text: str) -> str:
    return text.rstrip(".")
