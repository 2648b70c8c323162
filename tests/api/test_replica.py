"""Answers from a replica: every read, with its age; nothing that writes or waits; no token that the store refused."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from foliot.api.auth.rights import PUBLIC
from foliot.app.system import SystemChance, SystemClock
from foliot.domain.access import Grant, Scope
from foliot.domain.instants import SECOND, Instant
from foliot.operations.offers import Offers
from foliot.operations.replica_reads import LAG_MAX, ReplicaReads
from foliot.operations.tokens import create_token
from foliot.ports.store.errors import StoreUnavailable
from foliot.store.sql.kernel.connect import open_database
from foliot.store.sql.kernel.database import Mode, Pool, Runner, Work
from foliot.store.sql.replica import BadReplica, SqlReplica
from foliot.store.sql.store import SqlStore
from tests.api.asking import Api, opened_api
from tests.api.stage import ROOT, Stage
from tests.api.test_access import knock

T = TypeVar("T")

AGE = "Foliot-Replica-Age"
WAITING = ("/api/v1/events",)
FROM_MEMORY = ("/api/v1/settings", "/api/v1/channels/kinds")  # they ask no store


class Link:
    """A runner whose database a test takes away."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self.greet = None
        self.is_cut = False
        self.asked = 0  # while it is cut

    async def once(self, work: Work[T], pool: Pool, mode: Mode) -> T:
        if self.is_cut:
            self.asked += 1
            raise StoreUnavailable("The store does not answer: nobody is there.")
        return await self._runner.once(work, pool, mode)

    async def close(self) -> None:
        """The stage closes it."""


class Scene:
    """The API over a store that can be cut off, with a copy of it as its replica."""

    def __init__(self, stage: Stage, folder: Path) -> None:
        self.stage = stage
        self.link = Link(stage.store.database.runner)
        self.services = replace(
            stage.services,
            store=SqlStore(replace(stage.store.database, runner=self.link)),  # type: ignore[arg-type]
        )
        stage.services = self.services  # of the app; what a test writes by `stage.store` goes past the link
        self._copy = folder / "replica.db"
        self.heard: tuple[int, Instant] | None = None
        self.is_known_to_be_away = False

    async def open(self) -> None:
        await self.replicate()
        clock, chance = self.stage.clock, self.stage.chance
        opened = open_database(f"sqlite:///{self._copy}", clock=clock, chance=chance, wall=lambda: clock.at)
        self.replica_link = Link(opened.runner)
        self._opened = opened
        self.replica = SqlReplica(replace(opened, runner=self.replica_link))  # type: ignore[arg-type]
        self.reads = ReplicaReads(
            self.replica,
            replace(self.services, store=self.replica.store, offers=Offers(self.replica.store.lookups, clock)),
            heard=lambda: self.heard,
            is_away=lambda: self.is_known_to_be_away,
        )
        found = await self.replica.freshness()
        self.heard = found.epoch, found.now

    async def replicate(self) -> None:
        """Let the replica see what the store has by now."""
        await self.stage._change("UPDATE store_meta SET last_tick_at = :now", now=self.stage.clock.at)
        source = self.stage.url.removeprefix("sqlite:///")
        with closing(sqlite3.connect(source)) as store, closing(sqlite3.connect(self._copy)) as copy:
            store.backup(copy)

    def pass_time(self, seconds: int) -> None:
        self.stage.clock.at += seconds * SECOND

    async def close(self) -> None:
        await self._opened.close()


@pytest.fixture
async def scene(stage: Stage, tmp_path: Path) -> AsyncIterator[Scene]:
    scene = Scene(stage, tmp_path)
    await scene.open()
    yield scene
    await scene.close()


@pytest.fixture
async def api(scene: Scene) -> AsyncIterator[Api]:
    async with opened_api(scene.stage, replica=scene.reads) as api:
        await scene.replicate()
        yield api


async def test_every_read_is_answered_with_its_age(api: Api, scene: Scene) -> None:
    await api.create_job("tick", schedule={"every": "1m"})
    await api.post("/jobs/tick:trigger")
    await scene.replicate()
    scene.link.is_cut = True
    scene.pass_time(12)
    reads = [path for (method, path), right in api.app.state.rights.items() if method == "GET" and right != PUBLIC]
    assert len(reads) > 40
    refused = [path for path in reads if path not in WAITING and await knock(api, "GET", path) == 503]
    assert refused == [], "a read that writes is no read"

    shown = await api.get("/jobs/tick")
    assert (shown.status_code, shown.headers[AGE]) == (200, "12")
    unknown = await api.get("/jobs/other")
    assert (unknown.status_code, unknown.headers[AGE]) == (404, "12"), "it may be there by now"
    assert scene.reads.answers >= len(reads) - len(FROM_MEMORY)
    scene.link.is_cut = False
    assert AGE not in (await api.get("/jobs/tick")).headers


async def test_what_writes_or_waits_fails_as_before(api: Api, scene: Scene) -> None:
    await api.create_job("tick")
    run = (await api.post("/jobs/tick:trigger")).json()["id"]
    await scene.replicate()
    scene.link.is_cut = True
    for answer in (
        await api.post("/jobs/tick:trigger"),
        await api.get(f"/runs/{run}", wait=1),
        await api.get(f"/runs/{run}/logs", follow=True),
        await api.get("/events"),
    ):
        assert (answer.status_code, answer.json()["code"], AGE in answer.headers) == (503, "FOL-5001", False)
    ready = await api.get("/readyz")
    assert (ready.status_code, ready.text) == (
        503, "the store does not answer; a replica answers reads, at most 0 s old\n",
    )  # fmt: skip
    assert (await api.get("/readyz", reads=True)).status_code == 200


async def test_a_store_that_is_known_to_be_away_is_not_waited_for(api: Api, scene: Scene) -> None:
    scene.link.is_cut = scene.is_known_to_be_away = True
    assert (await api.get("/jobs")).headers[AGE] == "0"
    assert scene.link.asked == 0


@pytest.mark.parametrize("trouble", ["away", "foreign", "behind", "unheard"])
async def test_a_replica_that_cannot_be_trusted_is_not_asked(api: Api, scene: Scene, trouble: str) -> None:
    scene.link.is_cut = True
    assert scene.heard is not None
    epoch, now = scene.heard
    match trouble:
        case "away":
            scene.replica_link.is_cut = True
        case "foreign":
            scene.heard = epoch + 1, now
        case "behind":
            scene.heard = epoch, now + LAG_MAX + SECOND
        case "unheard":
            scene.heard = None
    answer = await api.get("/jobs")
    assert (answer.status_code, answer.json()["code"], AGE in answer.headers) == (503, "FOL-5001", False)
    assert (await api.get("/readyz", reads=True)).text == "the store does not answer, and its replica cannot\n"
    assert scene.reads.load() == {"replica_fit": 0.0}


async def test_a_replica_that_was_seen_to_follow_may_miss_the_last_epoch(api: Api, scene: Scene) -> None:
    await scene.reads.look()
    assert scene.heard is not None
    scene.heard = scene.heard[0] + 1, scene.heard[1]
    scene.pass_time(2)
    scene.link.is_cut = True
    assert (await api.get("/jobs")).headers[AGE] == "2"


async def test_tokens_are_judged_by_what_the_replica_and_the_server_know(api: Api, scene: Scene) -> None:
    ended, kept = await api.with_scopes("read"), await api.with_scopes("read", namespace="other")
    await api.create_job("tick")
    await scene.replicate()
    new = await api.with_scopes("read")
    record = next(one for one in await scene.stage.store.tokens.list() if one.name.startswith("read-"))
    seen_ending = api.as_token((await create_token(scene.stage.services, ROOT, "x", _READ)).secret)
    await scene.replicate()
    await scene.stage.store.tokens.revoke((await scene.stage.store.tokens.named("x")).id)
    assert (await seen_ending.get("/jobs")).status_code == 401
    await scene.stage.store.tokens.revoke(record.id)
    scene.link.is_cut = True

    assert (await seen_ending.get("/jobs")).status_code == 401, "this server saw its end; the replica did not"
    assert (await kept.get("/jobs")).json()["items"] == [], "it sees its own namespace alone"
    assert (await kept.get("/tokens")).status_code == 403
    nobody = api.as_token("fol_" + "x" * 40)
    assert (await nobody.get("/jobs")).status_code == 503, "it may be newer than the replica"
    assert (await api.as_token(None).get("/jobs")).status_code == 401
    assert {(await one.get("/jobs")).status_code for one in (ended, new)} == {200}


_READ = Grant(scopes=frozenset({Scope.READ}))


@pytest.mark.parametrize(
    ("url", "of", "why"),
    [
        ("sqlite:///a", "sqlite:///b", "SQLite has no replicas"),
        ("mariadb://f:secret@h/d", "postgresql://f@h/d", "not the same kind"),
        ("nothing://h/d", "postgresql://f@h/d", "not the same kind"),
        ("postgresql://f@h/d", "postgresql://f@h/d", "the store itself"),
    ],
)
def test_what_cannot_be_a_replica_is_refused_at_the_start(url: str, of: str, why: str) -> None:
    with pytest.raises(BadReplica, match=why) as refused:
        SqlReplica.open(url, of=of, clock=SystemClock(), chance=SystemChance())
    assert "secret" not in str(refused.value)
