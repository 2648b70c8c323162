"""A listener whose connection is silently gone notices it, and the server listens anew: else it would stay deaf."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from foliot.coordination import etcd, file, redis
from foliot.coordination.address import read_address
from foliot.coordination.backend import Backend
from foliot.domain.wakeups import MISSED
from tests.coordination.arena import CLOCK
from tests.coordination.conftest import PASSWORD
from tests.coordination.services import own_prefix
from tests.eventually import soon
from tests.servers.etcd import EtcdCluster
from tests.servers.proxy import FaultProxy
from tests.servers.redis import RedisServer

pytestmark = pytest.mark.anyio

TERM_S = 5


@asynccontextmanager
async def listening(backend: Backend) -> AsyncIterator[asyncio.Task[None]]:
    """Hear what others publish; the task ends when the listener gives up."""
    heard: list[str] = []
    task = asyncio.create_task(backend.hear(heard.append))
    try:
        await soon(lambda: MISSED in heard, what="it listens")
        yield task
    finally:
        task.cancel()
        await asyncio.wait([task])
        await backend.close()


async def gives_up(task: asyncio.Task[None]) -> None:
    await soon(task.done, within_s=30, what="the listener gives up")


@pytest.mark.services
async def test_redis_behind_a_line_that_went_silent(redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis, "CHECK_EVERY_S", 0.5)
    with FaultProxy(redis_server.port) as proxy:
        url = f"redis://:{PASSWORD}@127.0.0.1:{proxy.port}/0?prefix={own_prefix()}"
        address = read_address(url, name="redis", form="", port=1)
        async with listening(redis.RedisKey(address, term_ms=TERM_S * 1000, me="me")) as task:
            proxy.cut()
            await gives_up(task)


@pytest.mark.services
async def test_etcd_behind_a_line_that_went_silent(etcd_cluster: EtcdCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(etcd, "SILENCE_MAX_S", 0.5)
    with FaultProxy(etcd_cluster.members[0].port) as proxy:
        address = read_address(f"etcd://127.0.0.1:{proxy.port}", name="etcd", form="", port=1)
        gateway = etcd.Gateway(address, within_s=TERM_S)
        async with listening(etcd.EtcdLine(gateway, prefix=own_prefix(), ttl_s=TERM_S, me="me")) as task:
            proxy.cut()
            await gives_up(task)


async def test_a_file_whose_folder_was_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "CHECK_EVERY_S", 0.05)
    backend = file.LockedFile(tmp_path / "e", clock=CLOCK, term_s=TERM_S, me="me")
    async with listening(backend) as task:
        (socket,) = tmp_path.glob("*.wake")
        socket.unlink()
        await gives_up(task)
