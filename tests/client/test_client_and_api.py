"""The clients against the real API on a real socket: what one sends the other understands."""

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import uvicorn

from foliot import AsyncFoliot, Foliot, job
from foliot.client.errors import RunNotFinished
from foliot.domain.errors import Conflict, Denied, FoliotError, JobNotFound, RunNotFound
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
            assert client.jobs.get("greet").state == "ACTIVE"
            assert client.jobs.pause("greet", reason="moving").state == "PAUSED"
            assert client.jobs.resume("greet", catch_up=True).state == "ACTIVE"
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


# -- the rest of the routes --------------------------------------------------------------------------------------------

NIGHTLY = {"run": {"python": "jobs:greet"}, "schedule": {"cron": "0 2 * * *", "tz": "UTC"}}


async def test_a_job_is_checked_made_changed_compared_and_taken_away(client: AsyncFoliot) -> None:
    jobs = client.jobs
    assert (await jobs.validate(NIGHTLY))["schedule"]
    made = await jobs.create("nightly", NIGHTLY, reason="first")
    changed = await jobs.put("nightly", {**NIGHTLY, "owner": "ops"}, if_version=made.version, reason="owned")
    patched = await jobs.patch("nightly", {"description": "of the night"}, if_version=changed.version)
    assert (made.version, changed.version, patched.version) == (1, 2, 3)
    with pytest.raises(Conflict, match="v3"):
        await jobs.put("nightly", NIGHTLY, if_version=1)
    assert [one["reason"] for one in await jobs.versions("nightly")] == ["", "owned", "first"]
    assert (await jobs.version("nightly", 2))["definition"]["owner"] == "ops"
    assert [one["path"] for one in (await jobs.diff("nightly", 1, 2))["changes"]] == ["owner"]
    assert (await jobs.rollback("nightly", 1, if_version=3)).version == 4
    assert (await jobs.clone("nightly", "nightly_eu", changes={"owner": "eu"})).raw["owner"] == "eu"
    assert [job.name for job in await jobs.list(q="nightly", sort="name", limit=1)] == ["nightly"]
    assert len((await jobs.fires("nightly", limit=3))["future"]) == 3
    assert (await jobs.why("nightly", since="2026-01-01T00:00:00Z")).raw.keys() >= {"items"}
    assert (await jobs.stats("nightly"))["runs"] == 0
    assert "parameters" in await jobs.parameters("nightly")
    assert (await jobs.reschedule_all(dry_run=True))["items"] == []
    await jobs.delete("nightly", if_version=4, reason="moved")
    with pytest.raises(JobNotFound):
        await jobs.get("nightly")
    assert (await jobs.put("nightly", NIGHTLY)).version == 1  # without a version: a new job


async def test_what_can_be_asked_of_a_run(api: Api, client: AsyncFoliot) -> None:
    await api.create_job("greet")
    assert (await client.jobs.check_trigger("greet", {"name": "x"}, reason="try"))["dry_run"] is True
    assert await client.runs.list(job="greet") == []
    run = await client.jobs.trigger("greet", {"name": "x"})
    assert (await client.runs.why(run.id, tz="UTC"))["verdict"]
    assert [one["run"] for one in (await client.runs.why_many([run.id], tz="UTC"))["items"]] == [run.id]
    assert (await client.runs.result(run.id))["result"] is None
    assert [*await client.runs.attempts(run.id)] == []
    assert [*await client.runs.shards(run.id)] == []
    assert [one["what"] for one in await client.runs.timeline(run.id)][:2] == ["due", "created"]
    cancelled = await client.runs.cancel_many([run.id], reason="enough")
    assert [one["outcome"] for one in cancelled["items"]] == ["ended"]
    again = await client.runs.retry(run.id, version="latest", reason="after all")
    assert again.id != run.id
    await again.cancel()
    assert [one.job for one in await client.runs.retry_many([again.id])] == ["greet"]


async def test_backfills_calendars_and_limits(client: AsyncFoliot) -> None:
    await client.jobs.create("nightly", NIGHTLY)
    span = ("2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z")
    seen = await client.backfills.preview("nightly", *span)
    started = await client.backfills.start("nightly", *span, confirmed=seen["token"])
    number = started["id"]
    assert (seen["count"], [one["id"] for one in await client.backfills.list(job="nightly")]) == (2, [number])
    assert (await client.backfills.pause(number))["state"] == "PAUSED"
    assert (await client.backfills.resume(number))["state"] == "ACTIVE"
    assert (await client.backfills.end(number))["state"] == (await client.backfills.get(number))["state"]
    assert (await client.calendars.put("close", {"country": "CN"}, reason="new"))["version"] == 1
    assert (await client.calendars.get("close", version=1))["reason"] == "new"
    assert "close" in [one["name"] for one in await client.calendars.list()]
    await client.calendars.delete("close")
    assert (await client.limits.set("db", 4))["max"] == 4
    assert [one["name"] for one in await client.limits.list()] == ["db"]
    await client.limits.remove("db")


async def test_the_cluster_its_nodes_and_its_tokens(api: Api, client: AsyncFoliot) -> None:
    await api.create_job("greet")
    await api.stage.worker("w-1", {"python:jobs:greet": None})
    assert (await client.cluster.status())["workers_online"] == 1
    assert [one["name"] for one in await client.nodes.list()] == ["w-1"]
    assert (await client.nodes.drain("w-1", reason="update"))["state"] == "DRAINING"
    assert (await client.nodes.undrain("w-1"))["name"] == (await client.nodes.get("w-1"))["name"]
    begun = (await client.cluster.begin_maintenance(lasts="1h", reason="upgrade"))["maintenance"]
    assert (await client.cluster.end_maintenance())["ended"] == begun
    assert [one["name"] for one in await client.cluster.search("gre")] == ["greet"]
    assert (await client.cluster.explain_cron("0 2 * * *", count=2))["expression"] == "0 2 * * *"
    assert [one["kind"] for one in await client.events.list(topic="nodes", limit=2)] == [
        "node.undrained",
        "node.drain_asked",
    ]
    with pytest.raises(FoliotError):
        await client.cluster.step_down(reason="no server leads here")
    made = await client.tokens.create("ci", ["read"], expires="1h")
    rotated = await client.tokens.rotate("ci", grace="1m")
    assert made["token"] != rotated["token"]
    assert (await client.tokens.revoke("ci"))["name"] == "ci"
    assert [one["name"] for one in await client.tokens.list()] == ["root"]
    assert (await client.tokens.whoami())["name"] == "root"
    code = (await client.tokens.create_login_code())["code"]
    async with AsyncFoliot(client.endpoint.urls, (await client.tokens.login(code))["token"]) as session:
        await session.tokens.logout()
        with pytest.raises(Denied):
            await session.tokens.whoami()


async def test_messages_come_in_the_language_that_is_asked_for(api: Api, url: str) -> None:
    async with AsyncFoliot(url, api.token, lang="zh-CN") as client:
        with pytest.raises(JobNotFound, match="任务"):
            await client.jobs.get("gret")


async def test_without_a_namespace_a_list_is_about_every_one(api: Api, url: str) -> None:
    await api.create_job("greet")
    await api.post("/jobs", {"name": "greet", "definition": NIGHTLY}, namespace="prod")
    async with AsyncFoliot(url, api.token, namespace=None) as client:
        assert sorted(job.namespace for job in await client.jobs.list()) == ["default", "prod"]
        assert [job.namespace for job in await client.jobs.list(namespace="prod")] == ["prod"]
