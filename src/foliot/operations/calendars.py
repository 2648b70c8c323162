"""Calendars people define: save, look at, take away; and which calendars a definition means."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import structlog

from foliot.domain.access import Principal, Scope
from foliot.domain.definition import from_document
from foliot.domain.errors import InvalidInput, VersionConflict
from foliot.domain.instants import DAY, Instant
from foliot.domain.job import Definition
from foliot.domain.names import check_name, nearest
from foliot.domain.schedule import (
    Calendar,
    builtin_calendar,
    calendar_from_document,
    calendar_to_document,
)
from foliot.domain.schedule.builtin import SHOWN
from foliot.domain.schedule.errors import BadCalendar, UnknownCalendar
from foliot.domain.schedule.unusual import UnusualDay, unusual_days
from foliot.domain.texts import actor_name
from foliot.operations.names import actor
from foliot.operations.notes import note
from foliot.operations.services import Services
from foliot.operations.side_thread import AT_ONCE, in_side_thread
from foliot.ports.store.actor import Actor
from foliot.ports.store.calendars import CalendarRow, CalendarUse
from foliot.ports.store.journal import Happening, Topic

REPLANNED_PER_ROUND: Final = 50
USERS_SHOWN: Final = 200
AHEAD_SHOWN: Final = 20

log = structlog.get_logger("foliot.people")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownCalendar:
    """A calendar as people see it: a version that was saved (`row`), or one that everybody has."""

    name: str
    document: Mapping[str, Any]
    row: CalendarRow | None = None
    users: Sequence[tuple[str, str, int]] | None = None  # namespace, job, the version it is pinned to
    ahead: Sequence[UnusualDay] | None = None


async def save_calendar(
    services: Services, who: Principal, name: str, document: Mapping[str, Any], *, reason: str = ""
) -> CalendarRow:
    """A new version, unless the newest says the same. Jobs that use it take it over, each by an edit of its own."""
    who.demand_everywhere(Scope.WRITE)
    name = check_name("calendar", name)
    if builtin_calendar(name) is not None:
        raise BadCalendar(
            f'"{name}" is a calendar everybody has already.', hint="choose another name", problem="built_in", name=name
        )
    canonical = calendar_to_document(await _compiled(name, document))
    row = await services.store.calendars.save(name, canonical, by=actor(who, reason))
    await note(
        services,
        Happening(
            key=f"calendar.saved:{name}:{row.version}",
            topic=Topic.CLUSTER,
            kind="calendar.saved",
            subject=name,
            by=who.name,
            data={"version": row.version} | ({"reason": reason} if reason else {}),
        ),
    )
    await replan(services)
    return row


async def find_calendar(services: Services, who: Principal, name: str, version: int | None = None) -> KnownCalendar:
    """Return a calendar, its days ahead that stand out, and the jobs pinned to it that the token sees.

    Raise `UnknownCalendar` when there is none.
    """
    who.demand(Scope.READ)
    now = await services.store.lookups.now()
    if version is None:
        pin = name
        built_in = builtin_calendar(name)
        if built_in is not None:
            return replace(_built_in(built_in), ahead=_ahead(built_in, now))
    else:
        pin = f"{name}@{version}"
    row = await _found(services, name, pin)
    calendar = await _compiled(row.name, row.document)
    users = await services.store.calendars.users(name, limit=USERS_SHOWN)
    visible = [user for user in users if who.sees(user[0])]  # namespace, job, version
    return replace(_saved(row), users=visible, ahead=_ahead(calendar, now))


async def _found(services: Services, name: str, pin: str) -> CalendarRow:
    calendars = services.store.calendars
    found = await calendars.find([pin])
    if pin in found:
        return found[pin]
    saved = [row.name for row in await calendars.list()]
    raise UnknownCalendar(pin, nearest=nearest(name, [*saved, *SHOWN]))


async def list_calendars(services: Services, who: Principal) -> Sequence[KnownCalendar]:
    """The newest version of each that was saved, then some of those everybody has."""
    who.demand(Scope.READ)
    saved = await services.store.calendars.list()
    built_in = [found for name in SHOWN if (found := builtin_calendar(name)) is not None]
    return [*map(_saved, saved), *map(_built_in, built_in)]


def _saved(row: CalendarRow) -> KnownCalendar:
    return KnownCalendar(name=row.name, document=row.document, row=row)


def _built_in(calendar: Calendar) -> KnownCalendar:
    return KnownCalendar(name=calendar.name, document=calendar_to_document(calendar))


def _ahead(calendar: Calendar, now: Instant) -> Sequence[UnusualDay]:
    return unusual_days(calendar, now // DAY, limit=AHEAD_SHOWN)


async def delete_calendar(services: Services, who: Principal, name: str) -> None:
    """Delete a calendar that no job uses."""
    who.demand_everywhere(Scope.WRITE)
    if not await services.store.calendars.delete(name):
        raise UnknownCalendar(name)
    await note(
        services,
        Happening(
            key=f"calendar.deleted:{name}:{services.chance.token()}",
            topic=Topic.CLUSTER,
            kind="calendar.deleted",
            subject=name,
            by=who.name,
        ),
    )


async def replan(services: Services, *, term: int | None = None) -> int:
    """Let jobs that are pinned to an older version of a calendar take over the newest; how many did.

    Each is an edit: the store first decides what is due under the old calendar. When a user edits a job at the same
    time, that edit counts: every save pins the newest. A job that this server cannot read is left to one that can.
    """
    moved = 0
    last: CalendarUse | None = None
    while uses := await services.store.calendars.outdated(limit=REPLANNED_PER_ROUND, after=last, term=term):
        for use in uses:
            moved += await _take_over(services, use)
        last = uses[-1]
    if moved:
        services.cursors_moved()
        log.info("calendar.replanned", jobs=moved)
    return moved


async def _take_over(services: Services, use: CalendarUse) -> bool:
    """Save a job as it is, which pins its calendars to the newest; whether that was done."""
    try:
        definition = from_document(use.document, job=use.job, is_saved=True)
    except Exception as unreadable:  # noqa: BLE001  whatever is wrong with one definition, the others take it over
        log.warning("calendar.job_unreadable", namespace=use.namespace, job=use.job, why=str(unreadable))
        return False
    try:
        await services.store.jobs.save(
            use.namespace,
            use.job,
            definition,
            by=Actor(name=actor_name(f"calendar {use.calendar}"), reason="the calendar changed"),
            plans=services.plans,
            expected_version=use.job_version,
            source=use.source,
        )
    except VersionConflict:
        return False
    except InvalidInput as refused:
        log.warning("calendar.job_refused", namespace=use.namespace, job=use.job, why=str(refused))
        return False
    return True


# ------------------------------------------------------------------------------------------------------- in definitions


async def read_definition(
    services: Services, document: Mapping[str, Any], *, job: str, is_saved: bool = False
) -> Definition:
    """The definition of a document with the calendars it names; the error that names the field otherwise.

    `is_saved`: the store has it, so it was checked already. A schema of its own is checked in the side thread: that may
    take thousands of steps.
    """
    if is_saved or not document.get("parameters"):
        definition = from_document(document, job=job, is_saved=is_saved)
    else:
        definition = await in_side_thread(from_document, document, job=job)
    schedule = definition.schedule
    if schedule is None or schedule.missing_calendar is None:
        return definition
    return from_document(document, job=job, calendars=await calendars_of(services, document), is_saved=True)


async def calendars_of(services: Services, document: Mapping[str, Any]) -> Mapping[str, Calendar]:
    """The calendars a definition's document names; `UnknownCalendar` for one that is not there."""
    named = set(_named(document.get("schedule")))
    names = sorted(named)
    found = await services.store.calendars.find(names)
    for name in names:
        if name not in found:
            raise UnknownCalendar(name)
    return {name: await _compiled(row.name, row.document) for name, row in found.items()}


async def calendars_of_all(services: Services, documents: Iterable[Mapping[str, Any]]) -> Mapping[str, Calendar]:
    """The calendars that some definitions name, read at once; without those that are gone."""
    names = sorted({name for document in documents for name in _named(document.get("schedule"))})
    found = await services.store.calendars.find(names)
    return {name: await _compiled(row.name, row.document) for name, row in found.items()}


def names_newest(document: Mapping[str, Any]) -> bool:
    """Whether a definition's document names a calendar without its version, so that its meaning may change."""
    return any("@" not in name for name in _named(document.get("schedule")))


async def _compiled(name: str, document: Mapping[str, Any]) -> Calendar:
    """The calendar of a document. One with many days, or with a large file of them, is read beside the loop."""
    weight = sum(len(value) for value in document.values() if isinstance(value, str | list))
    if weight <= AT_ONCE:
        return calendar_from_document(name, dict(document))
    return await in_side_thread(calendar_from_document, name, dict(document))


def _named(schedule: Any) -> Iterator[str]:
    entries = schedule if isinstance(schedule, list) else [schedule]
    for entry in entries:
        if not isinstance(entry, Mapping):
            continue
        name = entry.get("calendar")
        if isinstance(name, str) and builtin_calendar(name) is None:
            yield name
