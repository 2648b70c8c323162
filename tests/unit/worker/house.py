"""A worker and its server, put together for a test."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from foliot.app.system import SystemChance, SystemClock
from foliot.ports.clock import Clock
from foliot.ports.worker_link import LeasePoll
from foliot.sdk.registry import Loaded, load
from foliot.worker.handlers.python import PythonHandlers
from foliot.worker.settings import WorkerSettings
from foliot.worker.worker import Worker
from tests.clocks import DrivenClock
from tests.eventually import soon
from tests.unit.worker.fake_server import FakeServer, Row

JOBS = "tests.unit.worker.jobs"

_loaded: list[Loaded] = []


def name_of(function: str) -> str:
    """The handler's name of one of our jobs."""
    return f"python:{JOBS}:{function}"


def code() -> PythonHandlers:
    """Our jobs, loaded once."""
    if not _loaded:
        _loaded.append(load([JOBS]))
        assert not _loaded[0].problems, _loaded[0].problems
    return PythonHandlers.of(_loaded[0], [JOBS])


class House:
    """A running worker and its server."""

    def __init__(self, server: FakeServer, worker: Worker, task: "asyncio.Task[None]") -> None:
        self.server = server
        self.worker = worker
        self.task = task

    def add(self, function: str, **fields: Any) -> Row:
        """A run of one of our jobs."""
        return self.server.add(name_of(function), **fields)

    def lease_ahead(self, row: Row) -> None:
        """Give the worker a run beyond its slots, as the answer to a poll ahead of them does."""
        session = self.worker.session
        assert session is not None
        number = session.next_request()
        poll = LeasePoll(session=session.id, request_no=number, free=0, settled=number - 1, wait_us=0, ahead=1)
        leased = self.server._lease_now(poll)
        assert [run.run_id for run in leased.runs] == [row.run.run_id]
        self.worker._answers.leased(session, leased)

    async def until(self, condition: Callable[[], Any], *, within_s: float = 60.0, what: str = "") -> Any:
        """Wait for a condition; a worker that broke shows its error instead."""

        def check() -> Any:
            if self.task.done() and not self.task.cancelled():
                self.task.result()
            return condition()

        return await soon(check, within_s=within_s, what=what)

    async def done(self, *rows: Row, within_s: float = 60.0) -> None:
        """Wait until these runs (or all) are over."""
        chosen = rows or tuple(self.server.rows.values())
        await self.until(lambda: all(row.state.is_final for row in chosen), within_s=within_s, what="runs over")

    async def stop(self, *, within_s: float = 60.0) -> None:
        """Stop the worker and wait for it."""
        self.worker.stop()
        await asyncio.wait_for(asyncio.shield(self.task), within_s)


@asynccontextmanager
async def working(
    server: FakeServer | None = None, *, clock: Clock | None = None, slots: int = 8, **settings: Any
) -> AsyncIterator[House]:
    """A worker at work; stopped at once at the end unless the test stopped it."""
    clock = clock or SystemClock()
    times = {name: settings.pop(name) for name in ("ttl_s", "beat_every_s", "margin_s") if name in settings}
    server = server or FakeServer(clock, **times)
    told: dict[str, Any] = {"name": "w-1", "slots": slots, "processes_warm": 0, "drain_timeout_s": 0.0} | settings
    worker = Worker(server, clock, SystemChance(), WorkerSettings(**told), code())
    task = asyncio.create_task(worker.run(), name="worker")
    house = House(server, worker, task)
    try:
        yield house
    finally:
        if not task.done():
            worker.stop()
            worker.stop()
            await _until_done(task, clock)
        await task


async def _until_done(task: "asyncio.Task[None]", clock: Clock) -> None:
    """Wait for the worker to leave; a driven clock is driven on meanwhile."""

    async def step() -> bool:
        if isinstance(clock, DrivenClock):
            await clock.advance(0.5)
        return task.done()

    await soon(step, within_s=60.0, what="the worker leaves")
