"""Steady: 1000 jobs, each every second, all at the same instant and spread over the second. None may be missed.

One server process and one worker process. Lateness is how long after the instant (or, with jitter, the wake-up) the
fire was decided, by store time; start lateness is the same for the handler's start. The first seconds do not count.
The twin fires, leases and ends as many rows at once: what the work of one second takes as bare SQL.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from foliot.domain.instants import SECOND, Instant
from foliot.store.sql.kernel.statement import Statement
from foliot_bench.benchmark import Figures, Setting, bar
from foliot_bench.cost import Cost, median, quantiles_ms
from foliot_bench.ground import Ground, ground
from foliot_bench.moments import CLOCK, next_second, now_s, pause, this_second, until
from foliot_bench.processes import Cluster, cluster
from foliot_bench.race import TRANSPORT
from foliot_bench.troubles import BenchFailed
from foliot_bench.twins.choosing import twin_of

WARM_UP_S: Final = 3
SETTLE_WITHIN_S: Final = 15.0
LOOK_EVERY_S: Final = 0.2
TWIN_ROUNDS: Final = 6  # the first of them to warm up
P99_MS: Final = 100.0
DECIDED_SPREAD_MS: Final = 15.0
STARTED_SPREAD_MS: Final = 50.0
CPU_RATIO: Final = 3.0
"""CPU of database and server in a second of spread instants, by that of a second in phase."""
CROWD: Final = 5000
CROWD_DECIDED_MS: Final = 60.0
"""From so many jobs on. In phase no fire may be decided later than bare SQL takes for all rows of the second: that is
longer than this where the machine cannot write them sooner."""
SHAPES: Final[dict[str, dict[str, Any]]] = {"phase": {"every": "1s"}, "spread": {"every": "1s", "jitter": "999ms"}}
OVERLAPS: Final = {"phase": "skip", "spread": "allow"}  # with jitter one run may wake just before the last one ends

WINDOW: Final = Statement(
    """
    SELECT created_at - not_before, started_at - not_before, state, attempt FROM runs
    WHERE due_at >= :begin AND due_at < :end
    """
)
SKIPPED: Final = Statement("SELECT coalesce(sum(count), 0) FROM skips")


@dataclass(frozen=True, slots=True, kw_only=True)
class Steady:
    """Many jobs, second after second."""

    name: ClassVar = "steady"
    needs_twin: ClassVar = True

    jobs: int = 1000
    seconds: int = 25
    slots: int = 100
    shapes: tuple[str, ...] = tuple(SHAPES)

    async def measured(self, setting: Setting) -> Figures:
        """Each shape in turn, and the twin's work for one second."""
        figures: Figures = {"jobs": self.jobs, "seconds": self.seconds, "slots": self.slots, "transport": TRANSPORT}
        bars = []
        async with ground(setting.place.foliot) as ours:
            figures["settings"] = await ours.settings()
            with cluster(setting.place.foliot) as processes:
                setting.progress.tell("starting a server and a worker")
                await processes.start_server()
                await processes.start_worker(ours, slots=self.slots)
                figures["pids"] = {**processes.pids(), **setting.place.pids}
                for shape in self.shapes:
                    seen = figures[shape] = await self._steady(setting, ours, processes, shape)
                    bars += self._bars(shape, seen)
        if len(self.shapes) == len(SHAPES) and setting.place.pids:
            figures["cpu_ratio"] = round(_cpu(figures["spread"]) / _cpu(figures["phase"]), 2)
            if self.jobs < CROWD:
                bars.append(bar("CPU of database and server, spread by phase", figures["cpu_ratio"], at_most=CPU_RATIO))
        figures["twin_ms"] = twin = await self._twin(setting)
        if "phase" in figures:
            if self.jobs >= CROWD:
                decided = figures["phase"]["lateness_ms"]["p99"]
                bars.append(bar("lateness p99 ms, phase", decided, at_most=max(CROWD_DECIDED_MS, twin)))
            figures["ratio"] = round(twin / figures["phase"]["start_lateness_ms"]["p99"], 3)
        return {**figures, "bars": bars}

    def _bars(self, shape: str, seen: Figures) -> list[Mapping[str, Any]]:
        """What one shape must reach."""
        decided, started = seen["lateness_ms"]["p99"], seen["start_lateness_ms"]["p99"]
        bars = [bar(f"missed, {shape}", seen["missed"], at_most=0)]
        if shape == "phase":  # a crowd is judged beside the twin
            return bars if self.jobs >= CROWD else [*bars, bar("lateness p99 ms, phase", decided, at_most=P99_MS)]
        if self.jobs >= CROWD:
            return [*bars, bar("lateness p99 ms, spread", decided, at_most=CROWD_DECIDED_MS)]
        return [
            *bars,
            bar("lateness p99 ms, spread", decided, at_most=DECIDED_SPREAD_MS),
            bar("start lateness p99 ms, spread", started, at_most=STARTED_SPREAD_MS),
        ]

    async def _steady(self, setting: Setting, ours: Ground, processes: Cluster, shape: str) -> Figures:
        setting.progress.tell(f"{shape}: loading {self.jobs:,} jobs")
        await ours.retire_jobs()  # those of the shape before
        await ours.clear_runs()
        await ours.load_jobs(self.jobs, SHAPES[shape], overlap=OVERLAPS[shape], prefix=f"{shape}-")
        await ours.tidy()
        first = next_second(ahead_s=1.5)
        await ours.make_due(first)
        begin = first + WARM_UP_S * SECOND
        end = begin + self.seconds * SECOND
        await until(begin)
        cost = Cost({**processes.pids(), **setting.place.pids})
        async with setting.watch(processes):
            await self._watched(setting, processes, shape, begin, end)
        percent = cost.percent(self.seconds)
        await settled(ours, begin, end, within_s=SETTLE_WITHIN_S)
        return {**await self._figures(ours, shape, begin, end), "cpu_percent": percent}

    async def _watched(self, setting: Setting, processes: Cluster, shape: str, begin: Instant, end: Instant) -> None:
        while now_s() < end / SECOND:
            processes.check()
            setting.progress.tell(f"{shape}, seconds", done=int(now_s() - begin / SECOND), of=self.seconds)
            await pause(LOOK_EVERY_S)

    async def _figures(self, ours: Ground, shape: str, begin: Instant, end: Instant) -> Figures:
        rows = await ours.rows(WINDOW, {"begin": begin, "end": end})
        due = self.jobs * self.seconds
        succeeded = sum(state == "SUCCEEDED" and attempt == 1 for _, _, state, attempt in rows)
        if succeeded != len(rows) or not rows:
            raise BenchFailed(f"{len(rows) - succeeded} of {len(rows)} runs did not succeed at once.")
        return {
            "due": due,
            "verified_runs": len(rows),
            "missed": due - len(rows),  # the unique key keeps an instant from having two runs
            "skipped": int(await ours.value(SKIPPED)),
            "overlap": OVERLAPS[shape],
            "lateness_ms": quantiles_ms([row[0] for row in rows]),
            "start_lateness_ms": quantiles_ms([row[1] for row in rows]),
        }

    async def _twin(self, setting: Setting) -> float:
        """Milliseconds for the rows of one second, as bare SQL."""
        setting.progress.tell("twin")
        took: list[float] = []
        async with ground(setting.place.twin) as theirs:
            await theirs.load_jobs(self.jobs, {"every": "1h"}, overlap=OVERLAPS["phase"])
            async with twin_of(setting.place.twin, theirs) as twin:
                for _ in range(TWIN_ROUNDS):
                    at = this_second()
                    await theirs.clear_runs()
                    await theirs.make_due(at)
                    await theirs.tidy()
                    took.append(await twin.fire(at) + await twin.lease_and_end())
                    await theirs.verify(runs=self.jobs, jobs=self.jobs)
        return median([1000 * seconds for seconds in took[1:]], 1)


def _cpu(seen: Figures) -> float:
    """Per cent of one core, of database and server."""
    percent = seen["cpu_percent"]
    return float(percent["server"] + percent["database"])


LEFT: Final = Statement(
    "SELECT count(*) FROM runs WHERE due_at >= :begin AND due_at < :end AND state IN ('PENDING', 'RUNNING')"
)


async def settled(ours: Ground, begin: Instant, end: Instant, *, within_s: float) -> None:
    """Until every run of the window is over."""
    await until(end + SECOND)
    deadline = CLOCK.monotonic() + within_s
    while left := await ours.value(LEFT, {"begin": begin, "end": end}):
        if CLOCK.monotonic() > deadline:
            raise BenchFailed(f"{left} runs are still live {within_s:g} s after the last of them was due.")
        await pause(LOOK_EVERY_S)
