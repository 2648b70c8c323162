"""Triggers: a run because somebody asked, now or later, at most once per idempotency key (S4, R23).

The cursor is bumped first, so a trigger and a fire of one job follow each other; what a trigger then reads of the
job's line is complete. A run that serves a key is found again by that key for as long as it is kept.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from foliot.domain.bounds import PRIORITY_MIN
from foliot.domain.errors import FoliotError
from foliot.domain.fire import trial_key, trigger_key
from foliot.domain.instants import Instant
from foliot.domain.job import PRIORITY_MAX, LoadedJob
from foliot.domain.schedule import HORIZON
from foliot.domain.texts import KEY_BYTES_MAX, is_key, pads
from foliot.ports.store.runs import BadTrigger, Triggered, TriggerRequest
from foliot.store.sql.firing.follow import serial_of
from foliot.store.sql.firing.line import LineEnd, NewPlaces, bump, situations
from foliot.store.sql.firing.new_runs import NewRun, insert_runs
from foliot.store.sql.jobs.definitions import Definitions, Found, Key
from foliot.store.sql.jobs.suggestions import not_found
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement

JOBS: Final = Statement(
    """
    SELECT d.n, jobs.id FROM {d}
    JOIN jobs ON jobs.namespace = d.namespace AND jobs.name = d.name AND jobs.deleted_at = 0
    """,
    RowSet("d", n=BIGINT, namespace=TEXT, name=TEXT),
)

BY_KEY: Final = Statement(
    """
    SELECT d.n, runs.id, runs.not_before FROM {d}
    JOIN runs ON runs.job_id = d.job_id AND runs.fire_key = d.fire_key AND runs.shard = -1
    """,
    RowSet("d", n=BIGINT, job_id=BIGINT, fire_key=TEXT),
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
        ends = bump(tx, dict(Counter(wish.job_id for wish in new)))
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
    keys = [(wish.n, wish.job_id, wish.fire_key) for wish in wishes]
    for row in tx.found(BY_KEY, d=keys):
        answers[row.n] = Triggered(run_id=row.id, created=row.n in new, not_before=row.not_before)


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
    new: dict[int, NewRun] = {}
    for wish in _without_repeats(good):
        job = found.jobs[_version_of(wish, ends)]
        by_now = found.jobs.get(_present_of(wish, ends), job)
        new[wish.n] = _run_of(wish, job, by_now, places, now)
    if not new:
        return
    insert_runs(tx, now, list(new.values()))
    _answer_known(tx, good, answers, new=new)


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
    enters_when_due = by_now.definition.is_serial or job.definition.is_serial or bool(job.definition.shards)
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
        reason=request.by.reason or None,
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
