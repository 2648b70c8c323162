"""What goes on while a benchmark works: a bar on a terminal, a line now and then elsewhere; always on stderr."""

import sys
from types import TracebackType
from typing import Any, Final, Self

from foliot_bench.moments import CLOCK

LINE_EVERY_S: Final = 10.0


class Progress:
    """One bar with count, rate and time left, or lines when nobody looks."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._bar: Any = _bar() if sys.stderr.isatty() and not quiet else None
        self._task: Any = None
        self._phase = ""
        self._told_at = 0.0

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def tell(self, phase: str, *, done: int = 0, of: int = 0) -> None:
        """Say what goes on, and how far it is."""
        if self._bar is not None:
            self._show(phase, done, of)
        elif not self._quiet and (phase != self._phase or CLOCK.monotonic() - self._told_at > LINE_EVERY_S):
            self._told_at = CLOCK.monotonic()
            sys.stderr.write(f"{phase}  {done:,} of {of:,}\n" if of and done else f"{phase}\n")
            sys.stderr.flush()
        self._phase = phase

    def _show(self, phase: str, done: int, of: int) -> None:
        if phase != self._phase:  # rate and time left are a phase's own
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(phase, total=of or None)
        self._bar.update(self._task, completed=done, total=of or None)


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        ProgressColumn,
        SpinnerColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar
    from rich.text import Text

    class _Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:,.0f}/s" if task.speed else "", style="dim")

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(compact=True),
    )
    return Bar(*columns, console=Console(stderr=True), transient=True, refresh_per_second=8)
