"""Servers that break at a named place of their code: inside a transaction, or around a store call (F01, F03)."""

from tests.cluster.cluster import Cluster
from tests.cluster.trap import ALWAYS_WITHIN_S, Trap
from tests.servers.proxy import FaultProxy

INSIDE = ("firing.taken", "firing.cursors_moved", "firing.recorded", "ending.judged", "ending.runs_written")
MUST_PASS = {
    *(f"firing_store.decide_due.{place}" for place in ("asked", "done", "committed")),
    *(f"beats.renew.{place}" for place in ("asked", "committed")),
    *INSIDE,
    "leasing.leased",
}
"""What every cluster under load comes by: if one of them is missing, places are no longer found."""
SOMETIMES_WITHIN_S = 3.0


async def stand_still_at(cluster: Cluster, trap: Trap, place: str) -> str:
    """A server stands still at this place for three seconds; its name. The store ends its transaction meanwhile."""
    victim = await stopped_at(trap, place)
    cluster.note("pause", node=victim, place=place)
    await cluster.load(3)
    cluster.resume(victim)
    return victim


async def cut_off_at(
    cluster: Cluster, trap: Trap, place: str, lines: dict[str, FaultProxy], *, in_silence: bool
) -> str:
    """A server is stopped at this place, loses its line to the store, and goes on: in silence, or with a reset."""
    victim = await stopped_at(trap, place)
    cluster.note("cut", node=victim, place=place)
    if in_silence:
        lines[victim].cut()
    else:
        lines[victim].reset()
    cluster.processes[victim].resume()
    await cluster.load(4)
    lines[victim].heal()
    return victim


async def stopped_at(trap: Trap, place: str) -> str:
    trap.arm("stop", place)
    victim = await trap.sprung(within_s=ALWAYS_WITHIN_S)
    assert victim is not None, place
    return victim


async def killed_at(cluster: Cluster, trap: Trap, place: str) -> str:
    """Kill a server at a place that servers pass again and again, and start it again; its name."""
    trap.arm("kill", place)
    victim = await trap.sprung(within_s=ALWAYS_WITHIN_S)
    assert victim is not None, place
    cluster.note("kill", node=victim, place=place)
    cluster.start_again(victim)
    return victim


async def may_be_killed_at(cluster: Cluster, trap: Trap, place: str) -> bool:
    """Kill a server at this place, and start it again. What servers pass when they start needs one that starts."""
    trap.arm("kill", place)
    victim = await trap.sprung(within_s=SOMETIMES_WITHIN_S)
    if victim is None:
        for name in (cluster.chance.choice(cluster.servers), cluster.chance.choice(cluster.workers)):
            cluster.kill(name)
            cluster.start_again(name)
        victim = await trap.sprung(within_s=2 * SOMETIMES_WITHIN_S)
    trap.disarm()
    victim = victim or await trap.sprung(within_s=0.5)  # who took the trap away just before us
    if victim is None:
        return False
    cluster.note("kill", node=victim, place=place)
    cluster.start_again(victim)
    if cluster.is_sqlite:
        await cluster.answers(victim)
    return True
