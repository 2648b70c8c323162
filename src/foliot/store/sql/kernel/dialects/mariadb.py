"""MariaDB 10.6 and MySQL 8.0.1, and newer: row sets as JSON_TABLE, error numbers for trouble, statements put in order.

Statements are written once, in the words SQLite and PostgreSQL share. Four of their phrases are unknown here and are
put differently by `adapted`, each by one rule that a test proves statement by statement; a fifth means something else
(spaces at the end do not count when text is compared, and no name that is kept ends in one):

    UPDATE t SET … FROM {d} WHERE …             UPDATE {d} STRAIGHT_JOIN t SET t.… = … WHERE …
    … FROM t WHERE t.k IN (SELECT d.k FROM {d})  … FROM {d} STRAIGHT_JOIN t ON t.k = d.k WHERE true
    DELETE FROM t WHERE k IN (SELECT …)          DELETE t FROM {d} STRAIGHT_JOIN t ON … WHERE true
    {insert_ignore} t (k, …) … {ignore_duplicates}   INSERT INTO t (k, …) … ON DUPLICATE KEY UPDATE t.k = t.k
    WHERE (AND) name = :name                      WHERE name = :name AND length(name) = length(:name)

STRAIGHT_JOIN because rows are locked as they are read: the set comes first, by its first column, and each row of the
table is found by its key; so locks are taken in the order of keys (R3) and no other row is touched. Not INSERT IGNORE:
it turns every error into a warning and would cut what is too long.

Partial indexes are indexes on columns that are NULL outside the part, computed by the database; statements name them by
pieces such as `{ready_lane}`, which elsewhere are the plain column.
"""

import json
import re
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

from foliot.store.sql.kernel.dialects import Trouble
from foliot.store.sql.kernel.statement import ColumnType, RowSet, replace_names

_TYPE: Final = {
    ColumnType.BIGINT: "BIGINT",
    ColumnType.TEXT: "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
}
PACKET_MAX: Final = 12 * 1024 * 1024
"""Bytes of one row set; a server takes packets of 16 MB unless told otherwise, and hangs up on larger ones."""

LOCK_WAIT_OVER: Final = 1205
DEADLOCK: Final = 1213
NOT_PREPARED: Final = 1047  # a Galera node without its cluster
_RETRY: Final = frozenset({
    LOCK_WAIT_OVER, DEADLOCK, NOT_PREPARED,
    1020,  # the row changed since it was read
    1317,  # somebody killed the query
    1637,  # too many transactions at once
    1969, 3024,  # statement time limit: MariaDB's, MySQL's
    3572,  # MySQL's NOWAIT
})  # fmt: skip
_GONE: Final = frozenset({
    1044, 1045, 1049, 1698,  # not let in, or no such database
    1040, 1129, 1203,  # too many connections, host blocked, too many of this user
    1053, 1077, 1078, 1079, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 4031,  # stopping, killed, network, idle too long
    1290, 1792, 1836,  # --read-only: not the primary
    2002, 2003, 2005, 2006, 2012, 2013, 2014, 2027, 2055,  # the client's side of the same
})  # fmt: skip
_FULL: Final = frozenset({1021, 1114, 3675})
_DATA: Final = frozenset({
    1048, 1062, 1153, 1263, 1264, 1265, 1292, 1300, 1364, 1365, 1366, 1367, 1406, 1426, 1452, 1690, 3140, 3141, 3156,
    3819, 4025, 4037, 4038, 4078, 4079, 4174,
})  # fmt: skip
UNUSABLE: Final = (_GONE - {1040, 1129, 1203}) | {NOT_PREPARED}
"""After these a connection is of no use any more: the next goes to whichever host is writable then."""

_UPDATE: Final = re.compile(r"UPDATE\s+(\w+)\s+SET\s+(.*?)\s+FROM\s+(\{\w+\})\s+WHERE\s+(?=(\S+)\s)", re.DOTALL)
_IN_SET: Final = re.compile(
    r"FROM\s+(?P<table>\w+)(?:\s+(?P<alias>(?!WHERE)\w+))?\s+"
    r"WHERE\s+(?P<key>(?:\w+\.)?\w+)\s+IN\s+\(SELECT\s+(?P<of>\w+\.\w+)\s+FROM\s+(?P<rows>\{\w+\})\)",
    re.DOTALL,
)
_KEYS: Final = {
    "runs": "id",
    "cursors": "job_id",
    "jobs": "id",
    "nodes": "id",
    "limits": "name",
    "locks": "id",
    "lock_claims": "id",
    "failovers": "id",
    "outbox": "id",
}
"""Primary keys of the tables whose rows are held while others are written."""

_INSERT: Final = re.compile(r"\{insert_ignore\}\s+(\w+)\s+\((\w+)")
_NAMED: Final = re.compile(r"\b(WHERE|AND)\s+((?:\w+\.)?(?:name|namespace)) = (:(?:name|namespace))\b")
_RESERVED: Final = re.compile(r"(?<![:`\w])load(?=\s|,)")


class MariaDB:
    """The dialect of MariaDB and MySQL."""

    name = "mysql"
    max_rowset = 10_000
    lateral = False  # MariaDB has none: leasing asks for each kind of run by itself
    autocommits = False  # switching it is a round trip of its own
    fires_at_once = 2
    returns_changes = False
    commits_schema = True
    own_schema: str | None = None
    pieces: Mapping[str, str] = {
        # By UTC_TIMESTAMP whatever the session's zone; the same throughout a statement, so an index can use it.
        "now": "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))",
        "div": "DIV",  # of whole numbers
        "skip_locked": "FOR UPDATE SKIP LOCKED",
        "for_update": "FOR UPDATE",
        "materialized": "",
        "bytes": "BINARY",
        "settings": "SELECT @foliot_isolation, @@innodb_flush_log_at_trx_commit",
        "fingerprint": "SELECT @foliot_fingerprint, @foliot_lossy",
        # But those that an upgrade of ours made and did not live to note: no other program gives a table both of these.
        "relations": (
            "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND NOT"
            " (table_collation = 'utf8mb4_bin' AND lower(create_options) LIKE '%row_format=dynamic%')"
        ),
        "schema_lock": "SELECT GET_LOCK(CONCAT('foliot.', DATABASE()), 60)",
        "schema_unlock": "SELECT RELEASE_LOCK(CONCAT('foliot.', DATABASE()))",
        "ready_lane": "ready_lane",
        "line_job": "line_job",
        "held_by": "held_by",
        "parked_job": "parked_job",
        "and_running": "AND held_by >= ''",
        "and_ready": "AND waits = 1",
        "one_namespace": "",  # it sorts what it could read in order when a column of the order is a constant
        "one_namespace_back": "",
    }

    wanted_settings: Mapping[str, frozenset[str]] = {
        "transaction_isolation": frozenset({"read-committed"}),
        "innodb_flush_log_at_trx_commit": frozenset({"1", "3"}),
    }

    def adapted(self, text: str) -> str:
        """The statement in this dialect's order of phrases."""
        text = _RESERVED.sub("`load`", text)
        text = text.replace(" AS INTEGER)", " AS SIGNED)")
        text = _NAMED.sub(r"\1 \2 = \3 AND length(\2) = length(\3)", text)
        text = _UPDATE.sub(_joined_update, text)
        text = _joined_sets(text)
        found = _INSERT.search(text)
        if found:
            table, key = found.groups()
            text = text.replace("{insert_ignore}", "INSERT INTO")
            text = text.replace("{ignore_duplicates}", f"ON DUPLICATE KEY UPDATE {table}.{key} = {table}.{key}")
        return text

    def render_rows(self, rows: RowSet) -> str:
        columns = ", ".join(
            f"{column} {_TYPE[kind]} PATH '$[{at}]' NULL ON EMPTY ERROR ON ERROR"
            for at, (column, kind) in enumerate(rows.columns)
        )
        return f"JSON_TABLE(:{rows.name}, '$[*]' COLUMNS ({columns})) AS {rows.name}"

    def bind_rows(self, rows: RowSet, values: Sequence[Sequence[Any]]) -> Mapping[str, Any]:
        """In the order of the key, where the set begins with one: rows are locked as they come (R3)."""
        name, kind = rows.columns[0]
        begins_with_key = kind is ColumnType.BIGINT or name in ("id", "name")
        if begins_with_key and len(values) > 1:
            values = sorted(values, key=itemgetter(0))
        text = json.dumps(values, separators=(",", ":"), ensure_ascii=False)
        if "\\u0000" in text and any("\0" in value for row in values for value in row if isinstance(value, str)):
            raise UnicodeError("a text holds the character NUL")  # which would be kept here, and nowhere else
        if len(text) * 4 > PACKET_MAX and len(text.encode(errors="replace")) > PACKET_MAX:
            raise OverflowError(f"the rows of one statement are larger than {PACKET_MAX} bytes")
        return {rows.name: text}

    def render_names(self, text: str, names: Sequence[str]) -> str:
        return replace_names(text.replace("%", "%%"), {name: f"%({name})s" for name in names})

    def bind_names(self, names: Sequence[str], values: Mapping[str, Any]) -> Any:
        return {name: values[name] for name in names}

    def trouble(self, error: BaseException) -> Trouble:
        origin = getattr(error, "orig", None) or error
        if isinstance(origin, UnicodeError | OverflowError):  # it could not even be sent
            return Trouble.DATA
        number = number_of(origin)
        if number in _RETRY or (number == 1305 and "SAVEPOINT" in str(origin)):  # a deadlock takes savepoints along
            return Trouble.RETRY
        if number in _GONE or getattr(error, "connection_invalidated", False):
            return Trouble.GONE
        if number in _FULL or (number == 1030 and "28" in str(origin)):
            return Trouble.FULL
        if number in _DATA:
            return Trouble.DATA
        if isinstance(origin, OSError):  # ConnectionError and TimeoutError among them
            return Trouble.GONE
        return Trouble.BUG


def number_of(error: BaseException) -> int:
    """The server's (or the driver's) number of an error; 0: it has none."""
    return error.args[0] if error.args and isinstance(error.args[0], int) else 0


def _joined_update(found: re.Match[str]) -> str:
    table, assignments, rows, key = found.groups()
    return (
        f"UPDATE {rows} STRAIGHT_JOIN {table}{_by_key(table, key)} SET {', '.join(in_order(table, assignments))} WHERE "
    )


def _by_key(table: str, column: str) -> str:
    """A small table is else read from end to end, which waits for every row somebody holds in it."""
    return " FORCE INDEX (PRIMARY)" if column.rpartition(".")[2] == _KEYS.get(table) else ""


def in_order(table: str, assignments: str) -> list[str]:
    """Assignments, each before those that change what it reads: here they take effect one after the other."""
    waiting = [_qualified(table, assignment) for assignment in split(assignments)]
    ordered: list[str] = []
    while waiting:
        for at, (column, value) in enumerate(waiting):
            others = waiting[:at] + waiting[at + 1 :]
            if not any(_reads(other, table, column) for _, other in others):
                ordered.append(f"{table}.{column} = {value}")
                del waiting[at]
                break
        else:
            raise ValueError(f"these assignments of {table} read one another: {waiting}")
    return ordered


def split(text: str) -> list[str]:
    """Parts between commas that stand outside brackets and quotes."""
    parts, depth, quoted, start = [], 0, False, 0
    for at, letter in enumerate(text):
        if letter == "'":
            quoted = not quoted
        elif not quoted and letter in "()":
            depth += 1 if letter == "(" else -1
        elif not quoted and letter == "," and not depth:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def _qualified(table: str, assignment: str) -> tuple[str, str]:
    """(column, value); a value that names the column bare means the table's, not the set's."""
    column, _, value = assignment.partition("=")
    column = column.strip()
    value = re.sub(rf"(?<![.:\w'])(?<!\w\.){re.escape(column)}(?![\w'(])", f"{table}.{column}", value.strip())
    return column, value


def _reads(value: str, table: str, column: str) -> bool:
    return re.search(rf"(?<![.\w]){table}\.{re.escape(column)}\b", value) is not None


def _joined_sets(text: str) -> str:
    def joined(found: re.Match[str]) -> str:
        table, alias, key, of, rows = found.group("table", "alias", "key", "of", "rows")
        called = alias or table
        key = key if "." in key else f"{called}.{key}"
        named = f"{table}{f' {alias}' if alias else ''}{_by_key(table, key)}"
        return f"FROM {rows} STRAIGHT_JOIN {named} ON {key} = {of} WHERE true"

    found = _IN_SET.search(text)
    if found and text.lstrip().startswith("DELETE"):
        text = text.replace("DELETE FROM", f"DELETE {found['table']} FROM", 1)
    return _IN_SET.sub(joined, text)
