"""What differs between databases, one small object each."""

from collections.abc import Mapping
from enum import Enum
from typing import Final, Protocol

from foliot.store.sql.kernel.statement import Rendering


class Trouble(Enum):
    """What a database error means to us."""

    RETRY = "retry"  # deadlock, serialisation, lock or statement timeout: nothing happened, try again (R3)
    GONE = "gone"  # connection lost or refused, server starting, stopping or read-only
    FULL = "full"  # no space: writes fail until somebody makes room
    DATA = "data"  # the statement was refused for its data
    BUG = "bug"


class Dialect(Rendering, Protocol):
    """One database engine."""

    max_rowset: int
    wanted_settings: Mapping[str, frozenset[str]]
    """What `{settings}` answers with, by name, and the values under which the promises hold."""
    lateral: bool  # a sub-select in FROM may look at the rows before it
    autocommits: bool  # statements outside a transaction save the way of a commit
    fires_at_once: int  # so many firing transactions at a time are quicker than one by one
    returns_changes: bool  # an UPDATE may answer with the rows that it changed
    commits_schema: bool  # each change of the schema commits by itself
    own_schema: str | None  # the quoted name of the schema that holds the tables; None: the database has no choice

    def trouble(self, error: BaseException) -> Trouble: ...


WITH_PARTIAL_INDEXES: Final[Mapping[str, str]] = {
    "insert_ignore": "INSERT INTO",
    "ignore_duplicates": "ON CONFLICT DO NOTHING",
    "ready_lane": "lane",
    "line_job": "job_id",
    "held_by": "session_id",
    "parked_job": "job_id",
    "and_running": "",
    "and_ready": "",
    "one_namespace": "namespace,",
    "one_namespace_back": "namespace DESC,",
}
"""Pieces of engines whose indexes may hold some rows only. MariaDB's cannot: its tables have a column for each of
these, which is NULL in the other rows."""

_HERE: Final = __name__

DIALECTS: Final[Mapping[str, str]] = {
    "sqlite": f"{_HERE}.sqlite_pools:open_sqlite",
    "postgresql": f"{_HERE}.postgresql_pools:open_postgresql",
    "postgres": f"{_HERE}.postgresql_pools:open_postgresql",
    "mariadb": f"{_HERE}.mariadb_pools:open_mariadb",
    "mysql": f"{_HERE}.mariadb_pools:open_mariadb",
}
"""Scheme of a store's URL → what opens it, imported on use, so that only the driver in use need be installed."""
