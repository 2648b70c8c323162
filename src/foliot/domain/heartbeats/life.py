"""The life of a check: what a ping, a pause and an edit do to what is known of it. Pure: same arguments, same result.

    new ──ping──▶ up ──due──▶ late ──grace──▶ down ──ok──▶ up
                  │  ▲                          ▲
                start ok                        │
                  ▼  │                          │
                running ──longest──────────────-┘        fail: down at once

Only `ok` ends a trouble. A job that failed and begins anew is not well yet.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from foliot.domain.heartbeats.check import CheckState, CheckTrouble, HeartbeatCheck, PingKind
from foliot.domain.instants import Instant, Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping:
    """What something outside of Foliot says of itself."""

    kind: PingKind
    text: str = ""
    exit_code: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What is known of a check. A check that is paused or new has no instants ahead."""

    pings: int = 0
    last_at: Instant | None = None
    last_kind: PingKind | None = None
    last_text: str = ""
    exit_code: int | None = None
    ok_at: Instant | None = None  # the last one
    started_at: Instant | None = None  # of what runs now
    took_us: Micros | None = None  # the last one, from start to end
    due_at: Instant | None = None
    deadline_at: Instant | None = None  # heard of by then, or down
    trouble: CheckTrouble | None = None  # what a ping has written; one that only time brought is not written
    alarm_at: Instant | None = None  # from then on it is down: since its trouble, else from its deadline on


def heard_of(check: HeartbeatCheck, before: Heard, ping: Ping, *, at: Instant, is_paused: bool) -> Heard:
    """What is known after a ping."""
    is_start = ping.kind is PingKind.START
    took_us = before.took_us
    if not is_start and before.started_at is not None:
        took_us = max(0, at - before.started_at)
    after = replace(
        before,
        pings=before.pings + 1,
        last_at=at,
        last_kind=ping.kind,
        last_text=ping.text,
        exit_code=ping.exit_code,
        ok_at=at if ping.kind is PingKind.OK else before.ok_at,
        started_at=at if is_start else None,
        took_us=took_us,
    )
    if is_paused:
        return _unwatched(after)
    match ping.kind:
        case PingKind.OK:
            after = replace(after, trouble=None, alarm_at=None)
        case PingKind.FAIL:
            since = before.alarm_at if before.trouble is CheckTrouble.FAILED else at
            after = replace(after, trouble=CheckTrouble.FAILED, alarm_at=since)
        case PingKind.START:
            after = replace(after, trouble=trouble_of(before, at))
    return _watched(check, after, since=at)


def paused(before: Heard) -> Heard:
    """Nobody waits for it, and its trouble is over."""
    return replace(_unwatched(before), started_at=None)


def resumed(check: HeartbeatCheck, before: Heard, *, at: Instant) -> Heard:
    """It is waited for from now on, as if it had been heard of; one that nobody ever heard of stays new."""
    return before if before.pings == 0 else _watched(check, _unwatched(before), since=at)


def edited(check: HeartbeatCheck, before: Heard) -> Heard:
    """What is known, under another rhythm: it counts from the last ping on. A trouble that was told stays one."""
    is_watched = before.deadline_at is not None or before.alarm_at is not None or before.due_at is not None
    if before.last_at is None or not is_watched:
        return before
    return _watched(check, before, since=before.last_at)


def excused(check: HeartbeatCheck, before: Heard, unheard: Iterable[tuple[Instant, Instant]]) -> Heard:
    """What is known after times in which nobody could hear it: from, to; the oldest first.

    A ping that was to come then may have come: it is waited for from the end of that time on, as if it had. A ping is
    to come about when it is due, as much earlier as it may be later; the end of what runs, at any time. What it said
    itself stays, and so does what was heard after that time.
    """
    after = before
    for began_at, back_at in unheard:
        if after.trouble is not None or after.deadline_at is None or after.due_at is None:
            return after
        first_at = after.due_at - check.grace_us if after.started_at is None else after.started_at
        was_heard_since = after.last_at is not None and after.last_at >= back_at
        if began_at <= after.deadline_at and first_at <= back_at and not was_heard_since:
            after = _watched(check, replace(after, started_at=None), since=back_at)
    return after


def trouble_of(heard: Heard, now: Instant) -> CheckTrouble | None:
    """Why it is down; None: it is not."""
    if heard.alarm_at is None or heard.alarm_at > now:
        return None
    if heard.trouble is not None:
        return heard.trouble
    return CheckTrouble.MISSED if heard.started_at is None else CheckTrouble.OVERRUN


def state_of(heard: Heard, now: Instant, *, is_paused: bool) -> CheckState:
    """How it is at this instant."""
    if is_paused:
        return CheckState.PAUSED
    if heard.pings == 0:
        return CheckState.NEW
    is_in_time = heard.deadline_at is None or heard.deadline_at > now
    if heard.started_at is not None and is_in_time:
        return CheckState.RUNNING  # also after a failure: that it is alarming stands beside it
    if trouble_of(heard, now) is not None:
        return CheckState.DOWN
    return CheckState.LATE if heard.due_at is not None and heard.due_at <= now else CheckState.UP


def _watched(check: HeartbeatCheck, heard: Heard, *, since: Instant) -> Heard:
    """With the instants ahead, counted from one at which it was heard of."""
    due_at = check.due_after(since)
    deadline_at = None if due_at is None else due_at + check.grace_us
    if heard.started_at is not None and check.longest_us is not None:
        deadline_at = heard.started_at + check.longest_us
    alarm_at = deadline_at if heard.trouble is None else heard.alarm_at
    return replace(heard, due_at=due_at, deadline_at=deadline_at, alarm_at=alarm_at)


def _unwatched(heard: Heard) -> Heard:
    return replace(heard, due_at=None, deadline_at=None, trouble=None, alarm_at=None)
