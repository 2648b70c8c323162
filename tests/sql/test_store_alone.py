"""A store that is looked at without a server: who is missing, what is wrong with it, and nothing is written."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from foliot.app.store_checkup import check_up_store
from foliot.app.system import SystemChance, SystemClock
from foliot.domain.checkup import Finding, Grade
from foliot.domain.instants import SECOND
from foliot.ports.worker_link import Hello
from foliot.store.sql.kernel.statement import Statement
from foliot.store.sql.store import SqlStore
from foliot.words.checkup import finding_hint, finding_sentence
from tests.sql.world import sqlite_copy

CLOCK, CHANCE = SystemClock(), SystemChance()
TTL = 600 * SECOND


async def looked_at(url: str) -> dict[str, Finding]:
    checkup = await check_up_store(url, clock=CLOCK, chance=CHANCE)
    return {finding.check: finding for finding in checkup.findings}


async def state_of(store: SqlStore) -> list[tuple[object, ...]]:
    """What a server changes when it comes: the epoch, its session, its term."""
    text = "SELECT m.epoch, m.fingerprint, l.term, (SELECT max(until) FROM nodes) FROM store_meta m, leases l"
    rows = await store.database.read(lambda tx: tx.tuples(Statement(f"{text} WHERE m.id = 1 AND l.name = 'leader'")))
    return [tuple(row) for row in rows]


async def test_a_store_without_a_live_server_says_so_and_is_left_as_it_is(store_url: str) -> None:
    store = await SqlStore.open(store_url, clock=CLOCK, chance=CHANCE)
    try:
        server = Hello(session="s-1", name="s-1", group="", slots=0, handlers=(), labels={"schema": "0002"})
        worker = Hello(session="w-1", name="w-1", group="default", slots=1, handlers=())
        await store.nodes.register(server, kind="server", ttl_us=TTL)
        await store.nodes.register(worker, kind="worker", ttl_us=TTL)
        before = await state_of(store)
        alive = await looked_at(store_url)
        assert await state_of(store) == before
        silence = Statement(f"UPDATE nodes SET until = until - {2 * TTL}")
        await store.database.transact(lambda tx: tx.change(silence))
        silent = await looked_at(store_url)
    finally:
        await store.close()

    assert (alive["business.servers"].grade, alive["system.nodes"].grade) == (Grade.OK, Grade.OK)
    assert finding_sentence(alive["database.schema"]).startswith("s-1 knows the schema 0002, and the store has ")
    assert finding_sentence(silent["business.servers"]) == "No server lives: nothing fires, and no run starts."
    assert (silent["business.servers"].grade, silent["system.nodes"].case) == (Grade.CRITICAL, "silent")
    assert silent["system.nodes"].others == 1
    assert silent["database.reachable"].grade is Grade.OK
    assert {"database.latency", "database.size"} <= silent.keys()
    assert silent["database.clock"].case == "here"
    is_a_file = store_url.startswith("sqlite")
    assert ("database.integrity" in silent) is is_a_file


@pytest.fixture
def file(migrated_sqlite: Path, tmp_path: Path) -> Path:
    return Path(sqlite_copy(migrated_sqlite, tmp_path).removeprefix("sqlite:///"))


def change(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def empty(file: Path) -> None:
    file.write_bytes(b"")


def older(file: Path) -> None:
    change(file, "UPDATE foliot_version SET version_num = '0001'")


def newer(file: Path) -> None:
    change(file, "UPDATE foliot_version SET version_num = '9999'", "UPDATE store_meta SET readable_from = 9000")


def foreign(file: Path) -> None:
    change(file, "UPDATE foliot_version SET version_num = 'ae1027a6acf'")


def damaged(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        ((page,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'events'")
        ((size,),) = connection.execute("PRAGMA page_size")
    with file.open("r+b") as raw:
        raw.seek((page - 1) * size)
        raw.write(b"\xff" * size)


def no_database(file: Path) -> None:
    file.write_text("dear diary, " * 100)


def gone(file: Path) -> None:
    file.unlink()


@pytest.mark.parametrize(
    ("break_it", "check", "said"),
    [
        (empty, "database.schema", "The store is empty"),
        (older, "database.schema", "The store has the schema 0001, and this Foliot needs "),
        (newer, "database.schema", "The store has the schema 9999; this Foliot knows it up to "),
        (foreign, "database.schema", "The store's schema ae1027a6acf is not one of Foliot's."),
        (damaged, "database.integrity", "The store's file is damaged: "),
        (no_database, "database.reachable", "The store does not answer: file is not a database."),
        (gone, "database.reachable", "The store does not answer: There is no store at "),
    ],
)
async def test_what_is_wrong_with_a_store_is_a_finding_with_the_next_step(
    file: Path, break_it: Callable[[Path], None], check: str, said: str
) -> None:
    break_it(file)
    found = await looked_at(f"sqlite:///{file}")
    assert found[check].grade is Grade.CRITICAL
    assert finding_sentence(found[check]).startswith(said)
    assert finding_hint(found[check])
    assert file.exists() is (break_it is not gone), "a look makes no file"
    if check != "database.integrity":
        assert not [name for name in found if not name.startswith("database.")], "what is not known is not judged"
