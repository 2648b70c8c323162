"""Triggers: a run because somebody asked, now or later, at most once per idempotency key (S4, R23).

The cursor is bumped first, so a trigger and a fire of one job follow each other; what a trigger then reads of the
job's line is complete. A run that serves a key is found again by that key for as long as it is kept. A trigger that
another's run stands for has its key in `trigger_keys` (see `store.sql.firing.windows`).
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from foliot.domain.bounds import PRIORITY_MIN
from foliot.domain.errors import FoliotError
from foliot.domain.fire import trial_key, trigger_key
from foliot.domain.instants import Instant
from foliot.domain.job import PRIORITY_MAX, LoadedJob
from foliot.domain.policies.windows import StandsFor
from foliot.domain.queue_limits import QueueFull
from foliot.domain.schedule import HORIZON
from foliot.domain.texts import KEY_BYTES_MAX, is_key, pads
from foliot.domain.traces import kept_reason
from foliot.ports.store.runs import BadTrigger, Triggered, TriggerRequest, WorkersGone, some_of
from foliot.store.sql.firing.follow import serial_of
from foliot.store.sql.firing.line import LineEnd, NewPlaces, bump, situations
from foliot.store.sql.firing.new_runs import NewRun, insert_runs
from foliot.store.sql.firing.own_shards import made_again
from foliot.store.sql.firing.queues import Queues
from foliot.store.sql.firing.windows import WindowDoor
from foliot.store.sql.jobs.definitions import Definitions, Found, Key, StoredJob
from foliot.store.sql.jobs.suggestions import not_found
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys

JOBS: Final = Statement(
    """
    SELECT d.n, jobs.id FROM {d}
    JOIN jobs ON jobs.namespace = d.namespace AND jobs.name = d.name AND jobs.deleted_at = 0
    """,
    RowSet("d", n=BIGINT, namespace=TEXT, name=TEXT),
)

BY_KEY: Final = Statement(
    """
    SELECT d.n, coalesce(r.id, o.id) AS id, coalesce(r.not_before, o.not_before) AS not_before, k.asked FROM {d}
    LEFT JOIN runs r ON r.job_id = d.job_id AND r.fire_key = d.fire_key AND r.shard = -1
    LEFT JOIN trigger_keys k ON k.job_id = d.job_id AND k.fire_key = d.fire_key AND (r.id IS NULL OR k.run_id = r.id)
    LEFT JOIN runs o ON o.id = k.run_id
    WHERE r.id IS NOT NULL OR o.id IS NOT NULL
    """,
    RowSet("d", n=BIGINT, job_id=BIGINT, fire_key=TEXT),
)
"""`r`: the run that the key made; `o`: the run of another trigger, which stands for this one. What a key asked is kept
where the run may have changed since."""

KEPT: Final = Statement(
    """
    SELECT r.parent_id, r.shard FROM {d}
    JOIN runs r ON r.parent_id = d.id AND r.shard >= 0 AND r.state = 'SUCCEEDED'
    """,
    RowSet("d", id=BIGINT),
)


class _Wish(NamedTuple):
    """A request with its job, before it has a run."""

    n: int
    request: TriggerRequest
    job_id: int
    fire_key: str


def trigger(tx: Tx, definitions: Definitions, requests: Sequence[TriggerRequest]) -> list[Triggered | FoliotError]:
    """One run per request, all in this transaction: the run, or why there is none."""
    for request in requests:
        _assert_checked(request)
    answers: list[Triggered | FoliotError | None] = [None] * len(requests)
    wishes = _wishes(tx, requests, answers)
    _answer_known(tx, wishes, answers)
    new = [wish for wish in wishes if answers[wish.n] is None]
    tx.point("trigger.found")
    if new:
        # The bump comes before anything else is read (R23): who asks for the same at the same time waits here.
        ends = bump(tx, dict(Counter(wish.job_id for wish in new)), with_queue=True)
        tx.point("trigger.bumped")
        _answer_known(tx, new, answers)
        for wish in new:
            if answers[wish.n] is None and ends[wish.job_id].deleted_at:  # since it was found
                answers[wish.n] = not_found(tx, wish.request.namespace, wish.request.job)
        new = [wish for wish in new if answers[wish.n] is None]
        _make(tx, definitions, new, ends, answers)
    assert all(answer is not None for answer in answers), answers
    return [answer for answer in answers if answer is not None]


def _assert_checked(request: TriggerRequest) -> None:
    """The caller has refused what no store keeps (`operations.trigger`)."""
    assert is_key(request.key, KEY_BYTES_MAX), request
    assert request.priority is None or PRIORITY_MIN <= request.priority <= PRIORITY_MAX, request
    assert request.at is None or request.delay_us is None, request
    assert 0 <= (request.at or request.delay_us or 0) < HORIZON, request


def _wishes(tx: Tx, requests: Sequence[TriggerRequest], answers: list[Triggered | FoliotError | None]) -> list[_Wish]:
    """The requests whose job exists; the others are answered."""
    names = [
        (n, request.namespace, request.job)
        for n, request in enumerate(requests)
        if not pads(request.namespace) and not pads(request.job)
    ]
    jobs = tx.pairs(JOBS, d=names)
    wishes = []
    for n, request in enumerate(requests):
        if n in jobs:
            key = trial_key(request.key) if request.is_test else trigger_key(request.key)
            wishes.append(_Wish(n, request, jobs[n], key))
        else:
            answers[n] = not_found(tx, request.namespace, request.job)
    return wishes


def _answer_known(
    tx: Tx, wishes: Sequence[_Wish], answers: list[Triggered | FoliotError | None], *, new: Collection[int] = ()
) -> None:
    """S4: a key that has a run gets that run. `new`: the wishes (by number) whose run was made just now."""
    wanted = [(wish.n, wish.job_id, wish.fire_key) for wish in wishes]
    for row in tx.found(BY_KEY, d=wanted):
        is_new = row.n in new
        answers[row.n] = Triggered(
            run_id=row.id,
            created=is_new,
            not_before=row.not_before,
            stands_for=None if is_new else StandsFor.KEY,
            asked=None if is_new else row.asked,
        )


def _make(
    tx: Tx,
    definitions: Definitions,
    wishes: Sequence[_Wish],
    ends: Mapping[int, LineEnd],
    answers: list[Triggered | FoliotError | None],
) -> None:
    """Insert a run for each wish that nothing speaks against; the others get their refusal as their answer."""
    now = tx.now()
    present = [(job_id, end.version) for job_id, end in ends.items()]
    wanted = [_version_of(wish, ends) for wish in wishes]
    found = definitions.find(tx, {*present, *wanted})
    serial = {job.job_id for job in found.jobs.values() if job.definition.is_serial}
    counts = Counter(wish.job_id for wish in wishes)
    places = NewPlaces(ends, situations(tx, serial), counts)
    good = _unrefused(wishes, found, ends, answers)
    line = _Line(now, found, ends, places)
    alone = [wish for wish in good if not _has_window(wish, line)]
    if alone:
        _insert(tx, line, alone, answers)
    seen = {(wish.job_id, wish.fire_key) for wish in alone}
    for wish in good:
        if _has_window(wish, line):
            if (wish.job_id, wish.fire_key) in seen:  # one key twice in this call
                _answer_known(tx, [wish], answers)
            if answers[wish.n] is None:
                _insert_by_window(tx, line, wish, answers)
            seen.add((wish.job_id, wish.fire_key))


class _Line(NamedTuple):
    """What new runs are made with."""

    now: Instant
    found: Found
    ends: Mapping[int, LineEnd]
    places: NewPlaces

    def present(self, wish: _Wish) -> StoredJob | None:
        """The job as it is now; None: this server cannot read it."""
        return self.found.jobs.get(_present_of(wish, self.ends))


def _has_window(wish: _Wish, line: _Line) -> bool:
    """Whether other triggers may stand for this one. One that names its time or its version goes its own way."""
    request, job = wish.request, line.present(wish)
    is_plain = request.at is None and request.delay_us is None and request.due_at is None and request.version is None
    return job is not None and job.definition.has_windows and is_plain and not request.is_test


def _insert_by_window(tx: Tx, line: _Line, wish: _Wish, answers: list[Triggered | FoliotError | None]) -> None:
    """The run that stands for the wish, or a new one, for which the window opens."""
    job = line.present(wish)
    assert job is not None, wish
    door = WindowDoor(tx, wish.job_id, wish.fire_key, job.definition, wish.request, line.now)
    standing = answers[wish.n] = door.stand_in()
    if standing is not None:
        return
    _insert(tx, line, [wish._replace(request=replace(wish.request, delay_us=door.delay_us))], answers)
    made = answers[wish.n]
    if isinstance(made, Triggered) and made.created:
        door.opened(made)


def _insert(tx: Tx, line: _Line, good: Sequence[_Wish], answers: list[Triggered | FoliotError | None]) -> None:
    """A run for each wish that there is room for."""
    now, found, ends, places = line
    kept = _kept(tx, good)
    new: dict[int, NewRun] = {}
    for wish in _with_room(tx, good, found, ends, answers):
        job = found.jobs[_version_of(wish, ends)]
        by_now = found.jobs.get(_present_of(wish, ends), job)
        run = _run_of(wish, job, by_now, places, now)._replace(is_surplus=bool(ends[wish.job_id].is_crowded))
        run = _with_kept(run, wish, kept)
        try:
            new[wish.n] = _with_own(tx, run, wish, kept)
        except WorkersGone as refusal:
            answers[wish.n] = refusal
    if not new:
        return
    insert_runs(tx, now, list(new.values()))
    _answer_known(tx, good, answers, new=new)


def _kept(tx: Tx, wishes: Sequence[_Wish]) -> Mapping[int, frozenset[int]]:
    """By earlier run, the shards that succeeded there. It is over, so they stay so."""
    earlier = {wish.request.keeps_shards_of for wish in wishes if wish.request.keeps_shards_of is not None}
    shards: dict[int, set[int]] = {}
    for row in tx.found(KEPT, d=keys(sorted(earlier))):
        shards.setdefault(row.parent_id, set()).add(row.shard)
    return {run_id: frozenset(some) for run_id, some in shards.items()}


def _with_kept(run: NewRun, wish: _Wish, kept: Mapping[int, frozenset[int]]) -> NewRun:
    """The run without the shards that it keeps. One shard must be left: its end ends the run."""
    earlier = wish.request.keeps_shards_of
    some = kept.get(earlier, frozenset()) if earlier is not None else frozenset()
    if not run.is_parent or not 0 < len(some) < run.job.definition.cut_into:
        return run
    return run._replace(kept_of=earlier, kept=some)


def _with_own(tx: Tx, run: NewRun, wish: _Wish, kept: Mapping[int, frozenset[int]]) -> NewRun:
    """The run with the shards of a broadcast that did not succeed there, each for its worker, if that is what it is."""
    earlier = wish.request.keeps_shards_of
    if earlier is None or not run.job.definition.is_broadcast:
        return run
    own = made_again(tx, run.job, earlier)
    left_out = f"left out: {some_of(own.left_out)}" if own.left_out else None
    reason = "; ".join(filter(None, (run.reason, left_out))) or None
    return run._replace(kept_of=earlier, kept=kept.get(earlier, frozenset()), own=own.made, reason=reason)


def _unrefused(
    wishes: Sequence[_Wish],
    found: Found,
    ends: Mapping[int, LineEnd],
    answers: list[Triggered | FoliotError | None],
) -> list[_Wish]:
    """The wishes that nothing speaks against; the others are answered."""
    for wish in wishes:
        version, present = _version_of(wish, ends), _present_of(wish, ends)
        answers[wish.n] = _refusal(wish.request, found, version, present)
    return [wish for wish in wishes if answers[wish.n] is None]


def _without_repeats(wishes: Sequence[_Wish]) -> list[_Wish]:
    """The first wish of each key: the others get its run."""
    first: dict[tuple[int, str], _Wish] = {}
    for wish in wishes:
        first.setdefault((wish.job_id, wish.fire_key), wish)
    return list(first.values())


def _with_room(
    tx: Tx,
    wishes: Sequence[_Wish],
    found: Found,
    ends: Mapping[int, LineEnd],
    answers: list[Triggered | FoliotError | None],
) -> list[_Wish]:
    """The first wish of each key that may wait; the others of a full job are answered. A test always may."""
    present = {wish.job_id: found.jobs.get(_present_of(wish, ends)) for wish in wishes}
    queues = Queues.of(tx, {job_id: job for job_id, job in present.items() if job is not None})
    taken = []
    full: dict[tuple[int, str], QueueFull] = {}
    for wish in _without_repeats(wishes):
        most = None if wish.request.is_test else queues.full_at(wish.job_id)
        if most is None:
            queues.join(wish.job_id)
            taken.append(wish)
        else:
            full[wish.job_id, wish.fire_key] = QueueFull(wish.request.job, most=most)
    for wish in wishes:
        answers[wish.n] = full.get((wish.job_id, wish.fire_key))
    return taken


def _refusal(request: TriggerRequest, found: Found, version: Key, current: Key) -> FoliotError | None:
    """Why there can be no such run of this version of the job, if so."""
    if version not in found.jobs:
        return _unreadable(request.job, found.troubles[version])
    is_exclusive = current in found.jobs and found.jobs[current].definition.exclusive
    if request.allow_overlap and (is_exclusive or found.jobs[version].definition.exclusive):
        which = request.job if is_exclusive else f"Version {version[1]} of {request.job}"
        return BadTrigger(
            f"{which} is exclusive: none of its runs overlaps another.",
            hint="let it wait its turn",
            problem="exclusive",
            job=request.job,
        )
    if not is_exclusive:
        return None
    if not found.jobs[version].definition.exclusive:
        return BadTrigger(
            f"{request.job} is exclusive by now, and version {version[1]} of it is not.",
            hint="ask for its latest version",
            problem="exclusive_by_now",
            job=request.job,
            version=version[1],
        )
    return None


def _version_of(wish: _Wish, ends: Mapping[int, LineEnd]) -> Key:
    """The version that the run is to have: the one asked for, or the present one."""
    if wish.request.version:
        return wish.job_id, wish.request.version
    return _present_of(wish, ends)


def _present_of(wish: _Wish, ends: Mapping[int, LineEnd]) -> Key:
    return wish.job_id, ends[wish.job_id].version


def _run_of(wish: _Wish, job: LoadedJob, by_now: LoadedJob, places: NewPlaces, now: Instant) -> NewRun:
    """A trigger for later of a serial or sharded job stands outside the line, parked, until it is due and admitted.

    A run of an older version is serial if that says so, or the job's present one (`by_now`).
    """
    request = wish.request
    due_at = request.at if request.at is not None else now + (request.delay_us or 0)
    serial = 0 if request.allow_overlap else serial_of(by_now) or serial_of(job)
    place: int | None = None
    is_parked = True
    enters_when_due = by_now.definition.is_serial or job.definition.is_serial or bool(job.definition.cut_into)
    if due_at <= now or not enters_when_due:
        place, is_parked = places.enter(wish.job_id, serial)
    return NewRun(
        job=job,
        fire_key=wish.fire_key,
        due_at=due_at if request.due_at is None else request.due_at,
        not_before=max(due_at, now),
        place=place,
        parked=is_parked,
        serial=serial,
        priority=request.priority,
        triggered_by=request.by.name,
        reason=kept_reason(request.by.reason or None, request.trace),
        params=request.params,
        is_pinned=request.version is not None,
        is_trial=request.is_test,
    )


def _unreadable(job: str, trouble: Exception) -> FoliotError:
    if isinstance(trouble, FoliotError):
        return trouble
    return BadTrigger(
        f"The definition of {job} cannot be read here: {trouble}.",
        hint=f"see foliot job show {job}",
        problem="unreadable",
        job=job,
        trouble=str(trouble),
    )
