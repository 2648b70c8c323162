"""SQL jobs on each database: what is bound, what is kept, what is counted."""

import json

from foliot.domain.verdict import Cause
from tests.handlers.sql_jobs import sql_worker

NASTY = [
    "'; DROP TABLE notes; --",
    "' OR '1'='1",
    "\\'; DROP TABLE notes; --",
    '"; DROP TABLE notes; #',
    "`; DROP TABLE notes",
    "/* */ :due ::text %s %(name)s ? $1",
    "$$; DROP TABLE notes; $$",
    "\u2019; DROP TABLE notes; --",  # a quote in some old encodings
    "\ufffd'\u5c08\u8868 \U0001f40d",
    "x" * 3000,
    "line\nand\r\nline\t",
    "",
]

_ABOUT = "SELECT :run_id, :attempt, :fence, :n, :yes, :none, :due"
_ABOUT_TYPED = (
    "SELECT :run_id, :attempt::int, :fence::bigint, :n::int, :yes::bool, :none::int, "
    "to_char(:due::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')"
)


async def test_values_are_bound_and_rows_come_back_as_json(database_url: str) -> None:
    names = [f"p{number}" for number in range(len(NASTY))]
    params = dict(zip(names, NASTY, strict=True))
    async with sql_worker(database_url) as worker:
        made = await worker.run("CREATE TABLE notes (id INTEGER PRIMARY KEY, said TEXT)", mode="autocommit")
        assert made.cause is Cause.SUCCEEDED, made.error
        places = ", ".join(f"({number}, :{name})" for number, name in enumerate(names))
        done = await worker.run(
            f"INSERT INTO notes VALUES {places}",
            "SELECT said, 'it''s 12:30:45' FROM notes ORDER BY id -- :nothing",
            params=params,
        )
        kept = done.statements
        assert kept[0]["rows_affected"] == len(NASTY)
        assert [row[0] for row in kept[1]["rows"]] == NASTY
        assert {row[1] for row in kept[1]["rows"]} == {"it's 12:30:45"}
        assert kept[1]["columns"][0] == "said"
        assert all(statement["ms"] >= 0 for statement in kept)
        assert "statement" in done.row.log
        assert "DROP TABLE" not in done.row.log
        several = await worker.run("DELETE FROM notes WHERE id = 0; DELETE FROM notes")
        assert several.cause is Cause.ERROR
        assert several.error_type == "StatementFailed"
        assert (await worker.run("SELECT count(*) FROM notes", fetch="value")).statements[0]["value"] == len(NASTY)
        typed = "postgresql" in database_url  # it asks for the type of each value
        text = _ABOUT_TYPED if typed else _ABOUT
        about = await worker.run(text, params={"n": 7, "yes": True, "none": None})
        assert about.rows[0][1:] == [1, 1, 7, True, None, "2026-01-31 12:00:00"]


async def test_a_transaction_is_whole_or_not_at_all_and_autocommit_keeps_each_statement(database_url: str) -> None:
    async with sql_worker(database_url) as worker:
        await worker.run("CREATE TABLE notes (id INTEGER PRIMARY KEY)", mode="autocommit")
        both = ("INSERT INTO notes VALUES (1)", "INSERT INTO nowhere VALUES (1)")
        for mode, kept in (("transaction", 0), ("autocommit", 1)):
            failed = await worker.run(*both, mode=mode)
            assert failed.cause is Cause.ERROR
            assert failed.error.startswith("StatementFailed: Statement 2 failed: ")
            assert "nowhere" in failed.error
            counted = await worker.run("SELECT count(*) FROM notes", fetch="value")
            assert counted.statements[0]["value"] == kept


async def test_caps_cut_the_preview_and_not_the_work(database_url: str) -> None:
    async with sql_worker(database_url, rows_max=500, bytes_max=4000) as worker:
        await worker.run("CREATE TABLE notes (id INTEGER PRIMARY KEY, said VARCHAR(200))", mode="autocommit")
        params = {f"p{number}": "é" * 100 for number in range(300)}
        places = ", ".join(f"({number}, :p{number})" for number in range(300))
        assert (await worker.run(f"INSERT INTO notes VALUES {places}", params=params)).statements[0][
            "rows_affected"
        ] == 300
        ids, wide = (
            await worker.run("SELECT id FROM notes ORDER BY id", "SELECT * FROM notes", rows_max=20)
        ).statements
        assert [len(ids["rows"]), ids["truncated"]] == [20, True]
        assert wide["truncated"]
        whole = await worker.run("SELECT id, said FROM notes ORDER BY id")
        assert whole.statements[0]["truncated"]
        assert len(json.dumps(whole.rows, ensure_ascii=False).encode()) <= 4500
        assert 10 <= len(whole.rows) <= 20
        first = await worker.run("SELECT id FROM notes ORDER BY id", fetch="first")
        assert first.statements[0] == first.statements[0] | {"rows": [[0]], "truncated": False}
        assert "rows" not in (await worker.run("SELECT id FROM notes", fetch="none")).statements[0]
        gone = await worker.run("DELETE FROM notes RETURNING id", rows_max=3)
        assert gone.statements[0]["rows_affected"] == 300
        assert len(gone.rows) == 3


async def test_what_does_not_fit_is_rejected_before_anything_starts(database_url: str) -> None:
    async with sql_worker(database_url, namespaces=["billing"]) as worker:
        foreign = await worker.run("SELECT 1")
        assert foreign.cause is Cause.REJECTED
        assert "namespace default may not use it" in foreign.error
        for params, words in (({}, "no such parameter"), ({"day": 1, "fence": 7}, "Foliot gives a value")):
            refused = await worker.run("SELECT :day", params=params, namespace="billing")
            assert refused.cause is Cause.REJECTED
            assert words in refused.error


async def test_a_run_in_a_thread_has_a_connection_of_its_own(database_url: str) -> None:
    async with sql_worker(database_url) as worker:
        for where in ("loop", "thread", "loop"):
            assert (await worker.run("SELECT 7", isolation=where)).rows == [[7]]
