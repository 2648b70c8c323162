"""Faults of the lines between worker, server and store, and what a worker without an answer may still do (F10)."""

import time
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import Size
from tests.cluster.journals import lines_of
from tests.servers.proxy import FaultProxy

TRUSTED_S = 3.2  # session ttl less margin, in the test profile
LONGER_THAN_A_SESSION_S = 6.0
SLACK_S: dict[Size, float] = {"short": 4.0, "full": 1.0}
"""What was begun in trust is written down this much later at most; in short, by a machine that does other things too.

Silence lasts as much longer, so that there is time left in which nothing may happen.
"""
SHIELDED = ("at_most_once", "at_most_once_plain", "exclusive")  # what must not go on without trust


Harm = Literal["silences", "hinders", "spares"]


class LineFault(NamedTuple):
    """What is done to a line, for how long; whether all is silent then, a session may be lost, or must not be."""

    what: str
    act: Callable[[FaultProxy], None]
    lasts_s: float
    harm: Harm


def refuse(line: FaultProxy) -> None:
    line.refuse()
    line.reset()


CUT = LineFault("cut", lambda line: line.cut(), LONGER_THAN_A_SESSION_S, "silences")
DELAY = LineFault("delay", lambda line: line.delay(2.0), 4.0, "hinders")  # there and back: as long as a session lives
RESET = LineFault("reset", lambda line: line.reset(), 0.5, "spares")
HALF_OPEN = LineFault("half-open", lambda line: line.half_open(), 2.0, "spares")
LINE_FAULTS = [
    CUT,
    LineFault("cut up", lambda line: line.cut("up"), LONGER_THAN_A_SESSION_S, "silences"),
    LineFault("cut down", lambda line: line.cut("down"), LONGER_THAN_A_SESSION_S, "silences"),
    LineFault("refused", refuse, LONGER_THAN_A_SESSION_S, "silences"),
    DELAY,
    LineFault("slow", lambda line: line.delay(0.5), 4.0, "spares"),
    RESET,
    HALF_OPEN,
    LineFault("half-open server", lambda line: line.half_open("server"), 2.0, "spares"),
]


def in_turn(cluster: Cluster) -> Sequence[LineFault]:
    """Each once: those that must cost nothing first, and else in an order that chance chooses."""
    chosen = cluster.chance.sample(LINE_FAULTS, len(LINE_FAULTS))
    return sorted(chosen, key=lambda fault: fault.harm != "spares")


def through(proxies: Sequence[FaultProxy]) -> str:
    """The servers behind these proxies, as a worker names them."""
    return ",".join(f"http://127.0.0.1:{proxy.port}" for proxy in proxies)


async def strike_worker(
    cluster: Cluster, name: str, fault: LineFault, lines: Sequence[FaultProxy], *, slack_s: float
) -> None:
    """Break every line of a worker, and mend it; a worker that heard nothing must have respected its trust window."""
    pids = {process.pid for process in cluster.processes[name].family()}
    cluster.note(fault.what, node=name, link="worker and servers")
    for line in lines:
        fault.act(line)
    began_at = time.monotonic()  # from here on no answer comes: what was asked before ends its trust before that
    await cluster.load(fault.lasts_s + (slack_s - SLACK_S["full"] if fault.harm == "silences" else 0))
    pids |= {process.pid for process in cluster.processes[name].family()}
    healed_at = time.monotonic()
    for line in lines:
        line.heal()
    cluster.note("healed", node=name)
    if fault.harm == "silences":
        respects_trust(cluster, pids, after=began_at + TRUSTED_S + slack_s, before=healed_at)


async def strike_server(
    cluster: Cluster, name: str, fault: LineFault, line: FaultProxy, *, lasts_s: float | None = None
) -> None:
    """Break a server's line to the store, and mend it."""
    cluster.note(fault.what, node=name, link="server and store")
    fault.act(line)
    await cluster.load(fault.lasts_s if lasts_s is None else lasts_s)
    line.heal()
    cluster.note("healed", node=name)


def respects_trust(cluster: Cluster, pids: set[int], *, after: float, before: float) -> None:
    """These processes began nothing in this span, and ended nothing of what is to be killed with their trust."""
    for line in lines_of(cluster):
        if line["pid"] in pids and after < line["mono"] < before:
            assert line["what"] != "start", f"{line['job']} was started without trust: {line}"
            assert not line["job"].startswith(SHIELDED), f"{line['job']} outlived its trust: {line}"


async def works(cluster: Cluster, name: str) -> bool:
    """Whether this worker holds runs."""
    held = f"session_id IN (SELECT id FROM nodes WHERE name = '{name}' AND state = 'live')"
    return await cluster.count(f"state = 'RUNNING' AND {held}") > 0


async def sessions_of(cluster: Cluster, name: str) -> int:
    """How many sessions this node has lived in; one it did not wait for, on a machine that is slow, is none."""
    return await cluster.count(f"name = '{name}' AND beat_no > 0", of="nodes")
