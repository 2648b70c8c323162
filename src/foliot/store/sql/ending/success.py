"""Succeeding: the end of nearly every run. For any number of plain ones it is one guarded update.

Nothing else hangs on the end of a plain run (no waiting cursor, no limits, no parent), so each lands by itself and no
transaction is needed around the statements. There is nothing to judge about a success. Where an update does not say
which rows it changed, and for reports that it passed over, there is an unlocked look first.

The lease says which attempt is meant (S5), its session whether it is the speaker's to end (`lease_owner`).
"""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple

from foliot.domain.instants import Instant
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import Report
from foliot.store.sql.ending.lease_owner import Speaker
from foliot.store.sql.ending.made_room import MadeRoom
from foliot.store.sql.firing.follow import CHILD, COUNTED, FIXED_DELAY, MERGE, SERIAL
from foliot.store.sql.firing.line_heads import unpark
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement

HEAVY: Final = FIXED_DELAY | COUNTED | CHILD | MERGE
"""Runs whose way out touches other rows too: those rows and they are locked first, so that all is known to land."""


def _followed(run: str) -> str:
    return f"""
    ({run}.follow & {SERIAL}) > 0 AND (
      SELECT 1 FROM runs p
      WHERE p.{{parked_job}} = {run}.job_id AND p.state = 'PENDING' AND p.parked = 1 AND p.place IS NOT NULL
      LIMIT 1) = 1
"""


FOLLOWED: Final = _followed("r")
"""Others of a serial job are parked: one of them may be next. (For EXISTS a planner may gather all that are parked.)"""

GLANCE: Final = Statement(
    f"""
    SELECT r.id, r.lease_id, r.last_lease_id, r.started_at, r.leased_at, r.follow, r.job_id,
           CASE WHEN {FOLLOWED} THEN 1 ELSE 0 END, r.session_id, {{now}}
    FROM runs r WHERE r.id IN (SELECT d.id FROM {{d}})
    """,
    RowSet("d", id=BIGINT),
)


SUCCEED_AT_ONCE: Final = Statement(
    f"""
    UPDATE runs SET state = 'SUCCEEDED', ver = runs.ver + 1, lease_id = NULL, last_lease_id = runs.lease_id,
           ended_at = {{now}},
           started_at = coalesce(runs.started_at, CASE WHEN {{now}} - d.started_us_ago > runs.leased_at
                                                    THEN {{now}} - d.started_us_ago
                                                    WHEN d.started_us_ago IS NOT NULL THEN runs.leased_at END),
           deadline_at = NULL, result = d.result, error = NULL
    FROM {{d}}
    WHERE runs.id = d.id AND runs.lease_id = d.lease_id AND coalesce(runs.session_id, '') = :session
          AND (runs.follow & {HEAVY}) = 0
    RETURNING runs.id, runs.last_lease_id, CASE WHEN {_followed("runs")} THEN runs.job_id END
    """,
    RowSet("d", id=BIGINT, lease_id=TEXT, started_us_ago=BIGINT, result=TEXT),
)
"""Plain runs of the speaker's own session, without a look: it says which they were, and whose line goes on. (A bare
session in the condition would tempt a planner to read all runs of the session instead of these by their keys.)"""


class _Glance(NamedTuple):
    """The columns of `GLANCE`. Its rows stay plain tuples, which `succeed` unpacks in one step: nearly every run ends
    there, and making a named tuple of each would double its time.
    """

    id: int
    lease_id: str | None
    last_lease_id: str | None
    started_at: Instant | None
    leased_at: Instant
    follow: int
    job_id: int
    is_followed: int
    session_id: str | None
    now: Instant


_SESSION_ID: Final = itemgetter(_Glance._fields.index("session_id"))
_LAST_LEASE_ID: Final = itemgetter(_Glance._fields.index("last_lease_id"))
_RUN_AND_LEASE: Final = itemgetter(0, 1)

SUCCEED: Final = Statement(
    """
    UPDATE runs SET state = 'SUCCEEDED', ver = runs.ver + 1, lease_id = NULL, last_lease_id = runs.lease_id,
           ended_at = :now, started_at = coalesce(runs.started_at, d.started_at), deadline_at = NULL,
           result = d.result, error = NULL
    FROM {d}
    WHERE runs.id = d.id AND runs.lease_id = d.lease_id
    """,
    RowSet("d", id=BIGINT, lease_id=TEXT, started_at=BIGINT, result=TEXT),
)


def is_plain_success(report: Report) -> bool:
    """A success with nothing more to say than its result."""
    return report.cause is Cause.SUCCEEDED and report.error is None and report.checkpoint is None


def succeed(
    tx: Tx, reports: Sequence[Report], speaker: Speaker, room: MadeRoom, *, at_once: bool = True
) -> list[Landing | None]:
    """Record these successes if they are of plain runs, each by itself; None: a run that is not, and is as it was.

    `at_once`: most of them are likely to be plain, and leased by the session that speaks.
    """
    landed: set[tuple[int, str]] = set()
    if at_once and tx.dialect.returns_changes and speaker.session:
        landed = _succeed_at_once(tx, reports, speaker, room)
        if len(landed) == len(reports):
            return [Landing.RECORDED] * len(reports)
    rest: list[Report] = []
    is_rest: list[bool] = []
    for report in reports:
        key = (report.run_id, report.lease_id)
        is_rest.append(key not in landed)
        landed.discard(key)  # said twice in this batch: the second time it is known
        if is_rest[-1]:
            rest.append(report)
    looked = iter(_succeed_after_a_look(tx, rest, speaker, room))
    return [next(looked) if is_left else Landing.RECORDED for is_left in is_rest]


def _succeed_at_once(tx: Tx, reports: Sequence[Report], speaker: Speaker, room: MadeRoom) -> set[tuple[int, str]]:
    """End what is plain and the speaker's own; which runs under which leases these were."""
    waited_us = speaker.heard_us_ago()  # before the statement, which brings store time
    rows = []
    for report in reports:
        started_us_ago = report.started_us_ago
        if started_us_ago is not None:
            started_us_ago += waited_us
        rows.append((report.run_id, report.lease_id, started_us_ago, report.result))
    rows.sort(key=_RUN_AND_LEASE)  # the order of locks (R3)
    ended = tx.tuples(SUCCEED_AT_ONCE, {"session": speaker.session}, d=rows)
    next_in_line = {job_id for _, _, job_id in ended if job_id is not None}
    room.is_made |= unpark(tx, next_in_line) > 0
    return {(run_id, lease_id) for run_id, lease_id, _ in ended}


def _succeed_after_a_look(tx: Tx, reports: Sequence[Report], speaker: Speaker, room: MadeRoom) -> list[Landing | None]:
    """The same in two statements: for leases of other sessions of the speaker's, for repeated and for late reports."""
    waited_us = speaker.heard_us_ago()  # before the look, which brings store time
    seen = _glance(tx, reports)
    strangers = speaker.strangers(tx, set(map(_SESSION_ID, seen.values())))
    landings: list[Landing | None] = []
    rows: dict[int, tuple[Any, ...]] = {}
    next_in_line: set[int] = set()
    now = 0
    for report in reports:
        row = seen.get(report.run_id)
        if row is None:
            landings.append(Landing.FENCED)  # forgotten long ago
            continue
        run_id, lease_id, last_lease_id, started_at, leased_at, follow, job_id, is_followed, session_id, now = row
        if session_id in strangers:
            landings.append(Landing.FENCED)
            continue
        if follow & HEAVY:
            landings.append(None)
            continue
        if run_id in rows or lease_id != report.lease_id:
            is_known = report.lease_id in (lease_id, last_lease_id)  # its present lease: said twice in this batch
            landings.append(Landing.ALREADY if is_known else Landing.FENCED)
            continue
        if started_at is None and report.started_us_ago is not None:
            started_at = max(now - report.started_us_ago - waited_us, leased_at)
        if is_followed:
            next_in_line.add(job_id)
        rows[run_id] = (run_id, lease_id, started_at, report.result)
        landings.append(Landing.RECORDED)
    tx.point("ending.glanced")
    by_key = sorted(rows.values())  # the order of locks (R3)
    if rows and tx.change(SUCCEED, {"now": now}, d=by_key) != len(rows):
        landings = _read_back(tx, reports, landings)
    room.is_made |= unpark(tx, next_in_line) > 0
    return landings


def _glance(tx: Tx, reports: Sequence[Report]) -> dict[int, Sequence[Any]]:
    """The runs that these reports are about: rows of `GLANCE`, by run."""
    rows = tx.tuples(GLANCE, d=[(report.run_id,) for report in reports])
    return {row[0]: row for row in rows}


def _read_back(tx: Tx, reports: Sequence[Report], landings: Sequence[Landing | None]) -> list[Landing | None]:
    """Another server was quicker with some of them: a run that has not ended under the lease of its report is not
    the speaker's any more.
    """
    last = {run_id: _LAST_LEASE_ID(row) for run_id, row in _glance(tx, reports).items()}
    landed: list[Landing | None] = []
    for report, landing in zip(reports, landings, strict=True):
        has_ended = last.get(report.run_id) == report.lease_id
        is_lost = landing is Landing.RECORDED and not has_ended
        landed.append(Landing.FENCED if is_lost else landing)
    return landed
