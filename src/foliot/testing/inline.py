"""`run_inline`: one run of a job, here and now, read and called and ended as in a worker."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from foliot.domain.errors import ExecutionFailed
from foliot.domain.instants import Instant, to_instant
from foliot.domain.run import FailureKind, RunState
from foliot.domain.schedule.moments import read_instant
from foliot.domain.verdict import Cause
from foliot.sdk.ctx import Ctx, CtxFacts
from foliot.sdk.handler import Handler
from foliot.sdk.invocation import Outcome, invoke, invoke_until_asked
from foliot.sdk.job import JobFunction
from foliot.sdk.results import to_json, to_plain
from foliot.sdk.trigger_call import payload
from foliot.testing.inline_port import InlinePort, LogLine

DUE: Final = "2026-01-01T00:00:00Z"
"""When an inline run is due unless the test says otherwise: the same in every test run."""

_CHECKPOINT_MAX: Final = 64 * 1024
_MERGED_MAX: Final = 4 * 1024 * 1024  # as in a store
_STATES: Final = {
    Cause.SUCCEEDED: RunState.SUCCEEDED,
    Cause.CANCELLED: RunState.CANCELLED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineRun:
    """How an inline run ended, and what it did on the way."""

    job: str
    state: RunState
    kind: FailureKind | None = None  # of a FAILED one
    error: str | None = None
    error_type: str | None = None
    traceback: str | None = None
    exception: BaseException | None = field(default=None, repr=False)
    lines: tuple[LogLine, ...] = field(default=(), repr=False)
    progress: tuple[int, int | None, str] | None = None  # done, total, note: the last report
    checkpoint: Mapping[str, Any] = field(default_factory=dict)
    slept_s: float = 0.0  # how long it slept, had the time been real
    result_json: str | None = field(default=None, repr=False)

    @property
    def result(self) -> Any:
        """What it returned, as a client would see it; the job's own error when it failed."""
        if self.state is RunState.FAILED:
            raise InlineRunFailed(self.job, self.error or "") from self.exception
        return None if self.result_json is None else msgspec.json.decode(self.result_json)

    @property
    def log_text(self) -> str:
        """All lines: `ctx.log`, `print`, `logging`."""
        return "".join(f"{line}\n" for line in self.lines)


class InlineRunFailed(ExecutionFailed):
    """The result of an inline run was asked for, and the run failed."""

    code = "FOL-6013"

    def __init__(self, job: str, error: str) -> None:
        super().__init__(f"{job} failed: {error}", hint="the job's own error is the cause of this one")


def run_inline(
    job: JobFunction[..., ..., Any],
    /,
    *args: Any,
    due: datetime | str = DUE,
    attempt: int = 1,
    shard: tuple[int, int] | None = None,
    cancel_after: int | str | timedelta | None = None,
    checkpoint: Mapping[str, Any] | None = None,
    params: Mapping[str, Any] | None = None,
    merge: Sequence[Any] | None = None,
    **named: Any,
) -> InlineRun:
    """Run a job in this process and wait for it. Parameters are read as those of a real trigger are.

    Sleeping takes no time. `shard=(3, 16)` makes it shard 3 of 16; `cancel_after=100` asks it to stop after 100 items,
    `cancel_after="30s"` after so much sleep; `checkpoint` is what an earlier attempt left; `params` is for names that
    are taken here. `merge=[...]` calls the job's merge function with what its shards returned. Wrong parameters raise
    `BadParameters`, as they do in `job.trigger()`.
    """
    given = {**named, **(params or {})}
    text, ctx, port = _prepared(job, args, given, due, attempt, shard, cancel_after, checkpoint, merge)
    raised: list[BaseException] = []
    handler = _remembering(_handler_of(job, is_merge=merge is not None), raised)
    with port.capturing():
        outcome = invoke(handler, text, ctx)
    return _inline_run(job, outcome, port, raised)


async def run_inline_async(
    job: JobFunction[..., ..., Any],
    /,
    *args: Any,
    due: datetime | str = DUE,
    attempt: int = 1,
    shard: tuple[int, int] | None = None,
    cancel_after: int | str | timedelta | None = None,
    checkpoint: Mapping[str, Any] | None = None,
    params: Mapping[str, Any] | None = None,
    merge: Sequence[Any] | None = None,
    **named: Any,
) -> InlineRun:
    """`run_inline` for async tests: an async job runs in the test's own loop, a plain one blocks it."""
    given = {**named, **(params or {})}
    text, ctx, port = _prepared(job, args, given, due, attempt, shard, cancel_after, checkpoint, merge)
    raised: list[BaseException] = []
    handler = _remembering(_handler_of(job, is_merge=merge is not None), raised)
    with port.capturing():
        if handler.is_async:
            outcome = await invoke_until_asked(handler, text, ctx)
        else:
            outcome = invoke(handler, text, ctx)
    return _inline_run(job, outcome, port, raised)


def _prepared(
    job: JobFunction[..., ..., Any],
    args: tuple[Any, ...],
    named: Mapping[str, Any],
    due: datetime | str,
    attempt: int,
    shard: tuple[int, int] | None,
    cancel_after: int | str | timedelta | None,
    checkpoint: Mapping[str, Any] | None,
    merge: Sequence[Any] | None,
) -> tuple[str, Ctx, InlinePort]:
    given = {**job.definition.params, **payload(job, args, named)}
    if merge is not None:
        given["parts"] = [to_plain(part, f"merge[{at}]", typed=True) for at, part in enumerate(merge)]
    facts = CtxFacts(
        run_id=1,
        job=job.name,
        namespace=job.namespace,
        due_at=_instant(due),
        attempt=attempt,
        fence=attempt,
        shard=-1 if shard is None else shard[0],
        shards=0 if shard is None else shard[1],
        checkpoint=None if checkpoint is None else to_json(checkpoint, bytes_max=_CHECKPOINT_MAX),
    )
    port = InlinePort(cancel_after)
    port.checkpoint = dict(checkpoint or {})
    return to_json(given, bytes_max=_CHECKPOINT_MAX if merge is None else _MERGED_MAX), Ctx(facts, port), port


def _handler_of(job: JobFunction[..., ..., Any], *, is_merge: bool) -> Handler:
    if not is_merge:
        return job.handler
    if job.merge_handler is None:
        raise ValueError(f"{job.name} has no merge function")
    return job.merge_handler


def _instant(due: datetime | str) -> Instant:
    return to_instant(due) if isinstance(due, datetime) and due.tzinfo is not None else read_instant(due)


def _remembering(handler: Handler, raised: list[BaseException]) -> Handler:
    """The same handler; what it raises is kept, so that a test can show it."""
    function: Callable[..., Any] = handler.function

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            raised.append(error)
            raise

    @functools.wraps(function)
    async def call_async(*args: Any, **kwargs: Any) -> Any:
        try:
            return await function(*args, **kwargs)
        except BaseException as error:
            raised.append(error)
            raise

    remembering = call_async if handler.is_async else call
    return Handler(remembering, job=handler.job, tz=handler.tz, is_merge=handler.is_merge)


def _inline_run(
    job: JobFunction[..., ..., Any], outcome: Outcome, port: InlinePort, raised: list[BaseException]
) -> InlineRun:
    state = _STATES.get(outcome.cause, RunState.FAILED)
    kind = FailureKind.REJECTED if outcome.cause is Cause.REJECTED else FailureKind.ERROR
    return InlineRun(
        job=job.name,
        state=state,
        kind=kind if state is RunState.FAILED else None,
        error=outcome.error,
        error_type=outcome.error_type,
        traceback=outcome.traceback,
        exception=raised[0] if raised and state is RunState.FAILED else None,
        lines=tuple(port.lines),
        progress=port.progress,
        checkpoint=port.checkpoint,
        slept_s=port.slept_s,
        result_json=outcome.result,
    )
