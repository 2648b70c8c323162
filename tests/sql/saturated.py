"""More ready runs than slots: workers that lease and end runs in simulated time, on the real store.

Each tick some runs end, and what has a free slot is leased, once for all of it as a server does. Delays are read from
the history afterwards, in store time: how fast the machine is that runs the test plays no part.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from functools import partial
from math import ceil
from typing import NamedTuple

from foliot.domain.errors import FoliotError
from foliot.domain.instants import HOUR, SECOND, Instant, Micros
from foliot.domain.job import Lane
from foliot.ports.store.backfills import NewBackfill, Selection
from foliot.ports.worker_link import LeasedRun
from foliot.store.sql.firing.triggers import trigger
from foliot.store.sql.jobs.definitions import Definitions
from tests.conformance.building import ask, job_of
from tests.conformance.routing import assign, routed_poll
from tests.conformance.working import Worker, worker
from tests.conformance.world import CHANCE
from tests.sql.world import World

TICK_US: Micros = 5 * SECOND
LONG_US: Micros = 1000 * HOUR


class Delays(NamedTuple):
    """How long the runs of a job waited from due to start, shortest first."""

    us: Sequence[Micros]

    @property
    def mean_s(self) -> float:
        return sum(self.us) / len(self.us) / SECOND

    def percentile_s(self, share: float) -> float:
        return self.us[ceil(len(self.us) * share) - 1] / SECOND

    @property
    def p99_s(self) -> float:
        return self.percentile_s(0.99)


class Floor:
    """Some slots, each of which executes a run for so many ticks."""

    def __init__(self, world: World, anne: Worker, *, ticks: int) -> None:
        self.world = world
        self.anne = anne
        self.ticks = ticks
        self.now = 0
        self.least_waiting = 2**31  # after a lease, the fewest that had to wait
        self._ends: deque[tuple[int, LeasedRun]] = deque()
        self._lanes: Mapping[int, Lane] = {}
        self._definitions = Definitions()

    async def trigger(self, *jobs: str) -> None:
        """A run of each, in one transaction."""
        requests = [ask(job, CHANCE.token()) for job in jobs]
        work = partial(trigger, definitions=self._definitions, requests=requests)
        refused = [one for one in await self.world.database.transact(work) if isinstance(one, FoliotError)]
        assert not refused, refused

    async def tick(self) -> None:
        """End what is over, lease what has a slot; then time passes."""
        over: list[LeasedRun] = []
        while self._ends and self._ends[0][0] <= self.now:
            over.append(self._ends.popleft()[1])
        if over:
            await self.anne.complete(*over)
        for run in await self._lease(self.anne.slots - len(self._ends)):
            self._ends.append((self.now + self.ticks, run))
        self.now += 1
        await self.world.elapse(TICK_US)

    async def _lease(self, free: int) -> Sequence[LeasedRun]:
        """What a server does for a poll. Routes are asked first, in steps as small as the floor."""
        lanes = self._lanes or await self.world.store.jobs.lanes()
        self._lanes = lanes
        if not any(lane.routed for lane in lanes.values()):
            return await self.anne.lease(free, lanes=list(lanes))
        await assign(self.world, again=True, limit=self.anne.slots)
        granted = await self.world.store.runs.lease([await routed_poll(self.anne, free, lanes=list(lanes))], limit=1000)
        return granted.grants[0].runs

    async def note_waiting(self) -> None:
        """Look how many are ready and have no slot."""
        waiting = await self.world.value("SELECT count(*) FROM runs WHERE state = 'PENDING'")
        self.least_waiting = min(self.least_waiting, waiting)

    async def drain(self) -> None:
        """Until everything has started."""
        for _ in range(10_000):
            if not await self.world.value("SELECT count(*) FROM runs WHERE state = 'PENDING'"):
                return
            await self.tick()
        raise AssertionError("it never ends")

    async def delays(self, *jobs: str, since: Instant = 0) -> Delays:
        """Of all runs of these jobs that were due since then and have started."""
        waited: list[Micros] = []
        for job in jobs:
            rows = await self.world.rows(
                "SELECT r.leased_at - r.not_before AS us FROM runs r JOIN jobs j ON j.id = r.job_id "
                "WHERE j.name = :job AND r.leased_at IS NOT NULL AND r.due_at >= :since",
                job=job,
                since=since,
            )
            waited += [row["us"] for row in rows]
        return Delays(sorted(waited))


async def floor(world: World, *, slots: int, ticks: int) -> Floor:
    """An empty one, whose worker beats once for all."""
    anne = await worker(world, slots=slots)
    await anne.beat(ttl_us=LONG_US)
    return Floor(world, anne, ticks=ticks)


async def backfill(world: World, job: str, *, count: int, parallel: int) -> None:
    """Begin a backfill of so many minutes of a job."""
    row = await job_of(world, job)
    now = await world.now()
    instants = [now - (count - n) * 60 * SECOND for n in range(count)]
    await world.store.backfills.add(
        NewBackfill(
            job_id=row.job_id, version=1, from_at=instants[0], to_at=instants[-1] + 1, selection=Selection.ALL,
            parallel=parallel, newest_first=False, instants=instants, created_by="ops", reason="",
        )
    )  # fmt: skip
