"""How far something is: a bar while one waits, and a line below a run's log.

▶ tick  r-8k31  ████████████░░░░░░░░  3/5  1.0/s  2 s left
"""

import sys
import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Final, Self

from foliot.cli.output import Output
from foliot.cli.server_access import User
from foliot.cli.table import cut, terminal_width
from foliot.cli.terminal import echo, echo_exactly, steer
from foliot.domain.errors import FoliotError
from foliot.domain.visible import visible_line

BAR_WIDTH: Final = 20
ASK_EVERY_S: Final = 0.5
PIPED_EVERY_S: Final = 10.0

_CLEAR: Final = "\r\x1b[K"


def bar(out: Output, done: int, total: int) -> str:
    """A bar: which part of the whole is done."""
    part = BAR_WIDTH * done // total
    filled = max(0, min(BAR_WIDTH, part))
    unfilled = BAR_WIDTH - filled
    full, empty = ("#", ".") if out.ascii else ("█", "░")
    return full * filled + empty * unfilled


def how_far(user: User, progress: Mapping[str, Any] | None) -> str:
    """Of a run: a bar if the end is known, how many, how fast, how long still, and what the run says."""
    if not progress:
        return ""
    done, total = progress["done"], progress["total"]
    parts = [bar(user.out, done, total)] if total else []
    parts.append(f"{done}/{total}" if total is not None else str(done))
    if progress["rate_per_s"] is not None:
        parts.append(f"{progress['rate_per_s']:.1f}/s")
    if progress["left_s"] is not None and done < total:
        left = user.times.lasting(max(1.0, round(progress["left_s"]))).replace(".0 ", " ")  # no one knows tenths ahead
        parts.append(user.out.say("progress_left", left=left))
    if progress["note"]:
        parts.append(visible_line(progress["note"]))
    return "  ".join(parts)


class StatusLine:
    """The last line of a terminal, written anew in place."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self.shown = ""

    def show(self, text: str) -> None:
        """Write it; an empty text takes it away."""
        if text or self.shown:
            steer(_CLEAR, err=True)
        if text:
            echo(self._out.mark("run"), text, nl=False, err=True)
        self.shown = text


class Bar:
    """Progress while one waits: a bar on a terminal, a line every ten seconds elsewhere."""

    def __init__(self, out: Output, *, total: int) -> None:
        self._out = out
        self._total = max(1, total)
        self._is_live = sys.stderr.isatty() and out.is_for_people
        self._waited_s = 0.0
        self._told_at = -PIPED_EVERY_S

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_live:
            echo("", err=True)

    def pause(self, seconds: float) -> None:
        """Wait a little."""
        threading.Event().wait(seconds)
        self._waited_s += seconds

    def tell(self, done: int, text: str) -> None:
        """How far it is."""
        if not self._out.is_for_people:
            return
        line = visible_line(f"{bar(self._out, done, self._total)}  {text}")
        if self._is_live:
            steer(_CLEAR, err=True)
            echo(cut(line, terminal_width() - 1), nl=False, err=True)
        elif self._waited_s - self._told_at >= PIPED_EVERY_S:
            self._told_at = self._waited_s
            echo(line, err=True)


class LiveProgress:
    """Asks for a run's progress in a thread of its own, and keeps the line below whatever is printed."""

    def __init__(self, user: User, run: str, *, is_wanted: bool, is_raw: bool = False) -> None:
        """Elsewhere than in a terminal it only prints; `is_raw`: there exactly what was logged."""
        self._print = self._print_for(is_raw=is_raw)
        self._user = user
        self._run = run
        self._is_live = is_wanted and user.out.is_for_people and sys.stdout.isatty() and sys.stderr.isatty()
        self._line = StatusLine(user.out)
        self._lock = threading.Lock()  # of the terminal: a line, then the bar below it
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="foliot-progress", daemon=True)

    def __enter__(self) -> Self:
        if self._is_live:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        with self._lock:
            self._line.show("")

    def above(self, line: str) -> None:
        """Print a line of the log above the bar."""
        with self._lock:
            shown = self._line.shown
            self._line.show("")
            self._print(line)
            self._line.show(shown)

    @staticmethod
    def _print_for(*, is_raw: bool) -> Callable[[str], None]:
        """How a line is printed. What was logged could steer a terminal: there it is made visible, raw or not."""
        is_exact = is_raw and not sys.stdout.isatty()
        return echo_exactly if is_exact else echo

    def _work(self) -> None:
        while not self._over.is_set():
            try:
                run = self._user.client.runs.get(self._run).raw
            except FoliotError:  # a bar is no reason to complain: the log does that
                run = {}
            with self._lock:
                if not self._over.is_set():
                    self._line.show(told(self._user, run))
            self._over.wait(ASK_EVERY_S)


def told(user: User, run: Mapping[str, Any]) -> str:
    """The line: which run, and how far it is."""
    far = how_far(user, run.get("progress"))
    if not far:
        return ""
    line = visible_line(f"{run['job']}  {run['id']}  {far}")
    room = terminal_width() - 4
    return cut(line, room)
