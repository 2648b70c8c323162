"""What handlers print and log goes to the log of their run: by context variable, in the loop and in threads."""

import io
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TextIO

from foliot.worker.attempt import Attempt
from foliot.worker.lines import ERR, OUT

current_attempt: Final[ContextVar[Attempt]] = ContextVar("foliot_attempt")

_LEVELS: Final = ((logging.ERROR, "ERROR"), (logging.WARNING, "WARNING"), (logging.INFO, "INFO"))


@contextmanager
def captured() -> Iterator[None]:
    """Route `print`, `sys.stderr` and `logging` to the attempt whose context writes; outside of one nothing changes."""
    out, err = sys.stdout, sys.stderr
    routed_out, routed_err = CapturedStream(out, OUT), CapturedStream(err, ERR)
    sys.stdout, sys.stderr = routed_out, routed_err
    try:
        with _kept_off_console((out, err, sys.__stdout__, sys.__stderr__)), records_taken(_to_attempt):
            yield
    finally:
        if sys.stdout is routed_out:
            sys.stdout = out
        if sys.stderr is routed_err:
            sys.stderr = err


@contextmanager
def records_taken(take: Callable[[str, str], bool]) -> Iterator[None]:
    """Hand every record of `logging` from INFO up to `take(level, text)`, which says whether it was for it."""
    root = logging.getLogger()
    handler = _RecordHandler(take)
    level = root.level
    root.addHandler(handler)
    if level == logging.WARNING:  # nobody chose it: it is Python's default
        root.setLevel(logging.INFO)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


class CapturedStream(io.TextIOBase):
    """A stream whose text belongs to the attempt that wrote it, else to the stream it stands before."""

    def __init__(self, behind: TextIO, level: str) -> None:
        self._behind = behind
        self._level = level

    def write(self, text: str) -> int:
        attempt = current_attempt.get(None)
        if attempt is None:
            return self._behind.write(text)
        attempt.write(self._level, text.encode("utf-8", "backslashreplace"))
        return len(text)

    def flush(self) -> None:
        self._behind.flush()

    def fileno(self) -> int:
        return self._behind.fileno()

    def isatty(self) -> bool:
        return current_attempt.get(None) is None and self._behind.isatty()

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(self._behind, "encoding", None) or "utf-8"

    @property
    def buffer(self) -> Any:
        return getattr(self._behind, "buffer")  # noqa: B009  as absent as it is behind


def level_of(record: logging.LogRecord) -> str:
    """The nearest of the levels a log line can have."""
    return next((name for least, name in _LEVELS if record.levelno >= least), "DEBUG")


class _RecordHandler(logging.Handler):
    """Hands records on, but for a program that writes them to the console itself: there they are captured already."""

    def __init__(self, take: Callable[[str, str], bool]) -> None:
        super().__init__(logging.INFO)
        self._take = take

    def emit(self, record: logging.LogRecord) -> None:
        if self._is_written_elsewhere():
            return
        try:
            text = self.format(record)
            if record.name != "root":
                text = f"{record.name}: {text}"
        except Exception:  # noqa: BLE001  a message that does not fit its arguments must not end the run
            text = f"{record.name}: {record.msg!r} (its arguments do not fit)"
        if not self._take(level_of(record), text) and not self._has_company():
            last = logging.lastResort
            if last is not None and record.levelno >= last.level:
                last.handle(record)

    def _is_written_elsewhere(self) -> bool:
        return any(
            isinstance(other, logging.StreamHandler) and other.stream in (sys.stdout, sys.stderr)
            for other in logging.getLogger().handlers
        )

    def _has_company(self) -> bool:
        return len(logging.getLogger().handlers) > 1


@contextmanager
def _kept_off_console(consoles: tuple[Any, ...]) -> Iterator[None]:
    """Handlers that were set up for the worker's own console write what no run wrote, at the level they had."""
    root = logging.getLogger()
    outside = _OutsideRuns(root.level)
    filtered = [h for h in root.handlers if isinstance(h, logging.StreamHandler) and h.stream in consoles]
    for handler in filtered:
        handler.addFilter(outside)
    try:
        yield
    finally:
        for handler in filtered:
            handler.removeFilter(outside)


class _OutsideRuns(logging.Filter):
    def __init__(self, level: int) -> None:
        super().__init__()
        self._level = level

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= self._level and current_attempt.get(None) is None


def _to_attempt(level: str, text: str) -> bool:
    attempt = current_attempt.get(None)
    if attempt is None:
        return False
    attempt.add_line(level, text)
    return True
