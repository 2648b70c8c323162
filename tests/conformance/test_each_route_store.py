"""Each route over the store: it sees the weights, the bands and the loads of workers, and what each has to do.

Three workers, by name: one in WARNING, one of weight 3, and one that is busy with four runs of another job. What each
route promises itself is the matter of `tests/unit/test_route_shares.py`.
"""

from collections import Counter
from typing import NamedTuple

from foliot.domain.routing import ROUTES
from tests.conformance.building import PERSON, ask, runs_of, save
from tests.conformance.routing import assign, lease
from tests.conformance.working import BEAT_EVERY_US, Worker, trigger
from tests.conformance.world import World

RUNS = 30
IN_WARNING, HEAVY, BUSY = "1 in warning", "2 of weight 3", "3 busy"
ANYONE = "anyone"


class Share(NamedTuple):
    """Of thirty runs, from least to most of them."""

    least: int
    most: int


ALL, NONE, ANY_SHARE = Share(RUNS, RUNS), Share(0, 0), Share(0, RUNS)


def exactly(runs: int) -> Share:
    return Share(runs, runs)


def about(runs: int) -> Share:
    return Share(runs - 1, runs + 1)


SHARES: dict[str, dict[str, Share]] = {
    "any": {ANYONE: ALL},
    "first": {IN_WARNING: ALL},
    "last": {BUSY: ALL},
    "failover": {HEAVY: ALL},  # the first by name that is well
    "round": {IN_WARNING: Share(1, 10), HEAVY: Share(10, 15), BUSY: Share(10, 15)},  # weights are not for it
    "least_recently_used": {IN_WARNING: Share(1, 10), HEAVY: Share(10, 15), BUSY: Share(10, 15)},
    "least_frequently_used": {IN_WARNING: exactly(6), HEAVY: exactly(12), BUSY: exactly(12)},
    "weighted_round": {IN_WARNING: about(3), HEAVY: about(20), BUSY: about(7)},  # 1 : 6 : 2
    "random": {IN_WARNING: Share(0, 12), HEAVY: Share(10, 29), BUSY: Share(1, 16)},
    "busyover": {HEAVY: exactly(8), BUSY: exactly(4), ANYONE: exactly(18)},  # their free slots
    "least_running": {IN_WARNING: about(3), HEAVY: about(23), BUSY: about(4)},  # with its four runs as many as its part
    "fastest": {IN_WARNING: about(3), HEAVY: about(23), BUSY: about(4)},  # nobody has a pace yet: the least full
    "least_load": {BUSY: ALL},  # 0.25 is less than 0.88 of weight 3, where nothing runs
    "consistent_hash": dict.fromkeys((IN_WARNING, HEAVY, BUSY), ANY_SHARE),  # all of them to one: see below
    "sticky": dict.fromkeys((IN_WARNING, HEAVY, BUSY), ANY_SHARE),
}


async def three(world: World) -> dict[str, Worker]:
    """The workers by name."""
    found: dict[str, Worker] = {}
    for name in (IN_WARNING, HEAVY, BUSY):
        found[name] = one = Worker(world, weight=3 if name == HEAVY else 1)
        one.name, one.session = name, name[0] * 32  # what routes draw by is the same in every test
        await one.register()
    await save(world, "other")
    await trigger(world, "other", n=4)
    held = {BUSY: await found[BUSY].lease(4), HEAVY: ()}
    assert len(held[BUSY]) == 4
    for _ in range(3):
        await world.elapse(BEAT_EVERY_US)
        for name, load in ((HEAVY, 0.88), (BUSY, 0.25)):
            await found[name].beat(*held[name], load={"cpu": load, "memory": load})
        answer = await found[IN_WARNING].beat(load={"cpu": 0.2, "memory": 0.97})
    assert answer.health == "WARNING"
    return found


async def shares_of(world: World, job: str, names: dict[str, str], *, key: str = "once") -> Counter[str]:
    """For whom the shards of a job's newest run are; then they are cancelled, so that nobody is busy with them."""
    run_id = (await world.store.runs.trigger(ask(job, key))).run_id
    await assign(world)
    shards = [run for run in await runs_of(world, job) if run.parent_id == run_id]
    await world.store.runs.cancel([run_id], by=PERSON)
    assert len(shards) == RUNS
    return Counter(names.get(run.assigned_to or "", ANYONE) for run in shards)


async def test_each_route_shares_runs_by_its_definition_among_workers_that_are_not_alike(world: World) -> None:
    workers = await three(world)
    names = {one.session: one.name for one in workers.values()}
    assert SHARES.keys() == ROUTES.keys()
    for route, bounds in SHARES.items():
        job = f"by-{route.replace('_', '-')}"
        await save(world, job, shards=RUNS, place={"route": route})
        shares = await shares_of(world, job, names)
        assert sum(shares.values()) == RUNS
        assert shares.keys() <= bounds.keys(), (route, shares)
        for name, (least, most) in bounds.items():
            assert least <= shares[name] <= most, (route, name, shares)
        if route in {"consistent_hash", "sticky"}:
            assert len(shares) == 1, "all runs of a job have one key"
            assert await shares_of(world, job, names, key="again") == shares, "and a key has one worker"
    assert await lease(workers[IN_WARNING]) == [], "nothing is left over"
