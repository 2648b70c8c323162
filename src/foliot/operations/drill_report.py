"""The report of a drill: is it over, and what does the judge say of it.

All of it is read from what the store keeps anyway: failovers, node sessions, runs and skips. So any server judges, at
any time after the end, and comes to the same verdict.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from foliot.domain.definition import from_document
from foliot.domain.drill_judge import (
    FiredRun,
    FireVerdict,
    JudgedJob,
    Occurrence,
    SkippedRange,
    judge_fires,
    judge_times,
)
from foliot.domain.drills import TAKEN_UP_WITHIN_US, DrillState, DrillType, drill_lock
from foliot.domain.errors import FoliotError
from foliot.domain.failover import FailoverType
from foliot.domain.instants import SECOND, Instant, Micros
from foliot.domain.schedule import Calendar
from foliot.operations.calendars import calendars_of_all
from foliot.operations.notes import note
from foliot.operations.services import Services
from foliot.operations.side_thread import in_side_thread
from foliot.ports.store.drills import Drill, DrillStore, LedgerSeen
from foliot.ports.store.failovers import Failover, FailoverFilter
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.store.lookups import JobFilter, JobRow
from foliot.ports.store.node_row import NodeRow

FAILOVERS_LOOKED_AT: Final = 200
JOBS_MAX: Final = 1000
"""Jobs that are judged, those that fire most often first."""
PAGE: Final = 200
AFTERMATH_US: Final[Micros] = 5 * SECOND
"""Fires that are judged, too: what is due just after the end."""
GIVE_UP_US: Final[Micros] = 30 * SECOND
"""After the longest failover: what has not recovered by then is reported so."""

NOTED_WITHIN_US: Final[Micros] = 10 * SECOND
"""A server that was cut off from its store notes that with its next pulse, which may come after its next beat."""

MOVES_WORK: Final = frozenset(
    {FailoverType.WORKER_CRASH, FailoverType.SERVER_CRASH, FailoverType.NETWORK_PARTITION, FailoverType.LOCK_DEADLOCK}
)


async def settle(services: Services, drill: Drill) -> bool:
    """Close the drill if it is over; whether it is closed now."""
    lookups = services.store.lookups
    now = await lookups.now()
    nodes = await lookups.nodes(include_dead_since=drill.asked_at)
    own = next((row for row in nodes if row.session == drill.session), None)
    is_gone = own is None or own.state == "dead"
    if drill.began_at is None:
        if is_gone or now - drill.asked_at > TAKEN_UP_WITHIN_US:
            return await _close(services, drill, DrillState.LOST, {})
        return False
    failovers = await _failovers_of(services, drill)
    back_at = drill.over_at or _back_at(drill, nodes)
    give_up_us = services.cluster_times.failover_us + GIVE_UP_US
    if not _is_over(drill, failovers, now=now, is_gone=is_gone, back_at=back_at, give_up_us=give_up_us):
        return False
    if own is not None and own.kind == "server" and _awaits_its_note(drill, failovers, now=now, back_at=back_at):
        return False
    seen = [_occurrence(one) for one in failovers]
    times = judge_times(drill.began_at, seen, noticed_us=drill.noticed_us, back_at=back_at)
    until = (drill.broken_until or now) if times.recovered_us is None else drill.began_at + times.recovered_us
    fires, is_whole = await _fires(services, drill.asked_at, min(now, until + AFTERMATH_US))
    report = {
        **asdict(times),
        "fires": asdict(fires),
        "worst_delay_us": fires.worst_delay_us,
        "every_job": is_whole,
        "rerun": sum(int(one.done.get("returned", 0)) for one in failovers),
        "failovers": [one.id for one in seen],
    }
    return await _close(services, drill, DrillState.ENDED, report)


def _is_over(
    drill: Drill,
    failovers: Sequence[Failover],
    *,
    now: Instant,
    is_gone: bool,
    back_at: Instant | None,
    give_up_us: Micros,
) -> bool:
    """The node is whole again, or gone for good; and what the cluster noted of it has ended."""
    broken_until = drill.broken_until or now
    if drill.over_at is None and now < broken_until:
        return False
    if now > broken_until + give_up_us:
        return True
    if any(_is_open(one) for one in failovers):
        return False
    if is_gone:  # else nobody has missed it yet
        return any(one.type in MOVES_WORK for one in failovers) and (back_at is not None or _stays_away(drill))
    return back_at is not None


def _awaits_its_note(drill: Drill, failovers: Sequence[Failover], *, now: Instant, back_at: Instant | None) -> bool:
    """Whether a server that was cut off beats again, and has not yet written down how long its store was away."""
    if drill.type is not DrillType.PARTITION or back_at is None:
        return False
    is_noted = any(one.type is FailoverType.STORE_UNREACHABLE for one in failovers)
    return not is_noted and now <= back_at + NOTED_WITHIN_US


def _stays_away(drill: Drill) -> bool:
    """Whether the node may never come back: Foliot does not start a process again."""
    return drill.type is DrillType.CRASH


def _is_open(one: Failover) -> bool:
    """An outage of the store stays open for some time in case it comes again: it ended with its last news."""
    return one.is_open and one.type is not FailoverType.STORE_UNREACHABLE


def _occurrence(one: Failover) -> Occurrence:
    ended_at = one.ended_at
    if ended_at is None and one.type is FailoverType.STORE_UNREACHABLE:
        ended_at = one.last_at
    return Occurrence(one.id, str(one.type), one.detected_at, ended_at, one.type in MOVES_WORK)


async def _failovers_of(services: Services, drill: Drill) -> Sequence[Failover]:
    """What the cluster noted about this node since the drill began, or about what the drill made."""
    assert drill.began_at is not None
    wanted = FailoverFilter(since=drill.began_at)
    page = await services.store.failovers.list(wanted, limit=FAILOVERS_LOOKED_AT)
    since = [one for one in page.items if one.detected_at >= drill.began_at]
    lock = drill_lock(drill.id, "")
    return [one for one in since if _is_about(one, drill.node, lock)]


def _is_about(one: Failover, node: str, lock: str) -> bool:
    if one.type is FailoverType.LOCK_DEADLOCK:
        return any(name.startswith(lock) for name in one.affected.locks)
    return one.subject == node or node in one.affected.nodes


def _back_at(drill: Drill, nodes: Iterable[NodeRow]) -> Instant | None:
    """When the node, as a new session, first took work."""
    newer = [row.ready_at for row in nodes if row.name == drill.node and row.session != drill.session]
    return min((at for at in newer if at is not None and at > (drill.began_at or 0)), default=None)


async def _close(services: Services, drill: Drill, state: DrillState, report: Mapping[str, Any]) -> bool:
    if not await services.store.drills.settle(drill.id, state, report):
        return True
    services.drill_told(drill.type, state, report)
    data: dict[str, Any] = {"drill": drill.id, "type": str(drill.type), "state": str(state)}
    if report:
        data |= {name: report[name] for name in ("detected_us", "failed_over_us", "recovered_us")}
        data |= {name: report["fires"][name] for name in ("lost", "doubled", "early")}
    await note(
        services,
        Happening(
            key=f"drill.ended:{drill.id}", topic=Topic.CLUSTER, kind="drill.ended", subject=drill.node, data=data
        ),
    )
    return True


# -------------------------------------------------------------------------------------------------------------- fires


async def _fires(services: Services, from_at: Instant, to_at: Instant) -> tuple[FireVerdict, bool]:
    """The verdict on what was due in [from, to), and whether every job was judged."""
    jobs, is_whole = await _jobs(services)
    calendars = await calendars_of_all(services, [job.document for job in jobs])
    steady = [job for job in jobs if job.updated_at < from_at]  # what an edit decided is judged by no schedule
    # The ledger is read before the cursors would move on: `jobs` has the older cursors, so nothing seems lost that is
    # decided between the two reads.
    judged, seen = await _ledger(services.store.drills, steady, from_at, to_at)
    verdict = await in_side_thread(_verdict, judged, calendars, seen, from_at, to_at)
    return verdict, is_whole and len(judged) == len(steady)


async def _ledger(
    drills: DrillStore, jobs: Sequence[JobRow], from_at: Instant, to_at: Instant
) -> tuple[Sequence[JobRow], LedgerSeen]:
    """As many of the jobs as one look at the ledger takes: what it left out would seem lost."""
    seen = await drills.fires([job.job_id for job in jobs], from_at=from_at, to_at=to_at)
    while seen.is_cut and jobs:
        jobs = jobs[: len(jobs) // 2]
        seen = await drills.fires([job.job_id for job in jobs], from_at=from_at, to_at=to_at)
    return jobs, seen


async def _jobs(services: Services) -> tuple[Sequence[JobRow], bool]:
    jobs: list[JobRow] = []
    cursor: str | None = None
    while len(jobs) < JOBS_MAX:
        wanted = JobFilter(states=("active",), sort="next")
        page = await services.store.lookups.jobs(wanted, limit=PAGE, cursor=cursor)
        jobs += page.items
        cursor = page.next_cursor
        if cursor is None:
            return jobs, True
    return jobs, False


def _verdict(
    jobs: Sequence[JobRow], calendars: Mapping[str, Calendar], seen: LedgerSeen, from_at: Instant, to_at: Instant
) -> FireVerdict:
    judged = [one for job in jobs if (one := _judged_job(job, calendars))]
    known = {job.job_id for job in judged}
    return judge_fires(
        judged,
        [FiredRun(*run) for run in seen.runs if run.job_id in known],
        [SkippedRange(*skip) for skip in seen.skips if skip.job_id in known],
        from_at=from_at,
        to_at=to_at,
    )


def _judged_job(job: JobRow, calendars: Mapping[str, Calendar]) -> JudgedJob | None:
    """None: it has no schedule, or one whose instants depend on when its runs end."""
    try:
        schedule = from_document(job.document, job=job.name, calendars=calendars, is_saved=True).schedule
    except FoliotError:  # its page says what is wrong with it
        return None
    if schedule is None or schedule.fixed_delay_us is not None or job.next_due_at is None:
        return None
    return JudgedJob(job.job_id, job.name, schedule.upcoming, job.next_due_at)
