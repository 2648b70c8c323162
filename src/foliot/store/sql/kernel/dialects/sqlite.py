"""SQLite: one writer under BEGIN IMMEDIATE, row sets as JSON, store time is the host's, given in by the caller."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Final

from foliot.store.sql.kernel.dialects import WITH_PARTIAL_INDEXES, Trouble
from foliot.store.sql.kernel.statement import RowSet

_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_UNUSABLE: Final = frozenset(
    {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY}
)


class SQLite:
    """The SQLite dialect."""

    name = "sqlite"
    max_rowset = 10_000
    lateral = False  # so leasing asks for each kind of run by itself
    autocommits = False
    fires_at_once = 1  # it has one writer
    returns_changes = True
    commits_schema = False
    own_schema: str | None = None
    # The writer's lock is the whole database, so nothing need be locked row by row.
    pieces: Mapping[str, str] = {
        **WITH_PARTIAL_INDEXES,
        "now": "foliot_now()",
        "div": "/",  # of whole numbers
        "skip_locked": "",
        "for_update": "",
        "materialized": "MATERIALIZED",
        "bytes": "BLOB",
        "settings": "SELECT journal_mode, synchronous FROM pragma_journal_mode, pragma_synchronous",
        "fingerprint": "SELECT foliot_fingerprint(), ''",
        "schema_lock": "SELECT 1",
        "relations": "SELECT name FROM sqlite_master",
    }

    wanted_settings: Mapping[str, frozenset[str]] = {
        "journal_mode": frozenset({"wal"}),
        "synchronous": frozenset({"2", "3"}),  # FULL, EXTRA
    }

    def adapted(self, text: str) -> str:
        return text

    def render_rows(self, rows: RowSet) -> str:
        columns = ", ".join(
            f"json_extract(value, '$[{at}]') AS {column}" for at, (column, _) in enumerate(rows.columns)
        )
        return f"(SELECT {columns} FROM json_each(:{rows.name})) AS {rows.name}"

    def bind_rows(self, rows: RowSet, values: Sequence[Sequence[Any]]) -> Mapping[str, Any]:
        text = json.dumps(values, separators=(",", ":"), ensure_ascii=False)
        if "\\u0000" in text and any("\0" in value for row in values for value in row if isinstance(value, str)):
            raise UnicodeError("the text holds the character NUL")  # SQLite would keep what is before it, and be silent
        return {rows.name: text}

    def render_names(self, text: str, names: Sequence[str]) -> str:
        return text  # the driver knows :names

    def bind_names(self, names: Sequence[str], values: Mapping[str, Any]) -> Any:
        return {name: values[name] for name in names}

    def trouble(self, error: BaseException) -> Trouble:
        origin = getattr(error, "orig", None) or error
        if isinstance(origin, UnicodeError | OverflowError):  # the driver could not even bind it
            return Trouble.DATA
        code = getattr(origin, "sqlite_errorcode", None)
        primary = code & 0xFF if code is not None else None
        if primary in _BUSY:
            return Trouble.RETRY
        if primary == sqlite3.SQLITE_FULL:
            return Trouble.FULL
        if primary in _UNUSABLE:
            return Trouble.GONE
        if primary in (sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH):
            return Trouble.DATA
        return Trouble.BUG
