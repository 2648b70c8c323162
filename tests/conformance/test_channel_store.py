"""Channels and the outbox in the store: a notice is written once, claimed by one server, settled by its claim."""

import asyncio
from dataclasses import replace

import pytest

from foliot.domain.alerts.alert import Notice, NoticeKind
from foliot.domain.alerts.channel import ChannelChanged, ChannelExists, channel_from
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.ports.store.actor import Actor
from foliot.ports.store.channels import ChannelStore, ClaimedNotices, Delivery, DeliveryState, SendOutcome
from tests.conformance.working import lead
from tests.conformance.world import World

ANNE = Actor(name="anne", reason="a new phone")
ONCALL = channel_from(
    "oncall",
    {
        "webhook": {"url": "https://hooks.example/x", "key": "${secret:HOOK}"},
        "level": "warning",
        "language": "zh",
        "default": True,
        "hours": {"days": "mon-fri", "from": "09:00", "to": "18:00", "timezone": "Asia/Shanghai"},
        "rate": "10 in 5m",
        "digest": "10m",
        "alive": "5m",
    },
    namespace=None,
)


@pytest.fixture
def channels(world: World) -> ChannelStore:
    return world.store.channels


def notice(key: str = "n1", *, channel: str = "oncall", **other: object) -> Notice:
    given = {"kind": NoticeKind.FIRED, "namespace": None, "level": AlertLevel.CRITICAL, "data": {"title": key}, **other}
    return Notice(key=key, channel=channel, **given)  # type: ignore[arg-type]


async def claimed(
    channels: ChannelStore, claim: str = "c1", *, term: int | None = None, for_us: int = HOUR
) -> ClaimedNotices:
    return await channels.claim(claim=claim, by="s1", limit=100, for_us=for_us, term=term)


def sent(one: Delivery) -> SendOutcome:
    return SendOutcome(id=one.id, claim=one.claim, state=DeliveryState.SENT)


async def test_a_channel_is_kept_as_it_was_written_and_changed_by_its_version(channels: ChannelStore) -> None:
    saved = await channels.save(ONCALL, by=ANNE)
    assert saved == replace(ONCALL, version=1)
    assert await channels.find("oncall", namespace=None) == saved
    with pytest.raises(ChannelExists):
        await channels.save(ONCALL, by=ANNE)
    changed = await channels.save(replace(saved, is_on=False), by=ANNE)
    assert (changed.version, changed.is_on) == (2, False)
    with pytest.raises(ChannelChanged) as refused:
        await channels.save(saved, by=ANNE)
    assert refused.value.data["version"] == 2
    assert await channels.list(namespace=None) == [changed]
    assert await channels.remove("oncall", namespace=None)
    assert not await channels.remove("oncall", namespace=None)
    with pytest.raises(ChannelChanged):
        await channels.save(changed, by=ANNE)


async def test_a_namespace_has_its_own_channel_before_one_of_the_cluster(channels: ChannelStore) -> None:
    shared = await channels.save(ONCALL, by=ANNE)
    own = await channels.save(replace(ONCALL, namespace="billing", kind="slack"), by=ANNE)
    other = await channels.save(replace(ONCALL, namespace="other", name="own"), by=ANNE)
    assert await channels.find("oncall", namespace="billing") == own
    assert await channels.find("oncall", namespace="other") == shared
    assert await channels.find("oncall", namespace=None) == shared
    assert await channels.find("own", namespace="billing") is None
    assert await channels.list(namespace="billing") == [shared, own]
    assert await channels.list(namespace=None) == [shared, own, other]
    assert set(await channels.health(namespace="billing")) == {(None, "oncall"), ("billing", "oncall")}


async def test_the_same_thing_is_put_once(channels: ChannelStore) -> None:
    assert await channels.next_at() is None
    tries = [channels.put([notice("n1"), notice(f"n{n}")]) for n in range(2, 5)]
    assert sum(await asyncio.gather(*tries)) == 4
    assert await channels.put([notice("n1")]) == 0
    taken = (await claimed(channels)).deliveries
    assert sorted(one.notice.key for one in taken) == ["n1", "n2", "n3", "n4"]
    assert len({one.delivery_id for one in taken}) == 4
    assert taken[0].notice == notice(taken[0].notice.key)


async def test_two_servers_never_claim_the_same_notice(channels: ChannelStore) -> None:
    await channels.put([notice(f"n{n}") for n in range(30)])
    rounds = [channels.claim(claim=f"c{n}", by=f"s{n}", limit=20, for_us=HOUR, term=None) for n in range(3)]
    ids = [one.id for got in await asyncio.gather(*rounds) for one in got.deliveries]
    ids += [one.id for one in (await claimed(channels, "rest")).deliveries]
    assert len(ids) == len(set(ids)) == 30


async def test_what_was_sent_is_settled_once_and_never_claimed_again(channels: ChannelStore) -> None:
    await channels.save(ONCALL, by=ANNE)
    await channels.put([notice()])
    (one,) = (await claimed(channels)).deliveries
    assert (one.attempt, one.is_repeat, one.claim, one.sent_by) == (1, False, "c1", "s1")
    assert await channels.settle([sent(one)], by="s1") == 1
    assert await channels.settle([sent(one)], by="s1") == 0
    assert (await claimed(channels, "c2")).deliveries == ()
    assert await channels.next_at() is None
    (kept,) = await channels.deliveries(namespace=None, limit=10)
    assert (kept.state, kept.delivery_id, kept.next_at) == (DeliveryState.SENT, one.delivery_id, None)
    assert kept.settled_at is not None
    health = (await channels.health(namespace=None))[None, "oncall"]
    assert (health.failures, health.waiting) == (0, 0)
    assert health.last_sent_at is not None


async def test_a_claim_that_ran_out_is_sent_again_as_a_possible_repeat_with_the_same_id(channels: ChannelStore) -> None:
    await channels.put([notice()])
    (first,) = (await claimed(channels, "dead", for_us=0)).deliveries
    (again,) = (await claimed(channels, "alive")).deliveries
    assert (again.is_repeat, again.attempt, again.delivery_id) == (True, 2, first.delivery_id)
    assert await channels.settle([sent(first)], by="s1") == 0  # the dead one comes back: too late
    assert await channels.settle([sent(again)], by="s2") == 1


async def test_a_notice_waits_for_its_next_try_and_its_channel_is_known_to_fail(channels: ChannelStore) -> None:
    await channels.save(ONCALL, by=ANNE)
    await channels.put([notice()])
    (one,) = (await claimed(channels)).deliveries
    failed = SendOutcome(id=one.id, claim="c1", state=DeliveryState.WAITING, error="it is busy", may_have_arrived=True)
    assert await channels.settle([failed], by="s1") == 1
    health = (await channels.health(namespace=None))[None, "oncall"]
    assert (health.failures, health.last_error, health.waiting) == (1, "it is busy", 1)
    assert health.failing_since is not None
    (again,) = (await claimed(channels, "c2")).deliveries
    assert (again.attempt, again.is_repeat) == (2, True)
    later = SendOutcome(
        id=one.id, claim="c2", state=DeliveryState.WAITING, retry_in_us=HOUR, was_tried=False, error="outside of hours"
    )
    assert await channels.settle([later], by="s1") == 1
    assert (await claimed(channels, "c3")).deliveries == ()
    (kept,) = await channels.deliveries(namespace=None, limit=1)
    assert (kept.attempt, kept.state) == (1, DeliveryState.WAITING)
    assert (await channels.health(namespace=None))[None, "oncall"].failures == 1
    await channels.note_health((None, "oncall"))
    assert (await channels.health(namespace=None))[None, "oncall"].failing_since is None


async def test_a_digest_takes_the_place_of_notices_only_while_their_claim_holds(channels: ChannelStore) -> None:
    await channels.put([notice(f"n{n}") for n in range(3)])
    taken = (await claimed(channels, for_us=0)).deliveries
    digest = notice("digest:1", kind=NoticeKind.DIGEST, data={"items": 3})
    stale = (await claimed(channels, "c2")).deliveries
    assert not await channels.fold(taken, digest)
    assert await channels.fold(stale, digest)
    assert not await channels.fold(stale, digest)
    (one,) = (await claimed(channels, "c3")).deliveries
    assert one.notice.kind is NoticeKind.DIGEST
    states = [kept.state for kept in await channels.deliveries(namespace=None, limit=10)]
    assert states == [DeliveryState.SENDING] + 3 * [DeliveryState.DROPPED]


async def test_a_leader_whose_term_is_over_claims_and_puts_nothing(world: World, channels: ChannelStore) -> None:
    term = await lead(world)
    assert await channels.put([notice("late")], term=term - 1) == 0
    assert await channels.put([notice()], term=term) == 1
    assert (await claimed(channels, term=term - 1)).deliveries == ()
    assert len((await claimed(channels, term=term)).deliveries) == 1


async def test_messages_of_a_channel_are_counted_by_the_time_they_were_sent(channels: ChannelStore) -> None:
    await channels.put([notice(f"n{n}") for n in range(3)] + [notice("x", channel="other")])
    taken = (await claimed(channels)).deliveries
    await channels.settle([sent(one) for one in taken if one.notice.key != "n2"], by="s1")
    found = await channels.recently_sent({(None, "oncall"): HOUR, ("b", "oncall"): HOUR, (None, "other"): MINUTE})
    assert [found[key].messages for key in found] == [2, 0, 1]
    assert found[None, "oncall"].oldest_at is not None


async def test_a_notice_for_later_waits_and_old_ones_are_forgotten(world: World, channels: ChannelStore) -> None:
    now = await world.now()
    await channels.put([notice("later", not_before=now + HOUR), notice("now")])
    taken = (await claimed(channels)).deliveries
    assert [one.notice.key for one in taken] == ["now"]
    next_at = await channels.next_at()
    assert next_at is not None
    assert now < next_at <= now + HOUR + MINUTE
    await channels.settle([sent(one) for one in taken], by="s1")
    assert await channels.forget(before=now - SECOND, limit=10) == 0
    assert await channels.forget(before=now + HOUR, limit=10, term=7) == 0
    assert await channels.forget(before=now + HOUR, limit=10) == 1
    assert [kept.notice.key for kept in await channels.deliveries(namespace=None, limit=10)] == ["later"]


async def test_a_page_of_the_outbox_has_what_a_namespace_may_see(channels: ChannelStore) -> None:
    await channels.put([notice("a", namespace="billing", alert_id=7), notice("b", namespace="other"), notice("c")])
    seen = await channels.deliveries(namespace="billing", limit=10)
    assert sorted(one.notice.key for one in seen) == ["a", "c"]
    assert [one.notice.key for one in await channels.deliveries(namespace=None, alert_id=7, limit=10)] == ["a"]
    assert await channels.deliveries(namespace=None, channel="none", limit=10) == []
    newest = await channels.deliveries(namespace=None, limit=1)
    assert len(await channels.deliveries(namespace=None, limit=10, before_id=newest[0].id)) == 2
