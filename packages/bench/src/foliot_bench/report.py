"""A benchmark carried through from an empty database to an empty database, and its report."""

import os
import platform
from collections.abc import Mapping
from typing import Any, Final

from foliot import __version__
from foliot.store.sql.kernel.connect import redacted
from foliot_bench.benchmark import Benchmark, Setting, Watch, unwatched
from foliot_bench.moments import CLOCK
from foliot_bench.places import place
from foliot_bench.progress import Progress

PRIVATE: Final = "two SQLite files of its own"

Report = dict[str, Any]


async def carried_through(
    benchmark: Benchmark,
    progress: Progress,
    *,
    url: str | None,
    twin: str | None = None,
    pid: int | None = None,
    watch: Watch = unwatched,
) -> Report:
    """Measure at these databases; everything that a figure depends on stands beside it."""
    began_at, load_before = CLOCK.monotonic(), _load()
    at = CLOCK.now().isoformat(timespec="seconds")
    async with place(url, twin, pid=pid, needs_twin=benchmark.needs_twin) as where:
        figures = await benchmark.measured(Setting(place=where, progress=progress, watch=watch))
    return {
        "benchmark": benchmark.name,
        "foliot": __version__,
        "at": at,
        "machine": machine(),
        "load": {"before": load_before, "after": _load()},
        "took_s": round(CLOCK.monotonic() - began_at, 1),
        "database": redacted(url) if url else PRIVATE,
        **figures,
    }


def machine() -> str:
    """Cores, kernel and Python: what a figure depends on."""
    return f"{os.cpu_count()} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}"


def lines(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The report for people: names and values, without the bars."""
    told: list[tuple[str, str]] = []
    for name, value in report.items():
        if name == "bars":
            continue
        if isinstance(value, Mapping):
            told += [(f"{name}.{key}", str(inner) if name == "pids" else _shown(inner)) for key, inner in value.items()]
        else:
            told.append((name, _shown(value)))
    return told


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return "  ".join(_shown(inner) for inner in value)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _load() -> float:
    return round(os.getloadavg()[0], 2)
