"""A store under test: opened on a database of its own, with time that a test can let pass."""

import shutil
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from foliot.domain.instants import Instant, Micros, to_instant
from foliot.ports.store.lookups import JobRow
from foliot.store.sql.kernel import schema
from foliot.store.sql.kernel.connect import PATIENT, POOL_SIZES, TimeLimits, open_database
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.dialects import Dialect
from foliot.store.sql.kernel.dialects.mariadb import MariaDB
from foliot.store.sql.kernel.dialects.postgresql import PostgreSQL
from foliot.store.sql.kernel.statement import RowSet, Statement
from foliot.store.sql.store import SqlStore
from tests.conformance.world import CHANCE as CHANCE  # noqa: PLC0414  for whoever uses this world
from tests.conformance.world import CLOCK as CLOCK  # noqa: PLC0414

BEGINS_AT = to_instant(datetime(2026, 3, 2, 10, 17, 30, tzinfo=UTC))
"""When the store time of a test begins: far from the ends of a minute, an hour and a day, whenever it is run."""
SLOWER = 50
"""Store time passes so many times slower than ours: it rises, and a machine that stalls for seconds changes nothing."""
UNHURRIED = TimeLimits(
    acquire_s=60, statement_s=60, lock_s=60, idle_control_s=60, idle_s=60, transaction_s=90, connect_s=60
)
"""So that a slow machine ends no transaction; whoever tests a limit sets it."""


def shift_to_begin() -> Micros:
    """What to add to our slowed time so that store time begins now."""
    return BEGINS_AT - to_instant(CLOCK.now()) // SLOWER


class ShiftedPostgreSQL(PostgreSQL):
    """PostgreSQL with a clock in a test's hand: every statement is the real one but for the time."""

    name = "postgresql"
    pieces: Mapping[str, str] = {
        **PostgreSQL.pieces,
        "now": f"({PostgreSQL.pieces['now']} / {SLOWER} + (SELECT us FROM test_clock))",
    }


class ShiftedMariaDB(MariaDB):
    """MariaDB likewise."""

    pieces: Mapping[str, str] = {
        **MariaDB.pieces,
        "now": f"({MariaDB.pieces['now']} DIV {SLOWER} + (SELECT us FROM test_clock))",
    }


class World:
    """One database, any number of stores (servers) on it, and a hand on its clock.

    `in_real_time`: with the clock as it is, for stores that real processes use as well.
    """

    def __init__(self, url: str, *, in_real_time: bool = False) -> None:
        self.url = url
        self.engine = url.partition(":")[0]
        self.in_real_time = in_real_time
        self._shift_us = shift_to_begin()
        self._stores: list[SqlStore] = []

    @property
    def store(self) -> SqlStore:
        """The first store."""
        return self._stores[0]

    @property
    def database(self) -> Database:
        """The first store's database."""
        return self.store.database

    async def open(
        self,
        url: str = "",
        *,
        limits: TimeLimits = UNHURRIED,
        point: Callable[[str], None] | None = None,
        **pools: int,
    ) -> SqlStore:
        """Another store on the same database, as another server process would have it.

        `url`: through a proxy. `point`: called at the named places of its transactions.
        """
        sizes = {**POOL_SIZES, **{Pool(name): size for name, size in pools.items()}}
        store = SqlStore(self.open_database(url, limits=limits, pool_sizes=sizes, point=point))
        self._stores.append(store)
        return store

    def open_database(
        self,
        url: str = "",
        *,
        limits: TimeLimits = UNHURRIED,
        pool_sizes: Mapping[Pool, int] = POOL_SIZES,
        point: Callable[[str], None] | None = None,
    ) -> Database:
        return open_database(
            url or self.url,
            clock=CLOCK,
            chance=CHANCE,
            wall=self._wall,
            limits=limits,
            pool_sizes=pool_sizes,
            dialect=None if self.in_real_time else SHIFTED.get(self.engine),
            point=point,
        )

    async def close(self) -> None:
        for store in self._stores:
            await store.close()

    # -- time -----------------------------------------------------------------------------------------------------

    async def now(self) -> Instant:
        """Store time."""
        return await self.database.transact(lambda tx: tx.now())

    async def elapse(self, us: Micros) -> None:
        """Let store time pass."""
        assert not self.in_real_time
        self._shift_us += us
        if self.engine != "sqlite":
            await self.change("UPDATE test_clock SET us = :us", us=self._shift_us)

    # -- accidents --------------------------------------------------------------------------------------------------

    async def end_amnesty(self) -> None:
        """Let reaping begin at once, although ticks have come for a moment only (R8)."""
        await self.change("UPDATE store_meta SET reap_after = 0")

    async def spoil(self, job: JobRow) -> None:
        """Make a job one that only a newer Foliot understands: a store that is opened from now on cannot read it."""
        document = '{"run":{"python":"jobs:tick"},"of_the_future":1}'
        await self.change(
            "UPDATE job_versions SET definition = :document WHERE job_id = :id", document=document, id=job.job_id
        )

    def _wall(self) -> Instant:
        now = to_instant(CLOCK.now())
        return now if self.in_real_time else now // SLOWER + self._shift_us

    # -- plain SQL ------------------------------------------------------------------------------------------------

    async def rows(self, text: str, /, **values: Any) -> Sequence[Mapping[str, Any]]:
        """Ask the database itself; `:name` for values, as in the store's own statements."""
        statement = Statement(text)
        return await self.database.transact(lambda tx: [dict(row._mapping) for row in tx.rows(statement, values)])

    async def value(self, text: str, /, **values: Any) -> Any:
        """The one value a query answers with."""
        statement = Statement(text)
        return await self.database.transact(lambda tx: tx.rows(statement, values)[0][0])

    async def change(self, text: str, /, *sets: RowSet, rows: Mapping[str, Any] | None = None, **values: Any) -> int:
        """Change the database behind the store's back; how many rows."""
        statement = Statement(text, *sets)
        return await self.database.transact(lambda tx: tx.change(statement, values, **(rows or {})))


SHIFTED: Mapping[str, Dialect] = {
    "postgresql": ShiftedPostgreSQL(),
    "mysql": ShiftedMariaDB(),
    "mariadb": ShiftedMariaDB(),
}


async def migrate(url: str) -> None:
    """Bring a database up to the present schema."""
    database = open_database(url, clock=CLOCK, chance=CHANCE, limits=PATIENT)
    try:
        await schema.upgrade(database)
        if database.dialect.name != "sqlite":
            await database.transact(_make_test_clock)
    finally:
        await database.close()


def _make_test_clock(tx: Tx) -> None:
    tx.change(Statement("CREATE TABLE test_clock (us BIGINT NOT NULL)"))
    tx.change(Statement("INSERT INTO test_clock (us) VALUES (:us)"), {"us": shift_to_begin()})


@asynccontextmanager
async def opened(url: str, *, limits: TimeLimits = UNHURRIED) -> AsyncIterator[World]:
    """A world with one store open."""
    world = World(url)
    try:
        await world.open(limits=limits)
        await world.elapse(0)
        yield world
    finally:
        await world.close()


def sqlite_copy(template: Path, folder: Path) -> str:
    """A store file of a test's own, copied from a migrated one."""
    target = folder / "foliot.db"
    shutil.copyfile(template, target)
    return f"sqlite:///{target}"
