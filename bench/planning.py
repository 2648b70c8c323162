"""What planning costs: 1000 due cron jobs planned, beside the bare `next_after` of the same jobs. Ratio at most 3.

    python -m bench.planning            a table
    python -m bench.planning --json     one document
    python -m bench.planning --check    fails if the ratio of the mixed jobs is above 3

Both sides run in turns and the best round of each counts, so that a busy machine hurts both alike. The bare side
asks each schedule for its next instant; the planned side is the engine's `decide_batch`: runs with their keys, cursors.
"""

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime

from foliot.domain.fire import Cursor, DueJob, Situation
from foliot.domain.handler import python_function
from foliot.domain.instants import SECOND, to_instant
from foliot.domain.job import Definition, LoadedJob
from foliot.domain.pacer import CatchUpPacer
from foliot.domain.plans import decide_batch
from foliot.domain.schedule import Cron, Schedule

JOBS = 1000
ROUNDS = 21
RATIO_MAX = 3.0
EXPRESSIONS = {
    "every minute": "* * * * *",
    "every 5 minutes": "*/5 * * * *",
    "hourly": "0 * * * *",
    "daily": "30 2 * * *",
    "weekdays at 9": "0 9 * * MON-FRI",
    "monthly": "0 0 1 * *",
    "every 10 seconds": "*/10 * * * * *",
}
ZONES = ("UTC", "Europe/Berlin", "Asia/Shanghai", "America/New_York")


def due_jobs(expressions: list[str]) -> list[tuple[DueJob, int]]:
    """A thousand jobs that became due a moment ago, each with the store time at which it did."""
    start = to_instant(datetime(2026, 3, 2, 8, 59, 30, tzinfo=UTC))
    jobs = []
    for n in range(JOBS):
        schedule = Schedule(triggers=(Cron.parse(expressions[n % len(expressions)], tz=ZONES[n % len(ZONES)]),))
        first = schedule.next_after(start)
        assert first is not None
        definition = Definition(handler=python_function("bench:noop"), schedule=schedule)
        loaded = LoadedJob(job_id=n, version=1, namespace="default", name=f"j{n}", definition=definition, lane_id=1)
        jobs.append((DueJob(Cursor(n, 1, "active", first, first, 1), loaded, Situation()), first + SECOND // 100))
    return jobs


def measured(expressions: list[str]) -> tuple[float, float]:
    """Microseconds per job: bare, planned."""
    jobs = due_jobs(expressions)
    batches: dict[int, list[DueJob]] = {}
    for due, now in jobs:
        batches.setdefault(now, []).append(due)
    schedules = [(due.job.definition.schedule, due.cursor.next_due_at) for due, _ in jobs]
    pacer = CatchUpPacer()

    def bare() -> None:
        for schedule, first in schedules:
            schedule.next_after(first)  # type: ignore[union-attr, arg-type]

    def planned() -> None:
        for now, batch in batches.items():
            for plan in decide_batch(now, batch, pacer=pacer):
                assert len(plan.runs) == 1

    pairs = [(timed(bare), timed(planned)) for _ in range(ROUNDS)]
    return min(one for one, _ in pairs), min(other for _, other in pairs)


def timed(work: Callable[[], None]) -> float:
    gc.collect()
    gc.disable()
    began = time.perf_counter()
    work()
    took = time.perf_counter() - began
    gc.enable()
    return took / JOBS * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    parser.add_argument("--check", action="store_true", help="exit 1 if the mixed jobs are above the ratio")
    asked = parser.parse_args()
    rows = []
    for name, expressions in {"mixed": list(EXPRESSIONS.values()), **{k: [v] for k, v in EXPRESSIONS.items()}}.items():
        bare, planned = measured(expressions)
        rows.append((name, round(bare, 3), round(planned, 3), round(planned / bare, 2)))
    is_ok = rows[0][3] <= RATIO_MAX
    if asked.json:
        figures = [dict(zip(("jobs", "bare_us", "planned_us", "ratio"), row, strict=True)) for row in rows]
        print(
            json.dumps({"jobs": JOBS, "rounds": ROUNDS, "ratio_max": RATIO_MAX, "ok": is_ok, "rows": figures}, indent=2)
        )
    else:
        print(f"{'1000 due cron jobs':<20} {'bare next µs':>13} {'planned µs':>11} {'ratio':>6}")
        for row in rows:
            print(f"{row[0]:<20} {row[1]:>13} {row[2]:>11} {row[3]:>6}")
        print(f"mixed jobs within {RATIO_MAX} × the bare next: {'yes' if is_ok else 'NO'}")
    if asked.check and not is_ok:
        sys.exit(1)


if __name__ == "__main__":
    main()
