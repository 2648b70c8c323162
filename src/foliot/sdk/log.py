"""`ctx.log`: events with fields, not prose."""

import traceback
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final, Self, TypeAlias

from foliot.domain.redaction import redacted

_TEXT_MAX: Final = 16_384
_LOOKED_AT_MORE: Final = 512 * 1024
"""Letters beyond a limit in which secrets are hidden before the text is cut: no form of a secret is longer."""


class Level(StrEnum):
    """How much a log line matters."""

    DEBUG = "DEBUG"
    INFO = "INFO"
    WARNING = "WARNING"
    ERROR = "ERROR"


Write: TypeAlias = Callable[[Level, str, Mapping[str, Any]], None]
Hide: TypeAlias = Callable[[str, bool], str]
"""A text without secrets; the second argument says whether its end was cut off."""


def hide_nothing(text: str, is_cut: bool) -> str:
    """Where no secret is known: in a child process, in a test."""
    del is_cut
    return text


class Log:
    """Writes structured lines next to a run: `ctx.log.info("settled", day=day, n=3)`."""

    __slots__ = ("_bound", "_write")

    def __init__(self, write: Write, bound: Mapping[str, Any] | None = None) -> None:
        self._write = write
        self._bound = dict(bound or {})

    def bind(self, **fields: Any) -> Self:
        """A log whose every line carries these fields as well."""
        return type(self)(self._write, self._bound | fields)

    def debug(self, event: str, **fields: Any) -> None:
        """Something only its author wants to see."""
        self._write(Level.DEBUG, event, self._bound | fields)

    def info(self, event: str, **fields: Any) -> None:
        """Something happened as it should."""
        self._write(Level.INFO, event, self._bound | fields)

    def warning(self, event: str, **fields: Any) -> None:
        """Something is odd, the run goes on."""
        self._write(Level.WARNING, event, self._bound | fields)

    def error(self, event: str, **fields: Any) -> None:
        """Something went wrong."""
        self._write(Level.ERROR, event, self._bound | fields)

    def exception(self, event: str, **fields: Any) -> None:
        """Something went wrong; adds the traceback of the error being handled."""
        self._write(Level.ERROR, event, self._bound | fields | {"traceback": traceback.format_exc()})


def render(event: str, fields: Mapping[str, Any], hide: Hide = hide_nothing) -> str:
    """One line of text: the event, then its fields as `name=value`; a traceback follows on lines of its own.

    A long one is cut, but not before `hide` looked at it: half a secret would not be found.
    """
    rest = dict(fields)
    trace = rest.pop("traceback", None)
    line = event
    if rest:
        words = [f"{name}={_value(value)}" for name, value in rest.items()]
        line += "  " + " ".join(words)
    line = _beginning(line, hide)
    return f"{line}\n{_end(str(trace).rstrip(), hide)}" if trace else line


def _value(value: object) -> str:
    try:
        text = str(value)
    except Exception as error:  # noqa: BLE001  a log line must never end a run
        text = f"<{type(value).__name__}, str() raised {type(error).__name__}>"
    if not text or any(letter.isspace() or letter in '"=' or not letter.isprintable() for letter in text):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r") + '"'
    return text


def _beginning(text: str, hide: Hide) -> str:
    if len(text) <= _TEXT_MAX:
        return text
    looked_at = text[: _TEXT_MAX + _LOOKED_AT_MORE]
    more = len(text) - len(looked_at)
    safe = redacted(hide(looked_at, more > 0))
    more += max(0, len(safe) - _TEXT_MAX)
    return f"{safe[:_TEXT_MAX]}… ({more} more characters)" if more else safe


def _end(text: str, hide: Hide) -> str:
    """Of a traceback the end says most."""
    if len(text) <= _TEXT_MAX:
        return text
    looked_at = text[-_TEXT_MAX - _LOOKED_AT_MORE :]
    if len(looked_at) < len(text):
        looked_at = looked_at.partition("\n")[2]  # its first line is not whole
    return f"…\n{redacted(hide(looked_at, False))[-_TEXT_MAX:]}"
