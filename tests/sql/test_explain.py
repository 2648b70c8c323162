"""Each hot statement uses its index and looks at few rows, with a million finished runs beside the living (R9)."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from foliot.app.system import SystemChance, SystemClock
from foliot.store.sql.kernel.connect import PATIENT, open_database
from foliot.store.sql.kernel.database import Database, Tx
from tests.servers.postgres import Postgres
from tests.servers.sql import apart
from tests.sql.explaining import Explained, Facts, Hot, analyse, explain, load
from tests.sql.hot_lists import FIRST_AND_LAST
from tests.sql.hot_statements import HOT
from tests.sql.world import migrate, sqlite_copy

pytestmark = [pytest.mark.slow, pytest.mark.services]

FACTS = {"sqlite": Facts(), "postgresql": Facts()}


class Undone(Exception):
    """Takes back what an explained statement did."""


def opened(url: str) -> Database:
    return open_database(url, clock=SystemClock(), chance=SystemChance(), limits=PATIENT)


async def fill(url: str) -> None:
    database = opened(url)
    try:
        await database.transact(load)
        await analyse(database)
    finally:
        await database.close()


@pytest.fixture(scope="module")
def postgresql_url(postgres_server: Postgres) -> Iterator[str]:
    url = postgres_server.database(migrate)
    apart(lambda: fill(url))
    yield url
    postgres_server.drop(url)


@pytest.fixture(scope="module")
def sqlite_url(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    url = sqlite_copy(migrated_sqlite, tmp_path_factory.mktemp("explained"))
    apart(lambda: fill(url))
    return url


@pytest.fixture(scope="module")
async def database(request: pytest.FixtureRequest) -> AsyncIterator[Database]:
    database = opened(request.getfixturevalue(f"{request.param}_url"))
    yield database
    await database.close()


CASES = [
    pytest.param(engine, hot, generic, id=f"{engine}-{'any' if generic else 'given'}-{hot.name}")
    for engine in ("sqlite", "postgresql")
    for generic in ((False,) if engine == "sqlite" else (False, True))
    for hot in HOT
    if engine in hot.engines
]


@pytest.mark.parametrize(("database", "hot", "generic"), CASES, indirect=["database"])
async def test_a_hot_statement_uses_its_index(database: Database, hot: Hot, generic: bool) -> None:
    explained = await undone(database, hot, generic=generic)
    assert explained.scanned <= hot.scans, explained.text
    assert any(uses is not None and uses <= explained.indexes for uses in (hot.uses, hot.or_uses)), explained.text
    assert explained.rows <= hot.reads_max, explained.text


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
@pytest.mark.parametrize(("first", "last"), FIRST_AND_LAST, ids=[first.name for first, _ in FIRST_AND_LAST])
async def test_the_last_page_looks_at_no_more_rows_than_the_first(database: Database, first: Hot, last: Hot) -> None:
    rows = [(await undone(database, hot, generic=True)).rows for hot in (first, last)]
    assert 0 < rows[1] <= rows[0], rows


async def undone(database: Database, hot: Hot, *, generic: bool) -> Explained:
    found: list[Explained] = []

    def work(tx: Tx) -> None:
        loaded = FACTS[database.dialect.name].of(tx)
        found.append(explain(tx, hot, loaded, generic=generic))
        raise Undone

    with pytest.raises(Undone):
        await database.transact(work)
    return found[0]
