"""How far a run is, in a line that stays below its log while it is followed in a terminal.

▶ tick  r-8k31  ████████████░░░░░░░░  3/5  1.0/s  2 s left
"""

import sys
import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Final, Self

from foliot.cli.asking import Desk
from foliot.cli.output import cut, terminal_width
from foliot.cli.speaking import echo, echo_exactly, steer
from foliot.domain.errors import FoliotError
from foliot.domain.visible import visible_line

ASK_EVERY_S: Final = 0.5
BAR_WIDTH: Final = 20

_CLEAR: Final = "\r\x1b[K"


class LiveProgress:
    """Asks for a run's progress in a thread of its own, and keeps the line below whatever is printed."""

    def __init__(self, desk: Desk, run: str, *, is_wanted: bool, is_raw: bool = False) -> None:
        """Elsewhere than in a terminal it only prints; `is_raw`: there exactly what was logged."""
        self._print = self._print_for(is_raw=is_raw)
        self._desk = desk
        self._run = run
        self._is_live = is_wanted and desk.out.is_for_people and sys.stdout.isatty() and sys.stderr.isatty()
        self._shown = ""
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
            self._show("")

    def above(self, line: str) -> None:
        """Print a line of the log above the bar."""
        with self._lock:
            shown = self._shown
            self._show("")
            self._print(line)
            self._show(shown)

    @staticmethod
    def _print_for(*, is_raw: bool) -> Callable[[str], None]:
        """How a line is printed. What was logged could steer a terminal: there it is made visible, raw or not."""
        return echo_exactly if is_raw and not sys.stdout.isatty() else echo

    def _work(self) -> None:
        while not self._over.is_set():
            try:
                run = self._desk.client.runs.get(self._run).raw
            except FoliotError:  # a bar is no reason to complain: the log does that
                run = {}
            with self._lock:
                if not self._over.is_set():
                    self._show(told(self._desk, run))
            self._over.wait(ASK_EVERY_S)

    def _show(self, text: str) -> None:
        if text or self._shown:
            steer(_CLEAR, err=True)
        if text:
            echo(self._desk.out.mark("run"), text, nl=False, err=True)
        self._shown = text


def told(desk: Desk, run: Mapping[str, Any]) -> str:
    """The line: which run, and how far it is."""
    far = how_far(desk, run.get("progress"))
    return cut(visible_line(f"{run['job']}  {run['id']}  {far}"), terminal_width() - 4) if far else ""


def how_far(desk: Desk, progress: Mapping[str, Any] | None) -> str:
    """A bar if the end is known, how many, how fast, how long still, and what the run says."""
    if not progress:
        return ""
    done, total = progress["done"], progress["total"]
    parts = []
    if total:
        filled = max(0, min(BAR_WIDTH, BAR_WIDTH * done // total))
        full, empty = ("#", ".") if desk.out.ascii else ("█", "░")
        parts.append(f"{full * filled}{empty * (BAR_WIDTH - filled)}")
    parts.append(f"{done}/{total}" if total is not None else str(done))
    if progress["rate_per_s"] is not None:
        parts.append(f"{progress['rate_per_s']:.1f}/s")
    if progress["left_s"] is not None and done < total:
        left = desk.times.lasting(max(1.0, round(progress["left_s"]))).replace(".0 ", " ")  # no one knows tenths ahead
        parts.append(desk.out.say("progress_left", left=left))
    if progress["note"]:
        parts.append(visible_line(progress["note"]))
    return "  ".join(parts)
