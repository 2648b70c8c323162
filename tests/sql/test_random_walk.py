"""Everything at random, with invariants after every step; and when calm returns, every run comes to its end (L7)."""

import random
from typing import Any

import pytest

from foliot.domain.instants import SECOND
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause, judge
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import HeldLease, LeasedRun, Leaving
from tests.conformance.building import PERSON, fire, save
from tests.conformance.working import Worker, trigger, worker
from tests.sql.world import World

pytestmark = [pytest.mark.services, pytest.mark.slow]

STEPS = 250
RETRIES = {"max": 1, "backoff": "1s", "jitter": False}
JOBS: dict[str, dict[str, Any]] = {
    "plain": {"place": {"max_running": 4, "concurrency": {"db": 5}}, "retries": RETRIES},
    "queued": {"overlap": "queue_all", "retries": RETRIES, "place": {"concurrency": {"db": 5}}},
    "replaced": {"overlap": "replace", "retries": RETRIES},
    "sharded": {"overlap": "queue_all", "shards": 3, "merge": "python:jobs:join", "place": {"max_running": 2}},
    "once": {"on_lost": "fail", "timeout": "20s", "start_within": "10s", "grace": "1s"},
    "exclusive": {"overlap": "queue_all", "exclusive": True, "isolation": "process"},
    "delayed": {"schedule": {"every": "5s", "from_end": True}, "retries": RETRIES},
}
ENDS = [Cause.SUCCEEDED] * 6 + [
    Cause.ERROR,
    Cause.ERROR,
    Cause.TIMEOUT,
    Cause.CANCELLED,
    Cause.RELEASED,
    Cause.REJECTED,
]


class Walk:
    """A cluster that does whatever the dice say."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.dice = random.Random(seed)
        self.held: dict[str, list[LeasedRun]] = {}
        self.workers: list[Worker] = []
        self.lost: list[tuple[Worker, LeasedRun]] = []  # zombies: leases that were taken away, or answers nobody heard
        self.final: dict[int, tuple[str, int]] = {}

    async def begin(self) -> None:
        for name, document in JOBS.items():
            await save(self.world, name, run=f"python:jobs:{name}", **document)
        for _ in range(3):
            await self.hire()

    async def hire(self) -> None:
        one = await worker(self.world)
        self.workers.append(one)
        self.held[one.session] = []

    async def step(self) -> None:
        often = [self.ask, self.lease, self.report, self.beat]
        seldom = [self.lease, self.report, self.cancel, self.wait, self.lead, self.sweep, self.vanish, self.zombie]
        await self.dice.choice([*often, *often, *seldom])()

    # -- what may happen ------------------------------------------------------------------------------------------

    async def ask(self) -> None:
        name = self.dice.choice([name for name in JOBS if name != "delayed"])
        overlaps = self.dice.random() < 0.1 and name != "exclusive"
        await trigger(self.world, name, self.dice.randint(1, 3), allow_overlap=overlaps)

    async def lease(self) -> None:
        some = self.dice.sample(self.workers, self.dice.randint(1, len(self.workers)))
        polls = [await one.poll(self.dice.randint(1, 4)) for one in some]
        granted = await self.world.store.runs.lease(polls, limit=self.dice.randint(1, 10))
        for one, grant in zip(some, granted.grants, strict=True):
            if self.dice.random() < 0.1:
                self.lost += [(one, run) for run in grant.runs]  # the answer is lost
            else:
                self.held[one.session] += grant.runs

    async def report(self) -> None:
        one = self.dice.choice(self.workers)
        held = self.held[one.session]
        some = self.dice.sample(held, self.dice.randint(0, len(held)))
        reports = [one.report(run, self.dice.choice(ENDS), error="x", started_us_ago=0) for run in some]
        landings = await self.world.store.runs.complete(one.session, reports, judge)
        for run, landing in zip(some, landings, strict=True):
            held.remove(run)
            if landing is Landing.RECORDED and self.dice.random() < 0.2:
                again = await one.complete(run)
                assert again == [Landing.ALREADY]

    async def beat(self) -> None:
        one = self.dice.choice(self.workers)
        leases = [
            HeldLease(run_id=run.run_id, lease_id=run.lease_id, started_us_ago=self.dice.choice([None, 0, SECOND]))
            for run in self.held[one.session]
        ]
        answer = await one.beat(*leases)
        gone = set(answer.invalid) if answer.alive else {run.lease_id for run in self.held[one.session]}
        self.lost += [(one, run) for run in self.held[one.session] if run.lease_id in gone]
        self.held[one.session] = [run for run in self.held[one.session] if run.lease_id not in gone]
        if not answer.alive:
            self.workers.remove(one)
            await self.hire()

    async def cancel(self) -> None:
        rows = await self.world.rows("SELECT id FROM runs WHERE parent_id IS NULL ORDER BY id DESC LIMIT 10")
        ids = [row["id"] for row in rows]
        if ids:
            await self.world.store.runs.cancel(self.dice.sample(ids, 1), by=PERSON)

    async def wait(self) -> None:
        await self.world.elapse(self.dice.randint(1, 8) * SECOND)

    async def lead(self) -> None:
        term = await self.world.store.nodes.campaign("leader", ttl_us=SESSION_TTL_US)
        if term is not None:
            await self.world.store.runs.reap(judge, limit=20, term=term.number)
            await self.world.store.runs.time_out(judge, limit=20, term=term.number)
        assert await self.world.store.runs.recount_limits() == 0

    async def sweep(self) -> None:
        await fire(self.world)
        await self.world.store.firing.admit(limit=100)
        await self.world.store.firing.unpark(limit=100)

    async def vanish(self) -> None:
        one = self.dice.choice(self.workers)
        self.lost += [(one, run) for run in self.held.pop(one.session)]
        self.workers.remove(one)
        if self.dice.random() < 0.5:
            await self.world.store.nodes.leave(Leaving(session=one.session), judge)
        await self.hire()

    async def zombie(self) -> None:
        if self.lost:
            one, run = self.lost.pop(self.dice.randrange(len(self.lost)))
            await one.complete(run, cause=self.dice.choice(ENDS))

    # -- what must hold -------------------------------------------------------------------------------------------

    async def check(self) -> None:
        runs = [dict(row) for row in await self.world.rows("SELECT * FROM runs ORDER BY id")]
        attempts: dict[int, int] = {}
        for row in await self.world.rows("SELECT run_id, count(*) AS n FROM attempts GROUP BY run_id"):
            attempts[row["run_id"]] = row["n"]
        live = {"PENDING", "RUNNING"}
        for run in runs:
            in_hands = run["lease_id"] is not None
            assert in_hands == (run["state"] == "RUNNING" and run["session_id"] is not None), run
            ended_well = run["state"] == "SUCCEEDED" and run["attempt"] > 0
            assert attempts.get(run["id"], 0) == run["attempt"] - (in_hands or ended_well), run
            assert (run["ended_at"] is None) == (run["state"] in live), run
            if run["id"] in self.final:
                assert self.final[run["id"]] == (run["state"], run["ver"]), run  # S6
            elif run["state"] not in live:
                self.final[run["id"]] = (run["state"], run["ver"])
        self._check_lines([run for run in runs if run["lease_id"] is not None and run["serial"]])
        self._check_parents(runs)

    def _check_lines(self, in_hands: list[dict[str, Any]]) -> None:
        places: dict[int, set[int]] = {}
        for run in in_hands:
            places.setdefault(run["job_id"], set()).add(run["place"])
        assert all(len(place) == 1 for place in places.values()), places

    def _check_parents(self, runs: list[dict[str, Any]]) -> None:
        children: dict[int, list[str]] = {}
        for run in runs:
            if run["parent_id"] is not None:
                children.setdefault(run["parent_id"], []).append(run["state"])
        for run in runs:
            if run["id"] in children:
                open_ = sum(state in ("PENDING", "RUNNING") for state in children[run["id"]])
                assert run["open_children"] == open_, run
                assert (run["state"] == "RUNNING") == (open_ > 0), run

    async def calm(self) -> None:
        """Faults are over: workers work, the leader leads, and everything comes to its end."""
        await self.world.change("UPDATE cursors SET state = 'paused', next_at = NULL")
        for _ in range(300):  # steps of a leader that ticks regularly, so that the vanished are found out
            await self.world.elapse(5 * SECOND)
            for one in list(self.workers):
                if not (await one.beat(*self.held[one.session])).alive:
                    self.workers.remove(one)
                    await self.hire()
            await self.lead()
            await self.sweep()
            for one in self.workers:
                runs = [*self.held[one.session], *await one.lease(50)]
                self.held[one.session] = []
                await one.complete(*runs)
            if not await self.world.value("SELECT count(*) FROM runs WHERE state IN ('PENDING', 'RUNNING')"):
                return await self.check()
        left = await self.world.rows("SELECT * FROM runs WHERE state IN ('PENDING', 'RUNNING')")
        raise AssertionError(f"never ended: {[dict(row) for row in left]}")


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_whatever_happens_the_invariants_hold(world: World, seed: int) -> None:
    walk = Walk(world, seed)
    await walk.begin()
    for _ in range(STEPS):
        await walk.step()
        await walk.check()
    await walk.calm()
    assert await world.value("SELECT sum(used) FROM limits") == 0
    assert len(walk.final) > 30
