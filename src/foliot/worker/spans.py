"""Spans of attempts: what a worker knows of a run from its due instant to its end, for whoever follows its trace."""

from msgspec.structs import replace

from foliot.domain.instants import SECOND, to_instant
from foliot.domain.run import format_run_id
from foliot.domain.traces import SpanRecord, read_traceparent, run_trace
from foliot.domain.verdict import Cause
from foliot.ports.clock import Clock
from foliot.ports.spans import SpanSink
from foliot.ports.worker_link import LeasedRun
from foliot.sdk.invocation import Outcome
from foliot.worker.attempt import Attempt


class AttemptSpans:
    """Made only where somebody wants spans: without it an attempt costs nothing more."""

    def __init__(self, sink: SpanSink, clock: Clock, *, node: str) -> None:
        self._sink = sink
        self._clock = clock
        self._node = node

    def begin(self, attempt: Attempt) -> None:
        """Give an attempt its place in a trace, before it starts."""
        run = attempt.run
        traced = run_trace(
            run_id=run.run_id,
            namespace=run.namespace,
            job=run.job,
            due_at=run.due_at,
            attempt=run.attempt,
            parent=read_traceparent(run.trace),
            ratio=self._sink.ratio,
        )
        attempt.traced = traced
        attempt.run = replace(run, trace=traced.handler.traceparent)

    def end(self, attempt: Attempt, outcome: Outcome, *, started_at: float | None, now: float) -> None:
        """Tell the spans of an attempt that is over. `started_at`, `now`: by the monotonic clock."""
        traced = attempt.traced
        if traced is None or not traced.handler.is_sampled:
            return
        run = attempt.run
        ended_at = to_instant(self._clock.now())
        facts = _facts(run, self._node) | {"foliot.cause": outcome.cause.value}
        is_good = outcome.cause is Cause.SUCCEEDED
        error = None if is_good else f"{outcome.cause.value} {outcome.error_type or ''}".strip()
        leased_at = min(run.leased_at, ended_at)
        tell = self._sink.ended
        if run.attempt == 1:
            due_at = min(run.due_at, leased_at)
            tell(SpanRecord("foliot.fire", traced.fire, traced.parent, due_at, leased_at, facts))
        tell(SpanRecord("foliot.attempt", traced.attempt, traced.fire, leased_at, ended_at, facts, error))
        if started_at is not None:
            began_at = max(leased_at, ended_at - int((now - started_at) * SECOND))
            tell(SpanRecord("foliot.handler", traced.handler, traced.attempt, began_at, ended_at, facts, error))


def _facts(run: LeasedRun, node: str) -> dict[str, str | int | bool]:
    facts: dict[str, str | int | bool] = {
        "foliot.job": run.job,
        "foliot.namespace": run.namespace,
        "foliot.run": format_run_id(run.run_id),
        "foliot.attempt": run.attempt,
        "foliot.node": node,
        "foliot.handler": run.handler,
    }
    return facts | {"foliot.shard": run.shard} if run.shard >= 0 else facts
