"""Ends of attempts on their way to the server: as objects, as reports, as lines of a spool file."""

from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from foliot.domain.instants import SECOND, Instant, to_instant
from foliot.domain.verdict import Cause
from foliot.ports.clock import Clock
from foliot.ports.worker_link import LogChunk, Report
from foliot.worker.run_log import RunLog


class Ended(NamedTuple):
    """An attempt that is over and not yet acknowledged. Times are monotonic."""

    run_id: int
    lease_id: str
    cause: Cause
    ended_at: float
    started_at: float | None = None
    result: str | None = None
    error: str | None = None
    error_type: str | None = None
    checkpoint: str | None = None
    log: RunLog | None = None
    job: str = ""

    def to_report(self, now: float) -> Report:
        """As it is sent at `now`."""
        started = self.started_at
        return Report(
            run_id=self.run_id,
            lease_id=self.lease_id,
            cause=self.cause,
            result=self.result,
            error=self.error,
            error_type=self.error_type,
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
        return Report(
            run_id=self.run_id,
            lease_id=self.lease_id,
            cause=self.cause,
            result=self.result,
            error=self.error,
            error_type=self.error_type,
            started_us_ago=ago,
            took_us=self.took_us,
            checkpoint=self.checkpoint,
        )


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


def to_spooled(ended: Ended, clock: Clock) -> SpooledReport:
    """As it is kept on disk."""
    report = ended.to_report(clock.monotonic())
    fields: dict[str, Any] = {
        name: getattr(report, name) for name in SpooledReport.__struct_fields__ if name != "started_at"
    }
    ago = report.started_us_ago
    return SpooledReport(started_at=None if ago is None else to_instant(clock.now()) - ago, **fields)
