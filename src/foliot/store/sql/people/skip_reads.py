"""What did not run: the skips of all jobs for people, the newest first."""

from typing import Any, Final

from foliot.ports.store.skips import JobSkip, SkipFilter, SkipPage
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement
from foliot.store.sql.people.ledger_reads import SKIP_COLUMNS, skip_row

LOOK_MAX: Final = 2000  # rows looked at for one page, whatever the filter lets through

NEWEST: Final = Statement(
    f"""
    SELECT id, {SKIP_COLUMNS}, (SELECT j.name FROM jobs j WHERE j.id = skips.job_id) AS name,
           (SELECT j.namespace FROM jobs j WHERE j.id = skips.job_id) AS namespace
    FROM skips WHERE id < :before ORDER BY id DESC LIMIT :rows
    """
)
"""By the primary key alone. A range grows while its reason lasts, so its place is that of its first instant. The job is
looked up for each row: a join may read all jobs for a page."""

_ID_MAX: Final = 2**63 - 1


def skipped(tx: Tx, wanted: SkipFilter, *, limit: int, before_id: int | None) -> SkipPage:
    """A page of skips. A row whose job retention has taken is passed over."""
    look = limit + 1 if wanted == SkipFilter() else LOOK_MAX
    before = _ID_MAX if before_id is None else before_id
    rows = tx.rows(NEWEST, {"before": before, "rows": look})
    found = [row for row in rows if row.name is not None and _is_wanted(row, wanted)]
    next_before_id = None
    if len(found) > limit:
        next_before_id = found[limit - 1].id
    elif len(rows) == look:
        next_before_id = rows[-1].id
    items = [JobSkip(id=row.id, job=row.name, namespace=row.namespace, skip=skip_row(row)) for row in found[:limit]]
    return SkipPage(items=items, next_before_id=next_before_id)


def _is_wanted(row: Any, wanted: SkipFilter) -> bool:
    return (
        (wanted.namespace is None or row.namespace == wanted.namespace)
        and (wanted.job is None or row.name == wanted.job)
        and (not wanted.reasons or row.reason in wanted.reasons)
        and (wanted.since is None or row.to_at >= wanted.since)
        and (wanted.until is None or row.from_at < wanted.until)
    )
