"""Drain: 50 000 triggered runs are leased over HTTP, executed and recorded, beside the raw twin and PgQueuer.

One server process and one worker process; the handler is an `async def` that does nothing. All runs are there, ready at
one instant; time runs from the first lease until the last run is recorded, as another connection sees it. PgQueuer
drains as many entries on the same PostgreSQL server, where it is installed.
"""

from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

from foliot.domain.instants import SECOND, Instant
from foliot_bench.benchmark import Figures, Setting, bar
from foliot_bench.cost import Cost, median
from foliot_bench.ground import Ground
from foliot_bench.moments import next_second, now, this_second, until
from foliot_bench.race import Race, Round, race
from foliot_bench.rivals.pgqueuer import BATCH as PGQUEUER_BATCH
from foliot_bench.rivals.pgqueuer import NAME as PGQUEUER
from foliot_bench.rivals.pgqueuer import PgQueuer, installed_version, pgqueuer
from foliot_bench.troubles import BenchFailed

WITHIN_S: Final = 120.0
PER_S: Final = 10_000  # on PostgreSQL
PAIRS: Final = 3
LOADED_PER_S: Final = 10_000  # at least, mostly
LOADS_MAX: Final = 4
NOT_INSTALLED: Final = "not installed, so there is no bar by its rate: pip install pgqueuer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drain:
    """A long queue of ready runs."""

    name: ClassVar = "drain"
    needs_twin: ClassVar = True

    runs: int = 50_000
    slots: int = 100
    pairs: int = PAIRS
    beside: str = PGQUEUER

    async def measured(self, setting: Setting) -> Figures:
        """So many drains, each beside the twin's and the rival's."""
        runs = self.runs
        async with AsyncExitStack() as stack:
            held = await stack.enter_async_context(
                race(setting, jobs=1, schedule=None, overlap="allow", slots=self.slots)
            )
            others = None
            is_beside = held.ours.is_postgresql and self.beside == PGQUEUER
            if is_beside and installed_version() is not None:
                place = setting.place
                rival = await stack.enter_async_context(pgqueuer(place.twin, database=place.pids))
                others = partial(self._rival_drain, rival)
            rounds = await held.run(
                lambda cost, what: self._drain(held, cost, what),
                lambda: self._twin_drain(held),
                pairs=self.pairs,
                others=others,
            )
            figures = await held.told(rounds, runs)
            if is_beside:
                figures |= self.beside_the_rival(rounds)
            bars = [bar("runs per s", figures["per_s"], at_least=PER_S)] if held.ours.is_postgresql else []
            if others is not None:
                bars.append(bar("by PgQueuer's rate", figures["ratio_to_pgqueuer"], at_least=1))
        return {
            "runs": runs,
            "verified": f"{runs:,} runs, each SUCCEEDED at its first attempt, {len(rounds)} times",
            **figures,
            "bars": bars,
        }

    async def _rival_drain(self, rival: PgQueuer) -> Round:
        """As many entries through PgQueuer."""
        took_s, spent = await rival.drain(self.runs)
        return {"pgqueuer_s": took_s, "pgqueuer_cpu_s": spent}

    def beside_the_rival(self, rounds: list[Round]) -> Figures:
        """What PgQueuer did, and Foliot's rate by its; or that it is not there."""
        if "pgqueuer_s" not in rounds[0]:
            return {"pgqueuer": NOT_INSTALLED}
        names = rounds[0]["pgqueuer_cpu_s"]
        return {
            "pgqueuer": installed_version(),
            "pgqueuer_batch": PGQUEUER_BATCH,
            "pgqueuer_per_s": [round(self.runs / one["pgqueuer_s"]) for one in rounds],
            "pgqueuer_cpu_s": {name: median([one["pgqueuer_cpu_s"][name] for one in rounds]) for name in names},
            "pgqueuer_median_per_s": round(median([self.runs / one["pgqueuer_s"] for one in rounds])),
            "ratio_to_pgqueuer": median([one["pgqueuer_s"] / one["foliot_s"] for one in rounds]),
        }

    async def _drain(self, held: Race, cost: Cost, what: str) -> Round:
        """One drain through Foliot."""
        ours, runs = held.ours, self.runs
        at = await self._loaded(ours)
        await until(at - SECOND // 20)
        cost.spent()
        await until(at)
        ended_at = await held.over(at, runs=runs, within_s=WITHIN_S, what=f"drain, {what}")
        spent = cost.spent()
        counts = await ours.verify(runs=runs, jobs=1)
        return {"foliot_s": ended_at - counts.first_leased_at / SECOND, "cpu_s": spent}

    async def _loaded(self, ours: Ground) -> Instant:
        """All runs are there before the instant at which the first of them may be leased, which is returned."""
        ahead_s = 1.0 + self.runs / LOADED_PER_S
        for _ in range(LOADS_MAX):
            at = next_second(ahead_s=ahead_s)
            await ours.clear_runs()
            await ours.load_triggered(self.runs, at)
            await ours.tidy()
            if now() < at:
                return at
            ahead_s *= 3
        raise BenchFailed(f"{self.runs:,} runs could not be loaded within {ahead_s / 3:g} s.")

    async def _twin_drain(self, held: Race) -> float:
        """The same through the twin."""
        theirs = held.theirs
        await theirs.clear_runs()
        await theirs.load_triggered(self.runs, this_second())
        await theirs.tidy()
        took = await held.twin.lease_and_end()
        await theirs.verify(runs=self.runs, jobs=1)
        return took
