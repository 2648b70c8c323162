"""Checks of jobs outside of Foliot, from the missed ping to the message at a real receiver, whoever leads; and signs
of life of one cluster as pings of another."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from foliot.app.notifier_kinds import InstalledNotifiers
from foliot.app.system import SystemChance, SystemClock
from foliot.app.teller import SECRETS_KIND, ChannelTeller
from foliot.client.blocking.foliot import Foliot
from foliot.domain.alerts.channel import channel_from
from foliot.domain.egress import Egress
from foliot.domain.heartbeats.check import PingKind
from foliot.domain.heartbeats.document import check_from
from foliot.domain.heartbeats.life import Ping
from foliot.domain.instants import HOUR, MINUTE, Instant
from foliot.engine.delivery import Delivering
from foliot.ports.notifier import NotifyRules
from foliot.ports.secrets import NO_SECRETS, Secrets
from foliot.worker.secrets.settings import read_secret_settings
from foliot.worker.secrets.vault import Vault
from tests.api.serving import served
from tests.conformance.receivers import WebReceiver, web_receiver
from tests.conformance.world import World
from tests.sql.alert_leader import ANNE, leader, open_alerts
from tests.sql.conftest import migrated_sqlite, postgres_world, store, store_url, world

__all__ = ["migrated_sqlite", "postgres_world", "store", "store_url", "world"]

RULES = NotifyRules(egress=Egress.of(allow=["loopback"]), within_s=20.0)


@pytest.fixture
async def receiver() -> AsyncIterator[WebReceiver]:
    async with web_receiver() as found:
        yield found


class Telling:
    """The part of a leader that sends what waits in the outbox."""

    def __init__(self, world: World, name: str, secrets: Secrets = NO_SECRETS) -> None:
        self._world = world
        self._now: Instant = 0
        teller = ChannelTeller(InstalledNotifiers(), secrets, RULES, node=name)
        self.delivering = Delivering(
            world.store.channels,
            teller,
            node=name,
            clock=SystemClock(),
            chance=SystemChance(),
            now=lambda: self._now,
        )

    async def send(self, term: int) -> None:
        self._now = await self._world.now()
        await self.delivering.deliver(term)


async def pinged(world: World, kind: PingKind, text: str = "") -> None:
    said = Ping(kind=kind, text=text, exit_code=28 if text else None)
    assert await world.store.heartbeats.ping("backup", namespace="shop", ping=said, by="cron") is not None


async def a_check(world: World, receiver: WebReceiver, **fields: Any) -> None:
    hook = {"webhook": {"url": f"{receiver.address}/hook"}}
    await world.store.channels.save(channel_from("oncall", hook, namespace=None), by=ANNE)
    document = {"every": "1h", "grace": "10m", "to": ["oncall"], "runbook": "https://wiki.example/b", **fields}
    await world.store.heartbeats.save(check_from(document, name="backup", namespace="shop"), by=ANNE)
    await pinged(world, PingKind.OK)


def told(receiver: WebReceiver) -> list[tuple[str, str, str]]:
    bodies = [json.loads(got.body) for got in receiver.got]
    return [(one["kind"], one["level"], one["title"]) for one in bodies]


async def test_a_missed_ping_is_told_once_and_its_end_too_although_each_leader_dies(
    world: World, receiver: WebReceiver
) -> None:
    await a_check(world, receiver, level="critical")
    first = await leader(world, session="one")
    await first.round()
    assert await open_alerts(world) == []
    await world.elapse(HOUR + 10 * MINUTE)
    first = await leader(world, session="two")
    await first.round()  # it decides, and dies before it sends
    second = await leader(world, session="three")
    await second.round()
    await Telling(world, "s2").send(second.term)
    missed = "backup, a job outside of Foliot, was not heard of in time"
    assert told(receiver) == [("fired", "critical", f"[critical] {missed}")]
    assert json.loads(receiver.got[0].body)["runbook"] == "https://wiki.example/b"
    await pinged(world, PingKind.START)
    await second.round()
    assert len(await open_alerts(world)) == 1  # it begins, and is not well yet
    await pinged(world, PingKind.OK)
    third = await leader(world, session="four")
    await third.round()
    await third.round()
    await Telling(world, "s3").send(third.term)
    assert told(receiver)[1:] == [("resolved", "critical", f"[over] {missed}")]
    assert await open_alerts(world) == []


async def test_a_failure_is_told_with_its_words_and_a_pause_ends_it(world: World, receiver: WebReceiver) -> None:
    await a_check(world, receiver)
    lead = await leader(world)
    await pinged(world, PingKind.FAIL, "no space left on device")
    await lead.round()
    await pinged(world, PingKind.FAIL, "again")
    await lead.round()
    telling = Telling(world, "s1")
    await telling.send(lead.term)
    assert told(receiver) == [
        ("fired", "warning", "[warning] backup, a job outside of Foliot, failed with exit code 28")
    ]
    assert json.loads(receiver.got[0].body)["text"] == "no space left on device"
    await world.store.heartbeats.pause("backup", namespace="shop", is_paused=True, by=ANNE)
    await lead.round()
    await telling.send(lead.term)
    assert [kind for kind, _, _ in told(receiver)] == ["fired", "resolved"]


async def test_the_signs_of_life_of_a_cluster_are_pings_at_another(
    world: World, migrated_sqlite: Path, tmp_path: Path
) -> None:
    """The dead-man's switch: the other cluster hears of this one as long as its leader is well."""
    folder = tmp_path / "other"
    folder.mkdir()
    with served(migrated_sqlite, folder) as other, Foliot(other.url, other.token) as client:
        client.checks.create("cluster-a", {"every": "1m", "grace": "3m"})
        token = client.tokens.create("cluster-a", ["ping"], for_namespace="default")["token"]
        hook = {"url": f"{other.url}/api/v1/checks/cluster-a:ping?kind=ok", "token": "${secret:OTHER}"}
        kept = channel_from("other", {"webhook": hook, "alive": "1m"}, namespace=None)
        await world.store.channels.save(kept, by=ANNE)
        known = read_secret_settings({"OTHER": {"env": "OTHER", "namespaces": ["*"]}}, folder=tmp_path)
        vault = Vault(known, clock=SystemClock(), environment={"OTHER": token})
        telling = Telling(world, "s1", vault.for_kind(SECRETS_KIND))
        await telling.delivering.keep_alive(1)
        await telling.delivering.keep_alive(1)  # the next sign is due in a minute
        heard = client.checks.get("cluster-a")
        assert (heard["state"], heard["last_kind"], heard["pings"]) == ("UP", "ok", 1)
        assert heard["last_text"] == "The cluster is well, says its leader s1."
