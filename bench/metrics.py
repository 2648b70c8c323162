"""The page of metrics on a leader with 10 000 jobs, 1000 nodes and 1000 jobs shown one by one, beside its raw twin.

The twin writes as many lines of text from ready values: what no page of this size can do without. Told are how long a
page takes, how many statements it sends (none), what the leader's look at the store costs, and what counting costs.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import sqlalchemy as sa

from bench.harness import opened, parser_of, run
from foliot.app.server import Server
from foliot.app.settings import ServerSettings
from foliot.app.system import SystemChance, SystemClock
from foliot.domain.metric_bounds import JOBS_SHOWN_MAX, NODES_SHOWN
from foliot.domain.statistics.figures import EndedRun, Minutes, count
from foliot.domain.verdict import Cause
from foliot.observability.node_figures import NodeGauge
from foliot.ports.worker_link import Report

PAGE_MAX_S: Final = 0.2
LOAD: Final = {"cpu": 0.5, "memory": 0.5, "disk": 0.5, "threads": 20.0}


async def main(options: argparse.Namespace) -> Mapping[str, Any]:
    async with opened(options.on) as (url, ground, _):
        await ground.load_jobs(options.jobs, {"every": "30d"})
        server = Server(
            ServerSettings(store_url=url, node_name="bench", metrics_per_job=JOBS_SHOWN_MAX),
            ground.store,
            clock=SystemClock(),
            chance=SystemChance(),
        )
        for duty in (server.presence, server.presence, server.pulsing, server.leading):
            await duty.step()
        (gauges,) = [duty for duty in server._leader_duties() if duty.name == "gauges"]
        _fill(server)
        began_at = time.perf_counter()
        await gauges.step()
        look_s = time.perf_counter() - began_at
        statements = _counted(lambda: server.metrics.page(""))
        plain, openmetrics = server.metrics.page(""), server.metrics.page("application/openmetrics-text")
        lines = plain.body.decode().splitlines()
        twin_s = _median_s(lambda: _raw_page(lines), options.times)
        page_s = _median_s(lambda: server.metrics.page(""), options.times)
        open_s = _median_s(lambda: server.metrics.page("application/openmetrics-text"), options.times)
        assert page_s <= PAGE_MAX_S, f"a page takes {page_s} s"
        assert statements == 0, f"a page sends {statements} statements"
        return {
            "jobs": options.jobs,
            "page": {"ms": _ms(page_s), "lines": len(lines), "statements": statements, "most_ms": _ms(PAGE_MAX_S)},
            "openmetrics": {"ms": _ms(open_s), "kib": len(openmetrics.body) >> 10},
            "raw twin": {"ms": _ms(twin_s)},
            "the leader's look at the store": {"ms": _ms(look_s)},
            "counting": {"us_per_report": round(_report_us(server), 3)},
        }


def _fill(server: Server) -> None:
    """As many nodes and jobs as are shown at most."""
    server._seen_nodes = [
        NodeGauge(f"worker-{n}", "worker", f"n-{n:012x}", "ONLINE", 0.5, 1, None, 8, 4, LOAD)
        for n in range(NODES_SHOWN)
    ]
    minutes: Minutes = {}
    runs = [EndedRun(n, 0, "w", "SUCCEEDED", None, 0, 0, 10, 20) for n in range(JOBS_SHOWN_MAX)]
    count(minutes, [*runs, *(run._replace(state="FAILED", kind="error") for run in runs)])
    server.metrics.jobs.counted(minutes)
    server.metrics.jobs.learn_names({n: ("default", f"job-{n}") for n in range(JOBS_SHOWN_MAX)})


def _raw_page(lines: list[str]) -> bytes:
    """The same lines, each put together from its name, labels and value."""
    parts = [f"{name} {1.5!r}\n" for name in lines]
    return "".join(parts).encode()


def _report_us(server: Server) -> float:
    reports = [Report(run_id=n, lease_id="l", cause=Cause.SUCCEEDED, took_us=2_000) for n in range(500)]
    return 1e6 * _median_s(lambda: server.metrics.reported(reports), 50) / len(reports)


def _median_s(work: Callable[[], Any], times: int) -> float:
    took = []
    for _ in range(times):
        began_at = time.perf_counter()
        work()
        took.append(time.perf_counter() - began_at)
    return statistics.median(took)


def _counted(work: Callable[[], Any]) -> int:
    texts: list[str] = []

    def sent(_connection: Any, _cursor: Any, text: str, *_: Any) -> None:
        texts.append(text)

    sa.event.listen(sa.Engine, "before_cursor_execute", sent)
    try:
        work()
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", sent)
    return len(texts)


def _ms(seconds: float) -> float:
    return round(1000 * seconds, 2)


def _parser() -> argparse.ArgumentParser:
    parser = parser_of(__doc__)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=15, help="pages of each form")
    return parser


if __name__ == "__main__":
    run(main, _parser())
