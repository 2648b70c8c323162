"""Steady: 1000 jobs, each every second, all at the same instant and spread over the second. None may be missed.

    python -m bench.steady [--db URL|sqlite|mariadb] [--jobs 1000] [--seconds 25] [--only phase|spread] [--json]

One server process and one worker process. Lateness is how long after the instant (or, with jitter, the wake-up) the
fire was decided, by store time; start lateness is the same for the handler's start. The first seconds do not count.
"""

import argparse
import asyncio
import time
from collections.abc import Mapping
from typing import Any, Final

from bench.ground import Ground, ground, next_second, until
from bench.harness import Cost, Progress, cluster, database, parser_of, quantiles_ms, run
from bench.race import registered
from foliot.domain.instants import SECOND, Instant
from foliot.store.sql.statement import Statement

WARM_UP_S: Final = 3
SETTLE_WITHIN_S: Final = 15.0
P99_MS: Final = 100.0
SHAPES: Final = {"phase": {"every": "1s"}, "spread": {"every": "1s", "jitter": "999ms"}}
OVERLAPS: Final = {"phase": "skip", "spread": "allow"}  # with jitter one run may wake just before the last one ends

WINDOW: Final = Statement(
    """
    SELECT created_at - not_before, started_at - not_before, state, attempt FROM runs
    WHERE due_at >= :begin AND due_at < :end
    """
)
LEFT: Final = Statement(
    "SELECT count(*) FROM runs WHERE due_at >= :begin AND due_at < :end AND state IN ('PENDING', 'RUNNING')"
)
SKIPPED: Final = Statement("SELECT coalesce(sum(count), 0) FROM skips")


async def measured(options: argparse.Namespace) -> Mapping[str, Any]:
    shapes = [options.only] if options.only else list(SHAPES)
    figures: dict[str, Any] = {"jobs": options.jobs, "seconds": options.seconds, "slots": options.slots}
    figures["transport"] = "HTTP, 1 server process, 1 worker process"
    for shape in shapes:
        async with database(options.db) as place, ground(place.foliot) as ours:
            figures[shape] = await steady(options, place.foliot, place.pid, ours, shape)
            figures["settings"] = await ours.settings()
    bar = all(
        figures[shape]["missed"] == 0 and (shape != "phase" or figures[shape]["lateness_ms"]["p99"] <= P99_MS)
        for shape in shapes
    )
    return {**figures, "bar": {"missed": 0, "p99_ms in phase": P99_MS, "reached": bar}}


async def steady(
    options: argparse.Namespace, url: str, database_pid: int | None, ours: Ground, shape: str
) -> dict[str, Any]:
    progress, seconds = Progress(), options.seconds
    progress.tell(f"{shape}: loading {options.jobs:,} jobs")
    await ours.load_jobs(options.jobs, SHAPES[shape], overlap=OVERLAPS[shape])
    await ours.make_due(next_second(ahead_s=3600))  # nothing happens before everybody is there
    with cluster(url) as processes:
        await processes.start_server()
        await processes.start_worker(slots=options.slots)
        await registered(ours, processes)
        first = next_second(ahead_s=1.5)
        await ours.make_due(first)
        begin = first + WARM_UP_S * SECOND
        end = begin + seconds * SECOND
        await until(begin)
        cost = Cost({**processes.pids(), **({"database": database_pid} if database_pid else {})})
        while time.time() < end / SECOND:
            processes.check()
            progress.tell(shape, done=int(time.time() - begin / SECOND), of=seconds)
            await asyncio.sleep(0.2)
        spent = cost.spent()
        await settled(ours, begin, end)
        progress.end()
        pids = processes.pids()
    return {"pids": pids, **await figures_of(ours, options, shape, begin, end), "cpu_percent": _percent(spent, seconds)}


async def settled(ours: Ground, begin: Instant, end: Instant) -> None:
    """Until every run of the window is over."""
    deadline = time.monotonic() + SETTLE_WITHIN_S
    await until(end + SECOND)
    while await ours.value(LEFT, {"begin": begin, "end": end}):
        if time.monotonic() > deadline:
            raise TimeoutError("runs of the last second are still live")
        await asyncio.sleep(0.05)


async def figures_of(
    ours: Ground, options: argparse.Namespace, shape: str, begin: Instant, end: Instant
) -> dict[str, Any]:
    rows = await ours.rows(WINDOW, {"begin": begin, "end": end})
    due = options.jobs * options.seconds
    succeeded = sum(state == "SUCCEEDED" and attempt == 1 for _, _, state, attempt in rows)
    assert succeeded == len(rows), f"{len(rows) - succeeded} of {len(rows)} runs did not succeed at once"
    return {
        "due": due,
        "verified_runs": len(rows),
        "missed": due - len(rows),  # the unique key keeps an instant from having two runs
        "skipped": int(await ours.value(SKIPPED)),
        "overlap": OVERLAPS[shape],
        "lateness_ms": quantiles_ms([row[0] for row in rows]),
        "start_lateness_ms": quantiles_ms([row[1] for row in rows]),
    }


def _percent(spent: Mapping[str, float], seconds: int) -> dict[str, float]:
    return {name: round(100 * cpu / seconds, 1) for name, cpu in spent.items()}


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=25)
    parser.add_argument("--slots", type=int, default=100)
    parser.add_argument("--only", choices=sorted(SHAPES))
    run(measured, parser)
