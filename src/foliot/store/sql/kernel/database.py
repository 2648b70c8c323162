"""Transactions: how a piece of store work is run, limited, retried and judged when it fails (R2, R3, R5, R11).

Work is a plain function over a `Tx`. On SQLite it runs in the writer's thread, one hop for the whole transaction; on
the others it runs in SQLAlchemy's greenlet on the event loop. So every verb is written once, cannot await anything but
the store, and costs no hop per statement.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from functools import partial
from typing import Any, Final, Protocol, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.util import greenlet_spawn

from foliot.domain.duration_tally import DurationTally
from foliot.domain.instants import Instant
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.store.errors import DataRefused, OutcomeUnknown, StoreBusy, StoreUnavailable
from foliot.store.sql.kernel.dialects import Dialect, Trouble
from foliot.store.sql.kernel.statement import Statement

T = TypeVar("T")
Row: TypeAlias = sa.Row[*tuple[Any, ...]]

TRIES: Final = 5
_BACKOFF_MAX_S: Final = 0.5
_NOW: Final = Statement("SELECT {now}")
_GREETED: Final = "foliot greeted"


class Pool(StrEnum):
    """Who waits for whom: renewals have a connection of their own, people share what is left (R11).

    What ends runs has its own too: it may wait for a limit's row that somebody holds, and must not keep pulses, firing
    and the tokens of beats from their connections meanwhile.
    """

    RENEW = "renew"
    CONTROL = "control"
    ENDING = "ending"
    API = "api"


class Mode(Enum):
    """How much of a piece of work stands or falls together."""

    WHOLE = "whole"  # all of it: one transaction
    STEPS = "steps"  # each statement by itself
    READ = "read"  # nothing is written


class RefusedForData(DataRefused):
    """The database refused a statement for its data: halve the batch, down to the row (design §3)."""


class TryAgain(Exception):
    """Nothing happened in this try; another may work. Work may raise it when a guard says that it lost a race."""


class Tx:
    """One transaction in progress."""

    __slots__ = ("_now", "_point", "connection", "dialect")

    def __init__(self, connection: sa.Connection, dialect: Dialect, point: Callable[[str], None] | None = None) -> None:
        self.connection = connection
        self.dialect = dialect
        self._now: Instant | None = None
        self._point = point

    def now(self) -> Instant:
        """Store time of this transaction, read once."""
        if self._now is None:
            self._now = int(self.value(_NOW))
        return self._now

    def learn_now(self, now: Instant) -> None:
        """Another statement of this transaction brought store time along."""
        self._now = now

    def rows(
        self, statement: Statement, values: Mapping[str, Any] | None = None, **sets: Sequence[Sequence[Any]]
    ) -> Sequence["Row"]:
        """Run a statement that answers with rows."""
        ready = statement.rendered(self.dialect)
        return self.connection.exec_driver_sql(ready.text, ready.bind(values or {}, sets)).fetchall()

    def tuples(
        self, statement: Statement, values: Mapping[str, Any] | None = None, **sets: Sequence[Sequence[Any]]
    ) -> Sequence[Sequence[Any]]:
        """`rows` as the driver has them, by position alone: for hot paths, where a wrapper per row would be felt."""
        rows: Sequence[Sequence[Any]] = self._executed(statement, values, sets).fetchall()
        return rows

    def value(self, statement: Statement, values: Mapping[str, Any] | None = None) -> Any:
        """The one value that a statement answers with."""
        return self.tuples(statement, values)[0][0]

    def found(
        self, statement: Statement, values: Mapping[str, Any] | None = None, **sets: Sequence[Sequence[Any]]
    ) -> Sequence["Row"]:
        """`rows` of a set of keys: where it is empty there are none, and the database is not asked."""
        return self.rows(statement, values, **sets) if all(sets.values()) else ()

    def pairs(
        self, statement: Statement, values: Mapping[str, Any] | None = None, **sets: Sequence[Sequence[Any]]
    ) -> dict[Any, Any]:
        """`found` of a statement with two columns: by the first, the second."""
        if not all(sets.values()):
            return {}
        rows: Sequence[Any] = self.tuples(statement, values, **sets)
        return dict(rows)

    def change(
        self, statement: Statement, values: Mapping[str, Any] | None = None, **sets: Sequence[Sequence[Any]]
    ) -> int:
        """Run a statement that changes rows; how many it changed."""
        count: int = self._executed(statement, values, sets).rowcount
        return count

    def _executed(
        self, statement: Statement, values: Mapping[str, Any] | None, sets: Mapping[str, Sequence[Sequence[Any]]]
    ) -> Any:
        """Run a statement on a cursor of the driver, which is returned.

        SQLAlchemy would make a context and a result around each statement, which cost as much as the statement itself.
        """
        ready = statement.rendered(self.dialect)
        bound = ready.bind(values or {}, sets)
        connection = self.connection
        if not connection.in_transaction():
            connection.begin()
        cursor = connection.connection.cursor()
        try:
            cursor.execute(ready.text, bound)
        except connection.dialect.loaded_dbapi.Error as error:
            # SQLAlchemy judges it as an error of its own: a lost connection leaves the pool.
            connection._handle_dbapi_exception(error, ready.text, bound, cursor, None)  # noqa: SLF001
        return cursor

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo only what is inside when the database refuses it for its data (`RefusedForData`)."""
        try:
            with self.connection.begin_nested():
                yield
        except (sa.exc.DBAPIError, UnicodeError, OverflowError) as error:
            if self.dialect.trouble(error) is Trouble.DATA:
                raise RefusedForData(str(getattr(error, "orig", error))) from error
            raise

    def point(self, name: str) -> None:
        """A named place where fault tests may kill, pause or cut this process. Costs nothing otherwise."""
        if self._point is not None:
            self._point(name)


Work = Callable[[Tx], T]


class Runner(Protocol):
    """How one try of a transaction is run on an engine."""

    greet: Work[None] | None
    """Done in a transaction of its own on each new connection, before anything else is (R6)."""

    async def once(self, work: Work[T], pool: Pool, mode: "Mode") -> T: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Database:
    """A database, its dialect, and how work is run on it."""

    dialect: Dialect
    runner: Runner
    clock: Clock
    chance: Chance
    troubles: Counter[str] = field(default_factory=Counter)
    """Tries that went wrong, by what was made of them: retried, given_up, unavailable, unknown."""
    calls: Mapping[str, DurationTally] = field(default_factory=lambda: {str(pool): DurationTally() for pool in Pool})
    """How long calls took by pool, with every wait for a connection and every try."""

    async def transact(self, work: Work[T], *, pool: Pool = Pool.CONTROL) -> T:
        """Run the work in one transaction, the whole of it again on conflicts (R3)."""
        return await self._tried(work, pool, Mode.WHOLE)

    async def step(self, work: Work[T], *, pool: Pool = Pool.CONTROL) -> T:
        """Run work of which each statement stands by itself: for one guarded write after a look, half the way saved.

        When the answer is lost, any of its statements may have happened. SQLite does it in a transaction all the same.
        """
        return await self._tried(work, pool, Mode.STEPS)

    async def read(self, work: Work[T], *, pool: Pool = Pool.API) -> T:
        """Run work that only reads. Never used to decide."""
        return await self._tried(work, pool, Mode.READ)

    async def _tried(self, work: Work[T], pool: Pool, mode: Mode) -> T:
        began_at = self.clock.monotonic()
        try:
            return await self._try(work, pool, mode)
        finally:
            self.calls[pool].add(self.clock.monotonic() - began_at)

    async def _try(self, work: Work[T], pool: Pool, mode: Mode) -> T:
        for tries_left in reversed(range(TRIES)):
            try:
                return await self.runner.once(work, pool, mode)
            except OutcomeUnknown:
                self.troubles["unknown"] += 1
                raise
            except StoreUnavailable:
                self.troubles["unavailable"] += 1
                raise
            except TryAgain as again:
                self.troubles["retried" if tries_left else "given_up"] += 1
                if not tries_left:
                    raise StoreBusy(
                        "The store is too busy: this step was given up and will be tried again.",
                        cause=str(again.__cause__),
                    ) from again.__cause__
            await self.clock.wait(asyncio.Event(), for_s=max(0.01, _BACKOFF_MAX_S * self.chance.fraction()))
        raise AssertionError("unreachable")

    async def close(self) -> None:
        await self.runner.close()


class GreenletRunner:
    """Transactions on a networked database: SQLAlchemy's greenlet over an async driver."""

    def __init__(
        self,
        engines: Mapping[Pool, AsyncEngine],
        dialect: Dialect,
        *,
        limit_s: float = 5.0,
        point: Callable[[str], None] | None = None,
    ) -> None:
        self._engines = engines
        self._dialect = dialect
        self._limit_s = limit_s
        self._point = point
        self.greet: Work[None] | None = None

    async def once(self, work: Work[T], pool: Pool, mode: Mode) -> T:
        phase = _Phase(committing=False)
        try:
            async with asyncio.timeout(self._limit_s):
                return await greenlet_spawn(self._connected, work, pool, phase, mode)
        except (sa.exc.SQLAlchemyError, OSError, TimeoutError, UnicodeError, OverflowError) as error:
            raise self._judged(error, phase) from error

    def _connected(self, work: Work[T], pool: Pool, phase: "_Phase", mode: Mode) -> T:
        """Do the work on a connection of a pool. One greenlet does all of it: each costs as much as a statement."""
        connection = self._engines[pool].sync_engine.connect()
        try:
            if self.greet is not None and _GREETED not in connection.info:
                # A greeting that is cut off says nothing about the work: that has not begun.
                self._work(connection, self.greet, _Phase(committing=False), Mode.WHOLE)
                connection.info[_GREETED] = True  # goes with the connection
            phase.committing = mode is Mode.STEPS
            # READ COMMITTED gives each statement a view of its own anyway.
            if mode is not Mode.WHOLE and self._dialect.autocommits:
                connection.execution_options(isolation_level="AUTOCOMMIT")
            result = self._work(connection, work, phase, mode)
        except BaseException:
            if not phase.sane:  # cancelled or cut off in mid-statement: the connection's state is unknown, end it
                connection.invalidate()
            connection.close()
            raise
        connection.close()
        return result

    def _work(self, connection: sa.Connection, work: Work[T], phase: "_Phase", mode: Mode) -> T:
        around = _Around(None if mode is Mode.READ else self._point, work)
        try:
            around.at("asked")
            if mode is Mode.STEPS:
                around.soon("sent")
            result = work(Tx(connection, self._dialect, self._point))
        except Exception as error:
            if not isinstance(error, sa.exc.DBAPIError) or not error.connection_invalidated:
                connection.rollback()
            phase.sane = True
            raise
        phase.committing = mode is not Mode.READ
        if mode is Mode.WHOLE:
            around.at("done")
            around.soon("sent")
        connection.commit()
        around.at("committed")
        phase.sane = True
        return result

    def _judged(self, error: Exception, phase: "_Phase") -> Exception:
        if isinstance(error, sa.exc.TimeoutError):
            return TryAgain()
        return judged(self._dialect, error, committing=phase.committing)

    async def close(self) -> None:
        for engine in set(self._engines.values()):
            await engine.dispose()


class ThreadRunner:
    """Transactions on SQLite: one writer thread, one reader each for duties and people, one hop per transaction."""

    def __init__(
        self,
        writer: sa.Engine,
        reader: sa.Engine,
        people: sa.Engine,
        dialect: Dialect,
        *,
        point: Callable[[str], None] | None = None,
    ) -> None:
        self._dialect = dialect
        self._point = point
        self.greet: Work[None] | None = None
        self._is_greeted = False
        self._writing = (writer, ThreadPoolExecutor(1, "foliot-store-writer"))
        self._reading = (reader, ThreadPoolExecutor(1, "foliot-store-reader"))
        self._reading_for_people = (people, ThreadPoolExecutor(1, "foliot-store-people"))

    async def once(self, work: Work[T], pool: Pool, mode: Mode) -> T:
        reading = self._reading_for_people if pool is Pool.API else self._reading
        engine, thread = reading if mode is Mode.READ else self._writing
        loop = asyncio.get_running_loop()
        if self.greet is not None and not self._is_greeted and mode is not Mode.READ:
            await loop.run_in_executor(thread, self._work, engine, self.greet)
            self._is_greeted = True
        return await loop.run_in_executor(thread, self._work, engine, work)

    def _work(self, engine: sa.Engine, work: Work[T]) -> T:
        around = _Around(self._point if engine is self._writing[0] else None, work)
        try:
            around.at("asked")
            with engine.begin() as connection:
                result = work(Tx(connection, self._dialect, self._point))
                around.at("done")
            around.at("committed")
            return result
        except (sa.exc.DBAPIError, UnicodeError, OverflowError) as error:
            raise judged(self._dialect, error, committing=False) from error

    async def close(self) -> None:
        for engine, thread in (self._writing, self._reading, self._reading_for_people):
            await asyncio.get_running_loop().run_in_executor(thread, engine.dispose)
            thread.shutdown(wait=True)


class _Around:
    """The places around a piece of work where fault tests may break this process: nothing, unless one does."""

    __slots__ = ("_point", "_work")

    def __init__(self, point: Callable[[str], None] | None, work: Work[Any]) -> None:
        self._point = point
        self._work = work

    def at(self, place: str) -> None:
        if self._point is not None:
            self._point(f"{verb_of(self._work)}.{place}")

    def soon(self, place: str) -> None:
        """When the loop next turns: what is written until then is sent, and no answer was read."""
        if self._point is not None:
            asyncio.get_running_loop().call_soon(self.at, place)


def verb_of(work: Work[Any]) -> str:
    """The store verb that a piece of work belongs to, as `firing_store.decide_due`."""
    named: Any = work
    while isinstance(named, partial):
        named = named.func
    name = named.__qualname__.partition(".<locals>")[0].rpartition(".")[2].lstrip("_")
    return f"{named.__module__.rpartition('.')[2]}.{name}"


class _Phase:
    """How far a try has come when something breaks."""

    __slots__ = ("committing", "sane")

    def __init__(self, *, committing: bool) -> None:
        self.committing = committing
        self.sane = False


def judged(dialect: Dialect, error: Exception, *, committing: bool) -> Exception:
    """What an error of the database means for the caller."""
    trouble = Trouble.GONE if isinstance(error, TimeoutError) else dialect.trouble(error)
    match trouble:
        case Trouble.RETRY:
            return TryAgain()
        case Trouble.GONE if committing:
            return OutcomeUnknown("The answer to a commit was lost; whether it happened is being found out.")
        case Trouble.GONE:
            return StoreUnavailable(
                f"The store does not answer: {_in_short(error)}.",
                hint="is the database running, and is the store's URL right?",
                cause=str(error),
            )
        case Trouble.FULL:
            return StoreUnavailable("The store has no space left.", hint="make room on its disk", cause=str(error))
        case Trouble.DATA:
            return RefusedForData(str(error))
        case Trouble.BUG:
            return error


def _in_short(error: Exception) -> str:
    """The first line of what the driver says, without SQLAlchemy's words around it."""
    lines = str(getattr(error, "orig", None) or error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__
