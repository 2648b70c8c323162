"""Runs, attempts and timelines as JSON."""

from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from fastapi import Body, Response
from pydantic import BeforeValidator, Field

from foliot.api.models.common import (
    ApiInput,
    ApiOutput,
    Listed,
    Moment,
    Reason,
    Seconds,
    located,
    moment,
    one_of,
    seconds,
)
from foliot.api.models.states import RunWord, ShownWord, in_capitals
from foliot.domain.errors import Conflict
from foliot.domain.fire import is_backfill, is_of_schedule, is_test, retry_of
from foliot.domain.instants import SECOND, Micros
from foliot.domain.payload import DEPTH_MAX, is_nested_deeper
from foliot.domain.policies.windows import StandsFor
from foliot.domain.run import format_run_id
from foliot.domain.texts import NAME_BYTES_MAX
from foliot.domain.why.verdicts import HoldKind
from foliot.ports.store.lookups import AttemptRow, RunRow, first_start_of, is_sharded, start_delay_of
from foliot.words.errors import tell
from foliot.words.language import Language


class CancelRun(ApiInput):
    """Why a run is cancelled, and how."""

    reason: Reason = ""
    force: bool = Field(False, description="Do not ask a running one to stop, end it at once.")


class RetryRun(ApiInput):
    """How to run a finished run again."""

    version: Literal["original", "latest"] = "original"
    failed_shards: bool = Field(False, description="Of a sharded run: only the shards that did not succeed.")
    reason: Reason = ""


MaybeCancelRun = Annotated[CancelRun, Body(default_factory=CancelRun)]
MaybeRetryRun = Annotated[RetryRun, Body(default_factory=RetryRun)]


AnyCaseState = Annotated[
    Literal["PENDING", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"], BeforeValidator(in_capitals)
]


class BulkRuns(ApiInput):
    """Many runs: by their ids, or all of a job in some states, with the number that is expected."""

    ids: list[str] | None = Field(None, max_length=200, examples=[["r-8k2f", "r-8k31"]])
    job: str | None = Field(None, max_length=NAME_BYTES_MAX)
    states: list[AnyCaseState] | None = Field(None, max_length=5)
    since: Moment | None = None
    until: Moment | None = None
    expected: int | None = Field(None, ge=0, le=200)
    reason: Reason = ""
    force: bool = Field(False, description="Of cancel: do not ask running ones to stop, end them at once.")


KindWord = Annotated[str, one_of("error", "timeout", "lost", "rejected", "poison")]
HoldWord = Annotated[str, one_of(*(kind for kind in HoldKind if kind.is_held))]
OriginWord = Annotated[str, one_of("schedule", "trigger", "test", "retry", "backfill", "dependency")]


class ProgressOut(ApiOutput):
    """How far a running run says it is. `left_s` goes by its pace so far."""

    done: int
    total: int | None = None
    note: str = ""
    rate_per_s: float | None = None
    left_s: Seconds | None = None

    @classmethod
    def of_run(cls, run: RunRow) -> "ProgressOut | None":
        progress = run.progress
        if progress is None:
            return None
        told = cls(done=progress.done, total=progress.total, note=progress.note)
        passed_us = progress.told_at - (run.started_at or progress.told_at)
        if passed_us <= 0 or progress.done <= 0:
            return told
        rate_per_s = progress.done * SECOND / passed_us
        told.rate_per_s = round(rate_per_s, 3)
        if progress.total is not None:
            left = max(progress.total - progress.done, 0)
            told.left_s = round(left / rate_per_s, 3)
        return told


class WaitOut(ApiOutput):
    """What a running run waits for outside of its worker. It takes no slot meanwhile."""

    what: str = Field(examples=["callback"], description="`callback` or `poll`.")
    since: Moment

    @classmethod
    def of_run(cls, run: RunRow) -> "WaitOut | None":
        if run.waits is None:
            return None
        return cls(what=run.waits.what, since=moment(run.waits.since) or "")


class RunOut(ApiOutput):
    """A run. `fence` is text because it outgrows the numbers of many languages."""

    id: str = Field(examples=["r-8k2f"])
    job: str
    namespace: str
    version: int
    state: RunWord
    shown: ShownWord = Field(description="The state as people see it.")
    hold: HoldWord | None = Field(None, description="Of one that is HELD, where runs are read: what keeps it.")
    kind: KindWord | None = None
    origin: OriginWord
    retry_of: str | None = Field(None, description="Of a retry: the run that it runs again.", examples=["r-8k2f"])
    due_at: Moment
    created_at: Moment
    not_before: Moment
    started_at: Moment | None = Field(None, description="When its first attempt started.")
    attempt_started_at: Moment | None = Field(None, description="When its newest attempt started, if it had several.")
    ended_at: Moment | None = None
    cancel_asked_at: Moment | None = None
    cancelled_by: str | None = Field(None, description="Who asked for the cancel.")
    cancel_reason: str | None = None
    duration_s: Seconds | None = Field(
        None, description="How long its newest attempt took; of a sharded run from its creation on."
    )
    delay_s: Seconds | None = Field(
        None, description="From due to the first start; of a retry and of a backfill: from its creation on."
    )
    attempt: int
    failures: int
    deaths: int
    priority: int
    catch_up: bool
    node: str | None = None
    fence: str | None = None
    triggered_by: str | None = None
    reason: str | None = None
    shard: int | None = None
    parent: str | None = None
    open_shards: int = 0
    progress: ProgressOut | None = Field(None, description="Of one run that executes and says how far it is.")
    waits: WaitOut | None = Field(None, description="Of one run that executes: the other system that it waits for.")
    ended_by_callback: bool = Field(False, description="Of one run: a callback ended its newest attempt.")
    error: str | None = None
    error_type: str | None = None
    executes: str | None = Field(None, description="In a few words, where one run is read without waiting.")
    params: Any = None
    result: Any = None
    stands_for: Annotated[str, one_of(*StandsFor)] | None = Field(
        None, description="In the answer of a trigger that made no run: why this one stands for it."
    )

    @classmethod
    def of(cls, run: RunRow, *, executes: str | None = None, full: bool = True) -> "RunOut":
        return cls(
            id=format_run_id(run.run_id),
            job=run.job,
            namespace=run.namespace,
            version=run.version,
            state=run.state,
            shown=run.shown,
            hold=_held_by(run),
            kind=run.kind,
            origin=origin_of(run),
            retry_of=retry_of(run.fire_key),
            due_at=moment(run.due_at) or "",
            created_at=moment(run.created_at) or "",
            not_before=moment(run.not_before) or "",
            started_at=moment(first_start_of(run)),
            attempt_started_at=_newest_start(run),
            ended_at=moment(run.ended_at),
            cancel_asked_at=moment(run.cancel_at),
            cancelled_by=run.cancelled_by,
            cancel_reason=run.cancel_reason,
            duration_s=seconds(_duration_us(run)),
            delay_s=seconds(start_delay_of(run)),
            attempt=run.attempt,
            failures=run.failures,
            deaths=run.deaths,
            priority=run.priority,
            executes=executes,
            catch_up=run.catch_up,
            node=run.node,
            fence=None if run.fence is None else str(run.fence),
            triggered_by=run.triggered_by,
            reason=run.reason,
            shard=run.shard if run.shard >= 0 else None,
            parent=None if run.parent_id is None else format_run_id(run.parent_id),
            open_shards=run.open_children,
            progress=ProgressOut.of_run(run),
            waits=WaitOut.of_run(run),
            ended_by_callback=run.by_callback_at is not None,
            stands_for=None,
            error=run.error,
            error_type=run.error_type,
            params=_json(run.params) if full else None,
            result=_json(run.result) if full else None,
        )


class CancelledOut(ApiOutput):
    """A run after a cancel."""

    outcome: Literal["ended", "asked", "final"]
    run: RunOut


class BulkOut(ApiOutput):
    """What became of each of many."""

    count: int
    items: list[CancelledOut]


class RefusedRunOut(ApiOutput):
    """One of many runs that could not be run again, and why."""

    id: str
    job: str
    namespace: str
    code: str
    message: str
    hint: str | None

    @classmethod
    def of(cls, run: RunRow, error: Conflict, language: Language) -> "RefusedRunOut":
        message, hint = tell(error, language)
        return cls(
            id=format_run_id(run.run_id),
            job=run.job,
            namespace=run.namespace,
            code=error.code,
            message=message,
            hint=hint,
        )


class RetriedOut(ApiOutput):
    """What became of each of many."""

    count: int
    items: list[RunOut]
    refused: list[RefusedRunOut] = Field([], description="Those that could not be run again; they stop no other.")


class AttemptOut(ApiOutput):
    """One try of a run."""

    attempt: int
    cause: str | None = Field(None, description="How it ended; null while it runs, or when it ended the run.")
    node: str | None
    fence: str
    leased_at: Moment
    started_at: Moment | None
    ended_at: Moment | None
    duration_s: Seconds | None
    error: str | None
    error_type: str | None

    @classmethod
    def of(cls, row: AttemptRow) -> "AttemptOut":
        took = row.ended_at - row.started_at if row.ended_at and row.started_at else None
        return cls(
            attempt=row.attempt,
            cause=row.cause,
            node=row.node,
            fence=str(row.fence),
            leased_at=moment(row.leased_at) or "",
            started_at=moment(row.started_at),
            ended_at=moment(row.ended_at),
            duration_s=seconds(took),
            error=row.error,
            error_type=row.error_type,
        )


class AttemptsOut(Listed):
    """Every try of a run, oldest first."""

    items: list[AttemptOut]


class TimelineEntry(ApiOutput):
    """One moment in a run's life."""

    at: Moment
    what: str = Field(examples=["started"])
    state: RunWord | None = Field(None, description="Of the last moment, `ended`: how the run ended.")
    attempt: int | None = None
    node: str | None = None
    detail: str | None = None


class TimelineOut(Listed):
    """A run's life, oldest first."""

    items: list[TimelineEntry]


class ResultOut(ApiOutput):
    """What a run returned."""

    id: str
    state: RunWord
    result: Any = None


class ShardsOut(Listed):
    """The shards of a run, in order; the merge run last."""

    items: list[RunOut]
    counts: dict[str, int]
    slowest: RunOut | None = Field(
        None, description="The shard that takes longest, of all shards and not of this page alone."
    )


def made_run(run: RunRow, response: Response, *, is_new: bool = True, stands_for: StandsFor | None = None) -> RunOut:
    """Return a run that a client asked for: with 201 and its address, or with 200 when it was there before."""
    made = RunOut.of(run)
    made.stands_for = None if stands_for is None else stands_for.value
    if is_new:
        response.headers["Location"] = located("runs", made.id)
    else:
        response.status_code = 200
    return made


def timeline_of(run: RunRow, attempts: list[AttemptRow]) -> list[TimelineEntry]:
    """Return what happened to a run, oldest first."""
    steps = [
        _Step(run.due_at, "due"),
        _Step(run.created_at, "created", detail=run.triggered_by),
    ]
    for row in attempts:
        steps.append(_Step(row.leased_at, "leased", row))
        steps.append(_Step(row.started_at, "started", row))
        if row.cause not in (None, "succeeded"):
            steps.append(_Step(row.ended_at, f"attempt {row.cause}", row, row.error))
    steps.append(_Step(run.cancel_at, "cancel asked", detail=_cancel_words(run)))
    steps.append(_Step(run.ended_at, "ended", detail=run.error, state=run.state))
    happened = [step for step in steps if step.at is not None]
    happened.sort(key=lambda step: step.at or 0)
    return [step.entry() for step in happened]


def _cancel_words(run: RunRow) -> str | None:
    if run.cancelled_by is None:
        return None
    return f"{run.cancelled_by}: {run.cancel_reason}" if run.cancel_reason else run.cancelled_by


class _Step(NamedTuple):
    """One step of a run; `at` is None when it has not come yet."""

    at: int | None
    what: str
    row: AttemptRow | None = None
    detail: str | None = None
    state: str | None = None

    def entry(self) -> TimelineEntry:
        return TimelineEntry(
            at=moment(self.at) or "",
            what=self.what,
            state=self.state,
            attempt=self.row.attempt if self.row else None,
            node=self.row.node if self.row else None,
            detail=self.detail,
        )


def _held_by(run: RunRow) -> HoldKind | None:
    """What keeps a run that is HELD."""
    is_held = run.hold is not None and run.hold.is_held
    return run.hold if is_held else None


def _newest_start(run: RunRow) -> str | None:
    """When the newest of several attempts started."""
    has_several = run.attempt > 1
    return moment(run.started_at) if has_several else None


def _duration_us(run: RunRow) -> Micros | None:
    """Return how long a run took. A sharded run has no start of its own: its time begins with its creation."""
    began_at = run.created_at if is_sharded(run) else run.started_at
    if not run.ended_at or not began_at:
        return None
    return run.ended_at - began_at


def origin_of(run: RunRow) -> str:
    """What made the run."""
    if is_backfill(run.fire_key, run.triggered_by):
        return "backfill"
    if retry_of(run.fire_key):
        return "retry"
    if is_of_schedule(run.fire_key):
        return "schedule"
    if is_test(run.fire_key):
        return "test"
    return "trigger" if run.fire_key.startswith("m:") else "dependency"


def _json(text: str | None) -> Any:
    """Return the value of a text in the store; the text itself when it is no JSON, or nested too deeply to pass on."""
    if text is None or is_nested_deeper(text, DEPTH_MAX):
        return text
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


class LogLineOut(ApiOutput):
    """One line of a log."""

    position: str = Field(description="Where the line ends; windows begin and end there.", examples=["1:4096"])
    text: str
    shard: int | None = Field(description="In the log of a run with shards: which one wrote the line.")


class LogLinesOut(ApiOutput):
    """Lines of a log that follow each other."""

    items: list[LogLineOut]
    is_begin: bool = Field(description="No line that is wanted stands in front of these. Not looked at behind `after`.")
    is_end: bool = Field(description="No line that is wanted stands behind these by now.")
    search_on: str | None = Field(
        description="So much text was searched that the window ends early: give this as `before` or `after` to go on."
    )
