"""A race: one server and one worker process against the raw twin, in alternating pairs on alike databases."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from foliot.domain.instants import SECOND, Instant
from foliot_bench.benchmark import Figures, Setting, unwatched
from foliot_bench.cost import Cost, median
from foliot_bench.ground import Ground, ground
from foliot_bench.moments import now_s, pause
from foliot_bench.processes import Cluster, cluster
from foliot_bench.troubles import BenchFailed
from foliot_bench.twins.choosing import twin_of
from foliot_bench.twins.raw import BATCH, RawTwin

PAIRS: Final = 5
TRANSPORT: Final = "HTTP, 1 server process, 1 worker process"
LOOK_EVERY_S: Final = 0.01

Round = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """Both sides, loaded and ready."""

    setting: Setting
    ours: Ground
    theirs: Ground
    twin: RawTwin
    processes: Cluster
    slots: int

    @property
    def pids(self) -> dict[str, int]:
        return {**self.processes.pids(), **self.setting.place.pids}

    async def run(
        self,
        foliot: Callable[[Cost, str], Awaitable[Round]],
        raw: Callable[[], Awaitable[float]],
        *,
        pairs: int,
        others: Callable[[], Awaitable[Round]] | None = None,
    ) -> list[Round]:
        """So many pairs; the first, which warms caches on both sides, does not count.

        `others`: who else runs beside each pair, and what it adds to the figures of the round.
        """
        rounds: list[Round] = []
        for number in range(pairs + 1):
            watch = self.setting.watch if number == 1 else unwatched
            async with watch(self.processes):
                figures = await foliot(Cost(self.pids), f"pair {number} of {pairs}" if number else "warming up")
            cost = Cost(self.setting.place.pids)
            figures["twin_s"] = await raw()
            figures["twin_cpu_s"] = cost.spent()
            if others is not None:
                figures |= await others()
            rounds.append(figures)
        return rounds[1:]

    async def over(self, at: Instant, *, runs: int, within_s: float, what: str) -> float:
        """Wait until nothing due by `at` is undecided and nothing is live; the time by the clock then, in seconds."""
        told = 0
        while await self.ours.is_live(at):
            self.processes.check()
            gone_s = now_s() - at / SECOND
            if gone_s > within_s:
                raise BenchFailed(f"{what} is not over after {within_s:g} s: {await self.ours.counts()}.")
            if gone_s > told:
                told += 1
                self.setting.progress.tell(what, done=await self.ours.ended(), of=runs)
            await pause(LOOK_EVERY_S)
        return now_s()

    async def told(self, rounds: list[Round], runs: int) -> Figures:
        """What every race reports."""

        def cpu(key: str) -> dict[str, float]:
            return {name: median([one[key][name] for one in rounds]) for name in rounds[0][key]}

        return {
            "transport": TRANSPORT,
            "slots": self.slots,
            "pids": self.pids,
            "settings": await self.ours.settings(),
            "foliot_per_s": [round(runs / one["foliot_s"]) for one in rounds],
            "twin_per_s": [round(runs / one["twin_s"]) for one in rounds],
            "twin_batch": BATCH,
            "cpu_s": cpu("cpu_s"),
            "twin_cpu_s": cpu("twin_cpu_s"),
            "per_s": round(median([runs / one["foliot_s"] for one in rounds])),
            "twin_median_per_s": round(median([runs / one["twin_s"] for one in rounds])),
            "ratio": median([one["twin_s"] / one["foliot_s"] for one in rounds]),
        }


@asynccontextmanager
async def race(
    setting: Setting, *, jobs: int, schedule: dict[str, Any] | None, overlap: str, slots: int
) -> AsyncIterator[Race]:
    """Two databases with the same jobs, a server and a worker on one of them, the twin on the other."""
    place, progress = setting.place, setting.progress
    async with AsyncExitStack() as stack:
        ours = await stack.enter_async_context(ground(place.foliot))
        theirs = await stack.enter_async_context(ground(place.twin))
        for side in (ours, theirs):
            progress.tell(f"loading {jobs:,} jobs")
            await side.load_jobs(jobs, schedule, overlap=overlap)
        twin = await stack.enter_async_context(twin_of(place.twin, theirs))
        processes = stack.enter_context(cluster(place.foliot))
        progress.tell("starting a server and a worker")
        await processes.start_server()
        await processes.start_worker(ours, slots=slots)
        yield Race(setting=setting, ours=ours, theirs=theirs, twin=twin, processes=processes, slots=slots)
