"""Jobs that ask another system for work: it calls back or is asked, and the run takes no slot meanwhile."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from foliot.api.app import build_api
from foliot.app.inprocess import InProcessLink
from foliot.app.server import Server
from foliot.app.settings import TEST_TIMING, ServerSettings
from foliot.app.system import SystemClock
from foliot.domain.access import Principal, Scope
from foliot.domain.errors import BadField
from foliot.domain.instants import MINUTE
from foliot.domain.run import format_run_id
from foliot.domain.verdict import judge
from foliot.operations import save
from foliot.ports.store.actor import Actor
from foliot.ports.store.lookups import RunRow
from foliot.ports.worker_link import Beat, BeatAnswer, Hello, Welcome
from foliot.worker.handlers.http.kind import HttpHandlers
from foliot.worker.handlers.settings import set_up
from foliot.worker.settings import WorkerSettings
from foliot.worker.worker import Worker
from tests.conformance.building import NS
from tests.conformance.working import lead, run_of, trigger
from tests.eventually import soon
from tests.servers.web_site import Seen, Visit, WebSite
from tests.sql.world import CHANCE, World

ROOT = Principal(name="root", scopes=frozenset({Scope.ADMIN}))
MANY = 20


class CutLink(InProcessLink):
    """A link that can be cut: the server hears no more of its worker."""

    is_cut = False

    async def register(self, hello: Hello) -> Welcome:
        # Without this a worker that was told of its death would lease runs under a second session while it stops.
        if self.is_cut:
            raise OSError("cut")
        return await super().register(hello)

    def beat(self, beat: Beat) -> BeatAnswer:
        if self.is_cut:
            raise OSError("cut")
        return super().beat(beat)


class Scene:
    """A store with two servers on it, a web site that does work, and workers that come and go."""

    def __init__(self, world: World, site: WebSite) -> None:
        self.world, self.site = world, site
        self.server, self.other = (self._server(name) for name in ("s1", "s2"))

    def _server(self, name: str) -> Server:
        settings = ServerSettings(
            store_url=self.world.url, node_name=name, timing=TEST_TIMING, public_url="http://foliot"
        )
        return Server(settings, self.world.store, clock=SystemClock(), chance=CHANCE)

    async def create(self, name: str, http: dict[str, Any], **document: Any) -> None:
        options = {"url": f"{self.site.url}/work", "method": "POST", **http}
        await save.create(self.server.services, ROOT, NS, name, {"run": {"http": options}, **document})

    @asynccontextmanager
    async def working(self, slots: int = 2) -> AsyncIterator[tuple[Worker, CutLink]]:
        link = CutLink(self.server.workers, asyncio.get_running_loop())
        kind = HttpHandlers()
        set_up(kind, {"allow": ["loopback"]})
        settings = WorkerSettings(name="w", slots=slots, processes_warm=0, drain_timeout_s=0.0)
        worker = Worker(link, SystemClock(), CHANCE, settings, kinds=[kind])
        task = asyncio.create_task(worker.run())
        leasing = asyncio.create_task(self._lease())
        try:
            await soon(lambda: worker.session is not None, within_s=60)
            yield worker, link
        finally:
            for _ in range(2):
                worker.stop()
            await asyncio.wait_for(task, 60)
            leasing.cancel()

    async def _lease(self) -> None:
        while True:
            await self.server.pulsing.step()
            self.server.leasing.hint()
            await self.server.leasing.step()
            await asyncio.sleep(0)

    async def over(self, run_id: int) -> RunRow:
        async def is_over() -> bool:
            return (await run_of(self.world, run_id)).ended_at is not None

        await soon(is_over, within_s=60)
        return await run_of(self.world, run_id)

    async def asked(self, count: int = 1) -> list[Seen]:
        """The requests for work, when there are so many."""
        await soon(lambda: len(self.site.requests("/work")) >= count, within_s=60)
        return self.site.requests("/work")

    async def waits(self, worker: Worker, count: int) -> None:
        await soon(lambda: worker._execution.waiting == count, within_s=60, what=f"{count} wait")

    async def call_back(self, seen: Seen, said: dict[str, Any]) -> int:
        """What the system does when it is done: it calls the other server."""
        path = seen.headers["foliot-callback"].removeprefix("http://foliot")
        headers = {"Authorization": f"Bearer {seen.headers['foliot-callback-token']}"}
        transport = httpx2.ASGITransport(app=build_api(self.other.services))
        async with httpx2.AsyncClient(transport=transport, base_url="http://foliot") as http:
            return (await http.post(path, json=said, headers=headers)).status_code


def accept(visit: Visit) -> None:
    """The work goes on."""
    visit.answer(202, {"job": {"status": "/status", "stop": "/stop"}}, location="/status")


@pytest.fixture
def site() -> Iterator[WebSite]:
    site = WebSite()
    site.pages["/work"] = accept
    site.pages["/stop"] = lambda visit: visit.answer(200, {})
    yield site
    site.close()


@pytest.fixture
def scene(world: World, site: WebSite) -> Scene:
    return Scene(world, site)


def answers(*values: dict[str, Any]) -> Callable[[Visit], None]:
    """A page that gives these answers in turn, the last one for good."""
    left = list(values)

    def page(visit: Visit) -> None:
        visit.answer(200, left.pop(0) if len(left) > 1 else left[0])

    return page


async def test_runs_that_wait_for_a_callback_leave_their_slots_to_others(scene: Scene) -> None:
    await scene.create("slow", {"callback": True, "body": {"json": {"back": "${callback.url}"}}})
    await scene.create("quick", {"url": f"{scene.site.url}/ok", "method": "GET"})
    slow = await trigger(scene.world, "slow", n=MANY)
    async with scene.working(slots=2) as (worker, _):
        await scene.waits(worker, MANY)
        (quick,) = await trigger(scene.world, "quick")
        assert (await scene.over(quick)).state == "SUCCEEDED"
        asked = await scene.asked(MANY)
        assert json.loads(asked[0].body)["back"] == asked[0].headers["foliot-callback"]
        for seen in asked:
            assert await scene.call_back(seen, {"state": "succeeded", "result": {"rows": 7}}) == 200
        done = [await run_of(scene.world, run_id) for run_id in slow]
        assert {(run.state, run.result) for run in done} == {("SUCCEEDED", '{"rows":7}')}
        await soon(lambda: worker._execution.is_idle, within_s=60, what="the worker lets go")
    assert len(scene.site.requests("/work")) == MANY


async def test_when_the_worker_of_waiting_runs_dies_each_is_asked_for_again_or_lost(scene: Scene) -> None:
    await scene.create("again", {"callback": True})
    await scene.create("once", {"callback": True}, on_lost="fail")
    again, once = await trigger(scene.world, "again", n=10), await trigger(scene.world, "once", n=10)
    async with scene.working() as (worker, link):
        await scene.waits(worker, 20)
        before = await scene.asked(20)
        link.is_cut = True
        await scene.world.elapse(MINUTE)
        term = await lead(scene.world)
        await scene.world.store.runs.reap(judge, limit=100, term=term)
    lost = [await run_of(scene.world, run_id) for run_id in once]
    assert {(run.state, run.kind) for run in lost} == {("FAILED", "lost")}
    async with scene.working() as (worker, _):
        await scene.waits(worker, 10)
        after = (await scene.asked(30))[20:]
        keys = {seen.headers["idempotency-key"] for seen in after}
        assert len(keys) == 10
        assert keys < {seen.headers["idempotency-key"] for seen in before}
        assert await scene.call_back(before[0], {"state": "succeeded"}) == 410
        for seen in after:
            assert await scene.call_back(seen, {"state": "succeeded"}) == 200
    assert {(await run_of(scene.world, run_id)).state for run_id in again} == {"SUCCEEDED"}


POLL = {"at": "$.job.status", "every": 0.1, "until": '$.state == "done"', "failed": '$.state == "bad"'}


async def test_asking_finds_the_end_the_progress_and_the_result(scene: Scene) -> None:
    going = {"state": "busy", "done": 3, "total": 10}
    scene.site.pages["/status"] = answers(going, going, {"state": "done", "out": {"rows": 7}})
    await scene.create("slow", {"poll": {**POLL, "progress": "$.done", "total": "$.total", "result": "$.out"}})
    (run_id,) = await trigger(scene.world, "slow")
    async with scene.working(slots=1):
        done = await scene.over(run_id)
    assert (done.state, done.result) == ("SUCCEEDED", '{"rows":7}')
    assert [seen.method for seen in scene.site.requests("/status")] == ["GET"] * 3
    assert "foliot-callback-token" not in scene.site.requests("/status")[0].headers


async def test_asking_finds_that_the_work_has_failed(scene: Scene) -> None:
    scene.site.pages["/status"] = answers({"state": "bad", "why": "no room"})
    await scene.create("slow", {"poll": POLL})
    (run_id,) = await trigger(scene.world, "slow")
    async with scene.working(slots=1):
        done = await scene.over(run_id)
    assert done.state == "FAILED"
    assert '$.state == "bad" holds' in (done.error or "")


async def test_asking_goes_on_when_an_answer_fails_and_by_the_address_of_the_first_answer(scene: Scene) -> None:
    left = [503, 200]

    def status(visit: Visit) -> None:
        visit.answer(left.pop(0), {"state": "done"})

    scene.site.pages["/status"] = status
    await scene.create("slow", {"poll": {"every": 0.1, "until": '$.state == "done"'}})
    (run_id,) = await trigger(scene.world, "slow")
    async with scene.working(slots=1):
        done = await scene.over(run_id)
    assert done.state == "SUCCEEDED"
    assert json.loads(done.result or "")["body"] == {"state": "done"}


async def test_what_an_answer_names_is_relative_to_the_server_that_gave_it(scene: Scene) -> None:
    """After a redirect that is not the job's own server, which a URL of the job means."""
    other = WebSite()
    scene.site.pages["/work"] = lambda visit: visit.answer(302, b"", location=f"{other.url}/work")
    other.pages["/work"] = accept
    scene.site.pages["/status"] = other.pages["/status"] = answers({"state": "done"})
    poll = {"every": 0.1, "until": '$.state == "done"'}
    await scene.create("named", {"redirects": 1, "poll": poll})
    await scene.create("own", {"redirects": 1, "poll": {**poll, "url": "/status"}})
    runs = [*await trigger(scene.world, "named"), *await trigger(scene.world, "own")]
    async with scene.working():
        done = [await scene.over(run_id) for run_id in runs]
    assert [run.state for run in done] == ["SUCCEEDED", "SUCCEEDED"]
    assert [len(one.requests("/status")) for one in (other, scene.site)] == [1, 1]
    other.close()


async def test_a_run_waits_no_longer_than_its_job_says(scene: Scene) -> None:
    await scene.create("slow", {"callback": {"within": 0.3}, "cancel": {"url": "/stop"}})
    (run_id,) = await trigger(scene.world, "slow")
    async with scene.working(slots=1):
        done = await scene.over(run_id)
    assert done.state == "FAILED"
    assert "its end did not come within 0.3 s" in (done.error or "")
    assert [seen.method for seen in scene.site.requests("/stop")] == ["DELETE"]


@pytest.mark.parametrize("why", ["cancel", "timeout"])
async def test_a_run_that_stops_tells_the_other_system_once(scene: Scene, why: str) -> None:
    document = {"timeout": "1s"} if why == "timeout" else {}
    await scene.create("slow", {"callback": True, "cancel": {"at": "$.job.stop", "method": "POST"}}, **document)
    (run_id,) = await trigger(scene.world, "slow")
    async with scene.working() as (worker, _):
        (seen,) = await scene.asked()
        if why == "cancel":
            await scene.waits(worker, 1)
            await scene.world.store.runs.cancel([run_id], by=Actor(name="me"))
            worker._beat_now()
        done = await scene.over(run_id)
        assert (done.state, done.kind) == (("CANCELLED", None) if why == "cancel" else ("FAILED", "timeout"))
        assert await scene.call_back(seen, {"state": "succeeded"}) == 410
    assert [seen.method for seen in scene.site.requests("/stop")] == ["POST"]


async def test_a_run_that_is_given_back_or_ended_by_its_callback_does_not_stop_the_other_system(scene: Scene) -> None:
    await scene.create("slow", {"callback": True, "cancel": {"method": "POST", "url": "/stop"}})
    ended, kept = await trigger(scene.world, "slow", n=2)
    async with scene.working() as (worker, _):
        await scene.waits(worker, 2)
        by_run = {seen.headers["foliot-run"]: seen for seen in await scene.asked(2)}
        assert await scene.call_back(by_run[format_run_id(ended)], {"state": "succeeded"}) == 200
        await scene.waits(worker, 1)
    assert (await run_of(scene.world, kept)).state == "PENDING"
    assert scene.site.requests("/stop") == []


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"cancel": {}}, "run.http.cancel"),
        ({"poll": {"until": []}}, "run.http.poll.until"),
        ({"poll": {"until": "$.x"}}, "run.http.poll.until"),
        ({"poll": {**POLL, "url": "/x"}}, "run.http.poll"),
        ({"poll": {**POLL, "at": "x"}}, "run.http.poll.at"),
        ({"poll": {**POLL, "every": 0.01}}, "run.http.poll.every"),
        ({"poll": {"until": "$.x exists", "url": "${params.host}/x"}}, "run.http.poll.url"),
        ({"poll": {"until": "$.x exists", "url": "/${secret:A}"}}, "run.http.poll.url"),
        ({"callback": True, "cancel": {"url": "/${callback.token}"}}, "run.http.cancel.url"),
        ({"callback": {"within": "1y"}}, "run.http.callback.within"),
        ({"headers": {"X-Back": "${callback.url}"}}, "run.http.callback"),
        ({"headers": {"Foliot-Callback": "x"}}, "run.http.headers.Foliot-Callback"),
    ],
)
def test_what_no_run_could_use_is_refused_when_the_job_is_saved(options: dict[str, Any], field: str) -> None:
    with pytest.raises(BadField) as refused:
        HttpHandlers().validate({"url": "https://example.org", **options})
    assert refused.value.data["path"] == field
