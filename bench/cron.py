"""How long one `next` takes, by class of expression, next to croniter and cronsim in the same run.

    python -m bench.cron            a table
    python -m bench.cron --json     one document
    python -m bench.cron --check    fails if Foliot is not at least 4 × as fast as both on every class

Every rival walks the same fires from the same start in its own fastest form; the best of several rounds counts, rounds
alternate, so that a busy machine hurts all alike. Parsing is measured apart. A rival that cannot read an expression, or
reads it wrongly, has no figure.
"""

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from croniter import croniter
from cronsim import CronSim, CronSimError

from foliot.domain.schedule import Cron, CronDialect

SECOND = 1_000_000
START = datetime(2026, 1, 31, 16, 0, tzinfo=UTC)
ROUNDS = 7
RATIO_MIN = 4.0


@dataclass(frozen=True)
class Case:
    """One class of expressions: how Foliot writes it, and how its rivals do (seconds come last in croniter)."""

    name: str
    foliot: str
    cronsim: str | None
    croniter: str | None
    fires: int
    dialect: CronDialect | None = None


CASES = (
    Case("every 7 seconds", "*/7 * * * * *", "*/7 * * * * *", "* * * * * */7", 3000),
    Case("every 5 minutes", "*/5 * * * *", "*/5 * * * *", "*/5 * * * *", 3000),
    Case("every hour", "17 * * * *", "17 * * * *", "17 * * * *", 2000),
    Case("office hours", "*/15 9-17 * * MON-FRI", "*/15 9-17 * * MON-FRI", "*/15 9-17 * * MON-FRI", 2000),
    Case("every night", "0 2 * * *", "0 2 * * *", "0 2 * * *", 1000),
    Case("weekdays, seconds", "0 15 10 ? * MON-FRI", "0 15 10 * * MON-FRI", "15 10 * * MON-FRI 0", 1000),
    Case("twice a month", "0 0 1,15 * *", "0 0 1,15 * *", "0 0 1,15 * *", 500),
    Case("day or weekday", "0 9 1 * MON", "0 9 1 * MON", "0 9 1 * MON", 500),
    Case("last day of the month", "0 0 12 L * ?", "0 0 12 L * *", "0 12 L * * 0", 300),
    Case("third Friday", "0 0 ? * FRI#3", "0 0 * * 5#3", "0 0 * * 5#3", 300),
    Case("nearest weekday", "0 0 0 15W * ?", None, "0 0 15W * * 0", 300),
    Case("29 February", "0 0 29 2 *", "0 0 29 2 *", "0 0 29 2 *", 15),
)
ZONES = ("UTC", "America/New_York")


def foliot_walk(case: Case, tz: str) -> Callable[[], list[int]]:
    trigger = Cron(text=case.foliot, tz=tz, dialect=case.dialect)
    start = int(START.timestamp()) * SECOND

    def walk() -> list[int]:
        next_after, found, at = trigger.next_after, [], start
        for _ in range(case.fires):
            following = next_after(at)
            assert following is not None
            at = following
            found.append(at)
        return found

    return walk


def cronsim_walk(case: Case, tz: str) -> Callable[[], list[datetime]] | None:
    if case.cronsim is None:
        return None
    zone, text = UTC if tz == "UTC" else ZoneInfo(tz), case.cronsim

    def walk() -> list[datetime]:
        fires = CronSim(text, START.astimezone(zone))
        return [next(fires) for _ in range(case.fires)]

    try:
        walk()
    except CronSimError:
        return None
    return walk


def croniter_walk(case: Case, tz: str) -> Callable[[], list[datetime]] | None:
    if case.croniter is None:
        return None
    zone, text = UTC if tz == "UTC" else ZoneInfo(tz), case.croniter

    def walk() -> list[datetime]:
        fires = croniter(text, START.astimezone(zone), ret_type=datetime)
        return [fires.get_next() for _ in range(case.fires)]

    return walk


def microseconds(walk: Callable[[], object] | None, fires: int) -> float:
    if walk is None:
        return float("nan")
    gc.collect()
    gc.disable()
    try:
        begin = time.perf_counter()
        walk()
        return (time.perf_counter() - begin) / fires * 1e6
    finally:
        gc.enable()


def measured(case: Case, tz: str) -> dict[str, object]:
    ours = foliot_walk(case, tz)
    walks: dict[str, Callable[[], Sequence[int | datetime]] | None] = {
        "foliot": ours,
        "cronsim": cronsim_walk(case, tz),
        "croniter": croniter_walk(case, tz),
    }
    best = dict.fromkeys(walks, float("inf"))
    for _ in range(ROUNDS):
        for name, walk in walks.items():
            best[name] = min(best[name], microseconds(walk, case.fires))
    agrees = {name: walk is not None and same(ours(), walk()) for name, walk in walks.items()}
    row: dict[str, object] = {"case": case.name, "expression": case.foliot, "tz": tz}
    for name, took in best.items():
        row[f"{name}_us"] = None if walks[name] is None else round(took, 2)
        if name != "foliot" and walks[name] is not None:
            row[f"{name}_ratio"] = round(took / best["foliot"], 1)
            row[f"{name}_agrees"] = agrees[name]
    return row


def same(ours: list[int], theirs: Sequence[int | datetime]) -> bool:
    return ours == [int(one.timestamp()) * SECOND if isinstance(one, datetime) else one for one in theirs]


def parsing() -> dict[str, float]:
    """Microseconds to read an expression never seen before."""
    texts = [f"{minute} {hour} * * MON-FRI" for minute in range(60) for hour in range(24)]
    took = {}
    for name, read in (
        ("foliot", lambda text: Cron(text=text)),
        ("cronsim", lambda text: CronSim(text, START)),
        ("croniter", lambda text: croniter(text, START)),
    ):
        begin = time.perf_counter()
        for text in texts:
            read(text)
        took[f"{name}_us"] = round((time.perf_counter() - begin) / len(texts) * 1e6, 1)
    return took


def main() -> int:
    options = argparse.ArgumentParser(description="Microseconds per next fire.")
    options.add_argument("--json", action="store_true")
    options.add_argument("--check", action="store_true")
    chosen = options.parse_args()
    rows = [measured(case, tz) for tz in ZONES for case in CASES]
    ratios = [row[key] for row in rows for key in ("cronsim_ratio", "croniter_ratio") if key in row]
    least = min(float(str(ratio)) for ratio in ratios)
    if chosen.json:
        print(json.dumps({"items": rows, "parsing": parsing(), "least_ratio": least}))
    else:
        print_table(rows)
        print(f"\nreading an expression: {parsing()}\nleast ratio: {least} × (bar: {RATIO_MIN} ×)")
    return 1 if chosen.check and least < RATIO_MIN else 0


def print_table(rows: list[dict[str, object]]) -> None:
    print(f"{'µs per next':24} {'zone':17} {'foliot':>7} {'cronsim':>16} {'croniter':>16}")
    for row in rows:
        cells = []
        for name in ("cronsim", "croniter"):
            took, ratio = row[f"{name}_us"], row.get(f"{name}_ratio")
            note = "" if row.get(f"{name}_agrees", True) else "*"
            cells.append("–" if took is None else f"{took} ({ratio} ×){note}")
        print(f"{row['case']:24} {row['tz']:17} {row['foliot_us']:>7} {cells[0]:>16} {cells[1]:>16}")
    print("* fires at other instants than Foliot, see docs/decisions/own-cron.md")


if __name__ == "__main__":
    sys.exit(main())
