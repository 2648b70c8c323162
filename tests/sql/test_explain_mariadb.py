"""On MariaDB each hot statement looks at few rows, with a million finished runs beside the living (R9).

Measured by the server's own counters of rows read while the statement is carried out, and then undone.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from foliot.app.system import SystemChance, SystemClock
from foliot.store.sql.kernel.connect import PATIENT, open_database
from foliot.store.sql.kernel.database import Database, Tx
from foliot.store.sql.kernel.dialects.mariadb import MariaDB
from foliot.store.sql.kernel.statement import Statement
from tests.servers.mariadb import MariaDB as Server
from tests.servers.sql import apart
from tests.sql import explaining
from tests.sql.explaining import BATCH, Facts, Hot, load
from tests.sql.hot_statements import HOT
from tests.sql.world import migrate

pytestmark = [pytest.mark.slow, pytest.mark.services]

OVERHEAD = 8 * BATCH
"""Reading the set itself, sorting it, finding each row by key and changing it."""

LONG_LINES = 120_000
"""What a statement may read that cannot stop early here when one line is 50 000 long; see docs/decisions/mariadb.md."""
UNBOUNDED = {"situation", "waiting runs of limited jobs", "jobs with parked runs"}

COUNTERS = Statement("SHOW SESSION STATUS LIKE 'Handler_read%'")

FACTS = Facts()


class Undone(Exception):
    """Takes back what a statement did."""


class Plain:
    """A connection that takes statements as they are written for the other engines."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def exec_driver_sql(self, text: str) -> Any:
        return self._connection.exec_driver_sql(text.replace("%", "%%"))


def fill(tx: Tx) -> None:
    tx.connection.exec_driver_sql("SET SESSION sql_mode = CONCAT(@@sql_mode, ',PIPES_AS_CONCAT')")
    tx.connection.exec_driver_sql("SET SESSION unique_checks = 0")
    plain = Tx(tx.connection, tx.dialect)
    plain.connection = Plain(tx.connection)  # type: ignore[assignment]
    plain.learn_now(tx.now())
    load(plain)


async def filled(url: str) -> None:
    database = opened(url)
    try:
        await database.transact(fill)
        tables = "runs, cursors, jobs, job_versions, nodes, skips, attempts, trigger_windows, trigger_keys, run_logs"
        await database.read(lambda tx: tx.rows(Statement(f"ANALYZE TABLE {tables}")))
    finally:
        await database.close()


def opened(url: str) -> Database:
    return open_database(url, clock=SystemClock(), chance=SystemChance(), limits=PATIENT)


@pytest.fixture(scope="module")
def loaded_url(mariadb_server: Server) -> Iterator[str]:
    explaining._SERIES.setdefault("mysql", "(SELECT seq AS n FROM seq_1_to_{n}) AS s")
    url = mariadb_server.database(migrate)
    apart(lambda: filled(url))
    yield url
    mariadb_server.drop(url)


@pytest.fixture(scope="module")
async def database(loaded_url: str) -> AsyncIterator[Database]:
    database = opened(loaded_url)
    yield database
    await database.close()


NEVER_HERE = ("LATERAL", "RETURNING")
"""MariaDB has neither in these statements, and is asked others (`Dialect.lateral`, `Dialect.returns_changes`)."""


def is_asked_here(hot: Hot) -> bool:
    text = hot.statement.rendered(MariaDB()).text
    return bool(hot.engines) and not any(word in text for word in NEVER_HERE)


ASKED = [hot for hot in HOT if is_asked_here(hot)]


@pytest.mark.parametrize("hot", ASKED, ids=[hot.name for hot in ASKED])
async def test_a_hot_statement_reads_few_rows(database: Database, hot: Hot) -> None:
    read: list[int] = []

    def work(tx: Tx) -> None:
        facts = FACTS.of(tx)
        before = counted(tx)
        ready = hot.statement.rendered(tx.dialect)
        result = tx.connection.exec_driver_sql(ready.text, ready.bind(hot.values(facts), hot.sets(facts)))
        if result.returns_rows:
            result.fetchall()
        read.append(counted(tx) - before)
        raise Undone

    with pytest.raises(Undone):
        await database.transact(work)
    assert read[0] <= hot.reads_max + (LONG_LINES if hot.name in UNBOUNDED else OVERHEAD), f"{read[0]} rows read"


def counted(tx: Tx) -> int:
    return sum(int(value) for _, value in tx.rows(COUNTERS))
