"""Delivery by the leader: whenever a leader dies, each notice arrives once, or again under its id and marked."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from foliot.app.notifier_kinds import InstalledNotifiers
from foliot.app.system import SystemChance, SystemClock
from foliot.app.teller import ChannelTeller
from foliot.domain.alerts.alert import Notice, NoticeKind
from foliot.domain.alerts.channel import Channel, channel_from
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.egress import Egress
from foliot.domain.instants import HOUR, MINUTE, SECOND, Instant
from foliot.engine.delivery import WITHIN_S, Delivering, claim_us, dead_channels
from foliot.ports.notifier import NotifyRules
from foliot.ports.secrets import NO_SECRETS
from foliot.ports.store.actor import Actor
from foliot.ports.store.channels import Delivery, DeliveryState
from foliot.words.alert_messages import RunTold
from tests.conformance.receivers import WebReceiver, web_receiver
from tests.conformance.world import World
from tests.sql.conftest import migrated_sqlite, postgres_world, store, store_url, world

__all__ = ["migrated_sqlite", "postgres_world", "store", "store_url", "world"]

ANNE = Actor(name="anne")


class Killed(BaseException):
    """The process of the leader dies here."""


class DyingTeller:
    """A teller whose process dies before or after it sends."""

    def __init__(self, inner: ChannelTeller, *, before: bool) -> None:
        self._inner = inner
        self._before = before

    async def tell(self, channel: Channel, delivery: Delivery, now: Instant) -> None:
        if not self._before:
            await self._inner.tell(channel, delivery, now)
        raise Killed


@pytest.fixture
async def receiver() -> AsyncIterator[WebReceiver]:
    async with web_receiver() as found:
        yield found


def real_teller(lines: tuple[str, ...] = ()) -> ChannelTeller:
    async def about_run(run_id: int) -> RunTold:
        assert run_id == 7
        return RunTold(due_at=1_794_960_000 * SECOND, log=lines)

    rules = NotifyRules(egress=Egress.of(allow=["loopback"]), within_s=WITHIN_S)
    return ChannelTeller(
        InstalledNotifiers(), NO_SECRETS, rules, node="s1", public_url="https://f.example/", about_run=about_run
    )


class Leader:
    """One server that leads, on the store of the world."""

    def __init__(self, world: World, teller: Any = None, *, name: str = "s1") -> None:
        self._world = world
        self._now: Instant = 0
        self.delivering = Delivering(
            world.store.channels,
            teller or real_teller(),
            node=name,
            clock=SystemClock(),
            chance=SystemChance(),
            now=lambda: self._now,
        )

    async def round(self, term: int | None = None) -> float | None:
        self._now = await self._world.now()
        return await self.delivering.deliver(term)  # type: ignore[arg-type]


async def channel(world: World, receiver: WebReceiver, name: str = "hook", **fields: Any) -> Channel:
    written = {"webhook": {"url": f"{receiver.address}/{name}"}, **fields}
    return await world.store.channels.save(channel_from(name, written, namespace=None), by=ANNE)


def notice(key: str, *, name: str = "hook", level: AlertLevel = AlertLevel.WARNING, **data: Any) -> Notice:
    given = {"condition": "failed", "rule": "night", "subjects": [{"subject": f"job-{key}"}], **data}
    return Notice(key=key, kind=NoticeKind.FIRED, channel=name, namespace=None, level=level, data=given)


def bodies(receiver: WebReceiver) -> list[dict[str, Any]]:
    return [json.loads(got.body) for got in receiver.got]


async def states(world: World) -> list[DeliveryState]:
    return [one.state for one in await world.store.channels.deliveries(namespace=None, limit=100)]


@pytest.mark.parametrize("dies_before", [True, False], ids=["before sending", "before settling"])
async def test_a_leader_that_dies_leaves_one_message_or_a_marked_repeat(
    world: World, receiver: WebReceiver, dies_before: bool
) -> None:
    await channel(world, receiver)
    await world.store.channels.put([notice("n1", level=AlertLevel.CRITICAL)])
    dying = Leader(world, DyingTeller(real_teller(), before=dies_before))
    with pytest.raises(Killed):
        await dying.round()
    heir = Leader(world, name="s2")
    await heir.round()  # the claim of the dead leader still holds
    assert len(receiver.got) == (0 if dies_before else 1)
    await world.elapse(claim_us(WITHIN_S) + SECOND)
    await heir.round()
    await heir.round()
    told = bodies(receiver)
    assert len(told) == (1 if dies_before else 2)
    assert told[-1]["repeat"] is True
    assert len({one["delivery"] for one in told}) == 1
    assert {**told[0], "repeat": True} == told[-1]
    assert await states(world) == [DeliveryState.SENT]


async def test_a_leader_that_dies_in_its_claim_leaves_the_notice_unclaimed(world: World, receiver: WebReceiver) -> None:
    def die(place: str) -> None:
        if place == "outbox.claimed":
            raise Killed

    await channel(world, receiver)
    await world.store.channels.put([notice("n1")])
    broken = await world.open(point=die)
    with pytest.raises(Killed):
        await broken.channels.claim(claim="c", by="s0", limit=10, for_us=HOUR, term=None)
    await Leader(world).round()
    (told,) = bodies(receiver)
    assert (told["repeat"], told["title"]) == (False, "[warning] job-n1 failed")


async def test_a_message_has_the_log_the_link_and_no_secret(world: World, receiver: WebReceiver) -> None:
    await channel(world, receiver, language="zh")
    subject = {"subject": "settle", "job_id": 3, "run_id": 7, "due_at": 1_794_976_000 * SECOND}
    await world.store.channels.put(
        [
            replace(
                notice(
                    "n1",
                    subjects=[subject],
                    cause={"error": "dsn postgresql://u:pa55word@db/x"},
                    runbook="https://w.example/r",
                ),
                alert_id=12,
            )
        ]
    )
    await Leader(world, real_teller(("first", "password=hunter2 https://u:pw12345678@h/"))).round()
    (told,) = bodies(receiver)
    assert told["title"] == "【警告】settle 失败"
    assert told["facts"]["任务"] == "settle"
    assert told["facts"]["触发点"].startswith("2026-11-18")
    assert (told["link"], told["runbook"]) == ("https://f.example/alerts/12", "https://w.example/r")
    assert told["log"][0] == "first"
    shown = json.dumps({**told, "data": {}})
    assert "pa55word" not in shown
    assert "pw12345678" not in shown


async def test_a_leader_that_stood_still_past_its_claim_sends_nothing(world: World, receiver: WebReceiver) -> None:
    """The next leader sends it, marked. A second message, unmarked, would come after that one."""

    class Stopped(SystemClock):
        """A clock of a process that stood still just after its claim."""

        def __init__(self) -> None:
            self.past_s = 0.0

        def monotonic(self) -> float:
            now = super().monotonic() + self.past_s
            self.past_s = claim_us(WITHIN_S) / SECOND
            return now

    await channel(world, receiver)
    await world.store.channels.put([notice("n1")])
    asleep = Leader(world)
    asleep.delivering = Delivering(
        world.store.channels,
        real_teller(),
        node="s1",
        clock=Stopped(),
        chance=SystemChance(),
        now=lambda: asleep._now,
    )
    await asleep.round()
    assert (receiver.got, await states(world)) == ([], [DeliveryState.SENDING])
    await world.elapse(claim_us(WITHIN_S) + SECOND)
    await Leader(world, name="s2").round()
    assert [one["repeat"] for one in bodies(receiver)] == [True]


async def test_a_receiver_that_fails_is_asked_again_later_and_is_dead_after_a_while(
    world: World, receiver: WebReceiver
) -> None:
    await channel(world, receiver, "bad")
    receiver.answer = lambda _: web.Response(status=500)
    await world.store.channels.put([notice("n1", name="bad")])
    leader = Leader(world)
    await leader.round()
    assert await states(world) == [DeliveryState.WAITING]
    await leader.round()
    assert len(receiver.got) == 1  # it waits
    assert await dead_channels(world.store.channels, await world.now()) == []
    await world.elapse(6 * MINUTE)
    await leader.round()
    (dead,) = await dead_channels(world.store.channels, await world.now())
    assert dead.cause.key.endswith("bad"), "a second channel that dies is another alert"
    assert (dead.subject, dead.cause.data["error"]) == ("bad", "the receiver answered 500")
    receiver.answer = lambda _: web.Response(status=200)
    await world.elapse(20 * MINUTE)
    await leader.round()
    assert await dead_channels(world.store.channels, await world.now()) == []
    assert await states(world) == [DeliveryState.SENT]
    assert len({one["delivery"] for one in bodies(receiver)}) == 1


async def test_more_than_the_rate_goes_into_one_digest(world: World, receiver: WebReceiver) -> None:
    await channel(world, receiver, rate="3 in 1m")
    await world.store.channels.put([notice(f"n{n}") for n in range(8)])
    leader = Leader(world)
    for _ in range(3):
        await leader.round()
    told = bodies(receiver)
    assert [one["kind"] for one in told] == ["fired", "fired", "digest"]
    assert told[-1]["title"] == "6 alerts"
    assert told[-1]["text"].count("failed") == 6
    await world.store.channels.put([notice("late"), notice("later")])
    await leader.round()
    assert len(receiver.got) == 3  # the minute is full
    await world.elapse(2 * MINUTE)
    await leader.round()
    assert len(receiver.got) == 5


async def test_a_digest_collects_and_critical_ones_do_not_wait(world: World, receiver: WebReceiver) -> None:
    await channel(world, receiver, digest="1h")
    await world.store.channels.put([notice("a"), notice("b"), notice("c", level=AlertLevel.CRITICAL)])
    leader = Leader(world)
    await leader.round()
    assert [one["title"] for one in bodies(receiver)] == ["[critical] job-c failed"]
    await world.elapse(HOUR)
    await leader.round()
    await leader.round()
    assert [one["title"] for one in bodies(receiver)][1:] == ["2 alerts"]


async def test_what_nobody_wants_is_dropped_and_says_why(world: World, receiver: WebReceiver) -> None:
    await channel(world, receiver, level="critical")
    await channel(world, receiver, "off", on=False)
    await world.store.channels.put([notice("a"), notice("b", name="off"), notice("c", name="gone")])
    await Leader(world).round()
    found = await world.store.channels.deliveries(namespace=None, limit=10)
    assert {one.notice.key: one.error for one in found} == {
        "a": "it is less grave than the channel wants",
        "b": "the channel is off",
        "c": "the channel is gone",
    }
    assert receiver.got == []


async def test_a_secret_that_the_server_lacks_is_named(world: World, receiver: WebReceiver) -> None:
    await channel(world, receiver, webhook={"url": receiver.address, "key": "${secret:HOOK_KEY}"})
    test = replace(notice("t"), kind=NoticeKind.TEST, data={"by": "anne"})
    await world.store.channels.put([test])
    await Leader(world).round()
    (found,) = await world.store.channels.deliveries(namespace=None, limit=10)
    assert (found.state, found.error) == (DeliveryState.FAILED, "the server s1 has no secret HOOK_KEY")
    assert await real_teller().missing(await world.store.channels.list(namespace=None)) == ["HOOK_KEY"]


async def test_a_sign_of_life_comes_as_often_as_the_channel_wants_while_the_cluster_is_well(
    world: World, receiver: WebReceiver
) -> None:
    await channel(world, receiver, alive="10s")
    leader = Leader(world)

    async def well() -> bool:
        return True

    async def unwell() -> bool:
        return False

    await leader.delivering.keep_alive(1, is_well=unwell)
    assert receiver.got == []
    await leader.delivering.keep_alive(1, is_well=well)
    await leader.delivering.keep_alive(1, is_well=well)
    assert [one["kind"] for one in bodies(receiver)] == ["alive"]
