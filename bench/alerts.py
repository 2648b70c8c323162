"""A round of alerts over 10 000 jobs that ask for them, beside its raw twin: the statements of a quiet round, bare.

Told are how long a round takes, what share of a core it is at one round every five seconds (the time of the whole
round, so also the database's), how many statements it sends, and the same for a round in which 40 jobs failed by one
cause.
"""

import argparse
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import sqlalchemy as sa

from bench.harness import opened, parser_of, run
from foliot.app.server import Server
from foliot.app.settings import ServerSettings
from foliot.app.system import SystemChance, SystemClock
from foliot.engine.alerting import EVERY_S
from foliot.store.sql.alerts import looks
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.statement import Statement

SHARE_MAX: Final = 0.05
STATEMENTS_MAX: Final = 3
FAILED: Final = 40

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
        with _counted() as sent:
            await alerting.step()
        quiet_s, twin_s = await _in_turn(alerting.step, lambda: _raw(database), options.times)
        await database.transact(lambda tx: tx.change(FAIL, {"rows": FAILED}))
        began_at = time.perf_counter()
        await alerting.step()
        busy_s = time.perf_counter() - began_at
        share = quiet_s / EVERY_S
        assert share <= SHARE_MAX, f"a quiet round takes {share:.1%} of a core"
        assert len(sent) <= STATEMENTS_MAX, sent
        return {
            "jobs": options.jobs,
            "quiet round": {"ms": _ms(quiet_s), "share of a core": f"{share:.2%}", "statements": len(sent)},
            "raw twin": {"ms": _ms(twin_s), "share": round(twin_s / quiet_s, 2)},
            f"round in which {FAILED} failed": {"ms": _ms(busy_s)},
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


@contextmanager
def _counted() -> Iterator[list[str]]:
    sent: list[str] = []

    def before(_connection: Any, _cursor: Any, text: str, *_: Any) -> None:
        sent.append(" ".join(text.split())[:80])

    sa.event.listen(sa.Engine, "before_cursor_execute", before)
    try:
        yield sent
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", before)


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=30)
    run(main, parser)
