"""One job on virtual time: its cursor goes through the real planner, its runs take as long as the test says."""

from typing import Any

from foliot.domain.fire import Cursor, CursorState, DueJob, Plan, PlannedRun, PlannedSkip, Situation, open_skip_after
from foliot.domain.instants import Instant, Micros, ceil_to_second
from foliot.domain.job import LoadedJob
from foliot.domain.plans import first_cursor, plan, plan_pause, plan_resume
from foliot.domain.policies.overlap import Overlap
from foliot.sdk.job import JobFunction


class Voyage:
    """What becomes of one job's instants as time passes."""

    def __init__(self, number: int, function: JobFunction[..., ..., Any], now: Instant, *, took_us: Micros) -> None:
        self._job = LoadedJob(
            job_id=number,
            version=1,
            namespace=function.namespace,
            name=function.name,
            definition=function.definition,
            lane_id=number,
        )
        self._took_us = took_us
        self._ends: list[Instant] = []  # of open runs, in line; a serial job's overlap in nothing but waiting
        self.runs: list[tuple[PlannedRun, Instant]] = []
        self.skips: list[PlannedSkip] = []
        self._cursor = Cursor(number, 1, CursorState.ACTIVE, None, None, 0)
        self._go(first_cursor(self._job, now), now)

    @property
    def next_due_at(self) -> Instant | None:
        return self._cursor.next_due_at

    def sail_to(self, until: Instant) -> None:
        """Decide everything up to `until`, each when it is due."""
        while (at := min([*self._ends, *self._wakes()], default=None)) is not None and at <= until:
            self._end_runs(at)
            if at in self._wakes():
                self._decide(at)

    def leap_to(self, now: Instant) -> None:
        """Be there at once, having seen nothing of the time between; then decide what was missed."""
        self._end_runs(now)
        if self._cursor.next_at is not None and self._cursor.next_at <= now:
            self._decide(now)
        while self._cursor.next_at == now:  # one plan does not decide everything
            self._decide(now)

    def pause(self, now: Instant) -> None:
        self._go(plan_pause(self._due(now), now), now)

    def resume(self, now: Instant, *, catch_up: bool) -> None:
        self._go(plan_resume(self._due(now), now, catch_up), now)

    def _wakes(self) -> list[Instant]:
        return [] if self._cursor.next_at is None else [self._cursor.next_at]

    def _decide(self, now: Instant) -> None:
        self._end_runs(now)
        self._go(plan(self._due(now), now), now)

    def _due(self, now: Instant) -> DueJob:
        live = running = len(self._ends)
        if self._job.definition.is_serial:
            running = min(live, 1)
        seen = Situation(open=live, waiting=live - running, scheduled=live, queued=live - running)
        return DueJob(self._cursor, self._job, seen)

    def _go(self, decided: Plan, now: Instant) -> None:
        if decided.trouble is not None:
            raise RuntimeError(decided.trouble)
        skip = open_skip_after(self._cursor, decided)
        for left_out in decided.skips:
            self._note(left_out)
        self._cursor = self._cursor._replace(
            state=decided.state,
            next_at=decided.next_at,
            next_due_at=decided.next_due_at,
            cursor_ver=self._cursor.cursor_ver + 1,
            remaining=decided.remaining,
            skip_from=skip.from_at,
            skip_reason=skip.reason,
            skip_why=skip.why,
        )
        for run in decided.runs:
            self._start(run, now)
        self._end_runs(now)

    def _note(self, skip: PlannedSkip) -> None:
        if skip.extends and self.skips:
            last = self.skips[-1]
            self.skips[-1] = last._replace(to_at=skip.to_at, count=last.count + skip.count)
        else:
            self.skips.append(skip)

    def _start(self, run: PlannedRun, now: Instant) -> None:
        self.runs.append((run, now))
        if self._job.definition.overlap is Overlap.REPLACE:
            self._ends = [now for _ in self._ends]  # asked to stop, and does
        begins = max([now, *self._ends]) if self._job.definition.is_serial else now
        self._ends.append(begins + self._took_us)

    def _end_runs(self, now: Instant) -> None:
        ended = [end for end in self._ends if end <= now]
        self._ends = [end for end in self._ends if end > now]
        schedule = self._job.definition.schedule
        if not ended or schedule is None or schedule.fixed_delay_us is None:
            return
        if self._cursor.next_at is None and self._cursor.state == CursorState.ACTIVE:
            next_due_at = ceil_to_second(max(ended) + schedule.fixed_delay_us)
            self._cursor = self._cursor._replace(
                next_at=schedule.wake_at(self._job.name, next_due_at), next_due_at=next_due_at
            )
