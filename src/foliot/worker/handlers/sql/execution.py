"""One run of an SQL job: its statements on one connection, in one transaction or each for itself.

When the run is asked to stop, the statement under way is ended on the database first, and then the connection is
dropped. A commit that is under way is left to end: cancelled, nobody would know what became of it.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from foliot.sdk.ctx import Ctx
from foliot.worker.handlers.sql.errors import (
    ConnectionLost,
    DatabaseAway,
    SqlOutcomeUnknown,
    StatementFailed,
    StatementRefused,
    StatementTimedOut,
    TransactionLeft,
)
from foliot.worker.handlers.sql.options import SqlOptions
from foliot.worker.handlers.sql.session import Manner, SqlSession
from foliot.worker.handlers.sql.statement import shortened
from foliot.worker.handlers.sql.values import PreviewRoom, RowPreview

STOP_WITHIN_S: Final = 1.5  # less than a worker that ends waits for its runs
COMMIT_WITHIN_S: Final = 60.0
COMMIT_STOP_S: Final = 1.5  # of a run that was asked to stop meanwhile
_NEARLY: Final = 0.9  # two clocks
LATE_S: Final = 2.0  # the database's own limit comes first, and says more

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlPlan:
    """What is to be executed, and within which limits."""

    connection: str
    options: SqlOptions
    values: Mapping[str, Any]
    manner: Manner
    rows_max: int
    bytes_max: int

    @property
    def is_unknown_when_lost(self) -> bool:
        """Whether a statement may have changed something for good before the connection was lost."""
        return not self.manner.is_transaction and not self.manner.read_only


class SqlExecution:
    """The statements of one run on one session."""

    def __init__(self, plan: SqlPlan, session: SqlSession, ctx: Ctx, hidden: Callable[[str], str]) -> None:
        """`hidden`: a text without the secrets that this worker knows."""
        self._plan = plan
        self._session = session
        self._ctx = ctx
        self._hidden = hidden
        self._room = PreviewRoom(plan.bytes_max)
        self._loop = asyncio.get_running_loop()

    async def whole(self) -> dict[str, Any]:
        """Execute everything; the result of the run."""
        plan, session = self._plan, self._session
        await self._first(session.begin(plan.manner, self._heard))
        done = [await self._statement(number, text) for number, text in enumerate(plan.options.texts, start=1)]
        if session.is_in_transaction():
            await self._commit()
        return {"statements": done}

    async def _first(self, work: Coroutine[Any, Any, T]) -> T:
        """What comes before any statement: nothing can have changed."""
        try:
            return await self._watched(work)
        except ConnectionLost as error:
            raise DatabaseAway(self._plan.connection, self._hidden(str(error))) from None
        except StatementRefused as error:
            raise DatabaseAway(self._plan.connection, self._hidden(error.why)) from None

    async def _statement(self, number: int, text: str) -> dict[str, Any]:
        plan, total = self._plan, len(self._plan.options.texts)
        began_at = self._loop.time()
        try:
            previews = await self._watched(self._session.execute(text, plan.values, self._preview))
        except ConnectionLost as error:
            if plan.is_unknown_when_lost:
                raise SqlOutcomeUnknown(plan.connection, f"statement {number}") from None
            raise DatabaseAway(plan.connection, self._hidden(str(error))) from None
        except StatementRefused as error:
            took_s = self._loop.time() - began_at  # somebody else may have ended it as well
            if error.is_timeout and took_s >= plan.manner.timeout_s * _NEARLY:
                raise StatementTimedOut(number, plan.manner.timeout_s) from None
            raise StatementFailed(number, self._hidden(error.why), error.state) from None
        if plan.manner.is_transaction and number < total and not self._session.is_in_transaction():
            raise TransactionLeft(number)
        ms = round((self._loop.time() - began_at) * 1000)
        self._tell(number, text, previews[0], ms)
        self._ctx.progress(number, total)
        return _document(previews, plan.options.fetch, ms)

    async def _watched(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for the database; end there what takes too long, or belongs to a run that is asked to stop."""
        limit_s = self._plan.manner.timeout_s + (LATE_S if self._session.limits_itself else 0.0)
        task = asyncio.create_task(work, name="sql.statement")
        try:
            await asyncio.wait({task}, timeout=limit_s)
        except asyncio.CancelledError:
            await self._end(task)
            self._ctx.log.warning("the statement was ended on the database")
            raise
        if not task.done():
            await self._end(task)
            raise StatementRefused("it took too long", is_timeout=True)
        return task.result()

    async def _end(self, task: "asyncio.Task[Any]") -> None:
        """End a statement on the database; if that cannot be had in time, the connection is dropped."""
        try:
            async with asyncio.timeout(STOP_WITHIN_S):
                await self._session.stop(task)
        except (ConnectionLost, StatementRefused, TimeoutError) as error:
            said = self._hidden(str(error)) or "it did not answer"
            self._ctx.log.warning("the database could not be told to end the statement", why=said)
        finally:
            if not task.done():
                self._session.cut()
                task.cancel()
            task.add_done_callback(_heed)

    async def _commit(self) -> None:
        plan = self._plan
        task = asyncio.create_task(self._session.commit(), name="sql.commit")
        patience_s = COMMIT_WITHIN_S
        while patience_s and not task.done():
            try:
                await asyncio.wait({task}, timeout=patience_s)
                patience_s = 0.0
            except asyncio.CancelledError:  # asked to stop: what is being committed is done
                patience_s = COMMIT_STOP_S
        task.add_done_callback(_heed)
        try:
            if not task.done():
                raise ConnectionLost("no answer came")
            task.result()
        except ConnectionLost as error:
            self._session.cut()
            if plan.manner.read_only:
                raise DatabaseAway(plan.connection, self._hidden(str(error))) from None
            raise SqlOutcomeUnknown(plan.connection, "COMMIT") from None
        except StatementRefused as error:
            raise StatementFailed(len(plan.options.texts), self._hidden(error.why), error.state) from None

    def _preview(self) -> RowPreview:
        wanted = {"none": 0, "first": 1, "value": 1}.get(self._plan.options.fetch, self._plan.rows_max)
        return RowPreview(wanted, self._room)

    def _tell(self, number: int, text: str, preview: RowPreview, ms: int) -> None:
        shown: dict[str, Any] = {"sql": shortened(self._hidden(text)), "rows": preview.rows_affected, "ms": ms}
        if self._plan.options.log_parameters:
            shown |= {f"param.{name}": self._hidden(str(value)) for name, value in self._plan.values.items()}
        self._ctx.log.info("statement", number=f"{number}/{len(self._plan.options.texts)}", **shown)

    def _heard(self, level: str, text: str) -> None:
        write = self._ctx.log.warning if level.upper().startswith("WARN") else self._ctx.log.info
        write(self._hidden(text), said_by="database")


def _document(previews: list[RowPreview], fetch: str, ms: int) -> dict[str, Any]:
    """One statement in the result of the run."""
    first, *more = previews
    written: dict[str, Any] = {"rows_affected": first.rows_affected}
    if fetch == "value":
        written["value"] = first.rows[0][0] if first.rows else None
    elif fetch != "none":
        written |= _rows(first, fetch)
        if more:
            written["more"] = [_rows(preview, fetch) for preview in more]
    return written | {"ms": ms}


def _rows(preview: RowPreview, fetch: str) -> dict[str, Any]:
    is_cut = preview.is_full and fetch == "rows"  # whoever wants the first wants no more
    return {"columns": preview.columns, "rows": preview.rows, "truncated": is_cut}


def _heed(task: "asyncio.Task[Any]") -> None:
    """Take note of an error that nobody waits for any more."""
    if not task.cancelled():
        task.exception()
