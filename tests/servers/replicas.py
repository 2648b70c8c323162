"""Replicas: a second server that follows a primary by the database's own replication, and takes no writes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.eventually import eventually
from tests.servers.mariadb import MariaDB
from tests.servers.ports import HOST
from tests.servers.postgres import BIN, Postgres
from tests.servers.process import run_tool

CAUGHT_UP_WITHIN_S = 60.0


class PostgresReplica(Postgres):
    """A hot standby of a running `Postgres`, by streaming replication."""

    def __init__(self, primary: Postgres) -> None:
        super().__init__(fast=primary.fast)
        self._primary = primary

    def hold(self) -> None:
        """Apply nothing from now on: the replica falls behind."""
        self._ask("SELECT pg_wal_replay_pause()")
        eventually(lambda: self._ask("SELECT pg_get_wal_replay_pause_state()") == "paused", what="the replica held")

    def go_on(self) -> None:
        """Apply what came meanwhile, and what comes."""
        self._ask("SELECT pg_wal_replay_resume()")

    def catch_up(self) -> None:
        """Wait until all that the primary has written by now is here."""
        position = self._primary._admin(lambda connection: connection.fetchval("SELECT pg_current_wal_lsn()::text"))
        has_it = f"SELECT pg_last_wal_replay_lsn() >= '{position}'::pg_lsn"
        eventually(lambda: self._ask(has_it), within_s=CAUGHT_UP_WITHIN_S, what="the replica in step")

    def _create(self) -> None:
        copy = [str(BIN / "pg_basebackup"), "-D", "data", "-h", HOST, "-p", str(self._primary.port), "-U", "postgres"]
        run_tool([*copy, "--write-recovery-conf", "--checkpoint=fast", "--no-sync"], self.directory)

    def _prepare(self) -> None:
        """Its users came with the copy."""

    def _ask(self, sql: str) -> Any:
        return self._admin(lambda connection: connection.fetchval(sql))


class MariaDBPrimary(MariaDB):
    """A MariaDB that writes what replicas read: every change since its first start."""

    def _command(self) -> list[str]:
        return [
            *super()._command(),
            "--server-id=1",
            "--log-bin=binlog",
            "--binlog-format=ROW",
            "--log-bin-trust-function-creators=1",  # else Foliot's user may make no trigger where rows are replicated
        ]


class MariaDBReplica(MariaDB):
    """A read-only replica of a running `MariaDBPrimary`."""

    def __init__(self, primary: MariaDBPrimary) -> None:
        super().__init__(fast=primary.fast)
        self._primary = primary

    def hold(self) -> None:
        """Apply nothing from now on: the replica falls behind."""
        self._do("STOP SLAVE SQL_THREAD")

    def go_on(self) -> None:
        """Apply what came meanwhile, and what comes."""
        self._do("START SLAVE SQL_THREAD")

    def catch_up(self) -> None:
        """Wait until all that the primary has written by now is here."""
        with self._primary._admin() as cursor:
            cursor.execute("SELECT @@gtid_binlog_pos")
            (position,) = cursor.fetchone()
        with self._admin() as cursor:
            cursor.execute("SELECT MASTER_GTID_WAIT(%s, %s)", (position, CAUGHT_UP_WITHIN_S))
            assert cursor.fetchone() == (0,), "the replica is not in step"

    def _command(self) -> list[str]:
        return [*super()._command(), "--server-id=2", "--read-only=1"]

    def _prepare(self) -> None:
        """Follow from the primary's first change on: its users and databases come that way."""
        where = f"master_host = '{HOST}', master_port = {self._primary.port}, master_user = 'root'"
        # Once a second: a primary that was away is followed again soon after it is back.
        self._do(f"CHANGE MASTER TO {where}, master_use_gtid = slave_pos, master_connect_retry = 1")
        self._do("START SLAVE")

    def _do(self, sql: str) -> None:
        with self._admin() as cursor:
            cursor.execute(sql)


@contextmanager
def replicated_postgres() -> Iterator[tuple[Postgres, PostgresReplica]]:
    """A primary and its replica."""
    with Postgres(fast=True) as primary, PostgresReplica(primary) as replica:
        yield primary, replica


@contextmanager
def replicated_mariadb() -> Iterator[tuple[MariaDBPrimary, MariaDBReplica]]:
    """A primary and its replica."""
    with MariaDBPrimary(fast=True) as primary, MariaDBReplica(primary) as replica:
        yield primary, replica
