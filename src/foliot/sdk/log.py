"""`ctx.log`: events with fields, not prose."""

import traceback
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final, Self, TypeAlias

_TEXT_MAX: Final = 16_384


class Level(StrEnum):
    """How much a log line matters."""

    DEBUG = "DEBUG"
    INFO = "INFO"
    WARNING = "WARNING"
    ERROR = "ERROR"


Write: TypeAlias = Callable[[Level, str, Mapping[str, Any]], None]


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


def render(event: str, fields: Mapping[str, Any]) -> str:
    """One line of text: the event, then its fields as `name=value`; a traceback follows on lines of its own."""
    rest = dict(fields)
    trace = rest.pop("traceback", None)
    line = event
    if rest:
        words = [f"{name}={_value(value)}" for name, value in rest.items()]
        line += "  " + " ".join(words)
    if trace:
        line += "\n" + str(trace).rstrip()
    return _shortened(line)


def _value(value: object) -> str:
    try:
        text = str(value)
    except Exception as error:  # noqa: BLE001  a log line must never end a run
        text = f"<{type(value).__name__}, str() raised {type(error).__name__}>"
    if not text or any(letter.isspace() or letter in '"=' or not letter.isprintable() for letter in text):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r") + '"'
    return text


def _shortened(text: str) -> str:
    return text if len(text) <= _TEXT_MAX else f"{text[:_TEXT_MAX]}… ({len(text) - _TEXT_MAX} more characters)"
