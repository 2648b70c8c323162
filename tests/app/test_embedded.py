"""Foliot inside a web application: as a whole, and as a worker of a cluster that runs elsewhere."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from foliot.app.handler_kinds import NothingToExecute
from foliot.client.awaited.foliot import AsyncFoliot
from foliot.integrations.fastapi import lifespan
from foliot.sdk.connection import connection
from tests.app.test_all_in_one import running, settings
from tests.eventually import soon

SOURCE = """
from foliot import job

@job
async def double(number: int) -> int:
    return number * 2
"""


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """The Foliot that the application was is nobody's default any more."""
    yield
    connection.configure()


async def result_of(url: str, token: str, number: int) -> object:
    async with AsyncFoliot(url, token) as client:
        run = await client.jobs.trigger("double", {"number": number})
        return (await run.wait("60s")).result


async def slots_at(url: str, token: str) -> list[int]:
    """The slots of each session of a worker."""
    async with AsyncFoliot(url, token) as client:
        nodes = await client.nodes.list()
    return sorted(node["slots"] for node in nodes if node["kind"] == "worker")


async def test_an_application_can_be_a_whole_foliot(tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text(SOURCE)
    jobs, data = [str(tmp_path / "jobs.py")], tmp_path / ".foliot"
    around = lifespan(role="all_in_one", jobs=jobs, data=data, slots="2,http=30")
    async with around(None):
        told = json.loads((tmp_path / ".foliot" / "client.json").read_text())

        async def is_declared() -> bool:
            async with AsyncFoliot(told["url"], told["token"]) as client:
                return any(job.name == "double" for job in await client.jobs.list())

        await soon(is_declared, within_s=60)
        assert await result_of(told["url"], told["token"], 21) == 42
        assert await slots_at(told["url"], told["token"]) == [2, 30]
    assert not (tmp_path / ".foliot" / "client.json").exists()


async def test_an_application_can_be_a_worker_of_a_cluster(tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text("")
    (tmp_path / "app_jobs.py").write_text(SOURCE)
    async with running(settings(tmp_path)) as cluster:
        await soon(lambda: cluster.url != "", within_s=60)
        jobs, handlers = [str(tmp_path / "app_jobs.py")], {"http": {"slots": 30}}
        around = lifespan(role="worker", jobs=jobs, handlers=handlers, url=cluster.url, token=cluster.token)
        async with around(None):

            async def is_declared() -> bool:
                async with AsyncFoliot(cluster.url, cluster.token) as client:
                    return any(job.name == "double" for job in await client.jobs.list())

            await soon(is_declared, within_s=60)
            assert await result_of(cluster.url, cluster.token, 4) == 8
            assert await slots_at(cluster.url, cluster.token) == [2, 8, 30]


async def test_a_node_with_nothing_to_execute_is_refused() -> None:
    with pytest.raises(NothingToExecute):
        async with lifespan(role="worker")(None):
            raise AssertionError("it started")
