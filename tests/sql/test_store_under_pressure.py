"""Pool exhausted, time limits, no space: the tick is given up, nothing is lost, nobody falls over (R3, R11, F18).

Each test has one limit that is short: on a machine that stalls no other may end anything.
"""

import asyncio
import shutil
import subprocess
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from foliot.domain.instants import SECOND
from foliot.domain.run import Landing
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.store.sql.kernel.connect import POOL_SIZES
from foliot.store.sql.kernel.database import Pool, TryAgain, Tx
from foliot.store.sql.kernel.statement import Statement
from tests.conformance.building import ask, every, fire, make_due, save
from tests.conformance.working import trigger, worker
from tests.sql.interleavings.halting import halting, naive, until_blocked
from tests.sql.rows import runs_of
from tests.sql.world import UNHURRIED, World, opened, sqlite_copy


@pytest.mark.services
async def test_an_exhausted_pool_gives_up_the_tick(postgres_world: World) -> None:
    world = postgres_world
    job = await every(world)
    await make_due(world, job)
    small = await world.open(limits=replace(UNHURRIED, acquire_s=0.05), control=1)
    holding = asyncio.Event()
    release = asyncio.Event()

    async def hold() -> None:
        async with small.database.runner._engines["control"].connect():  # type: ignore[attr-defined]
            holding.set()
            await release.wait()

    holder = asyncio.create_task(hold())
    await holding.wait()
    with pytest.raises(StoreBusy):
        await fire(world, small)
    release.set()
    await holder
    assert (await fire(world, small)).created == 1


@pytest.mark.services
async def test_a_lock_that_is_never_given_back_gives_up_the_tick(postgres_world: World) -> None:
    world = postgres_world
    job = await every(world)
    await make_due(world, job, late_us=SECOND)
    other = await halting(world, "firing.taken")
    await other.start(fire(world, other.store))
    quick = await world.open(limits=replace(UNHURRIED, lock_s=0.1))
    with pytest.raises(StoreBusy):
        await fire(world, quick, waiting=True)
    assert (await other.finish()).created == 1
    assert len(await runs_of(world)) == 1


@pytest.mark.services
async def test_a_statement_that_takes_too_long_gives_up_the_tick(postgres_world: World) -> None:
    quick = await postgres_world.open(limits=replace(UNHURRIED, statement_s=0.5))
    with pytest.raises(StoreBusy):
        await quick.database.transact(lambda tx: tx.rows(Statement("SELECT pg_sleep(60)")))
    assert (await quick.firing.pulse()).next_at is None


@pytest.mark.services
async def test_a_server_that_stands_still_in_a_transaction_loses_its_locks(postgres_world: World) -> None:
    world = postgres_world
    job = await every(world)
    await make_due(world, job, late_us=SECOND)
    frozen = await halting(world, "firing.taken")
    frozen.store = await world.open(limits=replace(UNHURRIED, idle_control_s=4), point=frozen)
    await frozen.start(fire(world, frozen.store))
    decided = await fire(world, waiting=True)  # waits for the lock of one that does not move; the server ends it
    assert (decided.taken, decided.created) == (1, 1)
    with pytest.raises(StoreUnavailable):
        await frozen.finish()
    assert len(await runs_of(world)) == 1


@pytest.mark.services
async def test_ends_that_wait_for_a_limit_keep_nobody_else_waiting(postgres_world: World) -> None:
    """Somebody holds the row of one limit; more workers report than there are connections. Beats and firing go on."""
    world = postgres_world
    await save(world, "lim", overlap="allow", place={"concurrency": {"db": 100}})
    tick = await every(world)
    anne = await worker(world)
    await trigger(world, "lim", n=12)
    held = await anne.lease(12)
    anne.store = patient = await world.open(limits=UNHURRIED)
    async with naive(world) as somebody:
        transaction = somebody.transaction()
        await transaction.start()
        await somebody.execute("SELECT 1 FROM limits WHERE name = 'res:default/db' FOR UPDATE")
        ends = [asyncio.create_task(anne.complete(run)) for run in held]
        await until_blocked(world, *ends, blocked=POOL_SIZES[Pool.ENDING])
        await make_due(world, tick)
        assert (await fire(world, patient)).created == 1
        assert (await patient.firing.pulse()).now
        assert (await anne.beat(*held)).alive
        assert (await patient.tokens.find("0" * 64, urgent=True))[0] is None
        assert not any(end.done() for end in ends)
        await transaction.rollback()
    assert [landing for end in ends for landing in await end] == [Landing.RECORDED] * len(held)


async def test_people_who_read_for_long_do_not_hold_up_the_pulse(migrated_sqlite: Path, tmp_path: Path) -> None:
    reading, release = threading.Event(), threading.Event()

    def read(tx: Tx) -> int:
        now = tx.now()
        reading.set()
        assert release.wait(60)
        return now

    async with opened(sqlite_copy(migrated_sqlite, tmp_path)) as world:
        people = asyncio.create_task(world.store.database.read(read, pool=Pool.API))
        assert await asyncio.to_thread(reading.wait, 60)
        assert (await world.store.firing.pulse()).now
        assert not people.done()
        release.set()
        assert await people


@pytest.mark.slow
async def test_conflicts_are_tried_again(world: World) -> None:
    tries: list[int] = []

    def work(tx: Tx) -> str:
        tries.append(tx.now())
        if len(tries) < 4:
            raise TryAgain
        return "done"

    assert await world.database.transact(work) == "done"
    assert len(tries) == 4
    with pytest.raises(StoreBusy):
        await world.database.transact(never)


def never(tx: Tx) -> None:
    raise TryAgain


# ------------------------------------------------------------------------------------------------------------ no space


async def test_a_full_sqlite_file_refuses_writes_and_goes_on_when_there_is_room(
    migrated_sqlite: Path, tmp_path: Path
) -> None:
    shutil.copyfile(migrated_sqlite, tmp_path / "foliot.db")
    async with opened(f"sqlite:///{tmp_path / 'foliot.db'}") as world:
        await every(world, overlap="allow")
        await save(world, "big")
        pages = await world.value("PRAGMA page_count")
        await world.value(f"PRAGMA max_page_count = {pages + 4}")
        await check_nothing_is_lost(world, make_room=lambda: world.value("PRAGMA max_page_count = 1000000"))


async def check_nothing_is_lost(world: World, make_room: Callable[[], Awaitable[object]]) -> None:
    """Fill the store, fire until it refuses, make room, go on: each instant decided, each answer kept."""
    accepted = await fill(world)
    fired = await fire_until_refused(world)
    refused = await world.store.lookups.job("default", "tick")
    await make_room()
    assert (await fire(world)).created == 1  # the instant that found no room is still there
    runs = await runs_of(world)
    assert [run["due_at"] for run in runs] == [*fired, refused.next_due_at]
    assert len(await runs_of(world, "big")) == accepted
    assert await world.value("PRAGMA integrity_check") == "ok"


async def fire_until_refused(world: World) -> list[int | None]:
    """Fire instant after instant; which were acknowledged before there was no room."""
    fired: list[int | None] = []
    for _ in range(2000):
        job = await world.store.lookups.job("default", "tick")
        await make_due(world, job)
        try:
            await fire(world)
        except StoreUnavailable:
            return fired
        fired.append(job.next_due_at)
    raise AssertionError("it never filled up")


async def fill(world: World) -> int:
    """Trigger until there is no room; how many were acknowledged."""
    payload = '"' + "x" * 3000 + '"'
    for n in range(10_000):
        try:
            await world.store.runs.trigger(ask("big", str(n), params=payload))
        except StoreUnavailable:
            return n
    raise AssertionError("it never filled up")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Four megabytes of disk."""
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)], check=True)
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.services
async def test_a_full_disk_loses_nothing(migrated_sqlite: Path, small_disk: Path) -> None:
    shutil.copyfile(migrated_sqlite, small_disk / "foliot.db")
    async with opened(f"sqlite:///{small_disk / 'foliot.db'}") as world:
        await every(world, overlap="allow")
        await save(world, "big")
        ballast = small_disk / "ballast"
        ballast.write_bytes(b"x" * 2_000_000)

        async def make_room() -> None:
            ballast.unlink()

        await check_nothing_is_lost(world, make_room)
