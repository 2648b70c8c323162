"""The statements of a report: by the keys of figures, and none of them walks the runs."""

from typing import Any

from foliot.domain.instants import DAY, HOUR
from foliot.store.sql.statistics import report_facts, report_schedules
from tests.sql.explaining import Hot, Loaded

PAGE = 200
KEY = frozenset({""})
OF_STATS = frozenset({"sqlite_autoindex_stats_1"})


def points(_: Loaded) -> dict[str, list[tuple[int, ...]]]:
    return {"d": [(period, 1, hour * HOUR) for period in (0, 1) for hour in range(24)]}


def period(loaded: Loaded) -> dict[str, Any]:
    return {"namespace": "nobody", "since": loaded.now - DAY, "until": loaded.now, "top": 10, "rows": 10}


REPORTS: list[Hot] = [
    Hot(
        name="report: jobs added up and ranked",
        statement=report_facts.JOBS.own,
        uses=KEY,
        or_uses=OF_STATS,
        scans=frozenset({"f", "q", "d"}),
        reads_max=4 * PAGE,
        values=period,
        sets=points,
        engines=("sqlite",),
    ),
    Hot(
        name="report: figures of the leaders",
        statement=report_facts.FIGURES,
        uses=KEY,
        or_uses=OF_STATS,
        reads_max=4 * PAGE,
        sets=lambda _: {"d": [(1, hour * HOUR, 1000) for hour in range(24)]},
    ),
    Hot(
        name="report: the minutes of the cluster",
        statement=report_facts.CROWDED,
        uses=KEY,
        or_uses=OF_STATS,
        reads_max=4 * PAGE,
        values=lambda _: {"resolution": 0, "rows": 60},
        sets=lambda _: {"d": [(hour * HOUR,) for hour in range(PAGE)]},
    ),
    Hot(
        name="report: when the next one is due",
        statement=report_schedules.NEXT,
        uses=frozenset({"report_schedules_next"}),
        reads_max=4,
        engines=("sqlite",),  # PostgreSQL reads the few rows of schedules as they are
    ),
]
