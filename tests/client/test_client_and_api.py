"""The clients against the real API on a real socket: what one sends the other understands."""

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import uvicorn

from foliot import AsyncFoliot, Foliot, job
from foliot.client.errors import RunNotFinished
from foliot.domain.errors import JobNotFound, RunNotFound
from foliot.domain.parameters import BadParameters
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import LogChunk
from foliot.sdk.connection import connection
from tests.api.asking import Api, opened_api
from tests.api.stage import Stage, opened_stage
from tests.eventually import soon
from tests.sql.conftest import migrated_sqlite as migrated_sqlite  # noqa: PLC0414  a fixture


@job
def greet(name: str = "world", shout: bool = False) -> str:
    return name


@pytest.fixture
async def stage(migrated_sqlite: Path, tmp_path: Path) -> AsyncIterator[Stage]:
    async with opened_stage(migrated_sqlite, tmp_path) as stage:
        yield stage


@pytest.fixture
async def api(stage: Stage) -> AsyncIterator[Api]:
    async with opened_api(stage) as api:
        yield api


@pytest.fixture
async def url(api: Api) -> AsyncIterator[str]:
    """The API on a port of this machine."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(api.app, log_config=None, lifespan="off"))
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    await soon(lambda: server.started, within_s=60)
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    await serving


@pytest.fixture
async def client(api: Api, url: str) -> AsyncIterator[AsyncFoliot]:
    async with AsyncFoliot(url, api.token) as client:
        yield client
    connection.configure()


async def test_trigger_wait_and_result(api: Api, client: AsyncFoliot) -> None:
    await api.create_job("greet")
    worker = await api.stage.worker("w-1", {"python:jobs:greet": greet.handler.parameters.schema})
    connection.configure(async_client=client)
    run = await greet.options(key="hello", reason="because").trigger_async(name="Foliot")
    again = await greet.options(key="hello", reason="because").trigger_async(name="Foliot")
    assert (run.id, run.state, run.job, run.namespace) == (again.id, "PENDING", "greet", "default")
    leased = await worker.lease()
    assert leased is not None
    assert leased.params == '{"name":"Foliot"}'
    await worker.beat()
    await worker.end(Cause.SUCCEEDED, after_us=4_000, result='"hello Foliot"')
    ended = await run.wait("60s")
    assert (ended.state, ended.result, ended.attempt, ended.is_final) == ("SUCCEEDED", "hello Foliot", 1, True)


async def test_the_plain_client_says_the_same(api: Api, url: str) -> None:
    await api.create_job("greet")

    def ask() -> None:
        with Foliot(url, api.token) as client:
            run = client.jobs.trigger("greet", {"name": "x"}, delay="5m", priority=9)
            assert client.runs.get(run.id).raw["priority"] == 9
            assert [found.id for found in client.runs.list(job="greet", state="PENDING")] == [run.id]
            assert client.runs.cancel(run.id, reason="enough").state == "CANCELLED"
            assert client.jobs.get("greet").state == "active"
            assert client.jobs.pause("greet", reason="moving").state == "paused"
            assert client.jobs.resume("greet", catch_up=True).state == "active"
            assert client.jobs.reschedule("greet", dry_run=True)["changed"] is False
            assert [found.name for found in client.jobs.list(limit=10)] == ["greet"]

    await asyncio.to_thread(ask)


async def test_refusals_come_back_as_themselves(api: Api, client: AsyncFoliot) -> None:
    await api.create_job("greet")
    await api.stage.worker("w-1", {"python:jobs:greet": greet.handler.parameters.schema})
    with pytest.raises(JobNotFound, match="did you mean greet"):
        await client.jobs.trigger("gret")
    with pytest.raises(RunNotFound):
        await client.runs.get("r-zzz")
    with pytest.raises(BadParameters) as refused:
        await client.jobs.trigger("greet", {"name": 7, "loud": True})
    assert refused.value.sentence == "greet: name=7 is not text; loud is unknown."
    assert refused.value.hint == "parameters: name (text), shout (true/false)"
    assert [error["path"] for error in refused.value.data["errors"]] == ["name", "loud"]


async def test_a_wait_that_is_too_short_says_so(api: Api, client: AsyncFoliot) -> None:
    await api.create_job("greet")
    run = await client.jobs.trigger("greet")
    waiting = asyncio.create_task(run.wait(0.05))

    def server_time_passes() -> bool:
        api.stage.elapse("1s")
        return waiting.done()

    await soon(server_time_passes, within_s=60)
    with pytest.raises(RunNotFinished, match="is still PENDING after 50ms"):
        await waiting


@pytest.mark.parametrize("follow", [False, True])
async def test_logs(api: Api, client: AsyncFoliot, follow: bool) -> None:
    await api.create_job("greet")
    worker = await api.stage.worker("w-1", {"python:jobs:greet": None})
    run = await client.jobs.trigger("greet")
    leased = await worker.lease()
    assert leased is not None
    chunk = LogChunk(run_id=leased.run_id, lease_id=leased.lease_id, attempt=1, offset=0, text="one\ntwo\n")
    await api.stage.store.runs.write_logs(worker.session, [chunk])
    await worker.beat()
    await worker.end(Cause.SUCCEEDED, after_us=4_000)
    assert [line async for line in run.logs(follow=follow)] == ["one", "two"]
