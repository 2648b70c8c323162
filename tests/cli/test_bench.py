"""`foliot bench`: a real one of tiny size, told to people and to programs; its database is as empty after as before."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import asyncpg
import pexpect
import pytest

from tests.cli.conftest import Shell
from tests.servers.fixtures import MakeDatabase

WITHIN_S = 300
TINY = ("--jobs", "40", "--slots", "4", "--pairs", "1")


def bench(shell: Shell, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "foliot", "bench", *words]
    return subprocess.run(
        command, cwd=shell.folder, env=shell.env, capture_output=True, text=True, timeout=WITHIN_S, check=False
    )


def measured(shell: Shell, *words: str) -> dict[str, Any]:
    done = bench(shell, *words, "--json")
    assert done.returncode == 0, done.stderr[-3000:]
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.slow
def test_a_storm_is_told_with_what_its_figure_depends_on(alone: Shell) -> None:
    report = measured(alone, "storm", *TINY)
    assert report["verified"] == "40 runs of 40 jobs, each SUCCEEDED at its first attempt, 1 times"
    assert report["transport"].startswith("HTTP")
    assert report["slots"] == 4
    assert {"server", "worker"} == report["pids"].keys()
    assert report["settings"]["journal_mode"] == "wal"
    assert len(report["foliot_per_s"]) == len(report["twin_per_s"]) == 1
    (bar,) = report["bars"]
    assert (bar["what"], bar["bar"]) == ("ratio", ">= 0.25")
    assert bar["is"] == report["ratio"] > 0


@pytest.mark.slow
def test_people_see_a_bar_while_it_works_and_a_verdict_at_the_end(alone: Shell) -> None:
    words = ["-m", "foliot", "bench", "drain", "--runs", "200", "--slots", "4", "--pairs", "1", "--lang", "zh-CN"]
    env = {"TERM": "xterm-256color", **alone.env}
    child = pexpect.spawn(
        sys.executable, words, cwd=str(alone.folder), env=env, encoding="utf-8", timeout=WITHIN_S, dimensions=(40, 120)
    )
    try:
        child.expect("warming up.*━.*0/200")
        child.expect("已测量")  # no bar for drain on SQLite
        child.expect(pexpect.EOF)
    finally:
        child.close(force=True)
    assert child.exitstatus == 0


@pytest.mark.slow
def test_a_file_that_was_not_there_is_not_there_after(alone: Shell) -> None:
    report = measured(alone, "bigdata", "--db", "sqlite:///here.db", "--jobs", "50", "--runs", "200", "--due", "20",
                      "--pairs", "1")  # fmt: skip
    assert report["verified"].startswith("200 runs")
    assert list(alone.folder.iterdir()) == []


def test_a_database_that_holds_something_is_refused_and_left_alone(alone: Shell) -> None:
    assert alone("db", "upgrade", "--db", "sqlite:///mine.db").code == 0
    before = (alone.folder / "mine.db").read_bytes()
    done = alone("bench", "storm", "--db", "sqlite:///mine.db", "-q")
    assert done.code == 1
    assert "is not empty" in done.err
    assert "FOL-7010" in done.err
    assert (alone.folder / "mine.db").read_bytes() == before
    assert "不是空的" in alone("bench", "storm", "--db", "sqlite:///mine.db", "-q", "--lang", "zh-CN").err


@pytest.mark.parametrize("statement", ["CREATE TABLE t (x)", "CREATE VIEW v AS SELECT 1"])
def test_a_file_of_somebody_else_is_not_even_opened_for_writing(alone: Shell, statement: str) -> None:
    file = alone.folder / "theirs.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(statement)
        connection.commit()
    before = file.read_bytes()
    assert "FOL-7010" in alone("bench", "storm", "--db", "sqlite:///theirs.db", "-q").err
    assert file.read_bytes() == before
    assert list(alone.folder.iterdir()) == [file]


def test_what_is_no_database_at_all_is_left_alone(alone: Shell) -> None:
    file = alone.folder / "letter.txt"
    file.write_text("dear reader" * 100)
    assert "FOL-7010" in alone("bench", "storm", "--db", "sqlite:///letter.txt", "-q").err
    assert file.read_text() == "dear reader" * 100


def test_failover_needs_a_database_that_servers_can_share(alone: Shell) -> None:
    done = alone("bench", "failover", "-q")
    assert done.code == 2
    assert "--db postgresql://" in done.err


@pytest.mark.parametrize("words", [("gale",), ("storm", "--jobs", "0"), ("steady", "--only", "sometimes")])
def test_what_is_not_a_benchmark_is_a_usage_error(alone: Shell, words: tuple[str, ...]) -> None:
    assert alone("bench", *words).code == 2


@pytest.mark.services
@pytest.mark.slow
async def test_on_a_database_of_ones_own(alone: Shell, postgres_database: MakeDatabase) -> None:
    url, twin = postgres_database(), postgres_database()
    (alone.folder / "url").write_text(url)
    report = measured(alone, "storm", *TINY, "--db-file", "url", "--twin-db", twin)
    assert report["settings"]["server"].startswith("PostgreSQL")
    for place in (url, twin):
        connection = await asyncpg.connect(place)
        left = await connection.fetchval("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
        await connection.close()
        assert left == 0


@pytest.mark.services
def test_who_may_not_make_a_second_database_is_told_how_to_go_on(alone: Shell, postgres_database: MakeDatabase) -> None:
    done = alone("bench", "storm", *TINY, "-q", "--db", postgres_database())
    assert done.code == 1
    assert "permission denied to create database" in done.err
    assert "--twin-db" in done.err


@pytest.mark.services
@pytest.mark.slow
async def test_a_second_database_is_made_and_dropped_where_that_is_allowed(
    alone: Shell, postgres_database: MakeDatabase
) -> None:
    url = postgres_database().replace("://foliot@", "://postgres@")
    report = measured(alone, "bigdata", "--db", url, "--jobs", "50", "--runs", "200", "--due", "20", "--pairs", "1")
    assert report["ratio"] > 0
    connection = await asyncpg.connect(url)
    names = [row[0] for row in await connection.fetch("SELECT datname FROM pg_database")]
    await connection.close()
    assert [name for name in names if "_twin_" in name] == []


def test_the_file_beside_it_is_the_twins(tmp_path: Path) -> None:
    from foliot_bench.places import kind_of, sqlite_file

    assert sqlite_file(f"sqlite:///{tmp_path}/a b.db?x=1") == tmp_path / "a b.db"
    assert [kind_of(url) for url in ("postgres://a/b", "mariadb://a/b", "sqlite:///c")] == [
        "postgresql",
        "mysql",
        "sqlite",
    ]
