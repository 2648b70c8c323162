"""The lines between worker, server and store are cut, slow, reset, half-open; answers to COMMIT get lost (F10, F11)."""

import itertools
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import Size
from tests.cluster.journals import lines_of
from tests.eventually import soon
from tests.servers.ambush import Lose, Then
from tests.servers.fixtures import MakeProxy
from tests.servers.proxy import FaultProxy

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

MATRIX = pytest.mark.matrix
TRUSTED_S = 3.2  # session ttl less margin, in the test profile
LONGER_THAN_A_SESSION_S = 6.0
SLACK_S: dict[Size, float] = {"short": 4.0, "full": 1.0}
"""What was begun in trust is written down this much later at most; in short, by a machine that does other things too.

Silence lasts as much longer, so that there is time left in which nothing may happen.
"""
SHIELDED = ("at_most_once", "at_most_once_plain", "exclusive")  # what must not go on without trust


Harm = Literal["silences", "hinders", "spares"]


class Fault(NamedTuple):
    """What is done to a line, for how long; whether all is silent then, a session may be lost, or must not be."""

    what: str
    act: Callable[[FaultProxy], None]
    lasts_s: float
    harm: Harm


def refuse(line: FaultProxy) -> None:
    line.refuse()
    line.reset()


FAULTS = [
    Fault("cut", lambda line: line.cut(), LONGER_THAN_A_SESSION_S, "silences"),
    Fault("cut up", lambda line: line.cut("up"), LONGER_THAN_A_SESSION_S, "silences"),
    Fault("cut down", lambda line: line.cut("down"), LONGER_THAN_A_SESSION_S, "silences"),
    Fault("refused", refuse, LONGER_THAN_A_SESSION_S, "silences"),
    Fault("delay", lambda line: line.delay(2.0), 4.0, "hinders"),  # there and back takes as long as a session lives
    Fault("slow", lambda line: line.delay(0.5), 4.0, "spares"),
    Fault("reset", lambda line: line.reset(), 0.5, "spares"),
    Fault("half-open", lambda line: line.half_open(), 2.0, "spares"),
    Fault("half-open server", lambda line: line.half_open("server"), 2.0, "spares"),
]
SHORT = {"cut", "cut down", "delay", "reset", "half-open"}  # of both tests


def faults_of(cluster: Cluster, size: Size) -> Sequence[Fault]:
    """Each once: those that must cost nothing first, and else in an order that chance chooses."""
    chosen = [fault for fault in FAULTS if size == "full" or fault.what in SHORT]
    cluster.chance.shuffle(chosen)
    return sorted(chosen, key=lambda fault: fault.harm != "spares")


def through(proxies: Sequence[FaultProxy]) -> str:
    return ",".join(f"http://127.0.0.1:{proxy.port}" for proxy in proxies)


# --------------------------------------------------------------------------------------------------- worker and server


@pytest.mark.parametrize(
    ("recorded_url", "size"),
    [
        ("sqlite", "short"),
        *(pytest.param(store, "full", marks=[MATRIX]) for store in ("sqlite", "postgresql", "mariadb")),
    ],
    indirect=True,
)
async def test_f10_between_worker_and_servers(cluster: Cluster, size: Size, fault_proxy: MakeProxy) -> None:
    """Without trust nothing starts and what must not go on is killed; a line that only limps costs no session."""
    servers = ["s1"] if cluster.is_sqlite else ["s1", "s2"]
    for name in servers:
        cluster.start_server(name)
    lines = [fault_proxy(cluster.port_of(name)) for name in servers]
    cluster.start_worker("w1", server=through(lines))
    for name in ("w2", "w3")[: 2 if size == "full" else 1]:
        cluster.start_worker(name)
    await cluster.wait_for_runs(15)
    for must_be_spared, faults in itertools.groupby(faults_of(cluster, size), key=lambda fault: fault.harm == "spares"):
        for fault in faults:
            await soon(partial(works, cluster, "w1"), within_s=60, what="w1 is at work")
            await strike(cluster, fault, lines, slack_s=SLACK_S[size])
        if must_be_spared:
            await cluster.load(LONGER_THAN_A_SESSION_S)  # a death would come late
            assert await sessions_of(cluster, "w1") == 1, "a line that only limps cost w1 its session"
    await soon(partial(works, cluster, "w1"), within_s=60, what="w1 is at work again")
    await cluster.judged("F10")


async def strike(cluster: Cluster, fault: Fault, lines: Sequence[FaultProxy], *, slack_s: float) -> None:
    """Do this to every line of w1, and mend it; what was silent must have respected its trust window."""
    pids = {process.pid for process in cluster.processes["w1"].family()}
    cluster.note(fault.what, node="w1", link="worker and servers")
    for line in lines:
        fault.act(line)
    began_at = time.monotonic()  # from here on no answer comes: what was asked before ends its trust before that
    await cluster.load(fault.lasts_s + (slack_s - SLACK_S["full"] if fault.harm == "silences" else 0))
    pids |= {process.pid for process in cluster.processes["w1"].family()}
    healed_at = time.monotonic()
    for line in lines:
        line.heal()
    cluster.note("healed", node="w1")
    if fault.harm == "silences":
        respects_trust(cluster, pids, after=began_at + TRUSTED_S + slack_s, before=healed_at)


async def works(cluster: Cluster, name: str) -> bool:
    """Whether this worker holds runs."""
    held = f"session_id IN (SELECT id FROM nodes WHERE name = '{name}' AND state = 'live')"
    return await cluster.count(f"state = 'RUNNING' AND {held}") > 0


async def sessions_of(cluster: Cluster, name: str) -> int:
    """How many sessions this node has lived in; one it did not wait for, on a machine that is slow, is none."""
    return await cluster.count(f"name = '{name}' AND beat_no > 0", of="nodes")


def respects_trust(cluster: Cluster, pids: set[int], *, after: float, before: float) -> None:
    """These processes began nothing in this span, and ended nothing of what is to be killed with their trust."""
    for line in lines_of(cluster):
        if line["pid"] in pids and after < line["mono"] < before:
            assert line["what"] != "start", f"{line['job']} was started without trust: {line}"
            assert not line["job"].startswith(SHIELDED), f"{line['job']} outlived its trust: {line}"


# ---------------------------------------------------------------------------------------------------- server and store


@pytest.mark.services
@pytest.mark.parametrize(
    ("recorded_url", "size"),
    [
        ("postgresql", "short"),
        *(pytest.param(store, "full", marks=[MATRIX]) for store in ("postgresql", "mariadb")),
    ],
    indirect=True,
)
async def test_f10_between_a_server_and_the_store(cluster: Cluster, size: Size, fault_proxy: MakeProxy) -> None:
    """The other servers go on; no worker is taken for dead because the server it spoke to is cut off."""
    line = fault_proxy(urlsplit(cluster.url).port or 0)
    cluster.start_server("s1", url=line.url(cluster.url))
    cluster.start_server("s2")
    for name in ("w1", "w2"):
        cluster.start_worker(name)
    for name in ("w1", "w2"):
        await soon(partial(works, cluster, name), within_s=60, what=f"{name} is at work")
    await cluster.wait_for_runs(15)
    for fault in faults_of(cluster, size):
        cluster.note(fault.what, node="s1", link="server and store")
        fault.act(line)
        await cluster.load(fault.lasts_s if size == "full" else min(4.0, fault.lasts_s))
        line.heal()
        cluster.note("healed", node="s1")
        assert await sessions_of(cluster, "w1") == await sessions_of(cluster, "w2") == 1, f"{fault.what} cost a session"
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
