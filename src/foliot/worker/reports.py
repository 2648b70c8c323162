"""Ends of attempts on their way to the server: as objects, as reports, as lines of a spool file."""

from datetime import datetime
from typing import Any

import msgspec

from foliot.domain.instants import SECOND, Instant, to_instant
from foliot.domain.verdict import Cause
from foliot.ports.clock import Clock
from foliot.ports.worker_link import LogChunk, Report
from foliot.sdk.invocation import Outcome
from foliot.worker.run_log import RunLog


class AttemptEnd(msgspec.Struct, frozen=True):
    """An attempt that is over and not yet acknowledged. Times are monotonic. (One is made for every run: a named tuple
    would take several times as long.)
    """

    run_id: int
    lease_id: str
    outcome: Outcome
    ended_at: float
    started_at: float | None = None
    checkpoint: str | None = None
    log: RunLog | None = None
    job: str = ""

    def to_report(self, now: float) -> Report:
        """As it is sent at `now`."""
        started, outcome = self.started_at, self.outcome
        return Report(
            run_id=self.run_id,
            lease_id=self.lease_id,
            cause=outcome.cause,
            result=outcome.result,
            error=outcome.error,
            error_type=outcome.error_type,
            started_us_ago=None if started is None else max(0, int((now - started) * SECOND)),
            took_us=None if started is None else max(0, int((self.ended_at - started) * SECOND)),
            checkpoint=self.checkpoint,
            job=self.job,
        )


class SpooledReport(msgspec.Struct, tag="report", frozen=True, omit_defaults=True):
    """A report as it lies on disk. The start is by the wall clock, which outlives a reboot: shown, never judged by."""

    run_id: int
    lease_id: str
    cause: Cause
    result: str | None = None
    error: str | None = None
    error_type: str | None = None
    started_at: Instant | None = None
    took_us: int | None = None
    checkpoint: str | None = None

    def to_report(self, wall_now: datetime) -> Report:
        """As it is sent when the wall clock shows `wall_now`."""
        ago = None
        if self.started_at is not None:
            ago = max(to_instant(wall_now) - self.started_at, self.took_us or 0)
        return Report(started_us_ago=ago, **_told_by_both(self))


class SpooledLog(msgspec.Struct, tag="log", frozen=True):
    """A log chunk as it lies on disk, before the report of its attempt."""

    run_id: int
    lease_id: str
    attempt: int
    offset: int
    text: str

    def to_chunk(self) -> LogChunk:
        return LogChunk(
            run_id=self.run_id, lease_id=self.lease_id, attempt=self.attempt, offset=self.offset, text=self.text
        )


Spooled = SpooledReport | SpooledLog


def to_spooled(end: AttemptEnd, clock: Clock) -> SpooledReport:
    """As it is kept on disk."""
    report = end.to_report(clock.monotonic())
    ago = report.started_us_ago
    return SpooledReport(started_at=None if ago is None else to_instant(clock.now()) - ago, **_told_by_both(report))


def _told_by_both(report: Report | SpooledReport) -> dict[str, Any]:
    """The fields that a report has on disk and on its way to the server."""
    return {name: getattr(report, name) for name in SpooledReport.__struct_fields__ if name != "started_at"}
