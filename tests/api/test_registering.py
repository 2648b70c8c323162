"""A worker registers: the jobs of its code are declared first, and its session begins when it can be told of it."""

from typing import Any

import msgspec
import pytest

from foliot.domain.access import Principal, Scope
from foliot.domain.job import Lane
from foliot.operations.serving_workers import WorkerService
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.worker_link import DeclaredJob, HandlerOffer, Hello
from foliot.store.sql.kernel.statement import Statement
from tests.api.stage import TIMES, Stage
from tests.api.test_hanging_up import NoDesk

JOBS = tuple(DeclaredJob(namespace="default", name=name, document='{"run": {"python": "m:f"}}') for name in "abc")
HELLO = Hello(session="s" * 32, name="w1", group="default", slots=4, handlers=(), jobs=JOBS)
WORKER = Principal(name="w", scopes=frozenset({Scope.WORKER}), line="t-1")
NODES = Statement("SELECT state, until FROM nodes")


class Desk(NoDesk):
    """`LeaseDesk` that knows who came."""

    def __init__(self) -> None:
        self.came: list[Hello] = []

    def introduce(self, hello: Hello) -> None:
        self.came.append(hello)

    def hello_of(self, session: str) -> Hello | None:
        return None


async def sessions(stage: Stage) -> list[tuple[str, int]]:
    return [tuple(row) for row in await stage.store.database.read(lambda tx: tx.rows(NODES))]


async def test_a_session_counts_from_when_its_jobs_are_declared(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long that takes: else a worker with many jobs on a slow store is reaped before it can beat (L3, I12)."""
    save = stage.store.jobs.save

    async def slowly(*job: Any, **how: Any) -> Any:
        stage.elapse("20s")
        return await save(*job, **how)

    monkeypatch.setattr(stage.store.jobs, "save", slowly)
    desk = Desk()
    welcome = await WorkerService(stage.services, desk).register(HELLO, by=WORKER)
    assert welcome.store_now == stage.clock.at
    assert await sessions(stage) == [("live", stage.clock.at + TIMES.ttl_us)]
    assert desk.came == [msgspec.structs.replace(HELLO, owner="t-1")]


async def test_a_registration_that_breaks_off_leaves_no_session_behind(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker comes again with the same session when the store is back: it must not find it dead by then."""
    save, asked = stage.store.jobs.save, 0

    async def away_in_between(*job: Any, **how: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked == len(JOBS):
            raise StoreUnavailable("The store does not answer.")
        return await save(*job, **how)

    monkeypatch.setattr(stage.store.jobs, "save", away_in_between)
    desk = Desk()
    service = WorkerService(stage.services, desk)
    with pytest.raises(StoreUnavailable):
        await service.register(HELLO, by=WORKER)
    assert (await sessions(stage), desk.came) == ([], [])
    stage.elapse("1m")
    await service.register(HELLO, by=WORKER)
    assert await sessions(stage) == [("live", stage.clock.at + TIMES.ttl_us)]


async def test_what_a_worker_offers_is_known_as_soon_as_it_is_registered(stage: Stage) -> None:
    """A server remembers for some seconds what workers offer; one that registers with this server counts at once."""
    lane = Lane(namespace="default", group="default", offer="python:m:f")
    assert await stage.services.offers.schema_of(lane) is None
    takes = {"type": "object", "properties": {"day": {}}}
    offers = (HandlerOffer(name="python:m:f", parameters=takes),)
    service = WorkerService(stage.services, Desk())
    await service.register(msgspec.structs.replace(HELLO, handlers=offers), by=WORKER)
    assert await stage.services.offers.schema_of(lane) == takes
