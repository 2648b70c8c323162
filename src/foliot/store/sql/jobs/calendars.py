"""Calendars in SQL: kept by version, pinned by the jobs that use them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from foliot.domain.definition import from_document, to_document
from foliot.domain.instants import Instant
from foliot.domain.job import Definition
from foliot.domain.payload import canonical_json
from foliot.domain.schedule import Calendar, builtin_calendar, calendar_from_document
from foliot.domain.schedule.errors import UnknownCalendar
from foliot.ports.store.actor import Actor
from foliot.ports.store.calendars import CalendarInUse, CalendarRow, CalendarUse
from foliot.store.sql.cluster.leadership import UNDER_TERM
from foliot.store.sql.kernel.database import Database, Pool, TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys

_COLUMNS: Final = "c.name, c.version, c.document, c.created_at, c.created_by, c.reason"
NEWEST: Final = Statement(
    f"SELECT {_COLUMNS} FROM {{d}} JOIN calendars c ON c.name = d.label AND c.latest = 1", RowSet("d", label=TEXT)
)
PINNED: Final = Statement(
    f"SELECT {_COLUMNS} FROM {{d}} JOIN calendars c ON c.name = d.label AND c.version = d.version",
    RowSet("d", label=TEXT, version=BIGINT),
)
ALL: Final = Statement(f"SELECT {_COLUMNS} FROM calendars c WHERE c.latest = 1 ORDER BY c.name LIMIT 5000")
LAST: Final = Statement("SELECT max(version) FROM calendars WHERE name = :name")
INSERT: Final = Statement(
    "{insert_ignore} calendars (name, version, document, created_at, created_by, reason, latest) "
    "VALUES (:name, :version, :document, {now}, :by, :reason, 1) {ignore_duplicates}"
)
AGE: Final = Statement("UPDATE calendars SET latest = 0 WHERE name = :name AND latest = 1 AND version <> :version")
USERS: Final = Statement(
    "SELECT j.namespace, j.name, u.version FROM calendar_uses u JOIN jobs j ON j.id = u.job_id AND j.deleted_at = 0 "
    "WHERE u.name = :name ORDER BY j.namespace, j.name LIMIT :rows"
)
OUTDATED: Final = Statement(
    f"""
    SELECT j.id, j.namespace, j.name, j.version, j.source, v.definition, u.name AS calendar, u.version AS pinned
    FROM calendars c JOIN calendar_uses u ON u.name = c.name AND u.version < c.version
    JOIN jobs j ON j.id = u.job_id AND j.deleted_at = 0
    JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
    WHERE c.latest = 1 AND (u.name > :calendar OR (u.name = :calendar AND (u.version > :pinned
          OR (u.version = :pinned AND u.job_id > :job_id)))) AND {UNDER_TERM}
    ORDER BY u.name, u.version, u.job_id LIMIT :rows
    """
)
FORGET_USES: Final = Statement("DELETE FROM calendar_uses WHERE job_id = :job_id")
KEEP_USES: Final = Statement(
    "INSERT INTO calendar_uses (job_id, name, version) SELECT :job_id, d.label, d.version FROM {d}",
    RowSet("d", label=TEXT, version=BIGINT),
)


class SqlCalendars:
    """`ports.store.calendars.CalendarStore` on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, name: str, document: Mapping[str, Any], *, by: Actor) -> CalendarRow:
        text = canonical_json(document)

        def work(tx: Tx) -> CalendarRow:
            newest = tx.rows(NEWEST, d=keys([name]))
            if newest and newest[0].document == text:
                return _row(newest[0])
            last = tx.value(LAST, {"name": name})
            version = int(last or 0) + 1
            key = {"name": name, "version": version}
            if not tx.change(INSERT, {**key, "document": text, "by": by.name, "reason": by.reason}):
                raise TryAgain("somebody else made this version")
            tx.change(AGE, key)
            saved = tx.rows(NEWEST, d=keys([name]))
            return _row(saved[0])

        return await self._database.transact(work, pool=Pool.API)

    async def find(self, pins: Sequence[str]) -> Mapping[str, CalendarRow]:
        return await self._database.read(lambda tx: find(tx, pins))

    async def list(self) -> Sequence[CalendarRow]:
        return await self._database.read(lambda tx: [_row(row) for row in tx.rows(ALL)])

    async def delete(self, name: str) -> bool:
        def work(tx: Tx) -> bool:
            users = tx.rows(USERS, {"name": name, "rows": 20})
            if users:
                raise CalendarInUse(name, jobs=[row.name for row in users])
            return tx.change(AGE, {"name": name, "version": 0}) > 0

        return await self._database.transact(work, pool=Pool.API)

    async def users(self, name: str, *, limit: int) -> Sequence[tuple[str, str, int]]:
        values = {"name": name, "rows": limit}
        return await self._database.read(
            lambda tx: [(row.namespace, row.name, row.version) for row in tx.rows(USERS, values)]
        )

    async def outdated(
        self, *, limit: int, after: CalendarUse | None = None, term: int | None = None
    ) -> Sequence[CalendarUse]:
        past = (after.calendar, after.pinned, after.job_id) if after is not None else ("", 0, 0)
        values = dict(zip(("calendar", "pinned", "job_id"), past, strict=True)) | {"rows": limit, "term": term}

        def work(tx: Tx) -> Sequence[CalendarUse]:
            return [
                CalendarUse(
                    job_id=row.id,
                    namespace=row.namespace,
                    job=row.name,
                    job_version=row.version,
                    source=row.source,
                    document=msgspec.json.decode(row.definition),
                    calendar=row.calendar,
                    pinned=row.pinned,
                )
                for row in tx.rows(OUTDATED, values)
            ]

        return await self._database.read(work, pool=Pool.CONTROL)


# ------------------------------------------------------------------------------------------------------------- pinning


def pinned(tx: Tx, definition: Definition, job: str) -> Definition:
    """The definition with each calendar it names pinned to its newest version; itself when there is none to pin.

    `UnknownCalendar` for a name that nobody defined. A pin that was read and written back moves to the newest as well.
    """
    schedule = definition.schedule
    if schedule is None or not list(_named(schedule.to_document())):
        return definition
    document = to_document(definition)
    names = sorted(set(_named(document["schedule"])))
    found = find(tx, [name.partition("@")[0] for name in names])
    pins: dict[str, str] = {}
    for name in names:
        base = name.partition("@")[0]
        if base not in found:
            raise UnknownCalendar(base)
        pins[name] = f"{base}@{found[base].version}"
    document["schedule"] = _renamed(document["schedule"], pins)
    calendars = {f"{base}@{row.version}": calendar_of(row) for base, row in found.items()}
    return from_document(document, job=job, calendars=calendars, is_saved=True)  # the rest was read already


def pins_of(definition: Definition) -> tuple[str, ...]:
    """The pins of a stored definition whose calendars are still to be put in."""
    schedule = definition.schedule
    if schedule is None or schedule.missing_calendar is None:
        return ()
    return tuple(_named(schedule.to_document()))


def with_calendars(definition: Definition, read: Mapping[str, Any]) -> Definition:
    """A stored definition with the calendars its pins stand for, as `read` brought them."""
    pins = pins_of(definition)
    if not pins or definition.schedule is None:
        return definition
    calendars = {pin: calendar_of(_row(read[pin])) for pin in pins if pin in read}
    return replace(definition, schedule=definition.schedule.resolved(calendars))


def keep_uses(tx: Tx, job_id: int, definition: Definition, *, is_new: bool) -> None:
    """Remember which calendars a job's present version is pinned to."""
    if not is_new:
        tx.change(FORGET_USES, {"job_id": job_id})
    if definition.schedule is None:
        return
    pins = set(_named(definition.schedule.to_document()))
    if pins:
        rows = [_taken_apart(pin) for pin in sorted(pins)]
        tx.change(KEEP_USES, {"job_id": job_id}, d=rows)


def find(tx: Tx, pins: Sequence[str]) -> dict[str, CalendarRow]:
    """Calendars by pin, or by bare name the newest."""
    return {pin: _row(row) for pin, row in read(tx, pins).items()}


def read(tx: Tx, pins: Sequence[str]) -> dict[str, Any]:
    """The rows of calendars as they are kept: what cannot be understood is up to whoever needs it."""
    bare = [pin for pin in pins if "@" not in pin]
    fixed = [_taken_apart(pin) for pin in pins if _is_pin(pin)]
    rows: dict[str, Any] = {}
    for row in tx.found(NEWEST, d=keys(bare)):
        rows[row.name] = row
    for row in tx.found(PINNED, d=fixed):
        rows[f"{row.name}@{row.version}"] = row
    return rows


def calendar_of(row: CalendarRow) -> Calendar:
    """The calendar of a row."""
    return calendar_from_document(row.name, dict(row.document))


def _taken_apart(pin: str) -> tuple[str, int]:
    """The name and the version of a pin."""
    name, _, version = pin.partition("@")
    return name, int(version)


def _is_pin(written: str) -> bool:
    number = written.partition("@")[2]
    return number.isascii() and number.isdigit() and len(number) < 10


def _named(schedule: Any) -> Iterator[str]:
    """The calendars a schedule's document names, built-in ones left out."""
    for entry in schedule if isinstance(schedule, list) else [schedule]:
        name = entry.get("calendar") if isinstance(entry, Mapping) else None
        if name is not None and builtin_calendar(str(name)) is None:
            yield str(name)


def _renamed(schedule: Any, pins: Mapping[str, str]) -> Any:
    if isinstance(schedule, list):
        return [_renamed(entry, pins) for entry in schedule]
    if isinstance(schedule, Mapping) and schedule.get("calendar") in pins:
        return {**schedule, "calendar": pins[schedule["calendar"]]}
    return schedule


def _row(row: Any) -> CalendarRow:
    created_at: Instant = row.created_at
    return CalendarRow(
        name=row.name,
        version=row.version,
        document=msgspec.json.decode(row.document),
        created_at=created_at,
        created_by=row.created_by,
        reason=row.reason,
    )
