"""What a lease heeds of limits: how many runs of each lane may start, and which candidates get slot and limits.

Rooms are seen without a lock first, so that full lanes are not scanned. Then limits are locked by name, keys after
them, and what is locked alone decides.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from foliot.domain.instants import Instant
from foliot.domain.job import Lane
from foliot.domain.limits import is_of_an_admin, worker_key
from foliot.ports.store.runs import Poll
from foliot.store.sql.firing.follow import OF_KEY, OF_WORKER
from foliot.store.sql.jobs.definitions import StoredJob
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.leasing import key_limits, limits
from foliot.store.sql.leasing.assigned import Queue
from foliot.store.sql.leasing.candidates import Candidate
from foliot.store.sql.leasing.fair_order import by_rank
from foliot.store.sql.leasing.free_slots import FreeSlots
from foliot.store.sql.leasing.key_limits import LeaseKeys, RunKey, keys_of
from foliot.store.sql.leasing.run_kinds import RunKind
from foliot.store.sql.leasing.tokens import LeaseTokens, claimed

NO_LIMIT: Final = 2**31
_LAST_RANK: Final = 2**62

_Where = TypeVar("_Where", RunKind, Queue)


class LaneLimits(NamedTuple):
    """What a lease must heed in each lane."""

    needs: Mapping[int, Mapping[str, int]]  # what a run takes of which limits
    counted: Mapping[int, int]  # bits of the lanes whose runs count in the limit of their group or namespace
    rooms: Mapping[str, limits.Room]  # as seen without a lock


class GivenSlots(NamedTuple):
    """What became of candidates: who got a slot, and which limits that took."""

    given: Sequence[tuple[Candidate, Poll]]
    taken: Mapping[str, int]
    counted: Mapping[int, int]  # by run: what its way out gives back, as bits of `runs.follow`
    has_parked: bool  # some run waits for its key: others may have its slot


def room_of(wanted: Iterable[_Where], heeded: LaneLimits, slots: FreeSlots) -> dict[_Where, int]:
    """How many runs of each kind or queue may start now, by free slots and limits.

    A lane whose limit is full is left out.
    """
    room: dict[_Where, int] = {}
    for where in wanted:
        tokens = heeded.needs[where.lane]
        let_through = min((_left(heeded.rooms, name) // takes for name, takes in tokens.items()), default=NO_LIMIT)
        if let_through > 0:
            room[where] = min(slots.free_in(where.lane), let_through)
    return room


def _left(rooms: Mapping[str, limits.Room], name: str) -> int:
    found = rooms.get(name)
    return 0 if found is None else found.left


def held_up(
    kinds: Iterable[RunKind], needs: Mapping[int, Mapping[str, int]], rooms: Mapping[str, limits.Room], now: Instant
) -> dict[RunKind, int]:
    """The kinds of which only runs before some rank may start: what else they need is kept for another run."""
    before: dict[RunKind, int] = {}
    for kind in kinds:
        for name in needs[kind.lane]:
            found = rooms.get(name)
            if found is not None and found.claim is not None and found.holds_up(kind.lane, _LAST_RANK, now):
                before[kind] = min(before.get(kind, _LAST_RANK), found.claim.rank)
    return before


def bound_workers(tx: Tx, lanes: Mapping[int, Lane], slots: FreeSlots) -> None:
    """Tell the slots how many runs of a job each worker may still get, for jobs that limit that (unlocked)."""
    bounded = {lane_id: lane.per_worker for lane_id, lane in lanes.items() if lane.per_worker is not None}
    if not bounded:
        return
    names = {
        worker_key(job_id, session)
        for lane_id, (job_id, _) in bounded.items()
        for session in slots.sessions_in(lane_id)
    }
    used = key_limits.used_by(tx, names)
    for lane_id, (job_id, most) in bounded.items():
        by_session = {session: used.get(worker_key(job_id, session), 0) for session in slots.sessions_in(lane_id)}
        slots.bound(lane_id, job_id, most, by_session)


def run_keys_of(
    candidates: Sequence[Candidate], lanes: Mapping[int, Lane], jobs: Mapping[tuple[int, int], StoredJob]
) -> dict[int, list[RunKey]]:
    """The keys that runs of jobs with limits by key count in, by run."""
    return {
        run.id: keys_of(run.job_id, jobs[run.job_id, run.version].definition, run.params)
        for run in candidates
        if lanes[run.lane].keyed
    }


def _lock_keys(
    tx: Tx,
    candidates: Sequence[Candidate],
    run_keys: Mapping[int, Sequence[RunKey]],
    bounded: Mapping[int, tuple[int, int]],
    slots: FreeSlots,
    now: Instant,
) -> LeaseKeys:
    """Lock the keys of these runs, and those of the workers that may get runs of bounded lanes.

    Runs of several versions of a job may wait: the newest says how many of a key. Lanes of a job have each its own
    bound, which its slots keep; the key of a worker lets through what the widest allows.
    """
    wanted = {key.name: key for run in sorted(candidates, key=_version) for key in run_keys.get(run.id, ())}
    widest: dict[int, int] = {}
    for job_id, most in bounded.values():
        widest[job_id] = max(most, widest.get(job_id, 0))
    for lane_id, (job_id, _) in bounded.items():
        for session in slots.sessions_in(lane_id):
            name = worker_key(job_id, session)
            wanted[name] = RunKey(name, job_id, session, widest[job_id], None)
    locked = key_limits.lock(tx, wanted, now)
    for lane_id, (job_id, most) in bounded.items():
        used = {session: locked.used(worker_key(job_id, session)) for session in slots.sessions_in(lane_id)}
        slots.bound(lane_id, job_id, most, used)
    return locked


def _version(run: Candidate) -> int:
    return run.version


def given_slots(
    tx: Tx,
    candidates: Sequence[Candidate],
    lanes: Mapping[int, Lane],
    heeded: LaneLimits,
    run_keys: Mapping[int, Sequence[RunKey]],
    namespaces: Mapping[int, str],
    slots: FreeSlots,
    now: Instant,
    claims: Mapping[str, limits.LimitClaim],
) -> GivenSlots:
    """Candidates with a slot, as far as their limits let them through; the limits are taken, and claimed for others."""
    used_lanes = {run.lane for run in candidates}
    names = {name for lane in used_lanes for name in heeded.needs[lane]}
    rooms = limits.lock_room(tx, names | claims.keys(), now)
    tokens = LeaseTokens(claimed(rooms, claims, now), now)
    limited = {lane: _counting(heeded.needs[lane], tokens) for lane in used_lanes}
    bounded = {lane: bound for lane in used_lanes if (bound := lanes[lane].per_worker) is not None}
    locked = _lock_keys(tx, candidates, run_keys, bounded, slots, now)
    counted: dict[int, int] = {}
    given: list[tuple[Candidate, Poll]] = []
    for run in candidates:
        needs = limited[run.lane]
        if run.replaced or (needs and not tokens.suffice(needs, run)):
            continue
        own = run_keys.get(run.id, ())
        if (short := locked.short_of(own)) is not None:
            locked.park(run.id, run.ver, short, by_rank(run)[0], own)
            continue
        poll = slots.take(run, now, namespaces[run.job_id])
        if poll is None:
            continue
        given.append((run, poll))
        if needs:
            tokens.take(needs, run)
        if bits := _take_keys(locked, run, own, bounded.get(run.lane), poll) | heeded.counted.get(run.lane, 0):
            counted[run.id] = bits
    limits.take(tx, tokens.taken, now=now)
    limits.unclaim(tx, tokens.over)
    limits.claim(tx, claims, now=now)
    locked.write(tx)
    return GivenSlots(given, tokens.taken, counted, locked.has_parked)


def _take_keys(
    locked: LeaseKeys, run: Candidate, own: Sequence[RunKey], bound: tuple[int, int] | None, poll: Poll
) -> int:
    """A run begins: take its keys; what its way out gives back, as bits."""
    bits = 0
    if own:
        locked.take(run.id, own)
        bits |= OF_KEY if any(key.bucket is None for key in own) else 0
    if bound is not None:
        job_id, most = bound
        locked.take(run.id, [RunKey(worker_key(job_id, poll.session), job_id, poll.session, most, None)])
        bits |= OF_WORKER
    return bits


def _counting(needs: Mapping[str, int], tokens: LeaseTokens) -> Mapping[str, int]:
    """What a run of a lane takes of which limits: nothing of one that an admin has taken away."""
    if not needs or all(name in tokens.rooms for name in needs):
        return needs
    return {name: n for name, n in needs.items() if name in tokens.rooms or not is_of_an_admin(name)}
