"""Big data: how much a long history and many jobs slow firing and leasing down, against an empty database.

The full size is 1 000 000 jobs and 10 000 000 finished runs. Both databases are worked on through the store's own port,
in turns: so many jobs due at one instant are fired; then their runs are leased and ended. The nearly empty database
is the twin here.
"""

import time
from dataclasses import dataclass
from typing import ClassVar, Final

from foliot.domain.instants import HOUR
from foliot.domain.planner import Planner
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause, judge
from foliot.ports.store.runs import Poll
from foliot.ports.worker_link import HandlerOffer, Hello, Report
from foliot_bench.benchmark import Figures, Setting, bar
from foliot_bench.cost import median
from foliot_bench.ground import HANDLER, Ground, ground
from foliot_bench.moments import CLOCK, now, this_second
from foliot_bench.race import PAIRS
from foliot_bench.troubles import BenchFailed
from foliot_bench.twins.raw import BATCH, SESSION

RATIO_MIN: Final = 0.8
WHOLE_RUNS: Final = 10_000_000
WHOLE_RATIO_MIN: Final = 0.95
"""At full size a round takes long enough for the ratio to be told exactly."""
FAR: Final = 2000 * HOUR  # from now: when the jobs that are not part of it are due


@dataclass(frozen=True, slots=True, kw_only=True)
class BigData:
    """A long history."""

    name: ClassVar = "bigdata"
    needs_twin: ClassVar = True

    jobs: int = 100_000
    runs: int = 500_000
    due: int = 10_000
    pairs: int = PAIRS

    async def measured(self, setting: Setting) -> Figures:
        """The full and the empty database in turns."""
        progress, place = setting.progress, setting.place
        async with ground(place.foliot) as big, ground(place.twin) as small:
            began_at = CLOCK.monotonic()
            await self._load(setting, big, small)
            loaded_s = CLOCK.monotonic() - began_at
            rounds = []
            for number in range(self.pairs + 1):
                progress.tell("pairs", done=number, of=self.pairs + 1)
                rounds.append((await self._worked(big, number), await self._worked(small, number)))
            settings, counted = await big.settings(), await big.counts()
        kept = rounds[1:]  # the first pair warms caches on both sides
        ratios = {
            what: median([empty[what] / full[what] for full, empty in kept]) for what in ("fire_s", "lease_and_end_s")
        }
        return {
            "jobs": self.jobs,
            "finished_runs": self.runs,
            "due": self.due,
            "transport": "the store's port, in this process",
            "batch": BATCH,
            "settings": settings,
            "loaded_s": round(loaded_s, 1),
            "verified": f"{counted.runs:,} runs of {counted.jobs:,} jobs in the big database, all of them over",
            "big_fires_per_s": [round(self.due / full["fire_s"]) for full, _ in kept],
            "empty_fires_per_s": [round(self.due / empty["fire_s"]) for _, empty in kept],
            "big_leases_per_s": [round(self.due / full["lease_and_end_s"]) for full, _ in kept],
            "empty_leases_per_s": [round(self.due / empty["lease_and_end_s"]) for _, empty in kept],
            "per_s": round(median([self.due / full["fire_s"] for full, _ in kept])),
            "twin_median_per_s": round(median([self.due / empty["fire_s"] for _, empty in kept])),
            "ratio": ratios["fire_s"],
            "lease_and_end_ratio": ratios["lease_and_end_s"],
            "bars": [bar("ratio", ratios["fire_s"], at_least=self._ratio_min)],
        }

    @property
    def _ratio_min(self) -> float:
        return WHOLE_RATIO_MIN if self.runs >= WHOLE_RUNS else RATIO_MIN

    async def _load(self, setting: Setting, big: Ground, small: Ground) -> None:
        tell = setting.progress.tell
        jobs, runs = f"loading {self.jobs:,} jobs", f"loading {self.runs:,} finished runs"
        tell(jobs)
        await big.load_jobs(self.jobs, {"every": "1h"}, tell=lambda done: tell(jobs, done=done, of=self.jobs))
        tell(runs)
        await big.load_finished(self.runs, jobs=self.jobs, tell=lambda done: tell(runs, done=done, of=self.runs))
        await small.load_jobs(self.due, {"every": "1h"})
        for side in (big, small):
            await side.make_due(this_second() + FAR)
            await side.tidy()
            await side.store.nodes.register(a_worker(), kind="worker", ttl_us=24 * HOUR)

    async def _worked(self, side: Ground, number: int) -> dict[str, float]:
        """Fire the first jobs, lease and end their runs, and take them away again; seconds of each."""
        decide = Planner().decide
        at = this_second()
        await side.make_due(at, jobs=self.due)
        await side.tidy()
        began_at = time.perf_counter()
        while (await side.store.firing.decide_due(decide, limit=BATCH)).taken:
            pass
        fired_at = time.perf_counter()
        ended = await lease_and_end(side, number)
        over_at = time.perf_counter()
        if ended != self.due:
            raise BenchFailed(f"{ended} of {self.due} runs were leased and ended.")
        await side.forget_runs(at)
        await side.make_due(now() + FAR, jobs=self.due)
        return {"fire_s": fired_at - began_at, "lease_and_end_s": over_at - fired_at}


async def lease_and_end(side: Ground, number: int) -> int:
    """As the leasing and reporting of one server go on under load; how many runs. `number`: of the round."""
    ended = 0
    request_no = number * 1_000_000
    while True:
        request_no += 1
        poll = Poll(session=SESSION, request_no=request_no, free=BATCH, lanes=[side.lane])
        granted = await side.store.runs.lease([poll], limit=BATCH)
        runs = granted.grants[0].runs
        if not runs:
            return ended
        reports = [
            Report(run_id=one.run_id, lease_id=one.lease_id, cause=Cause.SUCCEEDED, result="null", started_us_ago=1000)
            for one in runs
        ]
        landings = await side.store.runs.complete(SESSION, reports, judge)
        if any(landing is not Landing.RECORDED for landing in landings):
            raise BenchFailed(f"Not every end was recorded: {set(landings)}.")
        ended += len(runs)


def a_worker() -> Hello:
    """In whose name it is done."""
    return Hello(
        session=SESSION,
        name="bench",
        group="default",
        slots=BATCH,
        handlers=(HandlerOffer(name=f"python:{HANDLER}"),),
    )
