"""Reports: how the runs of a day or a week went, for one namespace or for all of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import BadField, FoliotError
from foliot.domain.instants import Instant
from foliot.domain.names import check_name, nearest
from foliot.domain.reports.cover import cover, crowd_resolution
from foliot.domain.reports.facts import ReportFacts
from foliot.domain.reports.notices import addresses_of, report_notices
from foliot.domain.reports.period import Period, ReportKind, check_timezone, last_period, period_from, read_day
from foliot.domain.reports.report import TOP, PeriodReport, compose
from foliot.domain.reports.schedule import (
    ReportSchedule,
    ReportScheduleNotFound,
    next_due,
    schedule_from,
    written_schedule,
)
from foliot.operations.known_channels import unknown_channels
from foliot.operations.names import actor, namespace_of
from foliot.operations.notes import note
from foliot.operations.services import Services
from foliot.ports.store import Store
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.store.reports import KeptSchedule, ReportQuestion


async def report(
    services: Services, who: Principal, kind: ReportKind, *, namespace: str | None, date: str | None, timezone: str
) -> PeriodReport:
    """The report of the day or the week that has this date; without one, of the last that is over."""
    who.demand(Scope.READ)
    timezone = check_timezone(timezone)
    now = await services.store.lookups.now()
    period = last_period(kind, timezone, now) if date is None else period_from(kind, timezone, read_day(date))
    if period.from_at > now:
        raise BadField("date", f"{period.date} has not begun yet", hint="leave it out for the last one that is over")
    wanted = namespace_of(who, namespace)
    if wanted is not None and not who.sees(wanted):
        return compose(period, ReportFacts(), namespace=wanted, now=now, is_exact=True)
    return await report_of(services.store, period, namespace=wanted, now=now, with_loads=who.namespace is None)


async def report_of(
    store: Store, period: Period, *, namespace: str | None, now: Instant, with_loads: bool = False
) -> PeriodReport:
    """Read the facts of a period and compose them."""
    before = period.before()
    covered = cover(period.from_at, period.to_at, now=now)
    facts = await store.reports.facts(
        ReportQuestion(
            namespace=namespace,
            from_at=period.from_at,
            to_at=period.to_at,
            points=covered.points,
            points_before=cover(before.from_at, before.to_at, now=now).points,
            crowded_by=crowd_resolution(period.from_at, now),
            with_loads=with_loads,
            top=TOP,
        )
    )
    return compose(period, facts, namespace=namespace, now=now, is_exact=covered.is_exact)


async def composed_report(store: Store, period: Period, *, namespace: str | None, now: Instant) -> dict[str, Any]:
    """The report of a schedule, as data. One of the whole cluster has the load of its nodes."""
    found = await report_of(store, period, namespace=namespace, now=now, with_loads=namespace is None)
    built: dict[str, Any] = msgspec.to_builtins(found)
    return built


async def list_schedules(services: Services, who: Principal, *, namespace: str | None) -> Sequence[KeptSchedule]:
    """Those of a namespace, or all that the token sees."""
    who.demand(Scope.READ)
    wanted = namespace_of(who, namespace)
    if wanted is not None and not who.sees(wanted):
        return []
    return await services.store.reports.schedules(namespace=wanted)


async def find_schedule(services: Services, who: Principal, name: str, *, namespace: str | None) -> KeptSchedule:
    """One of a namespace; without a namespace, one of the whole cluster, or of the token's own namespace."""
    who.demand(Scope.READ)
    wanted = namespace_of(who, namespace)
    if wanted is None or who.sees(wanted):
        found = await services.store.reports.find_schedule(name, namespace=wanted)
        if found is not None:
            return found
    seen = await list_schedules(services, who, namespace=namespace)
    names = [one.schedule.name for one in seen if one.schedule.namespace == wanted]
    raise ReportScheduleNotFound(name, nearest=nearest(name, names))


async def save_schedule(
    services: Services,
    who: Principal,
    name: str,
    document: Mapping[str, Any],
    *,
    namespace: str | None,
    reason: str = "",
) -> tuple[KeptSchedule, Sequence[FoliotError]]:
    """Keep a schedule, with a warning for each channel that is not there. One that is just like this stays as it is."""
    schedule = read_schedule(who, name, document, namespace=namespace)
    owner = schedule.namespace
    by = actor(who, reason)
    warnings = await unknown_channels(services, owner, schedule.to)
    before = await services.store.reports.find_schedule(schedule.name, namespace=owner)
    if before is not None and written_schedule(before.schedule) == written_schedule(schedule):
        return before, warnings
    now = await services.store.lookups.now()
    kept = await services.store.reports.save_schedule(schedule, next_at=next_due(schedule, now), by=by)
    await _note(services, who, "report_schedule.saved", kept.schedule, version=kept.schedule.version, reason=reason)
    return kept, warnings


def read_schedule(who: Principal, name: str, document: Mapping[str, Any], *, namespace: str | None) -> ReportSchedule:
    """A schedule as people write it, if the token may save it."""
    return schedule_from(name, document, namespace=_owner(who, namespace))


async def send_schedule(
    services: Services, who: Principal, name: str, *, namespace: str | None, reason: str = ""
) -> tuple[KeptSchedule, Period]:
    """Send the report of the last day or week that is over now, besides those that are sent when they are due."""
    actor(who, reason)
    _owner(who, namespace)
    kept = await find_schedule(services, who, name, namespace=namespace)
    schedule, store = kept.schedule, services.store
    now = await store.lookups.now()
    period = last_period(schedule.kind, schedule.timezone, now)
    data = await composed_report(store, period, namespace=schedule.namespace, now=now)
    known = frozenset(channel.key for channel in await store.channels.list(namespace=schedule.namespace))
    token = services.chance.token()
    await store.channels.put(report_notices(schedule, period, data, addresses_of(schedule, known), besides=token))
    services.notices_wait()
    await _note(services, who, "report_schedule.sent", schedule, date=period.date, reason=reason)
    return kept, period


async def remove_schedule(
    services: Services, who: Principal, name: str, *, namespace: str | None, reason: str = ""
) -> None:
    """Forget a schedule. What waits in the outbox is sent all the same."""
    owner = _owner(who, namespace)
    found = await find_schedule(services, who, name, namespace=namespace)
    if not await services.store.reports.remove_schedule(found.schedule.name, namespace=owner):
        raise ReportScheduleNotFound(name)
    await _note(services, who, "report_schedule.removed", found.schedule, reason=reason)


def _owner(who: Principal, namespace: str | None) -> str | None:
    """Whose schedule it is, if the token may change it."""
    owner = namespace_of(who, namespace)
    if owner is None:
        who.demand_everywhere(Scope.ADMIN)
        return None
    who.demand(Scope.WRITE)
    if not who.sees(owner):
        who.demand_everywhere(Scope.WRITE)
    return check_name("namespace", owner)


async def _note(services: Services, who: Principal, kind: str, schedule: ReportSchedule, **data: int | str) -> None:
    await note(
        services,
        Happening(
            key=f"{kind}:{schedule.namespace or ''}:{schedule.name}:{services.chance.token()}",
            topic=Topic.CLUSTER,
            kind=kind,
            subject=schedule.name,
            by=who.name,
            namespace=schedule.namespace,
            data={field: value for field, value in data.items() if value != ""},
        ),
    )
