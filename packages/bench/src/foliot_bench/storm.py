"""Storm: 10 000 jobs due at one instant are fired, leased over HTTP, executed and recorded, beside the raw twin.

One server process and one worker process; the handler is an `async def` that does nothing, called through the whole
path of a real one. Time runs from the due instant until the last run is recorded, as another connection sees it.
"""

from dataclasses import dataclass
from typing import ClassVar, Final

from foliot.domain.instants import SECOND
from foliot_bench.benchmark import Figures, Setting, bar
from foliot_bench.cost import Cost
from foliot_bench.moments import next_second, this_second, until
from foliot_bench.race import PAIRS, Race, Round, race

WITHIN_S: Final = 60.0
RATIOS: Final = {"postgresql": 0.75, "sqlite": 0.25, "mysql": 0.25}


@dataclass(frozen=True, slots=True, kw_only=True)
class Storm:
    """Everything due at once."""

    name: ClassVar = "storm"
    needs_twin: ClassVar = True

    jobs: int = 10_000
    slots: int = 100
    overlap: str = "skip"
    pairs: int = PAIRS

    async def measured(self, setting: Setting) -> Figures:
        """So many storms, each beside the twin's."""
        jobs = self.jobs
        async with race(setting, jobs=jobs, schedule={"every": "1h"}, overlap=self.overlap, slots=self.slots) as held:
            rounds = await held.run(
                lambda cost, what: self._storm(held, cost, what), lambda: self._twin_storm(held), pairs=self.pairs
            )
            figures = await held.told(rounds, jobs)
            wanted = RATIOS[held.ours.name]
        return {
            "jobs": jobs,
            "overlap": self.overlap,
            "verified": f"{jobs:,} runs of {jobs:,} jobs, each SUCCEEDED at its first attempt, {len(rounds)} times",
            **figures,
            "fired_after_s": [round(one["fired_s"], 3) for one in rounds],
            "leased_between_s": [[round(at, 3) for at in one["leased_s"]] for one in rounds],
            "over_after_s": [round(one["foliot_s"], 3) for one in rounds],
            "bars": [bar("ratio", figures["ratio"], at_least=wanted)],
        }

    async def _storm(self, held: Race, cost: Cost, what: str) -> Round:
        """One storm through Foliot: seconds, and what they went to."""
        ours, jobs = held.ours, self.jobs
        at = next_second(ahead_s=1.5)
        await ours.clear_runs()
        await ours.make_due(at)
        await ours.tidy()
        await until(at - SECOND // 20)
        cost.spent()
        await until(at)
        ended_at = await held.over(at, runs=jobs, within_s=WITHIN_S, what=f"storm, {what}")
        spent = cost.spent()
        counts = await ours.verify(runs=jobs, jobs=jobs)
        fired, leased = counts.last_created_at, (counts.first_leased_at, counts.last_leased_at)
        return {
            "foliot_s": ended_at - at / SECOND,
            "fired_s": (fired - at) / SECOND,
            "leased_s": [(instant - at) / SECOND for instant in leased],
            "cpu_s": spent,
        }

    async def _twin_storm(self, held: Race) -> float:
        """The same storm through the twin."""
        theirs = held.theirs
        at = this_second()
        await theirs.clear_runs()
        await theirs.make_due(at)
        await theirs.tidy()
        took = await held.twin.fire(at) + await held.twin.lease_and_end()
        await theirs.verify(runs=self.jobs, jobs=self.jobs)
        return took
