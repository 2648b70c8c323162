"""The lines between worker, server and store are cut, slow, reset, half-open; answers to COMMIT get lost (F10, F11)."""

import itertools
from collections.abc import Sequence
from functools import partial
from urllib.parse import urlsplit

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SERVICES, Size, on
from tests.cluster.lines import (
    LONGER_THAN_A_SESSION_S,
    SLACK_S,
    in_turn,
    sessions_of,
    strike_server,
    strike_worker,
    through,
    works,
)
from tests.eventually import soon
from tests.servers.ambush import Lose, Then
from tests.servers.fixtures import MakeProxy

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

# --------------------------------------------------------------------------------------------------- worker and server


@on()
async def test_f10_between_worker_and_servers(cluster: Cluster, size: Size, fault_proxy: MakeProxy) -> None:
    """Without trust nothing starts and what must not go on is killed; a line that only limps costs no session."""
    cluster.start(workers=0)
    lines = [fault_proxy(cluster.port_of(name)) for name in cluster.servers]
    cluster.start_worker("w1", server=through(lines))
    for name in ("w2", "w3", "w4"):
        cluster.start_worker(name)
    await cluster.wait_for_runs(15)
    for must_be_spared, faults in itertools.groupby(in_turn(cluster), key=lambda fault: fault.harm == "spares"):
        for fault in faults:
            await soon(partial(works, cluster, "w1"), within_s=60, what="w1 is at work")
            await strike_worker(cluster, "w1", fault, lines, slack_s=SLACK_S[size])
        if must_be_spared:
            await cluster.load(LONGER_THAN_A_SESSION_S)  # a death would come late
            assert await sessions_of(cluster, "w1") == 1, "a line that only limps cost w1 its session"
    await soon(partial(works, cluster, "w1"), within_s=60, what="w1 is at work again")
    await cluster.judged("F10")


# ---------------------------------------------------------------------------------------------------- server and store


@on(full=SERVICES)
@pytest.mark.usefixtures("size")
async def test_f10_between_a_server_and_the_store(cluster: Cluster, fault_proxy: MakeProxy) -> None:
    """The other servers go on; no worker is taken for dead because the server it spoke to is cut off."""
    line = fault_proxy(urlsplit(cluster.url).port or 0)
    cluster.start_server("s1", url=line.url(cluster.url))
    for name in ("s2", "s3"):
        cluster.start_server(name)
    workers = ("w1", "w2", "w3", "w4")
    for name in workers:
        cluster.start_worker(name)
    for name in workers:
        await soon(partial(works, cluster, name), within_s=60, what=f"{name} is at work")
    await cluster.wait_for_runs(15)
    for fault in in_turn(cluster):
        await strike_server(cluster, "s1", fault, line)
        sessions = [await sessions_of(cluster, name) for name in workers]
        assert sessions == [1] * len(workers), f"{fault.what} cost a session"
    await cluster.judged("F10-store")
    assert cluster.figures["deaths"] == 0


# ---------------------------------------------------------------------------------------------------- lost answers

FATES: Sequence[tuple[Lose, Then]] = (
    ("answer", "reset"),
    ("request", "reset"),
    ("answer", "close"),
    ("request", "close"),
)


@pytest.mark.services
@pytest.mark.parametrize("recorded_url", ["postgresql", "mariadb"], indirect=True)
async def test_f11_answers_to_commit_are_lost(cluster: Cluster, size: Size, fault_proxy: MakeProxy) -> None:
    """Whether it happened is found out, by every duty and every worker: each instant is decided once all the same."""
    lost_each = 100 if size == "full" else 12
    every_nth = 5
    lines = [fault_proxy(urlsplit(cluster.url).port or 0) for _ in range(2)]
    for number, line in enumerate(lines, 1):
        cluster.start_server(f"s{number}", url=line.url(cluster.url))
    for name in ("w1", "w2"):
        cluster.start_worker(name)
    await cluster.wait_for_runs(15)
    cluster.note("lost answers", node="s1")
    cluster.note("lost answers", node="s2")
    ambushes = [
        line.ambush(is_commit, nth=every_nth * (n + 1), lose=lose, then=then)
        for line in lines
        for n, (lose, then) in zip(range(lost_each), itertools.cycle(FATES), strict=False)
    ]
    within_s = 90 + 4.0 * lost_each
    await soon(lambda: all(one.sprung for one in ambushes), within_s=within_s, step_s=0.2, what="every answer was lost")
    for line in lines:
        line.heal()
    await cluster.load(3)
    cluster.figures["unknown_commits"] = {
        lose: sum(one.sprung for one in ambushes if one.lose == lose) for lose in ("answer", "request")
    }
    await cluster.judged("F11")
    assert cluster.figures["store_troubles"].get("unknown", 0) > 0, cluster.figures["store_troubles"]
    assert cluster.figures["deaths"] == 0, "a lost answer is no lost worker"


def is_commit(request: bytes) -> bool:
    """Whether it asks for a commit, in the words of PostgreSQL or MariaDB; not an isolation level of that name."""
    return b"COMMIT;" in request or request.endswith(b"COMMIT")
