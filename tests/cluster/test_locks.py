"""Locks among real processes (F27): deadlocks across servers, a holder that stands still, a worker killed with fifty.

What a lock protects is a fenced resource: it takes no token that is lower than one it has seen (I9, I21).
"""

from functools import partial
from typing import Any

import pytest

from tests.cluster import resource
from tests.cluster.api import people_of
from tests.cluster.asking import asked
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SERVICES, Size, on
from tests.cluster.figures import write_figures
from tests.cluster.lock_scene import WITHIN_S, Scene
from tests.cluster.timing import SLACK
from tests.eventually import soon

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

BROKEN_WITHIN_S = 2.0
KEPT = 50
KEEPING = "tests.cluster.keeping_jobs"
WAITING = "SELECT count(*) FROM lock_claims WHERE token IS NULL"
HELD = "SELECT count(*) FROM lock_claims WHERE token IS NOT NULL"
CLAIMS = "SELECT count(*) FROM lock_claims"
DEADLOCKS = "SELECT count(*) FROM events WHERE kind = 'lock.deadlock'"


@on("postgresql", full=SERVICES)
async def test_f27_locks_outlive_deadlocks_pauses_and_deaths(cluster: Cluster, size: Size) -> None:
    for server in ("s1", "s2"):
        cluster.start_server(server)
    worker(cluster, "w1", "s1")
    worker(cluster, "w2", "s2")
    worker(cluster, "w4", "s1", slots=KEPT, jobs=KEEPING)
    await cluster.answers("s1")
    async with people_of(cluster) as people:
        scene = Scene(cluster, people)
        await cluster.declared("cross")
        waits_s = [await deadlock(scene, ["a", "b"])]
        worker(cluster, "w3", "s1")
        waits_s.append(await deadlock(scene, ["c", "d", "e"]))
        await holders_that_stand_still(scene)
        await a_worker_is_killed(scene)
        scene.check_fences()
        await scene.counts(CLAIMS, 0, what="nothing is left")
    await cluster.settle()
    findings = await cluster.judge()
    assert not {number: finding.wrong[:5] for number, finding in findings.items() if not finding.holds}
    write_figures("F27", cluster.store, {**cluster.figures, "deadlock_broken_after_s": waits_s})
    assert max(waits_s) <= SLACK[size] * BROKEN_WITHIN_S


def worker(cluster: Cluster, name: str, server: str, *, slots: int = 1, jobs: str = "tests.cluster.lock_jobs") -> None:
    """Start a worker that knows one server alone."""
    cluster.start_worker(
        name,
        slots=slots,
        server=f"http://127.0.0.1:{cluster.port_of(server)}",
        jobs=jobs,
        environment={"WORKER": name},
    )


async def deadlock(scene: Scene, locks: list[str]) -> float:
    """Each run has a lock and asks for the next one's; every worker has one slot, and two servers answer them.

    The last to ask is told that it waits in vain; its next attempt ends well, as do the others. How long it waited.
    """
    before = await asked(scene.cluster.url, DEADLOCKS)
    runs = []
    for first, second in zip(locks, [*locks[1:], locks[0]], strict=True):
        runs.append(await scene.trigger("cross", first=first, second=second))
        await scene.has(first)
    workers = {line["worker"] for lock in locks for line in scene.lines("has", lock=lock)}
    assert workers >= {"w1", "w2"}, "they wait at two servers"
    for waiting, lock in enumerate(locks, 1):
        scene.open(lock)
        if waiting < len(locks):
            await scene.counts(WAITING, waiting, what=f"{waiting} wait")
    await scene.ended_well(runs)
    assert await asked(scene.cluster.url, DEADLOCKS) == before + 1
    (broken,) = [line for line in scene.lines("broken") if line["run"] in runs]
    assert broken["run"] == runs[-1], "the youngest"
    assert "would never end" in broken["why"]
    assert broken["why"].count("waits for") == len(locks)
    (asks,) = [line for line in scene.lines("asks") if (line["run"], line["attempt"]) == (runs[-1], 1)]
    return round(float(broken["mono"]) - float(asks["mono"]), 2)


async def holders_that_stand_still(scene: Scene) -> None:
    """Two holders, one of them in a process of its own: both see that they lost, and their writes are refused."""
    runs = [await scene.trigger(job, lock=lock) for job, lock in (("guard", "p"), ("guard_plainly", "q"))]
    holders = [(await scene.has(lock))["worker"] for lock in ("p", "q")]
    taking = await scene.trigger("take", locks=["p", "q"])
    await scene.counts(WAITING, 1, what="another waits")
    for name in holders:
        scene.cluster.pause(name)
    await scene.ended_well([taking])
    for name in holders:
        scene.cluster.resume(name)
    lost = await soon(partial(both_lost, scene), within_s=WITHIN_S, what="both see it")
    assert [line["accepted"] for line in lost] == [False, False]
    await scene.ended_well(runs)


def both_lost(scene: Scene) -> list[dict[str, Any]]:
    lost = scene.lines("lost")
    return lost if len(lost) == 2 else []


async def a_worker_is_killed(scene: Scene) -> None:
    """Fifty runs of one worker hold locks for an hour: its session's end frees them, and who waited has them first."""
    locks = [f"k{number}" for number in range(KEPT)]
    await scene.cluster.declared("keep")
    kept = [await scene.trigger("keep", lock=lock) for lock in locks]
    await scene.counts(HELD, KEPT, what="fifty runs hold a lock each")
    await soon(lambda: len(scene.lines("has")) >= KEPT, within_s=WITHIN_S, what="each has used its own")
    waiting = []
    for number in range(1, 4):
        waiting.append(await scene.trigger("take", locks=["k0"]))
        await scene.counts(WAITING, number, what="they stand in line")
    old = {lock: scene.tokens(lock)[-1] for lock in locks}
    scene.cluster.kill("w4")
    worker(scene.cluster, "w4", "s2", slots=KEPT, jobs=KEEPING)  # a new session
    await scene.ended_well(waiting)
    in_line = [line["run"] for line in scene.lines("has", lock="k0")]
    assert in_line[: len(waiting) + 1] == [kept[0], *waiting], "as they stood in line"
    scene.open("kept")
    assert min(await scene.ended_well(kept)) > 1, "each was begun anew"
    late = {lock: resource.use(scene.fenced, lock, token=old[lock], run=kept[0], attempt=1) for lock in locks}
    assert not any(late.values()), "an old token was taken"
