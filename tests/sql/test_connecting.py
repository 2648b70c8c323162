"""URLs as people write them, and what is found behind them."""

import asyncio
from pathlib import Path

import pytest

from foliot.ports.store.errors import StoreUnavailable
from foliot.store.sql.kernel.connect import BadStoreUrl, open_database, redacted
from foliot.store.sql.kernel.wakeups import PostgresWakeups
from foliot.store.sql.store import SqlStore
from tests.servers.ports import hold_port
from tests.sql.world import CHANCE, CLOCK, World, sqlite_copy


async def test_a_relative_file_is_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    database = open_database("sqlite:///data/foliot.db", clock=CLOCK, chance=CHANCE)
    assert await database.transact(lambda tx: tx.now()) > 0
    await database.close()
    assert (tmp_path / "data" / "foliot.db").exists()


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite:///:memory:", "mongodb://x/y", "foliot.db", ""])
def test_what_is_no_store_is_refused(url: str) -> None:
    with pytest.raises(BadStoreUrl):
        open_database(url, clock=CLOCK, chance=CHANCE)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:secret@host/db", "postgresql://me@host/db"),
        ("postgresql://me:se@cret@host/db", "postgresql://me@host/db"),
        ("postgresql://me@host/db", "postgresql://me@host/db"),
        ("postgresql://host/db", "postgresql://host/db"),
        ("sqlite:///x.db", "sqlite:///x.db"),
        ("app:secret@db/foliot", "app@db/foliot"),
        ("postgresql://me:a://b@host/db", "postgresql://me@host/db"),
    ],
)
def test_a_password_is_not_shown(url: str, shown: str) -> None:
    assert redacted(url) == shown


@pytest.mark.services
@pytest.mark.parametrize("form", ["postgresql://", "postgres://", "postgresql+asyncpg://"])
async def test_forms_of_the_url(postgres_world: World, form: str) -> None:
    store = await SqlStore.open(postgres_world.url.replace("postgresql://", form), clock=CLOCK, chance=CHANCE)
    assert (await store.firing.pulse()).next_at is None
    await store.close()


@pytest.mark.services
async def test_of_several_hosts_one_that_lives_is_taken(postgres_world: World) -> None:
    head, _, tail = postgres_world.url.partition("@")
    with hold_port() as dead:
        store = await SqlStore.open(f"{head}@127.0.0.1:{dead.getsockname()[1]},{tail}", clock=CLOCK, chance=CHANCE)
        assert (await store.firing.pulse()).next_at is None
        await store.close()


@pytest.mark.services
async def test_a_host_that_says_nothing_does_not_keep_us_from_the_next(postgres_world: World) -> None:
    """Frozen, or cut off behind an open port: the driver alone would spend all its time on it."""
    connections = []
    frozen = await asyncio.start_server(lambda *streams: connections.append(streams), "127.0.0.1", 0)
    async with frozen:
        head, _, tail = postgres_world.url.partition("@")
        url = f"{head}@127.0.0.1:{frozen.sockets[0].getsockname()[1]},{tail}"
        store = await SqlStore.open(url, clock=CLOCK, chance=CHANCE)
        assert (await store.firing.pulse()).next_at is None
        await store.close()
        assert connections
        for _, writer in connections:
            writer.close()


@pytest.mark.services
async def test_a_store_that_takes_no_writes_is_not_taken(postgres_world: World) -> None:
    name = postgres_world.url.rpartition("/")[2]
    await postgres_world.change(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    with pytest.raises(StoreUnavailable):
        await SqlStore.open(f"{postgres_world.url}?connect_timeout=2", clock=CLOCK, chance=CHANCE)


@pytest.mark.services
async def test_a_database_that_is_not_there_is_said_to_be(postgres_world: World) -> None:
    with pytest.raises(StoreUnavailable, match='database "nowhere" does not exist'):
        await SqlStore.open(f"{postgres_world.url.rpartition('/')[0]}/nowhere", clock=CLOCK, chance=CHANCE)


async def test_a_store_that_is_not_there_is_unavailable() -> None:
    with hold_port() as dead:
        url = f"postgresql://foliot@127.0.0.1:{dead.getsockname()[1]}/foliot"
        with pytest.raises(StoreUnavailable, match="does not answer"):
            await SqlStore.open(url, clock=CLOCK, chance=CHANCE)


@pytest.mark.services
async def test_a_store_on_postgresql_brings_its_wake_ups(postgres_world: World) -> None:
    store = await SqlStore.open(postgres_world.url, clock=CLOCK, chance=CHANCE)
    assert isinstance(store.wakeups, PostgresWakeups)
    await store.close()


async def test_a_store_on_sqlite_has_no_wake_ups(migrated_sqlite: Path, tmp_path: Path) -> None:
    store = await SqlStore.open(sqlite_copy(migrated_sqlite, tmp_path), clock=CLOCK, chance=CHANCE)
    assert store.wakeups is None
    await store.close()
