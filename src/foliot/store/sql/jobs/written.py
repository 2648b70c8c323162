"""A definition on its way into the store: its document and hash, its names looked up, its lanes and limits."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from foliot.domain.definition import check_definition, hash_of, to_document
from foliot.domain.job import Definition, Lane, LoadedJob, lane_of
from foliot.domain.limits import LimitChange
from foliot.domain.names import check_name
from foliot.domain.payload import canonical_json
from foliot.ports.store.actor import Actor
from foliot.ports.store.jobs import Declarer, Standing
from foliot.store.sql.jobs import calendars, job_alerts
from foliot.store.sql.jobs.definitions import lane_ids
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement
from foliot.store.sql.leasing import limits

INSERT_VERSION: Final = Statement(
    """
    INSERT INTO job_versions (job_id, version, hash, definition, lane_id, merge_lane_id, created_at, created_by, reason)
    VALUES (:job_id, :version, :hash, :definition, :lane_id, :merge_lane_id, :now, :by, :reason)
    """
)
INSERT_CURSOR: Final = Statement(
    """
    INSERT INTO cursors (job_id, version, state, next_at, next_due_at, cursor_ver, remaining)
    VALUES (:job_id, 1, :state, :next_at, :next_due_at, 1, :remaining)
    """
)


class Written(NamedTuple):
    """What is to be saved, and by whom."""

    namespace: str
    name: str
    definition: Definition
    document: str
    hash: str
    by: Actor
    source: str
    declarer: Declarer | None = None
    allow: Callable[[Standing], None] | None = None
    check_limit: Callable[[LimitChange], None] | None = None
    shared: frozenset[str] = frozenset()  # which of its limits are of the whole cluster

    @property
    def module(self) -> str | None:
        """The module that declares it."""
        return None if self.declarer is None else self.declarer.module

    @property
    def from_end(self) -> int:
        """`jobs.from_end`: what the watchdog of fixed delays goes by."""
        return int(self.definition.is_delayed)


def write(
    namespace: str,
    name: str,
    definition: Definition,
    *,
    by: Actor,
    source: str,
    declarer: Declarer | None = None,
    allow: Callable[[Standing], None] | None = None,
    check_limit: Callable[[LimitChange], None] | None = None,
) -> Written:
    """A definition that may be kept, as it will be."""
    check_definition(definition)
    document = canonical_json(to_document(definition))
    return Written(
        check_name("namespace", namespace),
        check_name("job", name),
        definition,
        document,
        hash_of(document),
        by,
        source,
        declarer,
        allow,
        check_limit,
    )


def resolved(tx: Tx, written: Written) -> Written:
    """The same with its names looked up: calendars, and limits of the whole cluster."""
    pinned = _pinned(tx, written)
    return pinned._replace(shared=limits.shared_of(tx, pinned.definition))


def _pinned(tx: Tx, written: Written) -> Written:
    """The same with its calendars pinned to their newest versions (see `calendars`)."""
    definition = calendars.pinned(tx, written.definition, written.name)
    if definition is written.definition:
        return written
    document = canonical_json(to_document(definition))
    return written._replace(definition=definition, document=document, hash=hash_of(document))


def lanes_of(job_id: int, written: Written) -> list[Lane]:
    """The lane of its runs, and that of its merge runs if it has some."""
    definition, namespace, shared = written.definition, written.namespace, written.shared
    lanes = [lane_of(job_id, definition, namespace=namespace, shared=shared)]
    if definition.merge is not None:
        lanes.append(lane_of(job_id, definition, namespace=namespace, shared=shared, handler=definition.merge))
    return lanes


def insert_version(
    tx: Tx, written: Written, job_id: int, version: int, lanes: Sequence[int] | None = None
) -> LoadedJob:
    """The job in this version; `lanes`: the numbers of its lanes, where they were drawn before."""
    if lanes is None:
        lanes = lane_ids(tx, lanes_of(job_id, written))
    job = LoadedJob(
        job_id=job_id,
        version=version,
        namespace=written.namespace,
        name=written.name,
        definition=written.definition,
        lane_id=lanes[0],
        merge_lane_id=lanes[1] if len(lanes) > 1 else None,
    )
    values = {"hash": written.hash, "definition": written.document, "by": written.by.name}
    keys = {"job_id": job_id, "version": version, "lane_id": job.lane_id, "merge_lane_id": job.merge_lane_id}
    tx.change(INSERT_VERSION, {**keys, **values, "reason": written.by.reason, "now": tx.now()})
    calendars.keep_uses(tx, job_id, written.definition, is_new=version == 1)
    job_alerts.keep(tx, [(job_id, version, written.definition)], are_new=version == 1)
    return job


def keep_limits(tx: Tx, written: Written, job_id: int, *, before: str | None) -> None:
    """Limits come last in the order of locks (R3). `before`: the document of the version that was."""
    named = limits.limits_of(job_id, written.definition, namespace=written.namespace, shared=written.shared)
    if named:
        limits.keep(tx, named, before=limits.numbers_of(before), check=written.check_limit)
    if written.definition.rate_by is None:
        limits.keep_rate(tx, job_id, written.definition.bucket)
