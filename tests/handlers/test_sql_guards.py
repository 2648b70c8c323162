"""What an SQL job may not do: write where it only reads, reach another file or Foliot's own store, learn a secret."""

import sqlite3
from collections.abc import Collection
from pathlib import Path

import pytest
import sqlalchemy as sa

from foliot.domain.verdict import Cause
from foliot.ports.secrets import Destination
from foliot.store.sql.kernel.tables import metadata
from foliot.worker.handlers.sql import SqlHandlers
from tests.conformance.handling import at_work
from tests.handlers.sql_jobs import NAME, SqlWorker, specimen, sql_worker
from tests.servers.fixtures import MakeDatabase

WRITERS = {
    "sqlite": [],
    "postgresql": [
        "SELECT bump()",
        "WITH gone AS (DELETE FROM notes RETURNING id) SELECT * FROM gone",
        "SELECT set_config('transaction_read_only', 'off', false)",
        "EXPLAIN ANALYZE DELETE FROM notes",
    ],
    "mysql": ["SELECT bump()"],
}
BUMP = {
    "postgresql": "CREATE FUNCTION bump() RETURNS int LANGUAGE sql AS $$ UPDATE notes SET id = id + 1 RETURNING id $$",
    "mysql": "CREATE FUNCTION bump() RETURNS int BEGIN UPDATE notes SET id = id + 1; RETURN 1; END",
}
SAID = [  # as first words, each of which could end a read-only transaction or its session's limits
    "COMMIT",
    "SET TRANSACTION READ WRITE",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
    "PRAGMA query_only = OFF",
    "/* SELECT */ DELETE FROM notes",
    "/*!50000 DELETE FROM notes */",
    "CALL bump()",
    "EXECUTE bump",
    "DO $$ BEGIN DELETE FROM notes; END $$",
]


async def test_a_read_only_connection_changes_nothing_whatever_a_job_says(database_url: str) -> None:
    scheme = database_url.partition("://")[0]
    async with sql_worker(database_url) as worker:
        texts = ["CREATE TABLE notes (id INTEGER)", "INSERT INTO notes VALUES (1)", BUMP.get(scheme, "SELECT 1")]
        assert (await worker.run(*texts, mode="autocommit")).cause is Cause.SUCCEEDED
        assert (await worker.run("SELECT id FROM notes", read_only=True)).rows == [[1]]
        for text in WRITERS[scheme]:
            refused = await worker.run(text, "SELECT 1", read_only=True)
            assert [refused.cause, refused.error_type] == [Cause.ERROR, "StatementFailed"], text
    async with sql_worker(database_url, read_only=True) as worker:
        for text in SAID:
            rejected = await worker.run(text)
            assert rejected.cause is Cause.REJECTED, text
        for text in WRITERS[scheme]:
            assert (await worker.run(text)).cause is Cause.ERROR, text
        read = await worker.run("SELECT id FROM notes", mode="autocommit")
        assert read.rows == [[1]]


async def test_a_sqlite_job_reaches_no_other_file_and_makes_none(tmp_path: Path) -> None:
    file, other = tmp_path / "shop.db", tmp_path / "other.db"
    sqlite3.connect(file).close()
    file.touch()
    async with sql_worker(f"sqlite:///{file}") as worker:
        for text in (f"ATTACH DATABASE '{other}' AS other", f"VACUUM INTO '{other}'"):
            refused = await worker.run(text, mode="autocommit")
            assert refused.error_type == "StatementFailed", text
        assert (await worker.run("VACUUM", mode="autocommit")).cause is Cause.SUCCEEDED
    assert not other.exists()
    async with sql_worker(f"sqlite:///{tmp_path / 'typo.db'}") as worker:
        assert (await worker.run("SELECT 1")).error_type == "DatabaseAway"
    assert not (tmp_path / "typo.db").exists()


async def test_a_sqlite_file_that_another_one_locks_is_a_database_that_is_away(tmp_path: Path) -> None:
    file = tmp_path / "shop.db"
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    async with sql_worker(f"sqlite:///{file}", connect_timeout="100ms") as worker:
        locked = await worker.run("SELECT 1")
        other.execute("ROLLBACK")
        free = await worker.run("SELECT 1")
    other.close()
    assert [locked.cause, locked.error_type] == [Cause.ERROR, "DatabaseAway"]
    assert "database is locked" in locked.error
    assert free.rows == [[1]]


async def test_a_store_of_foliots_own_is_no_database_of_a_job(database_url: str) -> None:
    marks = ("store_meta", "job_versions")
    assert set(marks) <= set(metadata.tables)  # by these a store is known
    async with sql_worker(database_url) as worker:
        made = await worker.run(*(f"CREATE TABLE {name} (id INTEGER)" for name in marks), mode="autocommit")
        assert made.cause is Cause.SUCCEEDED, made.error
    async with sql_worker(database_url) as worker:
        refused = await worker.run("SELECT count(*) FROM store_meta")
        assert [refused.cause, refused.error_type] == [Cause.REJECTED, "ConnectionNotAllowed"]
        assert "a store of Foliot's own" in refused.error


class Vault:
    """`ports.secrets.Secrets` with one secret."""

    def __init__(self, value: str) -> None:
        self.value = value
        self.asked: list[str] = []

    async def filled(self, value: dict[str, str], *, namespace: str, to: Destination | None = None) -> dict[str, str]:
        self.asked.append(namespace)
        return {key: text.replace("${secret:FILE}", self.value) for key, text in value.items()}

    async def values(self, names: Collection[str], *, namespace: str, to: Destination | None = None) -> dict[str, str]:
        return dict.fromkeys(names, self.value)

    def hidden(self, text: str, *, is_cut: bool = False) -> str:
        del is_cut
        return text.replace(self.value, "***")


async def test_a_secret_is_filled_in_for_the_run_alone_and_hidden_in_what_it_says(tmp_path: Path) -> None:
    canary = "c4nary-f1le"
    sqlite3.connect(tmp_path / f"{canary}.db").close()
    (tmp_path / f"{canary}.db").touch()
    vault = Vault(canary)

    def make() -> SqlHandlers:
        kind = SqlHandlers()
        kind.secrets = vault
        return kind

    url = f"sqlite:///{tmp_path}/${{secret:FILE}}.db"
    async with at_work(specimen(make), {"connections": {NAME: {"url": url}}}) as bench:
        worker = SqlWorker(bench, url)
        assert (await worker.run("SELECT 7", namespace="billing")).rows == [[7]]
        failed = await worker.run(f"SELECT '{canary}' FROM \"{canary}\"")
        assert vault.asked == ["billing", "default"]
        assert canary not in failed.error + failed.row.log
        assert "***" in failed.error
        elsewhere = await worker.run("SELECT 7", isolation="process")  # no secret is known there
        assert elsewhere.error_type == "UnknownSecret"


async def test_url_and_password_may_stand_in_files(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "shop.db").close()
    (tmp_path / "shop.db").touch()
    (tmp_path / "url").write_text(f"sqlite:///{tmp_path}/shop.db\n", "utf-8")
    async with sql_worker("", url_file=str(tmp_path / "url")) as worker:
        assert (await worker.run("SELECT 7")).rows == [[7]]
        (tmp_path / "url").unlink()
        gone = await worker.run("SELECT 7")
        assert gone.error_type == "BadSqlConnection"


@pytest.mark.services
async def test_procedures_are_called_and_what_they_say_is_kept(
    postgres_database: MakeDatabase, mariadb_database: MakeDatabase
) -> None:
    async with sql_worker(postgres_database()) as worker:
        made = await worker.run(
            "CREATE PROCEDURE twice(INOUT n int) LANGUAGE plpgsql"
            " AS $$ BEGIN RAISE NOTICE 'got %', n; n := 2 * n; END $$",
            "SELECT 1.50::numeric, '1 day 2 hours'::interval, '\\x00ff'::bytea, '{\"a\": [1]}'::jsonb, ARRAY[1, 2],"
            " '2026-01-31 12:00:00+00'::timestamptz AT TIME ZONE 'UTC', 'NaN'::float8, 'infinity'::timestamptz",
        )
        assert made.rows == [
            ["1.50", "P1DT2H", "\\x00ff", {"a": [1]}, [1, 2], "2026-01-31T12:00:00", "nan", "infinity"]
        ]
        called = await worker.run("CALL twice(:n)", params={"n": 21}, mode="autocommit")
        assert called.rows == [[42]]
        assert "got 21" in called.row.log
        days = await worker.run("SELECT :day::date + :span::interval", params={"day": "2026-01-31", "span": "1 day"})
        assert days.rows == [["2026-02-01T00:00:00"]]
    async with sql_worker(mariadb_database()) as worker:
        body = "BEGIN SELECT n AS n; SELECT n + 1 AS m; SET out_n = 2 * n; END"
        await worker.run(f"CREATE PROCEDURE twice(IN n int, OUT out_n int) {body}", mode="autocommit")
        called = await worker.run("CALL twice(:n, @doubled)", "SELECT @doubled", params={"n": 21})
        first, second = called.statements
        assert [first["rows"], first["more"][0]["rows"]] == [[[21]], [[22]]]
        assert second["rows"] == [[42]]
        warned = await worker.run("SELECT CAST('7x' AS SIGNED), DATE '2026-01-31', X'00FF', TIME '01:02:03', 1.50")
        assert warned.rows == [[7, "2026-01-31", "\\x00ff", "PT3723S", "1.50"]]
        ended = await worker.run("CREATE TABLE t (id INT)", "INSERT INTO t VALUES (1)")
        assert ended.error_type == "TransactionLeft"


async def test_another_database_is_spoken_to_by_sqlalchemy(tmp_path: Path) -> None:
    sa.dialects.registry.register("shelf", "sqlalchemy.dialects.sqlite.pysqlite", "SQLiteDialect_pysqlite")
    slow = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c"
    async with sql_worker(f"shelf:///{tmp_path}/shop.db") as worker:
        done = await worker.run(
            "CREATE TABLE notes (id INTEGER)",
            "INSERT INTO notes VALUES (:one), (:two), (:one)",
            "SELECT id, '100% :no' FROM notes ORDER BY id",
            params={"one": 1, "two": 2},
        )
        assert done.rows == [[1, "100% :no"], [1, "100% :no"], [2, "100% :no"]]
        assert done.statements[1]["rows_affected"] == 3
        failed = await worker.run(
            "INSERT INTO notes VALUES (4)", "INSERT INTO nowhere VALUES (:one)", params={"one": 7}
        )
        assert [failed.error_type, "nowhere" in failed.error] == ["StatementFailed", True]
        assert (await worker.run(slow, timeout="200ms")).error_type == "StatementTimedOut"
        assert (await worker.run("SELECT count(*) FROM notes", fetch="value")).statements[0]["value"] == 3
        assert (await worker.run("SELECT 1", read_only=True)).error_type == "ConnectionNotAllowed"
