"""A storm of jobs with a route beside the same storm of jobs without one: what it costs to choose workers.

One server process and two worker processes. The storms take turns, so all of them meet the same machine. The jobs are
divided among them: those of all storms together fit the server's cache of definitions, as those of one storm alone do.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

from foliot.domain.instants import SECOND
from foliot.domain.routing import ANY
from foliot_bench.benchmark import Figures, Setting, bar, unwatched
from foliot_bench.cost import Cost, median
from foliot_bench.ground import Ground, ground
from foliot_bench.moments import next_second, now_s, pause, until
from foliot_bench.processes import Cluster, cluster
from foliot_bench.race import LOOK_EVERY_S, PAIRS
from foliot_bench.storm import WITHIN_S
from foliot_bench.troubles import BenchFailed

WORKERS: Final = 2
RATIO_MIN: Final = 0.7


class _Jobs(NamedTuple):
    """The jobs of one storm: the first id, and how many."""

    first: int
    count: int  # type: ignore[assignment]  # not tuple's method


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutedStorm:
    """Everything due at once, for workers that routes choose."""

    name: ClassVar = "storm"
    needs_twin: ClassVar = False

    routes: tuple[str, ...]
    jobs: int = 10_000
    slots: int = 100
    overlap: str = "skip"
    pairs: int = PAIRS

    async def measured(self, setting: Setting) -> Figures:
        """So many rounds of storms: without a route, then with each of the routes."""
        every = (ANY, *self.routes)
        each = self.jobs // len(every)
        async with ground(setting.place.foliot) as ours:
            first = {route: await self._loaded(setting, ours, route, each) for route in every}
            settings = await ours.settings()
            with cluster(setting.place.foliot) as processes:
                setting.progress.tell(f"starting a server and {WORKERS} workers")
                await processes.start_server()
                for number in range(1, WORKERS + 1):
                    await processes.start_worker(ours, slots=self.slots, name=f"worker-{number}", number=number)
                pids = {**processes.pids(), **setting.place.pids}
                rounds = []
                for number in range(self.pairs + 1):
                    what = f"round {number} of {self.pairs}" if number else "warming up"
                    watch = setting.watch if number == 1 else unwatched
                    async with watch(processes):
                        storms = {}
                        for route in every:
                            jobs = _Jobs(first[route], each)
                            storms[route] = await self._storm(setting, ours, processes, jobs, f"{route}, {what}")
                    rounds.append(storms)
        return {"settings": settings, "pids": pids, **self._told(rounds[1:], each)}

    async def _loaded(self, setting: Setting, ours: Ground, route: str, jobs: int) -> int:
        """Jobs with a route; the id of the first one."""
        setting.progress.tell(f"loading {jobs:,} jobs, {route}")
        place = None if route == ANY else {"route": route}
        schedule = {"every": "1h"}
        job = await ours.load_jobs(jobs, schedule, overlap=self.overlap, prefix=f"{route}-", place=place)
        return job.job_id

    async def _storm(
        self, setting: Setting, ours: Ground, processes: Cluster, jobs: _Jobs, what: str
    ) -> dict[str, Any]:
        """One storm; its seconds, and the CPU seconds of the processes."""
        at = next_second(ahead_s=1.5)
        await ours.clear_runs()
        await ours.make_due(at, jobs=jobs.count, first=jobs.first)
        await ours.tidy()
        await until(at - SECOND // 20)
        cost = Cost({**processes.pids(), **setting.place.pids})
        await until(at)
        setting.progress.tell(what)
        while await ours.is_live(at):
            processes.check()
            if now_s() - at / SECOND > WITHIN_S:
                raise BenchFailed(f"{what} is not over after {WITHIN_S:g} s: {await ours.counts()}.")
            await pause(LOOK_EVERY_S)
        took_s = now_s() - at / SECOND
        spent = cost.spent()
        await ours.verify(runs=jobs.count, jobs=jobs.count)
        return {"s": took_s, "cpu_s": spent}

    def _told(self, rounds: list[dict[str, Any]], jobs: int) -> Figures:
        routes: Figures = {}
        for route in (ANY, *self.routes):
            names = rounds[0][route]["cpu_s"]
            routes[route] = {
                "per_s": [round(jobs / one[route]["s"]) for one in rounds],
                "cpu_s": {name: median([one[route]["cpu_s"][name] for one in rounds]) for name in names},
                "ratio": median([one[ANY]["s"] / one[route]["s"] for one in rounds]),
            }
        return {
            "jobs": jobs,
            "overlap": self.overlap,
            "transport": f"HTTP, 1 server process, {WORKERS} worker processes",
            "slots": self.slots,
            "verified": f"{jobs:,} runs of {jobs:,} jobs, each SUCCEEDED at its first attempt, every time",
            "routes": routes,
            "bars": [bar(f"{route} by any", routes[route]["ratio"], at_least=RATIO_MIN) for route in self.routes],
        }
