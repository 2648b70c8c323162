"""Own channels of servers: while the store is away or nobody leads, each server tells once, marked as a repeat."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from foliot.app.notifier_kinds import InstalledNotifiers
from foliot.app.system import SystemChance
from foliot.app.teller import ChannelTeller
from foliot.domain.alerts.channel import channel_from
from foliot.domain.egress import Egress
from foliot.domain.instants import MINUTE
from foliot.engine.own_channels import AGAIN_S, NO_LEADER, STORE_AWAY, OwnChannels
from foliot.ports.notifier import NotifyRules
from foliot.ports.secrets import NO_SECRETS
from tests.clocks import DrivenClock
from tests.conformance.receivers import WebReceiver, web_receiver

AFTER_S = 20.0
RULES = NotifyRules(egress=Egress.of(allow=["loopback"]), within_s=20.0)


@pytest.fixture
async def receiver() -> AsyncIterator[WebReceiver]:
    async with web_receiver() as found:
        yield found


class Outage:
    """What two servers see, and what they tell."""

    def __init__(self, receiver: WebReceiver, clock: DrivenClock) -> None:
        self.trouble = ""
        self._clock = clock
        channel = channel_from("oncall", {"webhook": {"url": f"{receiver.address}/hook"}}, namespace=None)
        self._servers = [
            OwnChannels(
                [channel],
                ChannelTeller(InstalledNotifiers(), NO_SECRETS, RULES, node=name),
                lambda: self.trouble,
                node=name,
                clock=clock,
                chance=SystemChance(),
                now=lambda: MINUTE,
                after_s=AFTER_S,
            )
            for name in ("s1", "s2")
        ]

    async def go_on(self, for_s: float) -> None:
        await self._clock.advance(for_s)
        for server in self._servers:
            await server.step()


def told(receiver: WebReceiver) -> list[dict[str, Any]]:
    return [json.loads(got.body) for got in receiver.got]


@pytest.mark.parametrize("trouble", [STORE_AWAY, NO_LEADER])
async def test_each_server_tells_of_an_outage_and_its_end_once_and_as_a_repeat(
    receiver: WebReceiver, clock: DrivenClock, trouble: str
) -> None:
    outage = Outage(receiver, clock)
    for seen in (trouble, "", trouble):  # the first one is over before it is told
        outage.trouble = seen
        await outage.go_on(AFTER_S / 2)
    assert told(receiver) == []
    for _ in range(3):
        await outage.go_on(AFTER_S)
    assert [(one["kind"], one["level"], one["repeat"]) for one in told(receiver)] == [("fired", "critical", True)] * 2
    outage.trouble = ""
    for _ in range(3):
        await outage.go_on(AGAIN_S)
    assert [(one["kind"], one["repeat"]) for one in told(receiver)[2:]] == [("resolved", True)] * 2


async def test_what_did_not_arrive_is_told_again_under_the_same_id(receiver: WebReceiver, clock: DrivenClock) -> None:
    outage = Outage(receiver, clock)
    receiver.answer = lambda _: web.Response(status=503)
    outage.trouble = STORE_AWAY
    await outage.go_on(0)
    await outage.go_on(AFTER_S)
    first = {one["delivery"] for one in told(receiver)}
    assert len(first) == 2
    await outage.go_on(1)
    assert len(told(receiver)) == 2, "a channel that is down is not asked all the time"
    receiver.answer = lambda _: web.json_response({})
    for _ in range(3):
        await outage.go_on(AGAIN_S)
    assert {one["delivery"] for one in told(receiver)[2:]} == first
    assert len(told(receiver)) == 4
