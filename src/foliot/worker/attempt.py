"""One attempt that a worker holds, from its lease to the acknowledgement of its end."""

from typing import TYPE_CHECKING, Any, NamedTuple

from foliot.domain.traces import RunTrace
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import LeasedRun
from foliot.worker.lines import OutputLine
from foliot.worker.run_log import RunLog
from foliot.worker.secrets.cover import NO_COVER, Cover

if TYPE_CHECKING:
    from foliot.worker.logs import Logs

Progress = tuple[int, int | None, str]


class Wait(NamedTuple):
    """What an attempt waits for outside of its worker."""

    what: str  # callback, poll
    since: float  # monotonic


class Attempt:
    """One try of a run. The loop changes it; handler threads write its log; the beat thread reads it."""

    __slots__ = (
        "_logs",
        "checkpoint",
        "cover",
        "execution",
        "has_locks",
        "has_slot",
        "has_waited",
        "is_over",
        "is_void",
        "log",
        "progress",
        "run",
        "started_at",
        "stop_cause",
        "stop_why",
        "traced",
        "waits",
    )

    def __init__(self, run: LeasedRun, logs: "Logs") -> None:
        self.run = run
        self.cover = NO_COVER  # hides its secrets in what leaves the worker: log, error, result, notes
        self.started_at: float | None = None  # monotonic
        self.stop_cause: Cause | None = None  # set: it was asked to stop, and this is how its end will count
        self.stop_why = ""  # the same for people: "Timed out after 30 s"
        self.is_over = False  # nothing of it runs or waits to
        self.waits: Wait | None = None  # for whom it waits, if it does nothing itself
        self.has_waited = False
        self.has_locks = False  # it asked for one: its end gives back what it holds
        self.has_slot = True  # False: it waited, and another run had its slot meanwhile
        self.is_void = False  # the lease is another's: stop it and report nothing
        self.progress: Progress | None = None  # done, total, note: the newest
        self.checkpoint: str | None = None  # JSON: the newest
        self.log: RunLog | None = None  # opened by the first line: a silent run costs and sends nothing
        self.execution: Any = None  # what the isolation that runs it keeps of it
        self.traced: RunTrace | None = None  # its spans, where somebody wants them
        self._logs = logs

    @property
    def must_not_outlive_trust(self) -> bool:
        """Whether nobody may execute it unattended: it must not run twice, or never beside its successor."""
        return self.run.exclusive or self.run.at_most_once

    @property
    def cause_when_ended(self) -> Cause:
        """How it counts when its worker ends it for reasons of its own.

        At-most-once, and started: it ran, and its worker says that it failed. Else it is given back.
        """
        was_at_work = self.run.at_most_once and self.started_at is not None
        return Cause.ERROR if was_at_work else Cause.RELEASED

    def handed(self, name: str, value: str) -> None:
        """Its handler is given the value of a secret now: hide it from here on."""
        if self.cover is NO_COVER:
            self.cover = Cover()
        self.cover.add(name, value)

    def save_checkpoint(self, document: str) -> None:
        """Keep it, unless it holds a secret.

        A checkpoint is never changed: the next attempt would go on from what nobody wrote.
        """
        if self.cover.is_in(document):
            self.add_line(
                "WARNING", "the checkpoint was not saved: it holds the value of a secret; the one before stays"
            )
            return
        self.checkpoint = document

    def write(self, level: str, data: bytes) -> None:
        """Output of the handler, as it comes."""
        self._opened().write(level, data)

    def add_line(self, level: str, text: str) -> None:
        """One line of the handler's log, or of ours about it."""
        self._opened().add(OutputLine(level, text))

    def _opened(self) -> RunLog:
        if self.log is None:
            self.log = self._logs.open(self.run, self._hidden_line)
        return self.log

    def hidden(self, text: str, is_cut: bool) -> str:
        """The text without the secrets it was handed until now. `is_cut`: the end of the text is cut off."""
        return self.cover.hidden(text, is_cut=is_cut)

    def _hidden_line(self, line: OutputLine) -> str:
        return self.cover.hidden(line.text, is_cut=line.is_cut, is_rest=line.is_rest)
