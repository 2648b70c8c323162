"""How statements written once are put for MariaDB and MySQL, and what their errors mean."""

import json
import re

import pytest

from foliot.store.sql.kernel.dialects import Trouble
from foliot.store.sql.kernel.dialects.mariadb import PACKET_MAX, MariaDB, in_order, split
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement
from tests.sql.statements import statements

DIALECT = MariaDB()
FOREIGN = re.compile(
    r"ON CONFLICT|RETURNING|MATERIALIZED|::|(?<!CHARACTER )\bSET\b[^;]*\bFROM JSON_TABLE|INSERT IGNORE"
)


EVERY = {f"{named.file} {named.constant}": named.statement for named in statements()}


def text_of(statement: Statement) -> str:
    return " ".join(statement.rendered(DIALECT).text.split())


@pytest.mark.parametrize("name", sorted(EVERY))
def test_every_statement_of_the_store_is_put_in_its_words(name: str) -> None:
    text = text_of(EVERY[name])
    assert "{" not in text
    assert ("LATERAL" in text) == (name in ONLY_WITH_LATERAL)
    if name not in KNOWN_HERE:
        assert not FOREIGN.search(text), text


KNOWN_HERE = {
    "firing/backfills.py ADD",  # INSERT … RETURNING is MariaDB's too
    "cluster/leadership.py RENEW_AND_SAY",  # never asked here: `Dialect.returns_changes` says so
    "ending/success.py SUCCEED_AT_ONCE",  # nor this
}

ONLY_WITH_LATERAL = {
    "leasing/assigned.py LOOK.every",
    "leasing/assigned.py LOOK_DOUBTING.every",
    "leasing/assigned.py TAKE.every",
    "leasing/assigned.py TAKE_DOUBTING.every",
    "leasing/candidates.py LOOK",
    "leasing/candidates.py LOOK_DOUBTING",
    "leasing/candidates.py PEEK",
    "leasing/candidates.py PEEK_DOUBTING",
    "leasing/candidates.py TAKE",
    "leasing/candidates.py TAKE_DOUBTING",
    "leasing/run_kinds.py LOOK_AROUND",
    "leasing/run_kinds.py PRESENT",
    "leasing/unassigned.py UNASSIGNED.every",
    "leasing/unassigned.py UNASSIGNED_DOUBTING.every",
}
"""Never asked here: `Dialect.lateral` says so."""

D = RowSet("d", id=BIGINT, ver=BIGINT, lease=TEXT)


def test_an_update_from_a_set_joins_the_set_first() -> None:
    text = text_of(Statement("UPDATE runs SET ver = ver + 1, state = 'X' FROM {d} WHERE runs.id = d.id", D))
    assert text.startswith("UPDATE JSON_TABLE(%(d)s,")
    joined = "AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.ver = runs.ver + 1, runs.state = 'X'"
    assert text.endswith(f"{joined} WHERE runs.id = d.id")


def test_a_look_at_the_rows_of_a_set_starts_from_the_set() -> None:
    text = text_of(Statement("SELECT r.id FROM runs r WHERE r.id IN (SELECT d.id FROM {d}) ORDER BY r.id", D))
    assert text.endswith("AS d STRAIGHT_JOIN runs r FORCE INDEX (PRIMARY) ON r.id = d.id WHERE true ORDER BY r.id")


def test_only_the_primary_key_is_forced() -> None:
    text = text_of(Statement("SELECT r.id FROM runs r WHERE r.parent_id IN (SELECT d.id FROM {d}) ORDER BY r.id", D))
    assert text.endswith("AS d STRAIGHT_JOIN runs r ON r.parent_id = d.id WHERE true ORDER BY r.id")


def test_so_does_a_delete() -> None:
    text = text_of(Statement("DELETE FROM runs WHERE id IN (SELECT d.id FROM {d}) AND ended_at > 0", D))
    assert text.startswith("DELETE runs FROM JSON_TABLE(")
    assert text.endswith("AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) ON runs.id = d.id WHERE true AND ended_at > 0")


def test_a_duplicate_is_left_as_it_is_and_bad_data_is_still_an_error() -> None:
    text = text_of(Statement("{insert_ignore} limits (name, max) VALUES (:name, 1) {ignore_duplicates}"))
    assert text == (
        "INSERT INTO limits (name, max) VALUES (%(name)s, 1) ON DUPLICATE KEY UPDATE limits.name = limits.name"
    )


def test_percent_signs_stay_what_they_are() -> None:
    assert text_of(Statement("SELECT 7 % :n")) == "SELECT 7 %% %(n)s"


@pytest.mark.parametrize(
    ("written", "ordered"),
    [
        ("ver = t.ver + 1", ["t.ver = t.ver + 1"]),
        ("a = NULL, b = t.a", ["t.b = t.a", "t.a = NULL"]),
        ("a = d.a, b = coalesce(t.a, 'x, y'), c = t.b", ["t.c = t.b", "t.b = coalesce(t.a, 'x, y')", "t.a = d.a"]),
        ("used = CASE WHEN used > d.used THEN 1 END", ["t.used = CASE WHEN t.used > d.used THEN 1 END"]),
    ],
)
def test_what_is_read_is_read_before_it_changes(written: str, ordered: list[str]) -> None:
    assert in_order("t", written) == ordered


def test_assignments_that_read_one_another_are_refused() -> None:
    with pytest.raises(ValueError, match="read one another"):
        in_order("t", "a = t.b, b = t.a")


def test_commas_inside_brackets_and_quotes_do_not_part() -> None:
    assert split("a = f(1, 2), b = 'x,y', c = 3") == ["a = f(1, 2)", "b = 'x,y'", "c = 3"]


def test_rows_go_in_the_order_of_their_key_and_equal_keys_stay_in_theirs() -> None:
    bound = DIALECT.bind_rows(D, [(3, 1, "c"), (1, 2, "b"), (1, 1, "a")])
    assert json.loads(bound["d"]) == [[1, 2, "b"], [1, 1, "a"], [3, 1, "c"]]


def test_more_than_a_packet_is_refused_before_the_server_hangs_up() -> None:
    with pytest.raises(OverflowError):
        DIALECT.bind_rows(D, [(1, 1, "x" * PACKET_MAX)])


class Said(Exception):
    """An error as the driver raises it: its number first."""


@pytest.mark.parametrize(
    ("number", "trouble"),
    [
        (1205, Trouble.RETRY),
        (1213, Trouble.RETRY),
        (1020, Trouble.RETRY),
        (1047, Trouble.RETRY),
        (1969, Trouble.RETRY),
        (3024, Trouble.RETRY),
        (2013, Trouble.GONE),
        (2003, Trouble.GONE),
        (1927, Trouble.GONE),
        (1290, Trouble.GONE),
        (1040, Trouble.GONE),
        (1114, Trouble.FULL),
        (1021, Trouble.FULL),
        (1062, Trouble.DATA),
        (1406, Trouble.DATA),
        (1366, Trouble.DATA),
        (4025, Trouble.DATA),
        (1064, Trouble.BUG),
        (1146, Trouble.BUG),
    ],
)
def test_what_an_error_means(number: int, trouble: Trouble) -> None:
    assert DIALECT.trouble(Said(number, "said the server")) is trouble


def test_what_an_error_without_a_number_means() -> None:
    assert DIALECT.trouble(ConnectionResetError()) is Trouble.GONE
    assert DIALECT.trouble(Said(1305, "SAVEPOINT sa_savepoint_1 does not exist")) is Trouble.RETRY
    assert DIALECT.trouble(Said(1305, "FUNCTION foliot.f does not exist")) is Trouble.BUG
    assert DIALECT.trouble(UnicodeError()) is Trouble.DATA
    assert DIALECT.trouble(KeyError("x")) is Trouble.BUG
