"""The journal of events in SQL."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import msgspec

from foliot.domain.instants import Instant
from foliot.ports.store.journal import Event, EventFilter, EventPage, Happening, Topic
from foliot.store.sql.cluster.leadership import UNDER_TERM, holds_term
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.statement import TEXT, RowSet, Statement

LOOK_MAX: Final = 2000  # rows looked at for one page, whatever the filter lets through

_COLUMNS: Final = "id, at, topic, kind, namespace, subject, made_by, data"
_NOTE: Final = Statement(
    "{insert_ignore} events (event_key, at, topic, kind, namespace, subject, made_by, data) "
    "SELECT n.event_key, {now}, n.topic, n.kind, n.namespace, n.subject, n.made_by, n.data FROM {n} "
    f"WHERE {UNDER_TERM} "
    "{ignore_duplicates}",
    RowSet("n", event_key=TEXT, topic=TEXT, kind=TEXT, namespace=TEXT, subject=TEXT, made_by=TEXT, data=TEXT),
)
_BEFORE: Final = Statement(f"SELECT {_COLUMNS} FROM events WHERE id < :before ORDER BY id DESC LIMIT :rows")
_BEFORE_OF: Final = Statement(
    f"SELECT {_COLUMNS} FROM events WHERE subject = :subject AND id < :before ORDER BY id DESC LIMIT :rows"
)
_AFTER: Final = Statement(f"SELECT {_COLUMNS} FROM events WHERE id > :after ORDER BY id LIMIT :rows")
_NEWEST: Final = Statement("SELECT coalesce(max(id), 0) FROM events")
_OLD: Final = Statement("SELECT id FROM events WHERE at < :before ORDER BY at LIMIT :rows")
_FORGET: Final = Statement("DELETE FROM events WHERE id >= :first AND id <= :last AND at < :before")

_ID_MAX: Final = 2**63 - 1


class SqlJournal:
    """`ports.store.journal.Journal` on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note(self, happenings: Sequence[Happening], *, term: int | None = None) -> None:
        if happenings:
            await self._database.transact(partial(note, happenings=happenings, term=term), pool=Pool.API)

    async def newest(self, wanted: EventFilter, *, limit: int, before_id: int | None = None) -> EventPage:
        before = _ID_MAX if before_id is None else before_id

        def work(tx: Tx) -> EventPage:
            look = LOOK_MAX if _is_choosy(wanted) else limit
            values: dict[str, Any] = {"before": before, "rows": look}
            if wanted.subject is not None:
                rows = tx.rows(_BEFORE_OF, values | {"subject": wanted.subject})
            else:
                rows = tx.rows(_BEFORE, values)
            found = [row for row in rows if _is_wanted(row, wanted)]
            shown = found[:limit]
            is_before_all = bool(rows) and wanted.since is not None and rows[-1].at < wanted.since
            if len(found) > limit:
                next_before_id = shown[-1].id
            elif len(rows) < look or is_before_all:
                next_before_id = None
            else:
                next_before_id = rows[-1].id
            return EventPage(items=[_event(row) for row in shown], next_before_id=next_before_id)

        return await self._database.read(work)

    async def after(self, wanted: EventFilter, event_id: int, *, limit: int) -> Sequence[Event]:
        def work(tx: Tx) -> Sequence[Event]:
            rows = tx.rows(_AFTER, {"after": event_id, "rows": limit})
            return [_event(row) for row in rows if _is_wanted(row, wanted)]

        return await self._database.read(work)

    async def newest_id(self) -> int:
        newest = await self._database.read(lambda tx: tx.value(_NEWEST))
        return int(newest)

    async def forget(self, *, before: Instant, limit: int, term: int | None = None) -> int:
        def work(tx: Tx) -> int:
            old = tx.rows(_OLD, {"before": before, "rows": limit})
            if not old or not holds_term(tx, term):
                return 0
            ids = [row.id for row in old]
            return tx.change(_FORGET, {"first": min(ids), "last": max(ids), "before": before})

        return await self._database.transact(work)


def note(tx: Tx, happenings: Sequence[Happening], *, term: int | None = None) -> None:
    """Write down what is not yet written, in the transaction in which it happened."""
    rows = [
        (
            happening.key[:250],
            str(happening.topic),
            happening.kind,
            happening.namespace,
            happening.subject[:200],
            happening.by[:200],
            msgspec.json.encode(happening.data).decode(),
        )
        for happening in happenings
    ]
    if rows:
        tx.change(_NOTE, {"term": term}, n=rows)


def _is_choosy(wanted: EventFilter) -> bool:
    narrowing = (wanted.namespace, wanted.since, wanted.until)
    return bool(wanted.topics) or narrowing != (None, None, None)


def _is_wanted(row: Any, wanted: EventFilter) -> bool:
    return (
        (not wanted.topics or row.topic in wanted.topics)
        and (wanted.subject is None or row.subject == wanted.subject)
        and _is_within(row.namespace, wanted)
        and (wanted.since is None or row.at >= wanted.since)
        and (wanted.until is None or row.at < wanted.until)
    )


def _is_within(namespace: str | None, wanted: EventFilter) -> bool:
    if wanted.namespace is None:
        return True
    return wanted.with_cluster if namespace is None else namespace == wanted.namespace


def _event(row: Any) -> Event:
    return Event(
        id=row.id,
        at=row.at,
        topic=Topic(row.topic),
        kind=row.kind,
        subject=row.subject,
        by=row.made_by,
        namespace=row.namespace,
        data=msgspec.json.decode(row.data),
    )
