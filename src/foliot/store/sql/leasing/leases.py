"""Leasing: due runs go to workers that ask, once for all parked polls of a server, in one transaction (design §4).

Order of locks (R3): the cursors of exclusive jobs (their fence rises across runs), then runs, then limits. Exclusive
runs are therefore picked without a lock first and locked after their cursors were raised.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from hashlib import shake_128
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from foliot.domain.clocks import ClockDoubt
from foliot.domain.health import Health, HealthRules
from foliot.domain.instants import Instant
from foliot.domain.job import Lane
from foliot.domain.late_work import ON_TIME, LateShare
from foliot.domain.limits import is_of_an_admin, rate_key
from foliot.domain.turns import Turns
from foliot.ports.chance import Chance
from foliot.ports.store.runs import Granted, Poll, Reckon
from foliot.ports.worker_link import Leased, LeasedRun
from foliot.store.sql.ending.locked_runs import lock_cursors
from foliot.store.sql.ending.settlement import Quit
from foliot.store.sql.firing.follow import MERGE, OWN
from foliot.store.sql.jobs.definitions import Definitions, StoredJob
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.leasing import limits
from foliot.store.sql.leasing.assigned import AssignedPicker, Queue, shares
from foliot.store.sql.leasing.broadcast import counts_of
from foliot.store.sql.leasing.candidates import Candidate, Picker, waits_of
from foliot.store.sql.leasing.fair_order import by_rank, in_turns
from foliot.store.sql.leasing.free_slots import FreeSlots
from foliot.store.sql.leasing.heeded_limits import (
    NO_LIMIT,
    LaneLimits,
    bound_workers,
    given_slots,
    held_up,
    room_of,
    run_keys_of,
)
from foliot.store.sql.leasing.leased_runs import REPEATED, RepeatedRun, leased_run
from foliot.store.sql.leasing.merge_input import parts_of, within_reach
from foliot.store.sql.leasing.run_kinds import Asking, RunKind, WaitingKinds
from foliot.store.sql.leasing.scopes import Scopes, bits_of, needs_of
from foliot.store.sql.leasing.tokens import claimed, wanted_claims
from foliot.store.sql.leasing.unreadable import put_off

EPOCH_BITS: Final = 28
ABOVE_ATTEMPTS: Final = 2**20
"""Fences of exclusive jobs begin above any number of attempts: also those a job made before it was exclusive (S8)."""
UNLIMITED: Final = limits.Room(NO_LIMIT, NO_LIMIT)
KEYED_AHEAD: Final = 200
"""Runs of a job with limits by key that a lease looks at beyond those it could start: some may wait for their key."""
REPLACED_BY: Final = "A later run of the job took its place."

RAISE_FENCES: Final = Statement(
    f"""
    UPDATE cursors SET fence_seq = d.runs + CASE WHEN cursors.fence_seq < {ABOVE_ATTEMPTS} THEN {ABOVE_ATTEMPTS}
                                                 ELSE cursors.fence_seq END
    FROM {{d}} WHERE cursors.job_id = d.job_id
    """,
    RowSet("d", job_id=BIGINT, runs=BIGINT),
)

FENCES: Final = Statement(
    "SELECT c.job_id, c.fence_seq FROM cursors c WHERE c.job_id IN (SELECT d.job_id FROM {d}) ORDER BY c.job_id",
    RowSet("d", job_id=BIGINT),
)

LOCK_PICKED: Final = Statement(
    """
    SELECT r.id, r.ver FROM runs r WHERE r.id IN (SELECT d.id FROM {d}) AND r.state = 'PENDING'
    ORDER BY r.id {skip_locked}
    """,
    RowSet("d", id=BIGINT),
    postgresql="""
    SELECT s.id, s.ver FROM {d} CROSS JOIN LATERAL (
      SELECT r.id, r.ver FROM runs r WHERE r.id = d.id AND r.state = 'PENDING' {skip_locked}) s
    """,
)
"""In the order of their ids (R3), which the caller gives."""

_LEASED: Final = RowSet("d", id=BIGINT, ver=BIGINT, lease_id=TEXT, session=TEXT, request_no=BIGINT, fence=BIGINT,
                        deadline_at=BIGINT)  # fmt: skip


def _lease(more: str = "") -> str:
    return f"""
    UPDATE runs SET state = 'RUNNING', ver = runs.ver + 1, attempt = runs.attempt + 1, lease_id = d.lease_id,
           session_id = d.session, request_no = d.request_no, fence = d.fence, leased_at = :now,
           deadline_at = d.deadline_at{more}
    FROM {{d}}
    WHERE runs.id = d.id AND runs.ver = d.ver
    """


LEASE: Final = Statement(_lease(), _LEASED)
_UNASSIGNED: Final = ", parked = 0, assigned_to = NULL, assigned_until = NULL"
"""What a route had to say is over with the lease."""
LEASE_ASSIGNED: Final = Statement(_lease(_UNASSIGNED), _LEASED)
LEASE_COUNTED: Final = Statement(
    _lease(f"{_UNASSIGNED}, follow = runs.follow | d.counted"), RowSet("d", **dict(_LEASED.columns), counted=BIGINT)
)
"""Runs, assigned or not, that count in the limit of their group or namespace."""

LANE_JOBS: Final = Statement(
    """
    SELECT v.job_id, max(v.version) FROM job_versions v
    WHERE v.lane_id IN (SELECT d.lane FROM {d}) OR v.merge_lane_id IN (SELECT d.lane FROM {d})
    GROUP BY v.job_id
    """,
    RowSet("d", lane=BIGINT),
)


class LeaseOutcome(NamedTuple):
    """What a lease did; runs it found replaced by a later one are to be ended in a transaction of their own."""

    granted: Granted
    replaced: tuple[Quit, ...] = ()


_Where = TypeVar("_Where", RunKind, Queue)


class _Picks(Protocol[_Where]):
    """Finds candidates: among those for anyone, or among assigned ones."""

    def look(self, wanted: Mapping[_Where, int]) -> list[Candidate]: ...

    def take(self, wanted: Mapping[_Where, int]) -> list[Candidate]: ...


class _Wanted(NamedTuple, Generic[_Where]):
    """Whom to ask for candidates, and for how many of each kind or queue."""

    picker: _Picks[_Where]
    shares: Mapping[_Where, int]


class _Taken(NamedTuple):
    """Candidates that found a slot."""

    given: Sequence[tuple[Candidate, Poll]] = ()
    counted: Mapping[int, int] = {}  # by run, see `GivenSlots`
    has_parked: bool = False
    again_at: Instant | None = None  # when a rate lets the next run start
    jobs: Mapping[tuple[int, int], StoredJob] = {}
    fences: Mapping[int, int] = {}  # by run, of exclusive jobs
    replaced: tuple[Quit, ...] = ()
    is_any: bool = True  # there was some candidate


class Leases:
    """Leases of one server. It remembers nothing between calls but hints for its scans."""

    def __init__(self, definitions: Definitions, lanes: Lanes, chance: Chance) -> None:
        self._definitions = definitions
        self._lanes = lanes
        self._chance = chance
        self._waiting = WaitingKinds()
        self._turns = Turns()
        self._late_share = LateShare()
        self._scopes = Scopes()

    def lease(
        self,
        tx: Tx,
        polls: Sequence[Poll],
        limit: int,
        not_after: Reckon | None,
        doubt: ClockDoubt | None,
        rules: HealthRules,
    ) -> LeaseOutcome:
        """Serve these polls; at most `limit` runs in all. `not_after`, `doubt`: what is thought of the clock (R7)."""
        asking = self._look_around(tx, polls, rules)
        served = self._repeated(tx, [poll for poll in polls if poll.repeat])
        changed = frozenset(poll.session for poll in polls if _has_changed(poll, asking))
        unserved = [poll for poll in polls if (poll.session, poll.request_no) not in served]
        slots = _free_slots(() if asking.is_maintenance else unserved, asking, changed)
        # Asked here, after store time was read: before it this transaction may have waited, or been tried again.
        is_beyond = not_after is not None and asking.now > not_after()
        taken = _Taken()
        if slots.free and not is_beyond:
            taken = self._taken(tx, slots, min(limit, slots.free), asking, doubt)
        self._write(tx, taken, asking, served)
        grants = tuple(_grant(poll, asking.states[poll.session], served) for poll in polls)
        is_cut = slots.free > 0 and len(taken.given) >= limit
        more = is_cut or bool(taken.replaced) or taken.has_parked
        granted = Granted(
            now=asking.now,
            grants=grants,
            more=more,
            changed=changed,
            is_beyond=is_beyond,
            again_at=taken.again_at,
            **waits_of(taken.given, asking.now),
        )
        return LeaseOutcome(granted, taken.replaced)

    def _look_around(self, tx: Tx, polls: Sequence[Poll], rules: HealthRules) -> Asking:
        """Store time, and how the sessions of these polls stand; the kinds of run that wait in their lanes."""
        sessions = {poll.session for poll in polls}
        lanes: set[int] = set()
        for poll in polls:
            lanes.update(poll.lanes)
        return self._waiting.look_around(tx, sessions, lanes, rules)

    def _repeated(self, tx: Tx, polls: Sequence[Poll]) -> dict[tuple[str, int], list[LeasedRun]]:
        """A request whose answer was lost gets back what is still RUNNING under it (R5)."""
        served: dict[tuple[str, int], list[LeasedRun]] = {}
        if not polls:
            return served
        requests = [(poll.session, poll.request_no) for poll in polls]
        runs = [RepeatedRun._make(row) for row in tx.tuples(REPEATED, d=requests)]
        jobs = self._definitions.find(tx, {(run.job_id, run.version) for run in runs}).jobs
        parts = parts_of(tx, [run.id for run in runs if run.follow & MERGE])
        counts = counts_of(tx, [run.id for run in runs if run.follow & OWN])
        for run in runs:
            job = jobs.get((run.job_id, run.version))
            if job is None:
                continue
            leased = leased_run(
                run, job, run.attempt, run.lease_id, run.fence, run.leased_at, parts.get(run.id), counts.get(run.id)
            )
            request = (run.session, run.request_no)
            served.setdefault(request, []).append(leased)
        return served

    # -- choosing ---------------------------------------------------------------------------------------------------

    def _taken(self, tx: Tx, slots: FreeSlots, n: int, asking: Asking, doubt: ClockDoubt | None) -> _Taken:
        taken = self._picked(tx, slots, n, asking, doubt)
        if not taken.is_any and self._waiting.look_again(tx, asking.now):
            taken = self._picked(tx, slots, n, asking, doubt)
        return taken

    def _picked(self, tx: Tx, slots: FreeSlots, n: int, asking: Asking, doubt: ClockDoubt | None) -> _Taken:
        """Candidates by rank, each in a slot and within its limits."""
        now = asking.now
        kinds = self._waiting.kinds(slots.lanes)
        picker = Picker(tx, self._waiting, now, doubt)
        assigned = AssignedPicker(tx, now, doubt)
        queues = assigned.queues(slots.routed, slots.lanes) if slots.routed else []
        lanes = self._lanes.find(tx, {kind.lane for kind in kinds} | {queue.lane for queue in queues})
        heeded = self._limits_of(tx, lanes, asking)
        needs, _, rooms = heeded
        bound_workers(tx, lanes, slots)
        if slots.routed:  # what waits there for its route is none of theirs yet
            kinds = [kind for kind in kinds if not lanes[kind.lane].routed]
        room = room_of(kinds, heeded, slots)
        namespaces = {kind: lanes[kind.lane].namespace for kind in room}
        claims = wanted_claims(((picker, kinds), (assigned, queues)), needs, rooms, slots, now)
        before = held_up(room, needs, claimed(rooms, claims, now), now)
        chosen = picker.shares(room, n, namespaces=namespaces, turns=self._turns, before=before)
        chosen = {kind: n + (KEYED_AHEAD if lanes[kind.lane].keyed else 0) for kind, n in chosen.items()}
        wanted: list[_Wanted[Any]] = [_Wanted(picker, chosen)]
        if queues:
            wanted.append(_Wanted(assigned, shares(room_of(queues, heeded, slots), n)))
        candidates, fences = _chosen(tx, wanted, lanes)
        if not candidates:
            if claims:
                limits.lock_room(tx, claims, now)
                limits.claim(tx, claims, now=now)
            return _Taken(again_at=limits.again_at(rooms, {}, now), is_any=False)
        candidates = self._in_order(candidates, lanes, n, now) if queues else sorted(candidates, key=by_rank)
        jobs = self._definitions.find(tx, {(run.job_id, run.version) for run in candidates}).jobs
        readable = _readable(tx, candidates, jobs, now)
        owners = {job.job_id: job.namespace for job in jobs.values()}
        reached = within_reach(tx, readable)
        run_keys = run_keys_of(reached, lanes, jobs)
        done = given_slots(tx, reached, lanes, heeded, run_keys, owners, slots, now, claims)
        for run, _ in done.given:
            self._turns.gave(lanes[run.lane].namespace)
        replaced = tuple(Quit(run.id, run.ver, REPLACED_BY) for run in candidates if run.replaced)
        return _Taken(
            given=done.given,
            jobs=jobs,
            fences=fences,
            replaced=replaced,
            counted=done.counted,
            has_parked=done.has_parked,
            again_at=limits.again_at(rooms, done.taken, now),
        )

    def _in_order(
        self, candidates: Sequence[Candidate], lanes: Mapping[int, Lane], n: int, now: Instant
    ) -> list[Candidate]:
        """Runs for anyone and assigned runs together, as runs for anyone alone would go."""
        oldest = min((run.not_before for run in candidates if run.class_ == ON_TIME), default=now)
        late_max = self._late_share.of(n, waited_us=now - oldest)
        owners = {lane_id: lane.namespace for lane_id, lane in lanes.items()}
        got = self._turns.waiting({owners[run.lane] for run in candidates})
        return in_turns(candidates, owners, got, n=n, late_max=late_max)

    def _limits_of(self, tx: Tx, lanes: Mapping[int, Lane], asking: Asking) -> LaneLimits:
        """What the limits of these lanes let through, unlocked; rows that are missing are made.

        Not those that an admin makes: one of them that is missing was taken away, so it holds up nobody.
        """
        scopes = self._scopes.read(tx, asking.scopes_ver)
        needs = {lane_id: needs_of(lane, scopes) for lane_id, lane in lanes.items()}
        counted = {lane_id: bits for lane_id, lane in lanes.items() if (bits := bits_of(lane, scopes))}
        names = {name for tokens in needs.values() for name in tokens}
        if not names:
            return LaneLimits(needs, counted, {})
        rooms = limits.room(tx, names, asking.now)
        missing = {name for name in names - rooms.keys() if not is_of_an_admin(name)}
        if missing:
            self._make_limits(tx, lanes, missing)
            rooms = limits.room(tx, names, asking.now)
        gone = {name for name in names - rooms.keys() if is_of_an_admin(name)}
        return LaneLimits(needs, counted, rooms | dict.fromkeys(gone, UNLIMITED))

    def _make_limits(self, tx: Tx, lanes: Mapping[int, Lane], missing: set[str]) -> None:
        lane_ids = [lane_id for lane_id, lane in lanes.items() if not missing.isdisjoint((*lane.limits, *lane.rates))]
        versions = tx.pairs(LANE_JOBS, d=keys(lane_ids))
        jobs = self._definitions.find(tx, versions.items()).jobs
        known: dict[str, limits.Limit] = {}
        for job in jobs.values():
            if rate_key(job.job_id) in missing:
                limits.keep_rate(tx, job.job_id, job.definition.bucket)
            for limit in limits.limits_of(job.job_id, job.definition, namespace=job.namespace):
                if limit.key in missing:
                    known[limit.key] = limit
        limits.make(tx, known.values())

    # -- writing ----------------------------------------------------------------------------------------------------

    def _write(self, tx: Tx, taken: _Taken, asking: Asking, served: dict[tuple[str, int], list[LeasedRun]]) -> None:
        """Mark the runs RUNNING, each as it was seen, and note who got them."""
        if not taken.given:
            return
        plain: list[tuple[Any, ...]] = []
        assigned: list[tuple[Any, ...]] = []
        counted: list[tuple[Any, ...]] = []
        base, now = asking.epoch << EPOCH_BITS, asking.now
        parts = parts_of(tx, [run.id for run, _ in taken.given if run.follow & MERGE])
        counts = counts_of(tx, [run.id for run, _ in taken.given if run.follow & OWN])
        for (run, poll), lease_id in zip(taken.given, self._lease_ids(len(taken.given)), strict=True):
            job = taken.jobs[run.job_id, run.version]
            attempt = run.attempt + 1
            fence = base + taken.fences.get(run.id, attempt)
            deadline_at = now + job.definition.start_within_us
            row = (run.id, run.ver, lease_id, poll.session, poll.request_no, fence, deadline_at)
            if bits := taken.counted.get(run.id, 0):
                counted.append((*row, bits))
            else:
                rows = plain if run.assigned_to is None else assigned
                rows.append(row)
            leased = leased_run(run, job, attempt, lease_id, fence, now, parts.get(run.id), counts.get(run.id))
            served.setdefault((poll.session, poll.request_no), []).append(leased)
        for statement, rows in ((LEASE, plain), (LEASE_ASSIGNED, assigned), (LEASE_COUNTED, counted)):
            rows.sort()  # by primary key (R3); all of them are locked
            if rows and tx.change(statement, {"now": now}, d=rows) != len(rows):
                raise TryAgain("a run was leased although it was locked")
        tx.point("leasing.leased")

    def _lease_ids(self, n: int) -> list[str]:
        """Fresh ids of 128 bits that cannot be told from one another: one draw of chance, stretched by a hash."""
        drawn = self._chance.token().encode()
        stretched = shake_128(drawn).hexdigest(16 * n)
        return [stretched[at : at + 32] for at in range(0, 32 * n, 32)]


def _has_changed(poll: Poll, asking: Asking) -> bool:
    """Whether the worker told another server of other handlers since this server learned which lanes it serves."""
    known, found = poll.offer_hash, asking.offer_hashes[poll.session]
    return known is not None and found is not None and known != found


def _free_slots(polls: Sequence[Poll], asking: Asking, changed: Collection[str]) -> FreeSlots:
    """The slots of polls whose session lives and serves the lanes that this server believes, as its band allows."""
    live = [poll for poll in polls if asking.states[poll.session] == "live"]
    return FreeSlots(_in_band(poll, asking.bands[poll.session]) for poll in live if poll.session not in changed)


def _in_band(poll: Poll, band: Health) -> Poll:
    """The poll with as many free slots as its session gets runs for."""
    if band is Health.ONLINE or (band is Health.WARNING and poll.free_in_warning is None):
        return poll
    return replace(poll, free=(poll.free_in_warning or 0) if band is Health.WARNING else 0)


def _readable(
    tx: Tx, candidates: Sequence[Candidate], jobs: Mapping[tuple[int, int], StoredJob], now: Instant
) -> Sequence[Candidate]:
    """The candidates whose definition this server can read; the others are put off."""
    unreadable = [(run.id, run.ver) for run in candidates if (run.job_id, run.version) not in jobs]
    if not unreadable:
        return candidates
    put_off(tx, unreadable, now)
    return [run for run in candidates if (run.job_id, run.version) in jobs]


def _chosen(
    tx: Tx, wanted: Sequence["_Wanted[Any]"], lanes: Mapping[int, Lane]
) -> tuple[list[Candidate], dict[int, int]]:
    """The candidates of each kind and queue, locked; and the fences of those of exclusive jobs.

    The cursors of exclusive jobs come before any run in the order of locks (R3). So their runs are picked without a
    lock, their fences rise, and only then is a run locked.
    """
    plain: list[_Wanted[Any]] = []
    picked: list[Candidate] = []
    for picker, shares_ in wanted:
        exclusive = {where: n for where, n in shares_.items() if lanes[where.lane].exclusive}
        plain.append(_Wanted(picker, {where: n for where, n in shares_.items() if where not in exclusive}))
        picked += picker.look(exclusive)
    fences = _raised_fences(tx, picked) if picked else {}
    taken: list[Candidate] = []
    for picker, shares_ in plain:
        taken += picker.take(shares_)
    return (taken + _locked(tx, picked) if picked else taken), fences


def _raised_fences(tx: Tx, picked: Sequence[Candidate]) -> dict[int, int]:
    """A fence for each run of an exclusive job, in the order of ids, raised before the runs are locked (R3, R6)."""
    counts = Counter(run.job_id for run in picked)
    lock_cursors(tx, set(counts))
    tx.change(RAISE_FENCES, d=sorted(counts.items()))
    highest: dict[int, int] = tx.pairs(FENCES, d=keys(sorted(counts)))
    fences = {}
    for run in sorted(picked, reverse=True):
        fences[run.id] = highest[run.job_id]
        highest[run.job_id] -= 1
    return fences


def _locked(tx: Tx, picked: Sequence[Candidate]) -> list[Candidate]:
    """Those of the picked runs that are as they were and that nobody else holds."""
    vers = tx.pairs(LOCK_PICKED, d=keys(sorted(run.id for run in picked)))
    return [run for run in picked if vers.get(run.id) == run.ver]


def _grant(poll: Poll, state: str, served: Mapping[tuple[str, int], Sequence[LeasedRun]]) -> Leased:
    return Leased(
        request_no=poll.request_no,
        runs=tuple(served.get((poll.session, poll.request_no), ())),
        dead=state == "dead",
        draining=state == "draining",
    )
