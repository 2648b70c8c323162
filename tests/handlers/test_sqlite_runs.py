"""Runs on SQLite: a connection for each of them, a thread for many, and few ways between thread and loop."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from foliot.domain.verdict import Cause
from foliot.store.sql.kernel.tables import metadata
from foliot.worker.handlers.sql.threads import OwnThread
from tests.handlers.sql_jobs import NAME, sql_worker

READ = "SELECT count(*) FROM notes"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database with one table."""
    file = tmp_path / "shop.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE notes (id INTEGER)")
    connection.close()
    return file


async def test_a_run_finds_nothing_of_the_one_before_in_the_same_thread(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[str] = []
    make = OwnThread.__init__

    def counted(self: OwnThread, name: str) -> None:
        threads.append(name)
        make(self, name)

    monkeypatch.setattr(OwnThread, "__init__", counted)
    async with sql_worker(f"sqlite:///{file}") as worker:
        for _ in range(3):
            first = await worker.run("CREATE TEMP TABLE mine (id INTEGER)", "INSERT INTO mine VALUES (1)")
            assert first.cause is Cause.SUCCEEDED, first.error
            assert (await worker.run("SELECT name FROM temp.sqlite_master")).rows == []
    assert threads == [f"sql-{NAME}"]


async def test_a_run_that_reads_goes_to_its_thread_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    orders: list[Any] = []
    do = OwnThread.do

    async def counted(self: OwnThread, work: Any, *arguments: Any) -> Any:
        orders.append(work)
        return await do(self, work, *arguments)

    monkeypatch.setattr(OwnThread, "do", counted)
    async with sql_worker(f"sqlite:///{file}") as worker:
        for read_only in (False, True):
            orders.clear()
            assert (await worker.run(READ, read_only=read_only)).rows == [[0]]
            assert len(orders) == 1
        orders.clear()
        assert (await worker.run("INSERT INTO notes VALUES (1)")).cause is Cause.SUCCEEDED
        assert len(orders) == 3, "it begins, changes and commits"


async def test_a_change_that_begins_like_a_read_is_kept(file: Path) -> None:
    async with sql_worker(f"sqlite:///{file}") as worker:
        changed = await worker.run("WITH one(id) AS (SELECT 7) INSERT INTO notes SELECT id FROM one")
        assert changed.cause is Cause.SUCCEEDED, changed.error
        assert (await worker.run("SELECT id FROM notes")).rows == [[7]]


async def test_a_run_that_reads_holds_no_lock_when_it_is_over(file: Path) -> None:
    async with sql_worker(f"sqlite:///{file}") as worker:
        for _ in range(3):
            assert (await worker.run(READ)).cause is Cause.SUCCEEDED
            with sqlite3.connect(file, timeout=60) as connection:
                connection.execute("ALTER TABLE notes RENAME TO others")
                connection.execute("ALTER TABLE others RENAME TO notes")
            connection.close()


async def test_a_file_that_becomes_a_store_of_foliots_own_is_refused_from_then_on(file: Path, tmp_path: Path) -> None:
    store = tmp_path / "foliot.db"
    engine = sa.create_engine(f"sqlite:///{store}")
    metadata.create_all(engine)
    engine.dispose()
    async with sql_worker(f"sqlite:///{file}") as worker:
        assert (await worker.run(READ)).cause is Cause.SUCCEEDED
        store.replace(file)
        for text in ("SELECT 1", "DELETE FROM store_meta"):
            refused = await worker.run(text)
            assert (refused.cause, refused.error_type) == (Cause.REJECTED, "ConnectionNotAllowed")
            assert "it leads to a store of Foliot's own" in refused.error
