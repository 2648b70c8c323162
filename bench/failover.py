"""Failover: one of three servers is killed (SIGKILL) again and again while jobs fire every second. What does it delay?

    python -m bench.failover [--db URL|mariadb] [--jobs 300] [--kills 6] [--every 4] [--json]

Each kill hits another server, the leader among them, at an odd moment around an instant; it is started again before the
next one. Extra delay is the latest decision of an instant in the second after a kill, less the usual latest one.
"""

import argparse
import asyncio
import random
import time
from collections.abc import Mapping
from typing import Any, Final

from bench.ground import Ground, ground, next_second, until
from bench.harness import Cluster, Progress, cluster, database, median, parser_of, run
from bench.race import registered
from foliot.domain.instants import SECOND, Instant
from foliot.store.sql.statement import Statement

SERVERS: Final = 3
WARM_UP_S: Final = 4
SETTLE_WITHIN_S: Final = 40.0
EXTRA_MAX_MS: Final = 1000.0

DECIDED: Final = Statement(
    """
    SELECT due_at, count(*), max(created_at - due_at), max(started_at - due_at) FROM runs
    WHERE due_at >= :begin AND due_at < :end GROUP BY due_at ORDER BY due_at
    """
)
LEFT: Final = Statement(
    "SELECT count(*) FROM runs WHERE due_at >= :begin AND due_at < :end AND state IN ('PENDING', 'RUNNING')"
)


async def measured(options: argparse.Namespace) -> Mapping[str, Any]:
    progress, chance = Progress(), random.Random(options.seed)
    async with database(options.db) as place, ground(place.foliot) as ours:
        await ours.load_jobs(options.jobs, {"every": "1s"}, overlap="allow")
        await ours.make_due(next_second(ahead_s=3600))  # nothing happens before everybody is there
        with cluster(place.foliot) as processes:
            for number in range(SERVERS):
                await processes.start_server(f"server-{number}")
            await processes.start_worker(slots=options.slots)
            await registered(ours, processes)
            first = next_second(ahead_s=1.5)
            await ours.make_due(first)
            begin = first + WARM_UP_S * SECOND
            end = begin + (options.kills + 1) * options.every * SECOND
            await until(begin)
            kills = await killing(options, processes, begin, chance, progress)
            await until(end)
            await settled(ours, begin, end)
        rows = await ours.rows(DECIDED, {"begin": begin, "end": end})
        settings = await ours.settings()
    progress.end()
    return {
        "jobs": options.jobs,
        "servers": SERVERS,
        "seed": options.seed,
        "settings": settings,
        **figures_of(options.jobs, rows, kills, (end - begin) // SECOND),
    }


async def killing(
    options: argparse.Namespace, processes: Cluster, begin: Instant, chance: random.Random, progress: Progress
) -> list[float]:
    """Kill one server after the other, each a moment around an instant; when, by the host's clock."""
    kills: list[float] = []
    for number in range(options.kills):
        progress.tell("kills", done=number, of=options.kills)
        instant = begin + (number + 1) * options.every * SECOND
        await until(instant + int(chance.uniform(-0.02, 0.06) * SECOND))
        name = f"server-{number % SERVERS}"
        kills.append(time.time())
        processes.processes[name].kill()
        await asyncio.sleep(options.every / 2)
        await processes.start_server(name)
    return kills


async def settled(ours: Ground, begin: Instant, end: Instant) -> None:
    deadline = time.monotonic() + SETTLE_WITHIN_S
    await until(end + SECOND)
    while await ours.value(LEFT, {"begin": begin, "end": end}):
        if time.monotonic() > deadline:
            raise TimeoutError("runs are still live long after the last kill")
        await asyncio.sleep(0.1)


def figures_of(jobs: int, rows: Any, kills: list[float], seconds: int) -> dict[str, Any]:
    """An instant belongs to a kill when it was due up to a second before it or after it."""
    struck = {int(kill) + after for kill in kills for after in (0, 1)}
    usual = [row[2] / 1000 for row in rows if row[0] // SECOND not in struck]
    hit = [row[2] / 1000 for row in rows if row[0] // SECOND in struck]
    created = sum(row[1] for row in rows)
    worst_usual = median(usual, 1)
    extra = [round(max(0.0, late - worst_usual), 1) for late in hit]
    lost = jobs * seconds - created
    return {
        "kills": len(kills),
        "due": jobs * seconds,
        "verified_runs": created,
        "lost": max(lost, 0),
        "doubled": max(-lost, 0),
        "usual_latest_decision_ms": worst_usual,
        "latest_decision_at_kills_ms": round(max(hit), 1),
        "extra_delay_ms": {"worst": max(extra), "median": median(extra, 1)},
        "latest_start_ms": round(max(row[3] or 0 for row in rows) / 1000, 1),
        "bar": {"extra_delay_ms": EXTRA_MAX_MS, "lost": 0, "reached": max(extra) <= EXTRA_MAX_MS and lost == 0},
    }


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--jobs", type=int, default=300)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--every", type=int, default=4, help="seconds from kill to kill")
    parser.add_argument("--slots", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    run(measured, parser)
