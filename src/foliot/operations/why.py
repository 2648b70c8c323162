"""Why: gather what is known about an instant or a run, and explain it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from foliot.domain.access import Principal, Scope
from foliot.domain.changes import Stand
from foliot.domain.definition import from_document
from foliot.domain.errors import FoliotError
from foliot.domain.fire import SkipReason
from foliot.domain.health import HealthRules
from foliot.domain.instants import SECOND, Instant, Micros
from foliot.domain.reschedule import expected_next
from foliot.domain.run import RunState, format_run_id
from foliot.domain.schedule import Schedule
from foliot.domain.why import Explanation, explain_ahead, explain_instant, explain_run, explain_standing
from foliot.domain.why.facts import (
    InstantFacts,
    JobFacts,
    LockWaitFacts,
    Neighbour,
    QueueFacts,
    RunFacts,
    SkipFacts,
    TryFacts,
)
from foliot.domain.why.verdicts import WhyVerdict
from foliot.operations.calendars import read_definition
from foliot.operations.kept_version import kept_by_edit, kept_version
from foliot.operations.locks import holder_words
from foliot.operations.names import find_job, find_run
from foliot.operations.nodes import cause_of
from foliot.operations.route_facts import paces_for, route_of, way_of, with_way
from foliot.operations.run_facts import error_text, run_facts
from foliot.operations.services import Services
from foliot.operations.window_facts import debounce_of
from foliot.ports.store.lookups import (
    AttemptRow,
    JobRow,
    Ledger,
    LedgerPage,
    RunFilter,
    RunRow,
    Waiting,
    is_sharded,
)
from foliot.ports.store.node_row import NodeRow
from foliot.ports.store.skips import SkipRow

EXPLAINED_MAX: Final = 100
OBSTACLES_MAX: Final = 5
OBSTACLE_PAGES_MAX: Final = 10
_NEIGHBOURS_TOLD: Final = frozenset({WhyVerdict.NOT_DUE, WhyVerdict.BEFORE_START, WhyVerdict.AFTER_END})
"""What is said of an instant that the schedule does not have: the fires around it are told, too."""


async def why_instant(
    services: Services, who: Principal, namespace: str, name: str, at: Instant
) -> tuple[Explanation, str]:
    """Explain one instant of a job; with the zone its times are best shown in."""
    who.demand(Scope.READ)
    job = await find_job(services, who, namespace, name)
    return await _explained(services, job, at // SECOND * SECOND)


async def why_since(
    services: Services, who: Principal, namespace: str, name: str, since: Instant
) -> tuple[Sequence[Explanation], str]:
    """Explain what became of a job's instants since one, oldest first; a skipped range is explained once.

    The answer is never empty: where the instants do not say everything, its last item says how the job stands. Of a job
    without a schedule the newest run is explained, too.
    """
    who.demand(Scope.READ)
    lookups = services.store.lookups
    job = await find_job(services, who, namespace, name, with_last_run=False)
    page = await lookups.ledger_since(job.job_id, since, known_version=job.version, limit=EXPLAINED_MAX)
    due_at = _undecided(job, page, since)
    nodes = await lookups.nodes() if page.waiting or due_at is not None else ()
    explained: dict[Instant, Explanation] = {}
    for skip in page.skips:
        explained[skip.to_at] = _of_listed_skip(job, skip, page)
    for run in page.runs:  # after the skips: where an instant has both, its run is explained
        explained[run.due_at] = _of_listed_run(job, run, page, nodes, services.health)
    newest = [explained[at] for at in sorted(explained)[-EXPLAINED_MAX:]]
    schedule = await _schedule(services, job.document, job.name)
    if due_at is None:
        standing = _standing(job, schedule, since=since, now=page.now, is_silent=not newest)
    else:
        standing = [await _of_undecided(services, job, due_at, schedule, nodes, page)]
    is_scheduled = bool(job.document.get("schedule"))
    by_hand = [] if is_scheduled else await _newest_run(services, who, namespace, name)
    return [*newest, *by_hand, *standing], zone_of(job.document, job.name)


async def _newest_run(services: Services, who: Principal, namespace: str, name: str) -> Sequence[Explanation]:
    """Explain the newest run of a job; nothing when it has none."""
    job = await find_job(services, who, namespace, name)
    if job.last_run is None:
        return []
    said, _ = await why_run(services, who, job.last_run.run_id)
    return [said]


def _undecided(job: JobRow, page: LedgerPage, since: Instant) -> Instant | None:
    """Return the instant that a server should have decided by now; None: there is none since then."""
    at = job.next_due_at
    if job.state != "active" or at is None or not since <= at <= page.now:
        return None
    # A server may have decided it after the job was read.
    has_run = any(run.due_at == at for run in page.runs)
    is_skipped = any(skip.from_at <= at <= skip.to_at for skip in page.skips)
    return None if has_run or is_skipped else at


async def _of_undecided(
    services: Services, job: JobRow, at: Instant, schedule: Schedule | None, nodes: Sequence[NodeRow], page: LedgerPage
) -> Explanation:
    """Explain an instant that is due and undecided. Its schedule is the present one: an edit decides the past first."""
    now, maintained = page.now, page.maintenance
    servers_alive = _servers_alive(nodes, now)
    job_facts = _facts_of(job, created_at=job.created_at, schedule=schedule, servers_alive=servers_alive)
    job_facts = replace(job_facts, maintenance=maintained)
    said = explain_instant(InstantFacts(at=at, now=now, job=job_facts))
    if said.verdict in _NEIGHBOURS_TOLD:
        said, _ = await _explained(services, job, at)
    return said


def _document(job: JobRow, version: int, page: LedgerPage) -> Mapping[str, Any]:
    if version == job.version:
        return job.document
    found = page.versions.get(version)
    return found.document if found else {}


def _of_listed_run(
    job: JobRow, run: RunRow, page: LedgerPage, nodes: Sequence[NodeRow], rules: HealthRules
) -> Explanation:
    document = _document(job, run.version, page)
    waiting = page.waiting.get(run.run_id)
    queue = None if waiting is None else queue_facts(run, document, waiting, nodes, rules)
    facts = InstantFacts(
        at=run.due_at,
        now=page.now,
        job=_facts_of(job, created_at=job.created_at),
        run=_listed_run_facts(job, run, document, page),
        queue=queue,
    )
    return explain_instant(facts)


def _listed_run_facts(job: JobRow, run: RunRow, document: Mapping[str, Any], page: LedgerPage) -> RunFacts:
    """Return the facts of a run from the page alone: no further look at the store."""
    kept = None
    if run.state == RunState.PENDING:
        kept = kept_by_edit(run, job, document)
    facts = replace(run_facts(run), isolation=document.get("isolation"), kept=kept, debounce=debounce_of(document, run))
    facts = replace(facts, went=way_of(run, document))
    if is_sharded(run):
        shards = page.shards.get(run.run_id, {})
        return replace(facts, started_at=run.created_at, shards=shards)
    if run.run_id in page.tries:
        return _with_last_try(facts, run, page.tries[run.run_id])
    return facts


def _of_listed_skip(job: JobRow, skip: SkipRow, page: LedgerPage) -> Explanation:
    open_run = None
    if skip.reason == SkipReason.OVERLAP:
        open_run = _obstacle(skip, page.obstacles)
    document = _document(job, skip.version, page)
    skip_facts = _facts_of_skip(skip, document, open_run)
    job_facts = _facts_of(job, created_at=job.created_at)
    facts = InstantFacts(at=skip.to_at, now=page.now, job=job_facts, skip=skip_facts)
    return _of_range(explain_instant(facts))


async def why_run(services: Services, who: Principal, run_id: int) -> tuple[Explanation, str]:
    """Explain where a run stands and what it waits for."""
    who.demand(Scope.READ)
    run = await find_run(services, who, run_id)
    now = await services.store.lookups.now()
    version = await services.store.lookups.version(run.job_id, run.version)
    document: Mapping[str, Any] = {}
    tz = "UTC"
    if version is not None:
        document = version.document
        tz = zone_of(document, run.job)
    facts = await facts_of_run(services, run, document)
    queue = await _queue(services, run, document)
    return explain_run(facts, queue, now), tz


def zone_of(document: Mapping[str, Any], name: str) -> str:
    """The zone a job's times are shown in: its schedule's own, else UTC."""
    try:
        schedule = from_document(document, job=name, is_saved=True).schedule
    except FoliotError:
        return "UTC"
    return "UTC" if schedule is None else schedule.tz


def _of_range(said: Explanation) -> Explanation:
    """Return the explanation of a skipped instant as that of its whole range, when many were skipped together."""
    if said.skip is None or said.skip.count <= 1:
        return said
    return replace(said, is_range=True)


def _standing(
    job: JobRow, schedule: Schedule | None, *, since: Instant, now: Instant, is_silent: bool
) -> Sequence[Explanation]:
    """Explain what no instant says: the next fire is too far ahead, the job is paused, nothing was due."""
    facts = _facts_of(job, created_at=job.created_at)
    stand = Stand(job.state, job.next_at, job.next_due_at, job.remaining)
    expected_at = expected_next(stand, schedule, now)
    if expected_at is not None:
        return [explain_ahead(facts, expected_at=expected_at, now=now)]
    if not is_silent and job.state != "paused":
        return []
    is_scheduled = bool(job.document.get("schedule"))
    return [explain_standing(facts, is_scheduled=is_scheduled, since=since, now=now)]


async def _explained(services: Services, job: JobRow, at: Instant) -> tuple[Explanation, str]:
    ledger = await services.store.lookups.ledger(job.job_id, at)
    version = ledger.version or ledger.first_version
    schedule = await _schedule(services, version.document, job.name)
    run = ledger.run
    facts = InstantFacts(
        at=at,
        now=ledger.now,
        job=await _job_facts(services, job, schedule, ledger),
        run=await facts_of_run(services, run, version.document) if run else None,
        queue=await _queue(services, run, version.document) if run else None,
        skip=await _skip_facts(services, job, ledger.skip) if _is_skipped(ledger, schedule, at) else None,
    )
    explanation = explain_instant(facts)
    if explanation.run is None and explanation.skip is None and schedule is not None:
        explanation = await _with_neighbours(services, job, explanation, schedule, at, ledger)
    return explanation, schedule.tz if schedule else "UTC"


def _is_skipped(ledger: Ledger, schedule: Schedule | None, at: Instant) -> bool:
    """A skip row covers a range of time; only the schedule's own instants in it were skipped."""
    if ledger.skip is None or ledger.run is not None:
        return False
    if at in (ledger.skip.from_at, ledger.skip.to_at) or schedule is None:
        return True
    return schedule.next_after(at - 1) == at


# ------------------------------------------------------------------------------------------------------------- facts


async def _job_facts(services: Services, job: JobRow, schedule: Schedule | None, ledger: Ledger) -> JobFacts:
    is_undecided = ledger.run is None and ledger.skip is None
    facts = _facts_of(job, created_at=ledger.first_version.created_at, schedule=schedule)
    if not is_undecided:  # only then it matters whether a server could decide
        return facts
    servers_alive = _servers_alive(await services.store.lookups.nodes(), ledger.now)
    return replace(facts, servers_alive=servers_alive, maintenance=ledger.maintenance)


def _servers_alive(nodes: Sequence[NodeRow], now: Instant) -> int:
    return sum(node.kind == "server" and node.until > now for node in nodes)


def _facts_of(
    job: JobRow, *, created_at: Instant, schedule: Schedule | None = None, servers_alive: int = 0
) -> JobFacts:
    return JobFacts(
        name=job.name,
        created_at=created_at,
        schedule=schedule,
        state=job.state,
        next_due_at=job.next_due_at,
        remaining=job.remaining,
        paused_at=job.paused_at,
        paused_until=job.paused_until,
        paused_by=job.paused_by,
        pause_reason=job.pause_reason,
        trouble=job.trouble,
        servers_alive=servers_alive,
        retired_at=job.retired_at,
        module=job.module,
        renamed_to=job.renamed_to,
    )


async def facts_of_run(services: Services, run: RunRow, document: Mapping[str, Any]) -> RunFacts:
    """Return what is known of a run, with its last try, its shards and the lock that it waits for."""
    kept = await kept_version(services, run)
    facts = replace(run_facts(run), isolation=document.get("isolation"), kept=kept, debounce=debounce_of(document, run))
    if is_sharded(run):
        rows = await services.store.lookups.shards(run.run_id)
        states = Counter(row.state for row in rows if row.shard >= 0)  # the merge run is no shard
        return replace(facts, started_at=run.created_at, shards=states)
    facts = await with_way(services, run, facts, document)
    if run.attempt < 1 or run.state == "SUCCEEDED":
        return facts
    if run.state == "RUNNING":
        facts = replace(facts, lock=await _awaited_lock(services, run))
    attempts = await services.store.lookups.attempts(run.run_id)
    failed = [row for row in attempts if row.cause not in (None, "succeeded")]
    if not failed:
        return facts
    return _with_last_try(facts, run, failed[-1])


async def _awaited_lock(services: Services, run: RunRow) -> LockWaitFacts | None:
    """Return the lock that the code of a run waits for; of several the first by name."""
    for lock in await services.store.locks.awaited_by(run.run_id):
        line = [claim.run_id for claim in lock.waiters]
        if run.run_id not in line:  # it was granted just now: the store read the line after the lock
            continue
        ahead = line.index(run.run_id)
        held = lock.holders[-1] if lock.holders else None
        facts = LockWaitFacts(name=lock.name, since=lock.waiters[ahead].asked_at, ahead=ahead)
        if held is None:
            return facts
        return replace(
            facts,
            holder=holder_words(held),
            holder_run=None if held.run_id is None else format_run_id(held.run_id),
            token=held.token,
            held_since=held.granted_at,
        )
    return None


def _with_last_try(facts: RunFacts, run: RunRow, last: AttemptRow) -> RunFacts:
    error = error_text(last.error, last.error_type)
    last_try = TryFacts(attempt=last.attempt, cause=last.cause or "", node=last.node, error=error)
    node = facts.node or None
    if node is None and run.state == RunState.FAILED:
        node = last.node
    return replace(facts, last_try=last_try, node=node)


async def _queue(services: Services, run: RunRow, document: Mapping[str, Any]) -> QueueFacts | None:
    if run.state != "PENDING":
        return None
    waits = await services.store.lookups.waits([run])
    nodes = await services.store.lookups.nodes()
    waiting = waits[run.run_id]
    paces = await paces_for(services, run, document) if waiting.lane.routed else None
    return queue_facts(run, document, waiting, nodes, services.health, paces)


def queue_facts(
    run: RunRow,
    document: Mapping[str, Any],
    waiting: Waiting,
    nodes: Sequence[NodeRow],
    rules: HealthRules,
    paces: Mapping[str, Micros] | None = None,
) -> QueueFacts:
    """Return what a waiting run may be waiting for. `paces`: as for `route_of`."""
    serving = [node for node in nodes if node.serves(run.namespace) and node.until > waiting.now]
    usual_overlap = "skip" if document.get("schedule") else "allow"
    return QueueFacts(
        lane=waiting.lane,
        overlap=str(document.get("overlap", usual_overlap)),
        ahead=run_facts(waiting.ahead) if waiting.ahead else None,
        ahead_count=waiting.ahead_count,
        limits=waiting.limits,
        maintenance=waiting.maintenance,
        workers=[replace(node.as_worker(), cause=cause_of(node, waiting.now, rules)) for node in serving],
        route=route_of(run, document, waiting, nodes, rules, paces),
    )


async def _skip_facts(services: Services, job: JobRow, skip: SkipRow | None) -> SkipFacts | None:
    if skip is None:
        return None
    version = await services.store.lookups.version(job.job_id, skip.version)
    open_run = None
    if skip.reason == SkipReason.OVERLAP:
        runs = await _runs_before(services, job, skip)
        open_run = _obstacle(skip, runs)
    return _facts_of_skip(skip, version.document if version else {}, open_run)


async def _runs_before(services: Services, job: JobRow, skip: SkipRow) -> Sequence[RunRow]:
    """Return the newest runs there were when the instant was skipped. The store looks at few rows for one page: a page
    may hold nothing where a run has many shards.
    """
    wanted = RunFilter(job_ids=(job.job_id,), until=skip.decided_at + 1)
    runs: list[RunRow] = []
    cursor = None
    for _ in range(OBSTACLE_PAGES_MAX):
        page = await services.store.lookups.runs(wanted, limit=OBSTACLES_MAX, cursor=cursor)
        runs += page.items
        cursor = page.next_cursor
        if cursor is None or len(runs) >= OBSTACLES_MAX:
            break
    return runs


def _obstacle(skip: SkipRow, runs: Sequence[RunRow]) -> RunFacts | None:
    """Return the run that was in the way: the newest that was not over when the instant was skipped."""
    were_there = [run for run in runs if run.created_at <= skip.decided_at]
    for run in were_there[:OBSTACLES_MAX]:
        if run.ended_at is None or run.ended_at >= skip.from_at:
            return run_facts(run)
    return None


def _facts_of_skip(skip: SkipRow, document: Mapping[str, Any], open_run: RunFacts | None) -> SkipFacts:
    return SkipFacts(
        from_at=skip.from_at,
        to_at=skip.to_at,
        count=skip.count,
        reason=skip.reason,
        why=skip.why,
        cause=skip.cause,
        decided_at=skip.decided_at,
        overlap=str(document.get("overlap", "skip")),
        open_run=open_run,
    )


# --------------------------------------------------------------------------------------------------------- neighbours


async def _with_neighbours(
    services: Services, job: JobRow, said: Explanation, schedule: Schedule, at: Instant, ledger: Ledger
) -> Explanation:
    """Return the explanation with the fires that help to understand it: the first one, or those around the instant."""
    if said.verdict is WhyVerdict.BEFORE_CREATION:
        first_at = schedule.next_after(ledger.first_version.created_at - 1)
        first = await _neighbour(services, job, first_at, ledger)
        return replace(said, first=first)
    if said.verdict not in _NEIGHBOURS_TOLD:
        return said
    before = schedule.previous_before(at)
    if before is not None and before < ledger.first_version.created_at:
        before = None
    return replace(
        said,
        before=await _neighbour(services, job, before, ledger),
        after=await _neighbour(services, job, schedule.next_after(at), ledger),
    )


async def _neighbour(services: Services, job: JobRow, at: Instant | None, ledger: Ledger) -> Neighbour | None:
    if at is None:
        return None
    if at > ledger.now:
        return Neighbour(at=at)
    found = await services.store.lookups.ledger(job.job_id, at)
    if found.run is not None:
        return Neighbour(at=at, run=run_facts(found.run))
    return Neighbour(at=at, skip_reason=found.skip.reason if found.skip else None)


async def _schedule(services: Services, document: Mapping[str, Any], name: str) -> Schedule | None:
    try:
        definition = await read_definition(services, document, job=name, is_saved=True)
    except FoliotError:  # a version of a newer Foliot, or a zone this machine lacks: the rest can still be explained
        return None
    return definition.schedule
