"""A worker registers: the jobs of its code are declared first, and its session begins when it can be told of it."""

import asyncio
from typing import Any

import msgspec
import pytest

from foliot.domain.access import Principal, Scope
from foliot.domain.job import Lane
from foliot.operations.kinds import UnservedKind, check_kind
from foliot.operations.worker_service import WorkerService
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.worker_link import DeclaredJob, HandlerOffer, Hello
from foliot.store.sql.kernel.statement import Statement
from tests.api.stage import TIMES, Stage
from tests.api.test_hanging_up import NoDesk
from tests.conformance.building import definition

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
    declare = stage.store.jobs.declare

    async def slowly(*jobs: Any, **how: Any) -> Any:
        stage.elapse("20s")
        return await declare(*jobs, **how)

    monkeypatch.setattr(stage.store.jobs, "declare", slowly)
    desk = Desk()
    welcome = await WorkerService(stage.services, desk).register(HELLO, by=WORKER)
    assert welcome.store_now == stage.clock.at
    assert await sessions(stage) == [("live", stage.clock.at + TIMES.ttl_us)]
    (came,) = desk.came
    assert came == msgspec.structs.replace(HELLO, owner="t-1", offer_hash=came.offer_hash)


async def test_a_registration_that_breaks_off_leaves_no_session_behind(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker comes again with the same session when the store is back: it must not find it dead by then."""
    declare, asked = stage.store.jobs.declare, 0

    async def away_once(*jobs: Any, **how: Any) -> Any:
        nonlocal asked
        asked += 1
        landed = await declare(*jobs, **how)
        if asked == 1:
            raise StoreUnavailable("The store does not answer.")
        return landed

    monkeypatch.setattr(stage.store.jobs, "declare", away_once)
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


def counted_reads(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many workers each read of the nodes found."""
    nodes, reads = stage.store.lookups.nodes, list[int]()

    async def counting(**asked: Any) -> Any:
        found = await nodes(**asked)
        reads.append(len(found))
        return found

    monkeypatch.setattr(stage.store.lookups, "nodes", counting)
    return reads


def offering(session: str, *names: str) -> Hello:
    handlers = tuple(HandlerOffer(name=name, parameters={"title": name}) for name in names)
    return Hello(session=session, name=session, group="default", slots=4, handlers=handlers)


async def test_workers_that_register_do_not_make_the_server_read_all_workers_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else each question reads every worker while a fleet restarts."""
    reads = counted_reads(stage, monkeypatch)
    service, offers = WorkerService(stage.services, Desk()), stage.services.offers
    await offers.workers("default")
    for number in range(5):
        offer = f"python:m:f{number}"
        await service.register(offering(f"w{number}", offer), by=WORKER)
        lane = Lane(namespace="default", group="default", offer=offer)
        assert await offers.schema_of(lane) == {"title": offer}
    await service.register(offering("w0", "python:m:new"), by=WORKER)
    assert await offers.schema_of(Lane(namespace="default", group="default", offer="python:m:f0")) is None
    assert reads == [0]
    stage.elapse("4s")
    assert len(await offers.workers("default")) == 5
    assert reads == [0, 5]


async def test_a_worker_that_registers_during_a_read_of_all_workers_is_known_after_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes, service = stage.store.lookups.nodes, WorkerService(stage.services, Desk())

    async def meanwhile(**asked: Any) -> Any:
        found = await nodes(**asked)
        await service.register(offering("late", "python:m:late"), by=WORKER)
        return found

    monkeypatch.setattr(stage.store.lookups, "nodes", meanwhile)
    (worker,) = await stage.services.offers.workers("default")
    assert list(worker.handlers) == ["python:m:late"]


async def test_questions_at_the_same_time_share_one_read_of_the_workers(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = counted_reads(stage, monkeypatch)
    offers = stage.services.offers
    await asyncio.gather(*(offers.workers("default") for _ in range(20)))
    assert len(reads) == 1

    async def save_of_unknown_kind() -> None:
        (warning,) = await check_kind(stage.services, "default", definition(run="nobody:x"))
        assert isinstance(warning, UnservedKind)

    await asyncio.gather(*(save_of_unknown_kind() for _ in range(20)))
    assert len(reads) <= 3, "each asks twice, and the first forgets for all"


async def test_a_question_after_a_change_does_not_take_a_read_from_before_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes, offers = stage.store.lookups.nodes, stage.services.offers
    later: list[asyncio.Task[Any]] = []

    async def meanwhile(**asked: Any) -> Any:
        found = await nodes(**asked)
        if not later:
            await stage.store.nodes.register(offering("w", "python:m:f"), kind="worker", ttl_us=TIMES.ttl_us)
            offers.forget()
            later.append(asyncio.create_task(offers.workers("default")))
            await asyncio.sleep(0)  # it asks while this read goes on
        return found

    monkeypatch.setattr(stage.store.lookups, "nodes", meanwhile)
    assert await offers.workers("default") == []
    assert len(await later[0]) == 1


async def test_a_read_that_fails_fails_for_all_who_share_it_and_the_next_question_reads_anew(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes, offers, tries = stage.store.lookups.nodes, stage.services.offers, list[int]()

    async def away_at_first(**asked: Any) -> Any:
        tries.append(1)
        if len(tries) == 1:
            raise StoreUnavailable("The store does not answer.")
        return await nodes(**asked)

    monkeypatch.setattr(stage.store.lookups, "nodes", away_at_first)
    answers = await asyncio.gather(*(offers.workers("default") for _ in range(3)), return_exceptions=True)
    assert [type(answer) for answer in answers] == [StoreUnavailable] * 3
    assert await offers.workers("default") == []
    assert len(tries) == 2
