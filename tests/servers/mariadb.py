"""MariaDB 10.11."""

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import pymysql

from tests.servers.mariadb_wipe import Wiper, wiper_of
from tests.servers.ports import HOST
from tests.servers.process import run_tool
from tests.servers.sql import SqlServer

CONNECT_WITHIN_S = 30
NO_SUCH_THREAD = 1094
PASSWORD = "not-a-secret"


def connected(url: str, **options: Any) -> "pymysql.Connection[Any]":
    """A connection to a database, past Foliot's own code."""
    parts = urlsplit(url)
    return pymysql.connect(
        host=parts.hostname,
        port=parts.port or 0,
        user=parts.username,
        password=parts.password or "",
        database=parts.path.removeprefix("/"),
        **options,
    )


class MariaDB(SqlServer):
    """MariaDB 10.11 with InnoDB, utf8mb4, read committed, no TLS."""

    program = Path("/usr/sbin/mariadbd")
    packages = ("mariadb-server",)
    user = "mysql"
    stop_signals: ClassVar = {"fast": signal.SIGTERM}

    def __init__(self, *, fast: bool = False, environment: Mapping[str, str] | None = None) -> None:
        super().__init__(fast=fast, environment=environment)
        self._recipes: dict[str, list[str]] = {}
        self._wipers: dict[str, Wiper] = {}

    def url(self, name: str) -> str:
        return f"mysql://foliot:{PASSWORD}@{self._netloc}/{name}"

    @property
    def admin_url(self) -> str:
        return f"mysql://root@{self._netloc}/mysql"

    def _create(self) -> None:
        command = [
            "/usr/bin/mariadb-install-db",
            "--no-defaults",
            *self._as_user(),
            f"--datadir={self.directory.path}/data",
        ]
        run_tool([*command, "--auth-root-authentication-method=normal", "--skip-test-db"], self.directory)

    def _command(self) -> list[str]:
        here = self.directory.path
        options = [
            f"--datadir={here}/data",
            f"--socket={here}/s.sock",
            f"--pid-file={here}/pid",
            f"--bind-address={HOST}",
            f"--port={self.port}",
            "--skip-name-resolve",
            "--innodb-buffer-pool-size=256M",
            "--transaction-isolation=READ-COMMITTED",
            "--character-set-server=utf8mb4",
            "--max-connections=200",
        ]
        if self.fast:  # each commit still reaches the operating system: a kill loses nothing
            options += [
                "--innodb-flush-method=nosync",
                "--innodb-doublewrite=0",
            ]
        return [str(self.program), "--no-defaults", *self._as_user(), *options]

    def _as_user(self) -> list[str]:
        return [f"--user={self.directory.user}"] if self.directory.user else []

    def _is_ready(self) -> bool:
        try:
            with self._admin() as cursor:
                cursor.execute("SELECT @@datadir")
                (place,) = cursor.fetchone()
        except (OSError, pymysql.err.MySQLError):
            return False
        return Path(place) == self.directory.path / "data"

    def _prepare(self) -> None:
        with self._admin() as cursor:
            cursor.execute(f"CREATE USER foliot@{HOST} IDENTIFIED BY '{PASSWORD}'")
            cursor.execute(rf"GRANT ALL ON `flt\_%`.* TO foliot@{HOST}")
            cursor.execute(f"GRANT PROCESS ON *.* TO foliot@{HOST}")  # so that tests see who waits for whose lock

    def _create_database(self, name: str, template: str | None) -> None:
        with self._admin() as cursor:
            cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
            cursor.execute(f"USE {name}")
            for statement in self._recipes[template] if template else ():
                cursor.execute(statement)

    def _seal_template(self, name: str) -> None:
        with self._admin() as cursor:
            cursor.execute(f"USE {name}")
            self._recipes[name] = list(_recipe(cursor, name))

    def _drop_database(self, name: str) -> None:
        with self._admin() as cursor:
            _throw_out(cursor, name)
            cursor.execute(f"DROP DATABASE IF EXISTS {name}")

    def _learn_database(self, name: str, template: str) -> None:
        with self._admin() as cursor:
            cursor.execute(f"USE {name}")
            self._wipers[name] = wiper_of(cursor, template, self.directory.path / "data" / name)

    def _wipe_database(self, name: str) -> bool:
        with self._admin() as cursor:
            _throw_out(cursor, name)
            cursor.execute(f"USE {name}")
            return self._wipers[name].wipe(cursor)

    @contextmanager
    def _admin(self) -> Iterator[Any]:
        connection = pymysql.connect(
            host=HOST, port=self.port, user="root", autocommit=True, connect_timeout=CONNECT_WITHIN_S
        )
        with connection, connection.cursor() as cursor:
            yield cursor


def _throw_out(cursor: Any, name: str) -> None:
    """End the connections to a database."""
    cursor.execute("SELECT id FROM information_schema.processlist WHERE db = %s", (name,))
    for (connection,) in cursor.fetchall():
        with _unless_gone():
            cursor.execute(f"KILL {connection}")


@contextmanager
def _unless_gone() -> Iterator[None]:
    """A connection may end by itself between the look and the kill."""
    try:
        yield
    except pymysql.err.MySQLError as error:
        if error.args[0] != NO_SUCH_THREAD:
            raise


def _recipe(cursor: Any, template: str) -> Iterator[str]:
    """The statements that make a copy of the current database: MariaDB has no CREATE DATABASE … TEMPLATE."""
    yield "SET foreign_key_checks = 0, unique_checks = 0"
    cursor.execute("SHOW FULL TABLES")
    kinds = dict(cursor.fetchall())
    for table, kind in kinds.items():
        if kind == "BASE TABLE":
            cursor.execute(f"SHOW CREATE TABLE `{table}`")
            yield cursor.fetchone()[1]
            cursor.execute(f"SELECT 1 FROM `{table}` LIMIT 1")
            if cursor.fetchone():
                yield f"INSERT INTO `{table}` SELECT * FROM {template}.`{table}`"
    for view in (name for name, kind in kinds.items() if kind == "VIEW"):
        cursor.execute(f"SHOW CREATE VIEW `{view}`")
        yield cursor.fetchone()[1].replace(f"`{template}`.", "")
    cursor.execute("SHOW TRIGGERS")
    for trigger in [row[0] for row in cursor.fetchall()]:
        cursor.execute(f"SHOW CREATE TRIGGER `{trigger}`")
        yield cursor.fetchone()[2]
