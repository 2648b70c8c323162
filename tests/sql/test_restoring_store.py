"""A store put back from a backup: what the forgotten time handed out does not count, and comes never again (R6)."""

import asyncio
import os
import sqlite3
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from foliot.domain.instants import HOUR, SECOND
from foliot.domain.run import Landing
from foliot.domain.verdict import judge
from foliot.ports.store.journal import EventFilter
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import Hello
from foliot.store.sql.cluster.restore import TERMS_APART, ServersLive, restored
from foliot.store.sql.kernel.epoch import origin
from tests.conformance.building import every, fire, save
from tests.conformance.working import lead, trigger, worker
from tests.servers.fixtures import MakeDatabase
from tests.servers.postgres import BIN
from tests.sql.rows import run_of
from tests.sql.world import CHANCE, World

EPOCH_BITS = 28


@pytest.fixture
def backup(world: World, tmp_path: Path) -> "Backup":
    """Takes a copy of the store by its database's own tools."""
    return Backup(world.url, tmp_path / "backup")


@pytest.fixture
async def elsewhere(
    request: pytest.FixtureRequest, world: World, backup: "Backup", tmp_path: Path
) -> AsyncIterator["Elsewhere"]:
    """Puts it back, into another database."""
    if world.engine == "sqlite":
        url = f"sqlite:///{tmp_path / 'restored.db'}"
    else:
        make: MakeDatabase = request.getfixturevalue(
            "mariadb_database" if world.engine == "mysql" else "postgres_database"
        )
        url = make()
    place = Elsewhere(backup, url)
    yield place
    if place.world is not None:
        await place.world.close()


class Backup:
    """A dump of one moment."""

    def __init__(self, url: str, file: Path) -> None:
        self.url = url
        self.file = file

    async def take(self) -> None:
        await asyncio.to_thread(self._take)

    def _take(self) -> None:
        if self.url.startswith("sqlite"):
            with sqlite3.connect(_path(self.url)) as source, sqlite3.connect(self.file) as target:
                source.backup(target)
        elif self.url.startswith("mysql"):
            _run([*_mariadb("mariadb-dump", self.url), "--single-transaction", "--no-tablespaces", "--result-file",
                  str(self.file), _name(self.url)])  # fmt: skip
        else:
            _run([str(BIN / "pg_dump"), "--format=custom", f"--file={self.file}", self.url])

    def put_into(self, url: str) -> None:
        if url.startswith("sqlite"):
            with sqlite3.connect(self.file) as source, sqlite3.connect(_path(url)) as target:
                source.backup(target)
        elif url.startswith("mysql"):
            with self.file.open("rb") as dump:
                _run([*_mariadb("mariadb", url), _name(url)], stdin=dump)
        else:
            _run([str(BIN / "pg_restore"), "--no-owner", f"--dbname={url}", str(self.file)])


class Elsewhere:
    """Where a backup is put back."""

    def __init__(self, backup: Backup, url: str) -> None:
        self._backup = backup
        self._url = url
        self.world: World | None = None

    async def restore(self) -> World:
        await asyncio.to_thread(self._backup.put_into, self._url)
        self.world = World(self._url)
        await self.world.open()
        return self.world


async def test_nothing_of_the_forgotten_time_counts_and_nothing_is_given_out_twice(
    world: World, backup: Backup, elsewhere: Elsewhere
) -> None:
    await save(world, "tick", exclusive=True, overlap="queue_all")
    await save(world, "once", on_lost="fail")
    (tick,) = await trigger(world)
    (once,) = await trigger(world, "once")
    anne = await worker(world)
    held = {run.run_id: run for run in await anne.lease()}
    await anne.beat(*held.values())
    await backup.take()

    assert await anne.complete(held[tick]) == [Landing.RECORDED]  # all of this is forgotten
    forgotten = await trigger(world, "tick", 3)
    ben = await worker(world)
    later = await ben.lease_one()
    job = await save(world, "later")
    term = await lead(world)
    epoch = (await origin(world.database)).epoch

    other = await elsewhere.restore()
    done = await restored(other.database)
    assert (done.runs, done.sessions, done.servers) == (2, 1, ())
    assert done.epoch == (await origin(other.database)).epoch > epoch
    await anne_is_fenced(other, anne.session, held[tick], held[once])

    (fresh,) = await trigger(other)
    assert fresh > max(forgotten), "its number was never another run's"
    assert (await save(other, "another")).job_id > job.job_id
    new_term = await lead(other)
    assert new_term > term
    assert new_term == done.term + 1
    assert await other.store.runs.reap(judge, limit=100, term=new_term) == 2
    assert (await run_of(other, tick))["state"] == "PENDING"
    lost = await run_of(other, once)
    assert (lost["state"], lost["kind"]) == ("FAILED", "lost")
    again = await (await worker(other)).lease_one()
    assert again.run_id == tick
    assert again.fence > max(later.fence, held[tick].fence)
    assert again.fence >> EPOCH_BITS == done.epoch

    happened = await other.store.journal.newest(EventFilter(), limit=5)
    assert [event.kind for event in happened.items] == ["store.restored"]


async def anne_is_fenced(other: World, session: str, *runs: object) -> None:
    """Whoever worked through the restore is refused, and told to begin anew."""
    anne = await worker(other)
    anne.session, anne.beat_no = session, 99
    assert await anne.complete(*runs) == [Landing.FENCED, Landing.FENCED]  # type: ignore[arg-type]
    assert not (await anne.beat()).alive


async def test_it_says_how_much_will_be_decided_again_and_decides_it(world: World) -> None:
    job = await every(world, interval="1h", misfire={"all": "1d", "limit": 100}, overlap="allow")
    assert job.next_due_at is not None
    await every(world, "not-due", interval="1d")
    up_to_date = await restored(world.database, plan=True)
    assert (up_to_date.overdue, up_to_date.oldest_due_at, up_to_date.behind_us) == (0, None, 0)
    await world.elapse(3 * HOUR)
    plan = await restored(world.database, plan=True)
    assert (plan.overdue, plan.oldest_due_at) == (1, job.next_due_at)
    assert 0 <= await world.now() - job.next_due_at - plan.behind_us < 60 * SECOND
    done = await restored(world.database)
    assert (done.overdue, done.oldest_due_at) == (1, job.next_due_at)
    assert (await fire(world)).created == 3


async def test_a_plan_changes_nothing(world: World) -> None:
    await save(world)
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    before = [await world.rows(f"SELECT * FROM {table}") for table in ("store_meta", "runs", "nodes", "leases")]
    plan = await restored(world.database, plan=True)
    assert (plan.runs, plan.sessions) == (1, 1)
    after = [await world.rows(f"SELECT * FROM {table}") for table in ("store_meta", "runs", "nodes", "leases")]
    assert after == before
    assert await anne.complete(run) == [Landing.RECORDED]


async def test_it_is_refused_while_servers_are_live_unless_forced(world: World) -> None:
    hello = Hello(session=CHANCE.token(), name="s1", group="", slots=0, handlers=())
    await world.store.nodes.register(hello, kind="server", ttl_us=SESSION_TTL_US)
    epoch = (await origin(world.database)).epoch
    with pytest.raises(ServersLive, match="Servers are live on this store: s1") as refused:
        await restored(world.database)
    assert (refused.value.code, refused.value.data["servers"]) == ("FOL-3030", ["s1"])
    assert (await origin(world.database)).epoch == epoch
    assert (await restored(world.database, plan=True)).servers == ("s1",)
    assert (await restored(world.database, force=True)).servers == ("s1",)
    assert (await origin(world.database)).epoch > epoch
    assert await world.value("SELECT state FROM nodes") == "dead"
    await restored(world.database)  # nobody is live any more


async def test_a_server_of_the_backup_that_is_long_silent_is_not_live(world: World) -> None:
    hello = Hello(session=CHANCE.token(), name="s1", group="", slots=0, handlers=())
    await world.store.nodes.register(hello, kind="server", ttl_us=SESSION_TTL_US)
    await world.elapse(SESSION_TTL_US + SECOND)
    assert (await restored(world.database)).servers == ()


async def test_sessions_that_come_back_get_the_time_to_be_heard(world: World) -> None:
    await world.change("UPDATE store_meta SET clock_suspect = 1, clock_ahead_us = 5")
    await restored(world.database)
    (meta,) = await world.rows("SELECT reap_after, clock_suspect, clock_ahead_us FROM store_meta")
    assert 0 < meta["reap_after"] - await world.now() <= SESSION_TTL_US
    assert (meta["clock_suspect"], meta["clock_ahead_us"]) == (0, None)


async def test_each_restore_moves_on(world: World) -> None:
    first, second = await restored(world.database), await restored(world.database)
    assert second.epoch > first.epoch
    assert second.term == first.term + TERMS_APART


def _run(command: list[str], **options: object) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr


def _mariadb(program: str, url: str) -> list[str]:
    parts = urlsplit(url)
    return [program, "--no-defaults", f"--host={parts.hostname}", f"--port={parts.port}", f"--user={parts.username}",
            f"--password={parts.password}", "--protocol=tcp"]  # fmt: skip


def _name(url: str) -> str:
    return url.rpartition("/")[2]


def _path(url: str) -> str:
    return os.fspath(url.removeprefix("sqlite:///"))
