"""Log lines: events with fields, for people on a terminal and as JSON elsewhere."""

import contextlib
import logging
import os
import sys
from typing import Any, Literal, TextIO

import structlog

from foliot.domain.visible import visible, visible_line
from foliot.observability.feed_lines import FeedFormatter, FeedRenderer, is_for_the_feed
from foliot.observability.hidden import without_secrets
from foliot.words.language import Language

LogFormat = Literal["console", "json", "auto", "feed"]


def wants_colour(stream: TextIO) -> bool:
    """Whether this is a terminal for colours, and its owner has not said no."""
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def configure_logging(*, level: str = "info", form: LogFormat = "auto", language: Language = Language.ENGLISH) -> None:
    """Set up structlog and the standard library's loggers. Lines go to stderr: stdout is for data.

    The language is that of a feed. Lines of other forms are for programs and operators, who search for fixed words.
    """
    threshold = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
    as_json = form == "json" or (form == "auto" and not sys.stderr.isatty())
    is_coloured = wants_colour(sys.stderr)
    feed = FeedRenderer(sys.stderr, is_coloured=is_coloured, language=language) if form == "feed" else None
    renderer: Any = feed or structlog.dev.ConsoleRenderer(colors=is_coloured, pad_event_to=24)
    if as_json:
        renderer = structlog.processors.JSONRenderer(ensure_ascii=False)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso" if as_json else "%H:%M:%S", utc=as_json),
            structlog.processors.format_exc_info,
            _redacted,
            _keep if as_json else _visible,
            renderer,
            _visible_json if as_json else _keep,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.PrintLoggerFactory(Unfailing(sys.stderr)),  # type: ignore[arg-type]
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    plain = _VisibleFormatter("%(levelname)s %(name)s %(message)s")
    handler.setFormatter(plain if feed is None else FeedFormatter(feed))
    if feed is not None:
        handler.addFilter(is_for_the_feed)
    logging.basicConfig(level=max(threshold, logging.WARNING), handlers=[handler])


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


def _keep(_logger: Any, _name: str, event: Any) -> Any:
    return event


def _redacted(_logger: Any, _name: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """An error of a driver or client tells the address it was given, with the password in it (SEC-19)."""
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = without_secrets(value)
    return event


def _visible(_logger: Any, _name: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """What others wrote (names, errors, addresses) steers no terminal, and starts no line of its own."""
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = visible(value) if name == "exception" else visible_line(value)
    return event


def _visible_json(_logger: Any, _name: str, line: Any) -> Any:
    return visible(str(line))


class _VisibleFormatter(logging.Formatter):
    """The same for the loggers of other packages."""

    def format(self, record: logging.LogRecord) -> str:
        return visible(without_secrets(super().format(record)))
