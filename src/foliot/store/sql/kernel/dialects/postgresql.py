"""PostgreSQL: row sets as arrays, store time from `statement_timestamp()`, SQLSTATE for trouble."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from foliot.store.sql.kernel.dialects import WITH_PARTIAL_INDEXES, Trouble
from foliot.store.sql.kernel.statement import ColumnType, RowSet, replace_names

_ARRAY: Final = {ColumnType.BIGINT: "bigint[]", ColumnType.TEXT: "text[]"}
_RETRY: Final = frozenset({"40001", "40P01", "55P03", "57014"})
_GONE: Final = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03", "25006", "53300"})
_NOT_CONNECTED: Final = ("08", "28", "3D")  # connection lost; not let in; no such database


class PostgreSQL:
    """The PostgreSQL dialect."""

    name = "postgresql"
    max_rowset = 10_000
    lateral = True
    autocommits = True
    fires_at_once = 2
    returns_changes = True
    commits_schema = False
    own_schema: str | None = None
    # statement_timestamp(), not clock_timestamp(): it is stable within the statement, so an index can use it.
    pieces: Mapping[str, str] = {
        **WITH_PARTIAL_INDEXES,
        "now": "CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)",
        "div": "/",  # of whole numbers
        "skip_locked": "FOR UPDATE SKIP LOCKED",
        "for_update": "FOR UPDATE",
        "materialized": "MATERIALIZED",
        "bytes": "bytea",
        "settings": "SELECT current_setting('transaction_isolation'), current_setting('synchronous_commit')",
        # System id, timeline and start: a restart, a failover and a restored copy each change one of them.
        "fingerprint": (
            "SELECT concat_ws('/', 'postgresql', (SELECT system_identifier FROM pg_control_system()),"
            " left(pg_walfile_name(pg_current_wal_lsn()), 8), extract(epoch FROM pg_postmaster_start_time())),"
            " CASE WHEN current_setting('synchronous_standby_names') = ''"
            " AND (EXISTS (SELECT 1 FROM pg_stat_replication) OR EXISTS (SELECT 1 FROM pg_replication_slots"
            " WHERE slot_type = 'physical')) THEN 'its standbys are not synchronous' END"  # a slot: one that is away
        ),
        "relations": (
            "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE n.nspname = current_schema()"
        ),
        "schema_lock": "SELECT pg_advisory_xact_lock(7166315)",
    }

    wanted_settings: Mapping[str, frozenset[str]] = {
        "transaction_isolation": frozenset({"read committed"}),
        "synchronous_commit": frozenset({"on", "local", "remote_write", "remote_apply"}),
    }

    def __init__(self, schema: str | None = None) -> None:
        if schema is not None:
            self.own_schema = quoted_name(schema)

    def adapted(self, text: str) -> str:
        return text

    def render_rows(self, rows: RowSet) -> str:
        """Arrays travel as text: the driver's own encoding of arrays looks at each element with slow type checks."""
        arrays = ", ".join(f":{rows.name}__{column}::text::{_ARRAY[kind]}" for column, kind in rows.columns)
        return f"unnest({arrays}) AS {rows.name}({', '.join(column for column, _ in rows.columns)})"

    def bind_rows(self, rows: RowSet, values: Sequence[Sequence[Any]]) -> Mapping[str, Any]:
        names = rows.bound_names
        if not values:
            return dict.fromkeys(names, "{}")
        columns = zip(*values, strict=True)
        return {
            name: _numbers(column) if kind is ColumnType.BIGINT else _texts(column)
            for name, (_, kind), column in zip(names, rows.columns, columns, strict=True)
        }

    def render_names(self, text: str, names: Sequence[str]) -> str:
        return replace_names(text, {name: f"${number}" for number, name in enumerate(names, 1)})

    def bind_names(self, names: Sequence[str], values: Mapping[str, Any]) -> Any:
        return tuple(values[name] for name in names)

    def trouble(self, error: BaseException) -> Trouble:
        origin = getattr(error, "orig", None) or error
        state = getattr(origin, "sqlstate", None) or ""
        if state in _RETRY:
            return Trouble.RETRY
        if state in _GONE or state.startswith(_NOT_CONNECTED) or getattr(error, "connection_invalidated", False):
            return Trouble.GONE
        if state in ("53100", "53200"):
            return Trouble.FULL
        if state.startswith(("22", "23")):
            return Trouble.DATA
        if isinstance(origin, OSError):  # ConnectionError and TimeoutError among them
            return Trouble.GONE
        if type(origin.__cause__).__name__ == "TargetServerAttributeNotMatched":  # only standbys are there
            return Trouble.GONE
        return Trouble.BUG


def quoted_name(name: str) -> str:
    """A name as SQL reads it, whatever letters it has."""
    return '"' + name.replace('"', '""') + '"'


async def timeline(connection: Any) -> int:
    """How often the database behind a bare connection was promoted: each promotion begins a higher timeline."""
    segment = await connection.fetchval("SELECT pg_walfile_name(pg_current_wal_lsn())")
    return int(segment[:8], 16)


def is_refusal(error: Exception) -> bool:
    """Whether a host knew us and would not have us: another would say the same of this password or database."""
    return getattr(error, "sqlstate", None) in ("28P01", "3D000")


def _numbers(column: Sequence[int | None]) -> str:
    """An array of numbers as PostgreSQL reads it."""
    written = "{" + ",".join(map(str, column)) + "}"
    return written.replace("None", "NULL") if None in column else written


def _texts(column: Sequence[str | None]) -> str:
    """An array of texts as PostgreSQL reads it."""
    if None not in column:
        joined = '","'.join(column)  # type: ignore[arg-type]
        if joined.count('"') == 2 * (len(column) - 1) and "\\" not in joined:
            return '{"' + joined + '"}'
    return "{" + ",".join("NULL" if text is None else _quoted(text) for text in column) + "}"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
