"""Schedules of reports in the store: kept, changed, and moved on with the notices of their report, once."""

from dataclasses import replace
from typing import Any

from foliot.domain.alerts.alert import Notice, NoticeKind
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.instants import DAY, HOUR
from foliot.domain.reports.schedule import ReportSchedule, schedule_from
from foliot.ports.store.actor import Actor
from tests.conformance.working import lead
from tests.conformance.world import World

ANNE = Actor(name="anne", reason="she wants it")
MAIL = {"kind": "weekly", "at": "07:30", "timezone": "Europe/Berlin", "to": ["mail"], "language": "zh"}


def schedule(name: str = "morning", namespace: str | None = "default") -> ReportSchedule:
    return schedule_from(name, MAIL, namespace=namespace)


def notice(key: str) -> Notice:
    return Notice(
        key=key, kind=NoticeKind.REPORT, channel="mail", namespace=None, level=AlertLevel.INFO, data={"report": {}}
    )


async def test_schedules_are_kept_by_namespace_and_name(world: World) -> None:
    store = world.store.reports
    for one in (schedule(), schedule("morning", None), schedule("evening", "other")):
        await store.save_schedule(one, next_at=DAY, by=ANNE)
    assert [(one.schedule.namespace, one.schedule.name) for one in await store.schedules(namespace=None)] == [
        (None, "morning"),
        ("default", "morning"),
        ("other", "evening"),
    ]
    assert [one.schedule.name for one in await store.schedules(namespace="other")] == ["evening"]
    found = await store.find_schedule("morning", namespace="default")
    assert found is not None
    assert (found.schedule, found.updated_by) == (replace(schedule(), version=1), "anne")
    off = replace(schedule(), is_on=False)
    changed = await store.save_schedule(off, next_at=None, by=ANNE)
    assert (changed.schedule, changed.next_at) == (replace(off, version=2), None)
    assert await store.remove_schedule("morning", namespace="default")
    assert not await store.remove_schedule("morning", namespace="default")
    assert await store.find_schedule("morning", namespace="default") is None


async def test_a_due_report_moves_on_and_is_told_once_whoever_leads(world: World) -> None:
    store, channels = world.store.reports, world.store.channels
    assert await store.next_report_at() is None
    await store.save_schedule(schedule("later"), next_at=DAY + HOUR, by=ANNE)
    await store.save_schedule(schedule(), next_at=DAY, by=ANNE)
    assert await store.next_report_at() == DAY
    (due,) = await store.due_schedules(until=DAY, limit=9)
    term = await lead(world)
    moved: dict[str, Any] = {"next_at": 2 * DAY, "last_at": DAY, "notices": [notice("report:1")]}
    assert not await store.send_report(due, term=term + 1, **moved), "not under the term of another"
    assert await channels.next_at() is None
    assert await store.send_report(due, term=term, **moved)
    assert not await store.send_report(due, term=term, **moved), "another leader read it before"
    waiting = await channels.deliveries(namespace=None, limit=9)
    assert [one.notice.key for one in waiting] == ["report:1"]
    assert await store.due_schedules(until=DAY, limit=9) == []
    found = await store.find_schedule("morning", namespace="default")
    assert found is not None
    assert (found.next_at, found.last_at) == (2 * DAY, DAY)


async def test_a_schedule_that_a_person_changed_meanwhile_is_not_moved(world: World) -> None:
    store = world.store.reports
    await store.save_schedule(schedule(), next_at=DAY, by=ANNE)
    (due,) = await store.due_schedules(until=DAY, limit=9)
    await store.save_schedule(replace(schedule(), to=("chat",)), next_at=DAY, by=ANNE)
    assert not await store.send_report(due, next_at=2 * DAY, last_at=DAY, notices=[notice("report:2")], term=None)
    assert await world.store.channels.deliveries(namespace=None, limit=9) == []
