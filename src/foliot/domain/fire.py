"""Fires: the vocabulary of the decision about due instants. The decision itself is in `domain.plans`.

Tuples, not dataclasses: a storm decides thousands of these in one transaction.
"""

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from foliot.domain.instants import MINUTE, Instant, Micros
from foliot.domain.job import LoadedJob
from foliot.domain.skip_texts import text_of
from foliot.domain.skips import SkipCause, SkipKind

TROUBLE_REST: Final[Micros] = MINUTE
TROUBLE_TEXT_MAX: Final = 500
_RETRY: Final = re.compile(r"m:retry (r-[0-9a-z]+) ")


class CursorState(StrEnum):
    """Whether a job's schedule moves."""

    ACTIVE = "active"
    PAUSED = "paused"
    DONE = "done"


class SkipReason(StrEnum):
    """Why a due instant got no run."""

    OVERLAP = "overlap"
    MISFIRE = "misfire"
    CALENDAR = "calendar"
    BLACKOUT = "blackout"
    PAUSED = "paused"
    EDITED = "edited"
    LIMIT = "limit"


class Cursor(NamedTuple):
    """Where a job's schedule stands. `next_due_at` is the first undecided nominal instant, `next_at` when to look."""

    job_id: int
    version: int
    state: str
    next_at: Instant | None
    next_due_at: Instant | None
    cursor_ver: int
    remaining: int | None = None  # scheduled runs left, when the schedule has a count
    skip_from: Instant | None = None  # the open skip row: its first instant, reason and words, while it may be extended
    skip_reason: str | None = None
    skip_why: str | None = None


class Situation(NamedTuple):
    """What the deciding transaction saw of a job's open runs, after it had locked the cursor."""

    open: int = 0  # live runs of the job with a place; shards count as their parent
    waiting: int = 0  # of those: PENDING, never leased
    catch_up: int = 0  # of those waiting: class 1
    scheduled: int | None = None  # of those open: fires of the schedule, not triggers; None: not told apart
    queued: int = 0  # runs that count in `max_waiting`; 0 where the job has no such limit


class DueJob(NamedTuple):
    """One job to decide about."""

    cursor: Cursor
    job: LoadedJob
    seen: Situation


class PlannedRun(NamedTuple):
    """A run to create."""

    due_at: Instant
    fire_key: str
    not_before: Instant
    catch_up: bool = False  # class 1: paced, behind on-time fires
    parked: bool = False  # behind a live run of a serial job


class PlannedSkip(NamedTuple):
    """A range of instants that get no run. `extends`: it continues the cursor's open skip row.

    `held`: paused time of a version that was edited meanwhile. A resume that catches up takes it back and decides it.
    """

    from_at: Instant
    to_at: Instant
    count: int  # type: ignore[assignment]  # how many instants, not tuple's method
    reason: str
    cause: SkipCause = SkipCause(SkipKind.OTHER)
    extends: bool = False
    held: bool = False

    @property
    def why(self) -> str:
        """The cause as the text that the ledger also keeps."""
        return text_of(self.cause)


class Plan(NamedTuple):
    """The complete decision: what to create, what to leave out, and where the cursor goes."""

    runs: tuple[PlannedRun, ...] = ()
    skips: tuple[PlannedSkip, ...] = ()
    state: str = CursorState.ACTIVE
    next_at: Instant | None = None
    next_due_at: Instant | None = None
    remaining: int | None = None
    promote: bool = False  # waiting catch-up runs of this job become on-time work, due now
    trouble: str | None = None  # the plan could not be made: nothing decided, look again at `next_at`


Decide: TypeAlias = Callable[[Instant, Sequence[DueJob]], Sequence[Plan]]
"""Decide a batch at one store time. Pure apart from pacing; runs inside the store's transaction, so it never waits."""


def schedule_key(due_at: Instant) -> str:
    """The fire key of a scheduled instant."""
    return f"s:{due_at}"


def withdrawn_key(run_id: int) -> str:
    """The fire key of a run that was made too early and taken back: its instant is free for the run to come."""
    return f"e:{run_id}"


def is_of_schedule(fire_key: str) -> bool:
    """Whether a run with this key was made by the schedule, also one that was taken back."""
    return fire_key.startswith(("s:", "e:"))


def trigger_key(key: str) -> str:
    """The fire key of a manual, API or event trigger."""
    return f"m:{key}"


def trial_key(key: str) -> str:
    """The fire key of a test run (`foliot job test`)."""
    return f"t:{key}"


def is_test(fire_key: str) -> bool:
    """Whether a user tests the job with this run: it counts in no statistics, and no fire is skipped for it."""
    return fire_key.startswith("t:")


def retry_key(run: str, key: str) -> str:
    """The idempotency key of a retry of a run."""
    return f"retry {run} {key}"


def retry_of(fire_key: str) -> str | None:
    """The run that a run with this key is a retry of."""
    found = _RETRY.match(fire_key)
    return None if found is None else found[1]


def is_backfill(fire_key: str, triggered_by: str | None) -> bool:
    """Whether a backfill made the run; one of missing instants has the key of a scheduled run."""
    return fire_key.startswith("b:") or (triggered_by or "").startswith("backfill ")


def skip_key(from_at: Instant) -> str:
    """The key of a skip row that begins at this instant."""
    return f"x:{from_at}"


def kept(cursor: Cursor) -> Plan:
    """The plan that decides nothing and moves nothing."""
    return Plan((), (), cursor.state, cursor.next_at, cursor.next_due_at, cursor.remaining)


def troubled(cursor: Cursor, error: Exception, now: Instant) -> Plan:
    """The plan could not be made: nothing is decided, look again in a minute."""
    text = f"{type(error).__name__}: {error}"[:TROUBLE_TEXT_MAX]
    return kept(cursor)._replace(next_at=now + TROUBLE_REST, trouble=text)


def extending(cursor: Cursor, skips: Sequence[PlannedSkip]) -> tuple[PlannedSkip, ...]:
    """The skips of a plan, the first marked if it goes on where the cursor's open skip row ends."""
    if not skips or cursor.skip_from is None:
        return tuple(skips)
    first = skips[0]
    is_same = first.reason == cursor.skip_reason and first.why == cursor.skip_why
    if first.held or not is_same or first.from_at != cursor.next_due_at:
        return tuple(skips)
    return first._replace(extends=True), *skips[1:]


class OpenSkip(NamedTuple):
    """A cursor's open skip row: its first instant, its reason, its words. All None: no row is open."""

    from_at: Instant | None = None
    reason: str | None = None
    why: str | None = None


def open_skip_after(cursor: Cursor, plan: Plan) -> OpenSkip:
    """The cursor's open skip row once a plan is recorded.

    A row stays open while skips with its reason and its words go on; a run, or any other skip, closes it.
    """
    if not plan.runs and not plan.skips:
        return OpenSkip(cursor.skip_from, cursor.skip_reason, cursor.skip_why)
    if not plan.skips:
        return OpenSkip()
    last = plan.skips[-1]
    if plan.runs and plan.runs[-1].due_at > last.to_at:
        return OpenSkip()
    from_at = cursor.skip_from if last.extends else last.from_at
    return OpenSkip(from_at, last.reason, last.why)
