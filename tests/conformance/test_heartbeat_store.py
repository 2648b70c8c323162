"""Checks of jobs outside of Foliot in the store: versions, pings that race, their history, and who is down."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from foliot.domain.heartbeats.check import CheckState, CheckTrouble, HeartbeatCheck, PingKind
from foliot.domain.heartbeats.document import check_from
from foliot.domain.heartbeats.errors import CheckChanged
from foliot.domain.heartbeats.life import Ping
from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.ports.store.actor import Actor
from foliot.ports.store.heartbeats import PINGS_KEPT, HeartbeatStore
from foliot.ports.store.journal import EventFilter
from tests.conformance.world import World

ANNE = Actor(name="anne", reason="the shop moves")
OK, FAIL, START = (Ping(kind=kind) for kind in (PingKind.OK, PingKind.FAIL, PingKind.START))


@pytest.fixture
def checks(world: World) -> HeartbeatStore:
    return world.store.heartbeats


def check(name: str = "backup", namespace: str = "default", **fields: Any) -> HeartbeatCheck:
    return check_from({"every": "1h", "grace": "10m", **fields}, name=name, namespace=namespace)


async def test_a_check_is_kept_version_by_version(checks: HeartbeatStore) -> None:
    saved = await checks.save(check(owner="ops"), by=ANNE)
    assert (saved.state, saved.check) == (CheckState.NEW, replace(check(owner="ops"), version=1))
    assert (saved.updated_by, saved.reason) == ("anne", "the shop moves")
    again = await checks.save(replace(check(every="1d"), version=1), by=ANNE)
    assert (again.check.version, again.check.owner) == (2, "")
    for stale in (check(), replace(check(), version=1)):
        with pytest.raises(CheckChanged):
            await checks.save(stale, by=ANNE)
    assert await checks.find("backup", namespace="other") is None


async def test_two_who_make_the_same_check_at_once_make_one(checks: HeartbeatStore) -> None:
    landed = await asyncio.gather(*(checks.save(check(), by=ANNE) for _ in range(4)), return_exceptions=True)
    assert sum(not isinstance(one, BaseException) for one in landed) == 1
    assert all(isinstance(one, CheckChanged) for one in landed if isinstance(one, BaseException))


async def test_a_check_goes_down_by_time_alone_and_a_ping_brings_it_back(world: World, checks: HeartbeatStore) -> None:
    await checks.save(check(), by=ANNE)
    seen = await checks.ping("backup", namespace="default", ping=OK, by="cron")
    assert seen is not None
    assert (seen.state, seen.heard.due_at) == (CheckState.UP, seen.now + HOUR)
    states = []
    for passes in (61 * MINUTE, 10 * MINUTE):
        await world.elapse(passes)
        found = await checks.find("backup", namespace="default")
        assert found is not None
        states.append((found.state, found.trouble))
    assert states == [(CheckState.LATE, None), (CheckState.DOWN, CheckTrouble.MISSED)]
    look = await world.store.alert_rounds.look(asks_jobs=False, signs_max=10)
    assert [(one.seen.check.name, one.seen.trouble) for one in look.down] == [("backup", CheckTrouble.MISSED)]
    back = await checks.ping("backup", namespace="default", ping=OK, by="cron")
    assert back is not None
    assert back.state is CheckState.UP
    look = await world.store.alert_rounds.look(asks_jobs=False, signs_max=10)
    assert look.down == ()
    page = await world.store.journal.newest(EventFilter(subject="backup"), limit=10)
    assert [(event.kind, event.data) for event in page.items] == [
        ("check.recovered", {"was": "missed"}),
        ("check.saved", {"reason": "the shop moves"}),
    ]


async def test_pings_that_race_are_all_kept_and_counted_once(world: World, checks: HeartbeatStore) -> None:
    await checks.save(check(), by=ANNE)
    other = (await world.open()).heartbeats
    stores = [checks, other] * 4
    await asyncio.gather(*(one.ping("backup", namespace="default", ping=OK, by="cron") for one in stores))
    found = await checks.find("backup", namespace="default")
    assert found is not None
    assert found.heard.pings == 8
    rows = await checks.pings("backup", namespace="default", limit=100)
    assert [row.number for row in rows] == list(range(8, 0, -1))


async def test_the_last_pings_are_kept_with_their_words(checks: HeartbeatStore) -> None:
    await checks.save(check(), by=ANNE)
    for _ in range(PINGS_KEPT):
        await checks.ping("backup", namespace="default", ping=OK, by="cron")
    await checks.ping("backup", namespace="default", ping=START, by="cron")
    said = Ping(kind=PingKind.FAIL, text="磁盘已满", exit_code=28)
    failed = await checks.ping("backup", namespace="default", ping=said, by="cron")
    assert failed is not None
    assert (failed.state, failed.trouble, failed.heard.exit_code) == (CheckState.DOWN, CheckTrouble.FAILED, 28)
    rows = await checks.pings("backup", namespace="default", limit=1000)
    assert (len(rows), rows[0].number, rows[-1].number) == (PINGS_KEPT, PINGS_KEPT + 2, 3)
    first = rows[0]
    assert (first.kind, first.text, first.exit_code, first.by) == (PingKind.FAIL, "磁盘已满", 28, "cron")
    assert first.took_us is not None
    assert rows[2].took_us is None
    assert await checks.ping("nobody", namespace="default", ping=OK, by="cron") is None


async def test_a_paused_check_is_not_waited_for(world: World, checks: HeartbeatStore) -> None:
    await checks.save(check(), by=ANNE)
    await checks.ping("backup", namespace="default", ping=FAIL, by="cron")
    held = await checks.pause("backup", namespace="default", is_paused=True, by=ANNE)
    assert held is not None
    assert (held.state, held.trouble, held.check.version) == (CheckState.PAUSED, None, 2)
    repeated = await checks.pause("backup", namespace="default", is_paused=True, by=ANNE)
    assert repeated is not None
    assert replace(repeated, now=held.now) == held
    look = await world.store.alert_rounds.look(asks_jobs=False, signs_max=10)
    assert look.down == ()
    back = await checks.pause("backup", namespace="default", is_paused=False, by=ANNE)
    assert back is not None
    assert back.heard.due_at is not None
    assert (back.state, abs(back.heard.due_at - back.updated_at - HOUR) < SECOND) == (CheckState.UP, True)
    assert await checks.pause("nobody", namespace="default", is_paused=True, by=ANNE) is None


async def test_every_state_is_shown_by_time_and_the_gauges_count(world: World, checks: HeartbeatStore) -> None:
    for name in ("new", "up", "late", "running", "paused", "failed"):
        await checks.save(check(name), by=ANNE)
    for name, ping in (("late", OK), ("paused", OK), ("failed", FAIL)):
        await checks.ping(name, namespace="default", ping=ping, by="cron")
    await checks.pause("paused", namespace="default", is_paused=True, by=ANNE)
    await world.elapse(61 * MINUTE)
    for name, ping in (("up", OK), ("running", START)):
        await checks.ping(name, namespace="default", ping=ping, by="cron")
    shown = {one.check.name: one.state for one in await checks.list(namespace=None)}
    assert shown["failed"] is CheckState.DOWN
    assert sorted(shown.values()) == sorted(CheckState)
    read = await world.store.gauges.read({}, kinds=0, limits=10)
    assert (read.checks, read.checks_down) == (6, 1)


async def test_a_check_that_is_taken_away_takes_its_pings_along(checks: HeartbeatStore) -> None:
    for namespace in ("a", "b"):
        await checks.save(check(namespace=namespace), by=ANNE)
        await checks.ping("backup", namespace=namespace, ping=OK, by="cron")
    assert await checks.remove("backup", namespace="a", by=ANNE)
    assert not await checks.remove("backup", namespace="a", by=ANNE)
    assert [one.check.namespace for one in await checks.list(namespace=None)] == ["b"]
    assert await checks.list(namespace="a") == []
    await checks.save(check(namespace="a"), by=ANNE)
    assert await checks.pings("backup", namespace="a", limit=10) == []
