"""Statistics of many finished runs: the leader's counting, beside one GROUP BY of the same rows.

    python -m bench rollup [--on postgresql|mariadb|sqlite] [--runs 200000] [--jobs 1000] [--json]

The full size is 10 000 000 runs. A process of its own counts them as a leader does, round after round, without the
rests between two rounds. Its memory is looked at before the first round and at its peak. The twin is one statement:
number, sum and maximum for each minute, job and worker. It writes nothing and knows no quantiles.
"""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any, Final

from bench.harness import opened, parser_of, run
from foliot.domain.instants import MINUTE
from foliot.engine.statistics import RUNS_MAX, SETTLED_S, Counting
from foliot.observability.log_lines import configure_logging
from foliot.ports.clock import Clock
from foliot.store.sql.kernel.statement import Statement
from foliot_bench.benchmark import bar
from foliot_bench.ground import Ground, ground
from foliot_bench.moments import CHANCE, CLOCK
from foliot_bench.places import connection_to, kind_of, sqlite_file
from foliot_bench.troubles import BenchFailed

PER_S: Final = 15_000
GROWTH_MB: Final = 100
LEADER_TTL_US: Final = 60 * MINUTE
COUNT: Final = "--count"

TWIN: Final = f"""
    SELECT count(*) FROM (
      SELECT job_id, session_id, ended_at - ended_at % {MINUTE} AS minute, count(*), sum(ended_at - started_at),
             max(ended_at - started_at), sum(started_at - not_before), max(started_at - not_before)
      FROM runs WHERE state = 'SUCCEEDED' GROUP BY job_id, session_id, ended_at - ended_at % {MINUTE}
    ) minutes
"""
COUNTED: Final = Statement("SELECT coalesce(sum(runs), 0), count(*) FROM stats WHERE resolution = 0 AND job_id > 0")
STATEMENTS: Final = """
    SELECT sum(calls), sum(total_exec_time) FROM pg_stat_statements
    WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


async def measured(options: argparse.Namespace) -> Mapping[str, Any]:
    async with opened(options.on) as (url, place, _):
        await place.load_jobs(options.jobs, {"every": "1h"})
        await place.load_finished(options.runs, jobs=options.jobs)
        await place.tidy()
        twin_s = await _twin(url)
        asked = await _statements(url, begin=True)
        counted = await asyncio.to_thread(_in_a_process, url)
        asked = await _statements(url, begin=False)
        await _verified(place, options.runs)
        settings = await place.settings()
    growth_mb = round(counted["peak_mb"] - counted["before_mb"], 1)
    per_s = round(options.runs / counted["took_s"])
    return {
        "runs": options.runs,
        "jobs": options.jobs,
        "settings": settings,
        "verified": f"{options.runs:,} runs, each counted once",
        **counted,
        **asked,
        "per_s": per_s,
        "twin_s": round(twin_s, 2),
        "twin_median_per_s": round(options.runs / twin_s),
        "growth_mb": growth_mb,
        "bars": [
            bar("runs per s", per_s, at_least=PER_S),
            bar("growth of memory, MB", growth_mb, at_most=GROWTH_MB),
            bar("longest round, s", counted["longest_round_s"], at_most=RUNS_MAX / PER_S),
        ],
    }


class _Hurried:
    """The clock of this machine, for which no time passes between two rounds: nobody waits until runs have settled."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ahead_s = 0.0

    def settle(self) -> None:
        """So much time passes that all runs of now are settled."""
        self._ahead_s += SETTLED_S

    def monotonic(self) -> float:
        return self._clock.monotonic() + self._ahead_s

    def __getattr__(self, name: str) -> Any:
        return getattr(self._clock, name)


async def counted_by_a_leader(url: str) -> dict[str, float]:
    """Count all runs there are; how long it took and how much memory it needed."""
    async with ground(url) as place:
        term = await place.store.nodes.campaign(CHANCE.token(), ttl_us=LEADER_TTL_US)
        assert term is not None, "nobody else leads here"
        clock = _Hurried(CLOCK)
        counting = Counting(place.store.statistics, clock)
        await counting.count(term.number)  # it notes the newest id
        clock.settle()
        before_mb = _memory_mb()
        began_at = time.perf_counter()
        rounds = 0
        longest_s = 0.0
        is_over = False
        while not is_over:
            round_began_at = time.perf_counter()
            await counting.count(term.number)
            longest_s = max(longest_s, time.perf_counter() - round_began_at)
            rounds += 1
            seen = await place.store.statistics.progress()
            is_over = seen.counted_id >= seen.newest_id
        return {
            "took_s": round(time.perf_counter() - began_at, 2),
            "rounds": rounds,
            "longest_round_s": round(longest_s, 3),
            "before_mb": before_mb,
            "peak_mb": _memory_mb(),
            "cpu_s": round(time.process_time(), 2),
        }


def _memory_mb() -> float:
    """The most memory that this process has had so far."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def _in_a_process(url: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "bench", "rollup", COUNT, url], stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        raise BenchFailed("The process that counts has failed.")
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


async def _twin(url: str) -> float:
    """Seconds of one GROUP BY."""
    began_at = time.perf_counter()
    if kind_of(url) == "sqlite":
        await asyncio.to_thread(_group_in_file, url)
    else:
        async with connection_to(url) as connection:
            if kind_of(url) == "postgresql":
                await connection.execute(TWIN)
            else:
                async with connection.cursor() as cursor:
                    await cursor.execute(TWIN.replace("% 6", "%% 6"))
    return time.perf_counter() - began_at


def _group_in_file(url: str) -> None:
    import sqlite3

    connection = sqlite3.connect(sqlite_file(url))
    try:
        connection.execute(TWIN).fetchall()
    finally:
        connection.close()


async def _statements(url: str, *, begin: bool) -> dict[str, float]:
    """What PostgreSQL was asked since the beginning."""
    if kind_of(url) != "postgresql":
        return {}
    async with connection_to(url) as connection:
        if begin:
            await connection.execute("SELECT pg_stat_statements_reset()")
            return {}
        calls, took_ms = await connection.fetchrow(STATEMENTS)
        return {"statements": int(calls), "database_s": round(took_ms / 1000, 2)}


async def _verified(place: Ground, runs: int) -> None:
    counted, _ = (await place.rows(COUNTED))[0]
    if int(counted) != runs:
        raise BenchFailed(f"{counted} of {runs} runs were counted.")


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=200_000)
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument(COUNT, metavar="URL", help="count what is in this database, and do nothing else")
    if COUNT in sys.argv:
        given = parser.parse_args()
        configure_logging(level="error", form="console")
        print(json.dumps(asyncio.run(counted_by_a_leader(given.count))))
    else:
        run(measured, parser)
