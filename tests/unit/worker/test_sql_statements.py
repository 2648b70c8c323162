"""Statements of SQL jobs: which words are values, what a statement begins with, what is refused."""

import pytest

from foliot.domain.errors import BadField
from foliot.worker.handlers.sql import SqlHandlers
from foliot.worker.handlers.sql.errors import BadSqlConnection, SqlDriverMissing
from foliot.worker.handlers.sql.mariadb import literal
from foliot.worker.handlers.sql.options import read_sql_options
from foliot.worker.handlers.sql.settings import SqlConnection, SqlTarget, check_connection, read_url
from foliot.worker.handlers.sql.statement import (
    STANDARD,
    WITH_BACKSLASHES,
    ends_transaction,
    names_in,
    only_reads,
    with_placeholders,
)

STANDARD_NAMES = {
    "SELECT :a, :b_2, :a": ["a", "b_2"],
    "SELECT 'it''s :no', :yes": ["yes"],
    "SELECT E'it\\'s :no', :yes": ["yes"],
    "SELECT '\\', :yes": ["yes"],  # standard SQL: a backslash is a letter
    'SELECT ":no" FROM t WHERE x = :yes': ["yes"],
    "SELECT :yes::text, '12:30:45'::time, a[1:2], a[i:j]": ["yes"],
    "SELECT 1 -- :no\n + :yes /* :no * ** */ + :also": ["yes", "also"],
    "DO $$ SELECT :no $$; ": [],
    "SELECT $body$ :no $$ :no $body$, :yes": ["yes"],
    "SET @n := 5, @m = :yes": ["yes"],
    "SELECT 'open :no": [],
    "SELECT :1, : a, ::b": [],
}
BACKSLASHED_NAMES = {
    "SELECT 'it\\'s :no', :yes": ["yes"],
    'SELECT "it\\"s :no", `:no`, :yes # :no\n': ["yes"],
    "SELECT 'a\\\\', :yes": ["yes"],
}


@pytest.mark.parametrize("text", STANDARD_NAMES)
def test_a_name_is_a_value_unless_it_stands_in_a_text_a_name_or_a_comment(text: str) -> None:
    assert names_in(text, STANDARD) == STANDARD_NAMES[text]


@pytest.mark.parametrize("text", BACKSLASHED_NAMES)
def test_mariadb_reads_texts_with_backslashes(text: str) -> None:
    assert names_in(text, WITH_BACKSLASHES) == BACKSLASHED_NAMES[text]


def test_nothing_but_names_is_replaced() -> None:
    for text in STANDARD_NAMES:
        assert with_placeholders(text, lambda name: f":{name}") == text
    assert with_placeholders("a = :a AND b LIKE '5%:a'", lambda _: "%s", percent=True) == "a = %s AND b LIKE '5%%:a'"


def test_a_long_odd_text_is_read_in_no_time() -> None:
    for odd in ("'" * 50_000, "/*" * 50_000, "$" * 50_000, "E'\\" * 20_000, "(" * 50_000, " " * 50_000, ":" * 50_000):
        names_in(odd, STANDARD)
        names_in(odd, WITH_BACKSLASHES)
        only_reads(odd)


def test_a_value_in_the_text_for_mariadb_has_only_letters_that_end_nothing() -> None:
    for nasty in ("'; DROP TABLE t; --", "\\' OR 1=1 #", "`", "\0", ["'"], {"'": '"'}):
        assert literal(nasty).removeprefix("_utf8mb4 0x").isalnum()
    assert [literal(value) for value in (None, True, 7, -1.5, "")] == ["NULL", "TRUE", "7", "-1.5", "''"]


@pytest.mark.parametrize(
    "text", ["COMMIT", " begin", "-- x\nSTART TRANSACTION", "/* x */ rollback;", "END", "XA COMMIT 'a'", "(commit)"]
)
def test_a_statement_that_begins_or_ends_a_transaction_is_refused(text: str) -> None:
    assert ends_transaction(text)
    with pytest.raises(BadField, match=r"run\.sql\.statements\[1\].*transaction"):
        read_sql_options({"connection": "shop", "statements": ["SELECT 1", text]})


@pytest.mark.parametrize("text", ["BEGIN NOT ATOMIC DELETE FROM t; END", "ROLLBACK TO here", "SAVEPOINT a", "CALL p()"])
def test_what_stays_inside_a_transaction_is_not(text: str) -> None:
    assert not ends_transaction(text)


def test_a_read_is_known_by_its_first_word() -> None:
    assert all(map(only_reads, ["select 1", "(SELECT 1)", "-- x\nWITH a AS (SELECT 1) SELECT 1", "EXPLAIN SELECT 1"]))
    assert not any(map(only_reads, ["", "/*! DELETE */ SELECT 1", "/*M! SET */", "SET a = 1", "SELECTED", "CALL p()"]))


def test_a_job_is_described_by_its_connection_and_its_first_statement() -> None:
    kind = SqlHandlers()
    assert kind.describe({"connection": "shop", "query": "DELETE\n FROM t"}) == "shop: DELETE FROM t"
    assert kind.describe({"connection": "shop", "statements": ["SELECT 1", "SELECT 2"]}) == "shop: SELECT 1 (+1)"


@pytest.mark.parametrize(
    ("connection", "why"),
    [
        (SqlConnection(), "exactly one of url and url_file"),
        (SqlConnection(url="sqlite:///a", url_file="b"), "exactly one of url and url_file"),
        (SqlConnection(url="sqlite:///a", password="x", password_file="y"), "both password and password_file"),
        (SqlConnection(url="localhost/db"), "no scheme"),
        (SqlConnection(url="nosuch://localhost/db"), "SQLAlchemy knows no database"),
        (SqlConnection(url="sqlite:///a", pool_size=0), "too small"),
        (SqlConnection(url="sqlite:///a", timeout="soon"), "soon"),
        (SqlConnection(url="sqlite:///a", idle="0s"), "not longer than nothing"),
    ],
)
def test_a_connection_that_could_never_work_is_refused_at_the_start(connection: SqlConnection, why: str) -> None:
    with pytest.raises(BadSqlConnection, match=why):
        check_connection("shop", connection)


def test_a_driver_that_is_not_installed_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foliot.worker.handlers.sql.settings.find_spec", lambda _: None)
    for url, package in (("postgresql://h/db", "foliot[postgres]"), ("mariadb://h/db", "foliot[mysql]")):
        with pytest.raises(SqlDriverMissing) as missing:
            check_connection("shop", SqlConnection(url=url))
        assert missing.value.hint == f'pip install "{package}"'
    with pytest.raises(SqlDriverMissing):
        check_connection("shop", SqlConnection(url="oracle+oracledb://h/db"))


def test_no_text_shows_the_password_of_a_url() -> None:
    url = "mysql://app:p%40ss/w#rd@db:3307/shop?sslmode=require"
    parts = read_url(url)
    assert [parts.user, parts.password, parts.host, parts.port, parts.database] == [
        "app",
        "p@ss/w#rd",
        "db",
        3307,
        "shop",
    ]
    target = SqlTarget(name="shop", url=url, password="of its file")
    for shown in (repr(target), repr(SqlConnection(url=url, password="of its file")), repr(parts)):
        assert "p%40ss" not in shown
        assert "of its file" not in shown
    assert target.hidden(f"no {url}, p@ss/w#rd, p%40ss/w#rd, of its file") == "no ***, ***, ***, ***"
