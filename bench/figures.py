"""The tables of figures in README.md and docs/reference/performance.md, made from the newest record.

python -m bench.figures            write them
python -m bench.figures --check    exit 1 when one is not current
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
RECORDS: Final = ROOT / "docs" / "reference" / "figures"
BEGIN: Final = "<!-- figures of the benchmarks: made by python -m bench.figures -->"
END: Final = "<!-- end of the figures of the benchmarks -->"
STORES: Final = {"postgresql": "PostgreSQL", "mariadb": "MariaDB", "sqlite": "SQLite"}

Report = Mapping[str, Any]
Cells = tuple[str, str, str, str]  # what, Foliot, twin or peer, ratio


# --------------------------------------------------------------------------------------------------- what a record says


def _storm(report: Report, on: str) -> Cells:
    if "routes" in report:
        return _routed_storm(report, on)
    what = f"storm on {on}: {report['jobs']:,} jobs due at one instant, fired, leased over HTTP, executed, recorded"
    return what, f"{_k(report['per_s'])}/s", f"{_k(report['twin_median_per_s'])}/s", f"{report['ratio']:.2f}"


def _routed_storm(report: Report, on: str) -> Cells:
    routes = {name: one for name, one in report["routes"].items() if name != "any"}
    what = f"storm on {on} of {report['jobs']:,} jobs with a route: {', '.join(routes)}"
    ours = ", ".join(f"{_span(one['per_s'])}/s" for one in routes.values())
    ratios = ", ".join(f"{one['ratio']:.2f}" for one in routes.values())
    return what, ours, f"{_span(report['routes']['any']['per_s'])}/s without a route", ratios


def _rollup(report: Report, on: str) -> Cells:
    what = f"statistics on {on} of {report['runs']:,} finished runs"
    ours = f"{_k(report['per_s'])} runs/s, {report['growth_mb']:g} MB more memory"
    return what, ours, f"{_k(report['twin_median_per_s'])} runs/s by one GROUP BY", "–"


def _drain(report: Report, on: str) -> Cells:
    what = f"drain on {on}: {report['runs']:,} triggered runs, leased over HTTP, executed, recorded"
    twin, ratio = f"{_k(report['twin_median_per_s'])}/s", f"{report['ratio']:.2f}"
    if "pgqueuer" in report:
        twin += f"; PgQueuer {report['pgqueuer']}: {_k(report['pgqueuer_median_per_s'])}/s"
        ratio += f"; {report['ratio_to_pgqueuer']:.1f}"
    return what, f"{_k(report['per_s'])}/s", twin, ratio


def _steady(report: Report, on: str) -> Cells:
    phase, spread = report["phase"], report["spread"]
    missed = phase["missed"] + spread["missed"]
    what = f"steady on {on}: {report['jobs']:,} jobs, each every second, for {report['seconds']} s"
    ours = (
        f"{missed} missed; p99 decided {phase['lateness_ms']['p99']:g} ms and started "
        f"{phase['start_lateness_ms']['p99']:g} ms after the instant in phase, {spread['lateness_ms']['p99']:g} and "
        f"{spread['start_lateness_ms']['p99']:g} ms spread"
    )
    return what, ours, f"{report['twin_ms']:g} ms for a second's rows", f"{report['ratio']:.2f}"


def _idle(report: Report, on: str) -> Cells:
    said = [
        f"{who}: {report[who].get('statements_per_s', '–')} statements/s, {report[who]['cpu_percent'][who]} % CPU"
        for who in ("leader", "follower")
        if who in report
    ]
    grown = max(report["memory_growth_mb"].values())
    what = f"idle on {on}: {report['jobs']:,} jobs, none due"
    return what, "; ".join(said), f"{grown:+.1f} MB beside {report['few']:,} jobs", "–"


def _failover(report: Report, on: str) -> Cells:
    extra = report["extra_delay_ms"]
    what = f"failover on {on}: {report['kills']} times kill -9 of one of {report['servers']} servers under load"
    ours = f"{report['lost']} fires lost, {report['doubled']} doubled; worst extra delay {extra['worst']:g} ms"
    return what, ours, f"usual latest decision {report['usual_latest_decision_ms']:g} ms", "–"


def _bigdata(report: Report, on: str) -> Cells:
    what = f"firing on {on} beside {report['jobs']:,} jobs and {report['finished_runs']:,} finished runs"
    twin = f"{_k(report['twin_median_per_s'])}/s in an empty database"
    return what, f"{_k(report['per_s'])}/s", twin, f"{report['ratio']:.2f}"


def _firing(report: Report, on: str) -> Cells:
    what = f"firing alone on {on}, {report['jobs']:,} due jobs"
    return what, f"{_span(report['foliot_per_s'])}/s", f"{_span(report['twin_per_s'])}/s", f"{report['ratio']:.2f}"


def _leasing(report: Report, on: str) -> Cells:
    what = f"leasing and ending alone on {on}, {report['runs']:,} runs"
    return what, f"{_span(report['foliot_per_s'])}/s", f"{_span(report['twin_per_s'])}/s", f"{report['ratio']:.2f}"


def _lanes(report: Report, on: str) -> Cells:
    what = f"a lease of 50 runs on {on}, one run in each of {report['lanes']:,} lanes"
    many, one = report["many_lanes_ms"], report["one_lane_ms"]
    ours = f"p50 {many['p50']:g} ms, the first after a start {many['first']:g} ms"
    return what, ours, f"p50 {one['p50']:g} ms, all runs in one lane", "–"


def _planning(report: Report, _on: str) -> Cells:
    mixed = next(row for row in report["rows"] if row["jobs"] == "mixed")
    what = "plan of a due cron job, beside its bare next"
    return what, f"{mixed['planned_us']:.1f} µs", f"{mixed['bare_us']:.1f} µs", f"{mixed['ratio']:.1f} × the time"


def _cron(report: Report, _on: str) -> Cells:
    times = [row["foliot_us"] for row in report["items"]]
    faster = f"{report['least_ratio']:g} × faster or more"
    return "next fire of a cron expression", f"{min(times):.1f}-{max(times):.1f} µs", "cronsim, croniter", faster


def _console(report: Report, on: str) -> Cells:
    sees, bare = report["another browser sees it after_ms"], report["the bare stream after_ms"]
    found = report["acts"]["filter"]
    what = f"console on {on}, {report['jobs']:,} jobs, {report['finished_runs']:,} runs, {report['nodes']} nodes"
    ours = (
        f"a change is on the screen at another server after p50 {sees['p50']:g} and p99 {sees['p99']:g} ms; "
        f"a filter after p50 {found['shown_ms']['p50']:g} ms"
    )
    twin = f"bare stream p50 {bare['p50']:g} ms, bare request p50 {found['bare_request_ms']['p50']:g} ms"
    return what, ours, twin, "–"


TOLD: Final[Mapping[str, Callable[[Report, str], Cells]]] = {
    "storm": _storm,
    "drain": _drain,
    "steady": _steady,
    "idle": _idle,
    "failover": _failover,
    "bigdata": _bigdata,
    "firing": _firing,
    "leasing": _leasing,
    "console": _console,
    "lanes": _lanes,
    "rollup": _rollup,
    "planning": _planning,
    "cron": _cron,
}


def _k(rate: float) -> str:
    return f"{rate / 1000:.1f} k" if rate >= 1000 else f"{rate:.0f}"


def _span(rates: list[float]) -> str:
    low, high = min(rates) / 1000, max(rates) / 1000
    return f"{low:.0f}-{high:.0f} k" if round(low) != round(high) else f"{low:.0f} k"


# ----------------------------------------------------------------------------------------------------------- the tables


def newest() -> dict[str, Any]:
    """The last record, by its name."""
    document: dict[str, Any] = json.loads(max(RECORDS.glob("bench-*.json")).read_text("utf-8"))
    return document


def figures_table(document: Mapping[str, Any]) -> str:
    """One row per benchmark."""
    lines = ["| what | Foliot | twin or peer | ratio | reproduce |", "| --- | --- | --- | --- | --- |"]
    for entry in document["entries"]:
        cells = TOLD[entry["name"]](entry["report"], STORES.get(entry["on"] or "", ""))
        lines.append(f"| {' | '.join(cells)} | `{entry['command']}` |")
    return "\n".join([*lines, "", note(document)])


def bars_table(document: Mapping[str, Any]) -> str:
    """Every bar, what was reached, and the machine's load before and after: seconds on a busy one say little."""
    lines = ["| benchmark | figure | measured | bar | reached | load |", "| --- | --- | --- | --- | --- | --- |"]
    lines += [f"| {' | '.join(cells)} |" for cells in _bars(document)]
    return "\n".join([*lines, "", note(document)])


def _bars(document: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for entry in document["entries"]:
        where = f"{entry['name']} on {STORES[entry['on']]}" if entry["on"] else entry["name"]
        if entry.get("options"):
            where += f" `{' '.join(entry['options'])}`"
        for one in entry["report"].get("bars", ()):
            wanted = one["bar"].replace(">=", "≥").replace("<=", "≤")
            load = entry["report"]["load"]
            told = f"{load['before']:.1f}-{load['after']:.1f}"
            yield where, one["what"], f"{one['is']:,}", wanted, "yes" if one["reached"] else "**no**", told


def note(document: Mapping[str, Any]) -> str:
    """When, where and on what they were measured."""
    loads = [entry["report"]["load"]["before"] for entry in document["entries"] if "load" in entry["report"]]
    servers = {
        _server(entry["report"]["settings"]["server"]) for entry in document["entries"] if "settings" in entry["report"]
    }
    load = f", load average {min(loads):g} to {max(loads):g} before each" if loads else ""
    return f"({document['at'][:10]}, {document['machine']}, {', '.join(sorted(servers))}{load}.)"


def _server(told: str) -> str:
    """As people call it: PostgreSQL 15.18, MariaDB 10.11.19."""
    number, _, name = told.partition("-")
    return f"MariaDB {number}" if name.startswith("MariaDB") else told.partition(" (")[0]


PAGES: Final[Mapping[Path, Callable[[Mapping[str, Any]], str]]] = {
    ROOT / "README.md": figures_table,
    ROOT / "docs" / "reference" / "performance.md": bars_table,
}


def written(page: Path, table: str) -> str:
    """The page with this table between its marks."""
    before, begin, rest = page.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin and end, f"{page.name} has no place for the figures"
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{after}"


def main(words: list[str]) -> int:
    document = newest()
    stale = 0
    for page, table in PAGES.items():
        text = written(page, table(document))
        if text == page.read_text("utf-8"):
            continue
        stale += 1
        if "--check" not in words:
            page.write_text(text, "utf-8")
        print(f"{'not current' if '--check' in words else 'written'}: {page.relative_to(ROOT)}")
    return stale if "--check" in words else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
