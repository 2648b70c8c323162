"""The PostgreSQL that fails over, and the etcd it agrees through: every fault has an end, nothing is left behind."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import asyncpg
import pytest

from tests.eventually import eventually
from tests.servers.etcd import Etcd
from tests.servers.patroni import Patroni
from tests.servers.process import ServerFailed
from tests.unit.servers.clients import client_for

pytestmark = pytest.mark.services


# -- etcd ---------------------------------------------------------------------------------------------------------


def test_what_etcd_was_given_survives_kill_9_and_goes_when_it_is_closed() -> None:
    with Etcd() as etcd:
        pid, directory = etcd.pid, etcd.directory.path
        asked(etcd, "put", {"key": "a2V5", "value": "dmFsdWU="})
        etcd.kill()
        assert not etcd.is_healthy()
        etcd.restart()
        assert asked(etcd, "range", {"key": "a2V5"})["kvs"][0]["value"] == "dmFsdWU="
        assert etcd.pid != pid
    assert not directory.exists()
    with pytest.raises(ServerFailed, match="not running"):
        etcd.stop()


def test_paused_etcd_says_nothing_and_goes_on_afterwards() -> None:
    with Etcd() as etcd:
        etcd.pause()
        assert not etcd.is_healthy()
        etcd.resume()
        eventually(etcd.is_healthy)


def asked(etcd: Etcd, verb: str, body: dict[str, str]) -> Any:
    with urlopen(Request(f"{etcd.url}/v3/kv/{verb}", json.dumps(body).encode())) as answer:
        return json.load(answer)


# -- Patroni ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def patroni() -> Iterator[Patroni]:
    with Patroni(fast=True) as cluster:
        yield cluster


@pytest.mark.matrix
async def test_a_switchover_and_a_kill_lose_nothing_that_was_acknowledged(patroni: Patroni) -> None:
    url = patroni.database(notes)
    old, new = patroni.switchover()
    assert new is not old
    await write(url, "after the switchover")
    patroni.await_whole()
    killed = patroni.kill_primary()
    assert killed is new
    assert not killed.is_running
    assert patroni.await_leader(other_than=killed) is not killed
    await write(url, "after the kill")
    killed.start()
    patroni.await_whole()
    assert await texts(url) == ["before", "after the switchover", "after the kill"]


@pytest.mark.matrix
async def test_a_frozen_primary_is_replaced_and_comes_back_as_a_standby(patroni: Patroni) -> None:
    url = patroni.database(notes)
    frozen = patroni.pause_primary()
    assert patroni.await_leader(other_than=frozen) is not frozen
    frozen.resume()
    assert patroni.await_whole() is not frozen
    assert await texts(url) == ["before"]


@pytest.mark.slow
def test_cut_off_it_forgets_and_closed_it_leaves_neither_process_nor_directory() -> None:
    with Patroni(fast=True, asynchronous=True) as cluster:
        pids = [pid for member in cluster.members for pid in (member.pid, member.postmaster)]
        directories = [member.directory.path for member in cluster.members]
        senders = cluster.cut_replication()
        assert senders == len(cluster.members) - 1
        assert forgets(cluster)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    assert not any(directory.exists() for directory in directories)


def forgets(cluster: Patroni) -> bool:
    """Whether what is committed after the cut is gone after the kill."""
    leader = cluster.await_leader()
    leader.admin(lambda connection: connection.execute("CREATE TABLE told_nobody (n int)"))
    cluster.kill_primary()
    successor = cluster.await_leader(other_than=leader)
    return successor.admin(lambda connection: connection.fetchval("SELECT to_regclass('told_nobody')")) is None


def test_the_servers_run_as_users_of_their_own() -> None:
    with Etcd() as etcd:
        assert Path(f"/proc/{etcd.pid}").stat().st_uid == etcd.directory.path.stat().st_uid


async def notes(url: str) -> None:
    async with client_for(url) as client:
        await client.run("CREATE TABLE notes (n serial, text text)")
        await client.run("INSERT INTO notes (text) VALUES ('before')")


async def write(url: str, text: str) -> None:
    async with client_for(url) as client:
        await client.run(f"INSERT INTO notes (text) VALUES ('{text}')")


async def texts(url: str) -> list[str]:
    connection = await asyncpg.connect(url, ssl=False)
    try:
        return [row["text"] for row in await connection.fetch("SELECT text FROM notes ORDER BY n")]
    finally:
        await connection.close()
