"""Log lines in the form of the feed of `foliot up`: `14:02:11  ▲ spool full  bytes=1048576`."""

import logging
from datetime import datetime
from typing import Any, Final, TextIO

import structlog

from foliot.domain.visible import visible, visible_line
from foliot.observability.hidden import without_secrets
from foliot.words.events import event_words
from foliot.words.language import Language

REASONS: Final = ("why", "error", "problem", "cause")
"""Fields that say why something happened, the best first: such a one stands behind the event."""

SAID_IN_SENTENCES: Final = frozenset({"job.refused", "job.retired", "job.declared_again"})
"""Events that `foliot up` says itself, in a sentence with the next step."""

_ERROR, _WARNING, _OTHER = ("✖", "x", "31"), ("▲", "!", "33"), ("·", "-", "2")
_MARKS: Final = {"critical": _ERROR, "error": _ERROR, "warning": _WARNING}
_NOT_TOLD: Final = frozenset({"event", "level", "timestamp", "exception", "logger"})


class FeedRenderer:
    """Renders events of structlog, and records of other packages' loggers, as lines of a feed."""

    def __init__(self, stream: TextIO, *, is_coloured: bool, language: Language = Language.ENGLISH) -> None:
        encoding = (getattr(stream, "encoding", None) or "").lower()
        self._is_ascii = not encoding.startswith("utf")
        self._is_coloured = is_coloured
        self._language = language
        self._last = ""

    def __call__(self, _logger: Any, _name: str, event: structlog.typing.EventDict) -> str:
        """A line; `DropEvent` for what was said just now: server and worker are one process, and both may say it."""
        said = f"{event['timestamp']} {self._head_of(event)}"
        if said == self._last or event["event"] in SAID_IN_SENTENCES:
            raise structlog.DropEvent
        self._last = said
        return self.line(event)

    def line(self, event: structlog.typing.EventDict) -> str:
        """An event as a line."""
        glyph, plain, colour = _MARKS.get(str(event.get("level")), _OTHER)
        mark = plain if self._is_ascii else glyph
        time = self._styled(str(event["timestamp"]), "2")
        return f"{time}  {self._styled(mark, colour)} {self._text_of(event)}"

    def _text_of(self, event: structlog.typing.EventDict) -> str:
        """An event in words: its name, why it happened, and what else is known of it."""
        details = [f"{key}={value}" for key, value in event.items() if key not in _NOT_TOLD and key not in REASONS]
        return "  ".join([self._head_of(event), *details])

    def _head_of(self, event: structlog.typing.EventDict) -> str:
        """The name of an event, and why it happened."""
        name = event_words(str(event["event"]), self._language)
        reason = reason_of(event)
        return f"{name}: {reason}" if reason else name

    def _styled(self, text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self._is_coloured else text


class FeedFormatter(logging.Formatter):
    """The same for the loggers of other packages."""

    def __init__(self, render: FeedRenderer) -> None:
        super().__init__()
        self._render = render

    def format(self, record: logging.LogRecord) -> str:
        made_at = datetime.fromtimestamp(record.created)  # noqa: DTZ006  the reader's own zone, as in the feed
        event = {
            "event": visible_line(without_secrets(record.getMessage())),
            "level": record.levelname.lower(),
            "timestamp": f"{made_at:%H:%M:%S}",
        }
        if record.exc_info:
            event["exception"] = visible(without_secrets(self.formatException(record.exc_info)))
        return self._render.line(event)


def is_for_the_feed(record: logging.LogRecord) -> bool:
    """Whether it is for the user of `foliot up`. A client that does not speak HTTP gets an answer itself."""
    return record.getMessage() != "Invalid HTTP request received."


def reason_of(event: structlog.typing.EventDict) -> str:
    """Why it happened: what a field says, else the last line of its traceback."""
    for field in REASONS:
        said = event.get(field)
        if isinstance(said, list | tuple):
            return "; ".join(map(str, said))
        if said:
            return str(said)
    lines = str(event.get("exception") or "").strip().splitlines()
    return lines[-1] if lines else ""
