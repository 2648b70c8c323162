"""The glance: what needs somebody, what runs and what comes next, read in one transaction."""

from collections.abc import Sequence
from typing import Final

from foliot.domain.instants import MINUTE, Instant
from foliot.ports.store.glance import Glance
from foliot.ports.store.lookups import JobFilter, JobRow, RunFilter
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.paging import LOOK_MAX
from foliot.store.sql.kernel.statement import Statement
from foliot.store.sql.people import job_reads, run_reads

# The inner statement walks the index of due instants and stops at its limit. Only then namespaces are compared.
BETWEEN: Final = Statement(
    """
    SELECT c.job_id FROM (
      SELECT job_id, next_at, state FROM cursors WHERE next_at > :after AND next_at <= :until
      ORDER BY next_at, job_id LIMIT :look
    ) c JOIN jobs j ON j.id = c.job_id
    WHERE c.state = 'active' AND j.deleted_at = 0 AND j.namespace >= :low AND j.namespace <= :high
    ORDER BY c.next_at, c.job_id LIMIT :rows
    """
)
# Steps from one namespace to the next along the names of jobs: a cluster has many jobs and few namespaces. MariaDB
# takes such steps by itself when it groups, and none within a recursive statement.
NAMESPACES: Final = Statement(
    """
    WITH RECURSIVE walk (namespace, step) AS (
      SELECT (SELECT min(namespace) FROM jobs), 1
      UNION ALL
      SELECT (SELECT min(j.namespace) FROM jobs j WHERE j.namespace > walk.namespace), step + 1
      FROM walk WHERE walk.namespace IS NOT NULL AND step < :most
    )
    SELECT namespace FROM walk WHERE namespace IS NOT NULL ORDER BY namespace
    """,
    mysql="SELECT namespace FROM jobs GROUP BY namespace ORDER BY namespace LIMIT :most",
)
THIS_NAMESPACE: Final = Statement("SELECT namespace FROM jobs WHERE namespace = :namespace LIMIT 1")
NAMESPACES_MAX: Final = 100
_LAST_NAMESPACE: Final = "\U0010ffff"
_FOR_EVER: Final = 2**62


def glance(tx: Tx, namespace: str | None, *, limit: int, only: str | None = None) -> Glance:
    """What needs somebody, what runs and what comes next: of one namespace, or of all.

    `only`: the one namespace that the reader sees.
    """
    now = tx.now()
    a_minute_ago = now - MINUTE
    failing = JobFilter(namespace=namespace, failing=True, sort="fails")
    running = RunFilter(namespace=namespace, states=("RUNNING",))
    held = RunFilter(namespace=namespace, states=("HELD",), until=a_minute_ago)
    return Glance(
        now=now,
        failing=job_reads.list_jobs(tx, failing, limit=limit, cursor=None).items,
        late=_due_between(tx, -1, a_minute_ago, namespace, limit),
        next=_due_between(tx, now, _FOR_EVER, namespace, limit),
        running=run_reads.list_runs(tx, running, limit=limit, cursor=None).items,
        held=run_reads.list_runs(tx, held, limit=limit, cursor=None).items,
        namespaces=_namespaces(tx, only),
    )


def _namespaces(tx: Tx, only: str | None) -> Sequence[str]:
    """Those with jobs: the first of all, or the one that is asked for."""
    rows = (
        tx.rows(NAMESPACES, {"most": NAMESPACES_MAX}) if only is None else tx.rows(THIS_NAMESPACE, {"namespace": only})
    )
    return [row.namespace for row in rows]


def due_until(tx: Tx, namespace: str | None, *, until: Instant, limit: int) -> Sequence[JobRow]:
    """The active jobs whose next instant lies between now and then, the soonest first, without their runs."""
    return job_reads.bare_jobs(tx, _ids_between(tx, tx.now(), until, namespace, limit))


def _due_between(tx: Tx, after: Instant, until: Instant, namespace: str | None, limit: int) -> Sequence[JobRow]:
    """Active jobs whose next instant lies in (after, until], the soonest first."""
    return job_reads.jobs_of(tx, _ids_between(tx, after, until, namespace, limit))


def _ids_between(tx: Tx, after: Instant, until: Instant, namespace: str | None, limit: int) -> list[int]:
    values = {
        "after": after,
        "until": until,
        "look": LOOK_MAX,
        "low": namespace if namespace is not None else "",
        "high": namespace if namespace is not None else _LAST_NAMESPACE,
        "rows": limit,
    }
    return [row.job_id for row in tx.rows(BETWEEN, values)]
