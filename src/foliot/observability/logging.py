"""Log lines: events with fields, for people on a terminal and as JSON elsewhere."""

import contextlib
import logging
import os
import sys
from typing import Any, Literal, TextIO

import structlog

LogFormat = Literal["console", "json", "auto"]


def wants_colour(stream: TextIO) -> bool:
    """Whether this is a terminal for colours, and its owner has not said no."""
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def configure_logging(*, level: str = "info", form: LogFormat = "auto") -> None:
    """Set up structlog and the standard library's loggers. Lines go to stderr: stdout is for data."""
    threshold = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
    as_json = form == "json" or (form == "auto" and not sys.stderr.isatty())
    renderer: Any = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if as_json
        else structlog.dev.ConsoleRenderer(colors=wants_colour(sys.stderr), pad_event_to=24)
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso" if as_json else "%H:%M:%S", utc=as_json),
            structlog.processors.format_exc_info if as_json else _keep,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.PrintLoggerFactory(Unfailing(sys.stderr)),  # type: ignore[arg-type]
        cache_logger_on_first_use=False,
    )
    logging.basicConfig(
        level=max(threshold, logging.WARNING), stream=sys.stderr, format="%(levelname)s %(name)s %(message)s"
    )


class Unfailing:
    """A stream for log lines: one that cannot be written (disk full, reader gone) is dropped, never raised (F18).

    A log line is written in the middle of duties, beats and reports; its disk must not be able to end them.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.flush()


def _keep(_logger: Any, _name: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    return event
