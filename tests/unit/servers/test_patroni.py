"""The PostgreSQL that fails over, and the etcd it agrees through; what it does under load is shown in tests/cluster."""

import json
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.eventually import eventually
from tests.servers.etcd import Etcd
from tests.servers.patroni import Patroni
from tests.servers.process import ServerFailed

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
