"""The options of a command as settings that hold: each value, and whether a flag, the environment or nobody gave it."""

from collections.abc import Iterator
from typing import Any, Final

import click
from click.core import ParameterSource

from foliot.domain.effective_settings import EffectiveSetting, SettingSource
from foliot.domain.redaction import HIDDEN, redacted
from foliot.words.chinese.help_options import OPTIONS

SECRET: Final = frozenset({"handler_options"})  # their values are passwords as often as not
_FILES: Final = {"db": "db_file"}  # a value that another option reads from a file
_ENGLISH: Final = {chinese: english for english, chinese in OPTIONS.items()}


def effective_settings() -> tuple[EffectiveSetting, ...]:
    """The settings of the command that runs now."""
    context = click.get_current_context()
    return tuple(_settings(context))


def _settings(context: click.Context) -> Iterator[EffectiveSetting]:
    for param in context.command.params:
        is_shown = isinstance(param, click.Option) and not param.hidden and param.expose_value
        if not is_shown or param.name in _FILES.values():
            continue
        assert isinstance(param, click.Option)
        assert param.name is not None
        file = context.params.get(_FILES.get(param.name, ""))
        if file is not None:
            yield _setting(param, "", source=SettingSource.FILE, place=str(file))
            continue
        source = _source(context, param.name)
        place = param.envvar if source is SettingSource.ENVIRONMENT else param.opts[0]
        yield _setting(param, _written(param.name, context.params.get(param.name)), source=source, place=str(place))


def _setting(param: click.Option, value: str, *, source: SettingSource, place: str) -> EffectiveSetting:
    help_ = param.help or ""  # in Chinese when the server was started by somebody who reads it
    name = param.opts[0].lstrip("-")
    return EffectiveSetting(name=name, value=value, source=source, place=place, meaning=_ENGLISH.get(help_, help_))


def _source(context: click.Context, name: str) -> SettingSource:
    match context.get_parameter_source(name):
        case ParameterSource.COMMANDLINE:
            return SettingSource.FLAG
        case ParameterSource.ENVIRONMENT:
            return SettingSource.ENVIRONMENT
        case _:
            return SettingSource.DEFAULT


def _written(name: str, value: Any) -> str:
    if value is None or value in ((), ""):
        return ""
    if name in SECRET:
        return HIDDEN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(redacted(str(one)) for one in value)
    return redacted(str(value))
