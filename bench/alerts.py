"""A round of alerts over 10 000 jobs that ask for them, beside its raw twin: the statements of a quiet round, bare.

Told are how long a round takes, what share of a core it is at one round every five seconds (the time of the whole
round, so also the database's), how many statements it sends, and the same for a round in which 40 jobs failed by one
cause. Then every job is judged against its own baseline of five weeks, as once an hour: the statements of the step with
the most of them, and what share of a core an hour's judging is (this process alone). Last come the reports of yesterday
and of last week over the same jobs.
"""

import argparse
import itertools
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from bench.harness import opened, parser_of, run
from foliot.app.server import Server
from foliot.app.settings import ServerSettings
from foliot.app.system import SystemChance, SystemClock
from foliot.domain.anomalies.history import days_needed, hours_needed
from foliot.domain.instants import HOUR, SECOND, Instant
from foliot.domain.reports.period import ReportKind, last_period
from foliot.domain.statistics.figures import EndedRun, FigureKey, RunFigures
from foliot.domain.statistics.resolution import Resolution
from foliot.engine.alerting import EVERY_S
from foliot.engine.anomalies import SETTLED_US
from foliot.engine.loop import Duty
from foliot.operations.reports import composed_report
from foliot.store.sql.alerts import looks
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.statement import RowSet, Statement
from foliot.store.sql.statistics.figure_rows import FigureRow, row_of
from foliot.store.sql.store import SqlStore
from tests.sent import sent

SHARE_MAX: Final = 0.05
STATEMENTS_MAX: Final = 3
FAILED: Final = 40
AN_HOUR: Final = 6  # runs of a job
WORKERS: Final = ("worker-1", "worker-2")
SLOW_JOBS: Final = 40
AN_HOUR_S: Final = 3600

ASK: Final = Statement(
    """
    INSERT INTO job_alerts (job_id, version, document, late_us, slower_us, saved_at)
    SELECT j.id, j.version, '{"on":["failed","late 10m","slower 1h"]}', 600000000, 3600000000, j.created_at FROM jobs j
    """
)
FAIL: Final = Statement(
    """
    INSERT INTO failure_signs (run_id, job_id, at) SELECT 1000000000 + j.id, j.id, j.created_at FROM jobs j
    ORDER BY j.id LIMIT :rows
    """
)
_OF_EACH: Final = ["j.id" if column == "job_id" else f"d.{column}" for column in FigureRow._fields]
FIGURES: Final = Statement(
    f"""
    INSERT INTO stats ({", ".join(FigureRow._fields)}) SELECT {", ".join(_OF_EACH)} FROM {{d}} CROSS JOIN jobs j
    WHERE j.id >= :first AND j.id < :beyond
    """,
    RowSet.of("d", FigureRow),
)
OLDER: Final = Statement("UPDATE job_versions SET created_at = created_at - :by")
ANOMALIES: Final = Statement("SELECT count(*) FROM anomalies WHERE is_open = 1")


async def main(options: argparse.Namespace) -> Mapping[str, Any]:
    async with opened(options.on) as (url, ground, _):
        await ground.load_jobs(options.jobs, {"every": "30d"})
        database = ground.store.database
        await database.transact(lambda tx: tx.change(ASK))
        server = Server(
            ServerSettings(store_url=url, node_name="bench"), ground.store, clock=SystemClock(), chance=SystemChance()
        )
        for duty in (server.presence, server.presence, server.pulsing, server.leading):
            await duty.step()
        duties = {duty.name: duty for duty in server._leader_duties()}
        await duties["chronicling"].step()
        alerting = duties["alerting"]
        for _ in range(options.jobs // 5000 + 3):  # the walk that repairs what older servers saved
            await alerting.step()
        await duties["chronicling"].step()
        with sent() as texts:
            await alerting.step()
        quiet_s, twin_s = await _in_turn(alerting.step, lambda: _raw(database), options.times)
        await database.transact(lambda tx: tx.change(FAIL, {"rows": FAILED}))
        began_at = time.perf_counter()
        await alerting.step()
        busy_s = time.perf_counter() - began_at
        share = quiet_s / EVERY_S
        assert share <= SHARE_MAX, f"a quiet round takes {share:.1%} of a core"
        assert len(texts) <= STATEMENTS_MAX, texts
        now = server.tide.store_now()
        await _with_baselines(database, now, jobs=options.jobs)
        await ground.tidy()
        judging = await _judged(server, duties["anomalies"], database)
        return {
            "jobs": options.jobs,
            "quiet round": {"ms": _ms(quiet_s), "share of a core": f"{share:.2%}", "statements": len(texts)},
            "raw twin": {"ms": _ms(twin_s), "share": round(twin_s / quiet_s, 2)},
            f"round in which {FAILED} failed": {"ms": _ms(busy_s)},
            "judging an hour": judging,
            **{f"{kind} report": await _reported(ground.store, kind, now) for kind in ReportKind},
        }


async def _raw(database: Database) -> None:
    """The same looks without a rule, a decision or a type."""

    def work(tx: Tx) -> None:
        tx.tuples(looks.MARKS)
        tx.tuples(looks.OF_JOBS, {"rows": 500})

    await database.read(work, pool=Pool.CONTROL)


async def _in_turn(
    one: Callable[[], Awaitable[Any]], other: Callable[[], Awaitable[Any]], times: int
) -> tuple[float, float]:
    took: tuple[list[float], list[float]] = ([], [])
    for _ in range(times):
        for place, work in enumerate((one, other)):
            began_at = time.perf_counter()
            await work()
            took[place].append(time.perf_counter() - began_at)
    return statistics.median(took[0]), statistics.median(took[1])


async def _with_baselines(database: Database, now: Instant, *, jobs: int) -> None:
    """Five weeks of figures of every job, on two workers; in the last hour some take far longer than usual."""
    hour_at = Resolution.HOUR.start_of(now - SETTLED_US) - HOUR
    await database.transact(lambda tx: tx.change(OLDER, {"by": 1000 * 24 * HOUR}))
    usual = [
        *(_figures(Resolution.DAY, start_at, 24 * AN_HOUR) for start_at in days_needed(hour_at)),
        *(_figures(Resolution.HOUR, start_at, AN_HOUR) for start_at in hours_needed(hour_at) if start_at != hour_at),
    ]
    rows = list(itertools.chain.from_iterable(usual))
    for first in range(0, jobs + 1, 1000):
        await _insert(database, rows, first, first + 1000)
        normal, slow = _figures(Resolution.HOUR, hour_at, AN_HOUR), _figures(Resolution.HOUR, hour_at, AN_HOUR, 9)
        border = SLOW_JOBS if first == 0 else first
        await _insert(database, slow, first, border)
        await _insert(database, normal, border, first + 1000)


async def _insert(database: Database, rows: Sequence[FigureRow], first: int, beyond: int) -> None:
    for begin in range(0, len(rows), 20):
        some = rows[begin : begin + 20]
        work = partial(_inserted, rows=some, first=first, beyond=beyond)
        await database.transact(work)


def _inserted(tx: Tx, *, rows: Sequence[FigureRow], first: int, beyond: int) -> int:
    return tx.change(FIGURES, {"first": first, "beyond": beyond}, d=rows)


def _figures(resolution: Resolution, start_at: Instant, runs: int, times: int = 1) -> list[FigureRow]:
    """Runs of about twenty seconds that scatter as runs do, shared by the workers."""
    rows = []
    for place, worker in enumerate(WORKERS):
        figures = RunFigures()
        for n in range(place, runs, len(WORKERS)):
            took_us = times * (15 + (7 * n + start_at // HOUR) % 11) * SECOND
            at = start_at + n * SECOND
            figures.add(EndedRun(1, 0, worker, "SUCCEEDED", None, 0, at, at + SECOND // 5, at + took_us))
        rows.append(row_of(FigureKey(resolution, start_at, 1, 0, worker), figures))
    return rows


async def _judged(server: Server, duty: Duty, database: Database) -> Mapping[str, Any]:
    """Every job, step by step, until the hour is done."""
    counts: list[int] = []
    took: list[float] = []
    cpu_s = 0.0
    while not counts or counts[-1]:
        await server.pulsing.step()
        await server.leading.step()
        cpu_at, began_at = time.process_time(), time.perf_counter()
        with sent() as texts:
            await duty.step()
        took.append(time.perf_counter() - began_at)
        cpu_s += time.process_time() - cpu_at
        counts.append(len(texts))
    found = await database.read(lambda tx: int(tx.value(ANOMALIES)))
    assert found == SLOW_JOBS - 1, f"{found} anomalies, {SLOW_JOBS - 1} jobs are slow"
    share = cpu_s / AN_HOUR_S
    assert max(counts) <= STATEMENTS_MAX, counts
    assert share <= SHARE_MAX, f"judging takes {share:.1%} of a core"
    return {
        "steps": len(counts),
        "statements of a step, at most": max(counts),
        "statements in all": sum(counts),
        "s": round(sum(took), 2),
        "longest step ms": _ms(max(took)),
        "cpu s": round(cpu_s, 2),
        "share of a core": f"{share:.2%}",
    }


async def _reported(store: SqlStore, kind: ReportKind, now: Instant) -> Mapping[str, Any]:
    """A report of the whole cluster, as its schedule makes it."""
    period = last_period(kind, "UTC", now)
    began_at = time.perf_counter()
    with sent() as texts:
        await composed_report(store, period, namespace=None, now=now)
    return {"ms": _ms(time.perf_counter() - began_at), "statements": len(texts)}


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=30)
    run(main, parser)
