"""Alerts in the store, as people see them: rules and silences with versions and reasons."""

import asyncio
from dataclasses import replace

import pytest

from foliot.domain.alerts.errors import AlertRuleChanged
from foliot.domain.alerts.rule_document import rule_from
from foliot.domain.alerts.silence_document import silence_from
from foliot.domain.instants import HOUR
from foliot.ports.store.actor import Actor
from foliot.ports.store.alerts import AlertFilter, AlertStore
from foliot.ports.store.journal import EventFilter
from tests.conformance.world import World

ANNE = Actor(name="anne", reason="quiet nights")


@pytest.fixture
def alerts(world: World) -> AlertStore:
    return world.store.alerts


async def test_a_rule_is_kept_version_by_version(alerts: AlertStore) -> None:
    rule = rule_from({"when": "failed 3 of 5", "to": "oncall"}, name="night", namespace=None)
    saved = await alerts.save_rule(rule, by=ANNE)
    assert saved == replace(rule, version=1) == await alerts.find_rule("night", namespace=None)
    again = await alerts.save_rule(replace(saved, is_on=False), by=ANNE)
    assert (again.version, again.is_on) == (2, False)
    for stale in (rule, saved):
        with pytest.raises(AlertRuleChanged):
            await alerts.save_rule(stale, by=ANNE)


async def test_two_who_make_the_same_rule_at_once_make_one(alerts: AlertStore) -> None:
    rule = rule_from({"when": "failed"}, name="night", namespace="billing")
    landed = await asyncio.gather(*(alerts.save_rule(rule, by=ANNE) for _ in range(4)), return_exceptions=True)
    assert sum(not isinstance(one, Exception) for one in landed) == 1
    assert all(isinstance(one, AlertRuleChanged) for one in landed if isinstance(one, Exception))


async def test_a_namespace_sees_its_own_rules_and_those_of_the_cluster(alerts: AlertStore) -> None:
    for namespace in (None, "a", "b"):
        await alerts.save_rule(rule_from({"when": "failed"}, name="night", namespace=namespace), by=ANNE)
    assert [rule.namespace for rule in await alerts.rules(namespace="a")] == [None, "a"]
    assert len(await alerts.rules(namespace=None)) == 3
    assert await alerts.remove_rule("night", namespace="a", by=ANNE)
    assert not await alerts.remove_rule("night", namespace="a", by=ANNE)
    assert [rule.namespace for rule in await alerts.rules(namespace="a")] == [None]


async def test_a_silence_ends_by_itself_or_by_a_person(world: World, alerts: AlertStore) -> None:
    now = await world.now()
    wanted = silence_from(
        {"of": {"job": "settle*"}}, namespace="a", from_at=now, until=now + HOUR, reason="move", made_by="anne"
    )
    first = await alerts.silence(wanted, by=ANNE)
    second = await alerts.silence(wanted, by=ANNE)
    assert 0 < first.id < second.id
    assert list(await alerts.silences(namespace="a")) == [first, second]
    assert list(await alerts.silences(namespace="b")) == []
    ended = await alerts.end_silence(first.id, by=ANNE)
    assert ended == replace(first, ended_by="anne") == await alerts.end_silence(first.id, by=ANNE)
    assert list(await alerts.silences(namespace="a")) == [second]
    await world.elapse(2 * HOUR)
    assert list(await alerts.silences(namespace="a")) == []
    assert [one.id for one in await alerts.silences(namespace="a", with_ended=True)] == [second.id, first.id]
    assert await alerts.end_silence(99, by=ANNE) is None


async def test_what_users_change_stands_in_the_journal(world: World, alerts: AlertStore) -> None:
    await alerts.save_rule(rule_from({"when": "failed"}, name="night", namespace=None), by=ANNE)
    await alerts.remove_rule("night", namespace=None, by=ANNE)
    page = await world.store.journal.newest(EventFilter(), limit=10)
    assert [(event.kind, event.by) for event in page.items] == [("rule.removed", "anne"), ("rule.saved", "anne")]


async def test_no_alert_is_listed_when_there_is_none(alerts: AlertStore) -> None:
    assert (await alerts.list(AlertFilter(), limit=10)).items == []
    assert await alerts.find(1) is None
    assert await alerts.acknowledge(1, by=ANNE) is None
    assert await alerts.resolve(1, by=ANNE) is None
    assert sum((await alerts.counts(namespace=None)).values()) == 0
