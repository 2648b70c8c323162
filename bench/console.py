"""The console on a large store: what two browsers see of each other, and how soon one answers, in real Chromium.

    python -m bench console [--on postgresql|mariadb] [--jobs 10000] [--runs 1000000] [--nodes 500] [--shards 1000]
                            [--rounds 30] [--json]

Two servers as real processes, a browser window at each. Somebody pauses and resumes a job in one; the time runs from
the press until the other page shows it. Beside it: the same request and the event on the other server's stream, without
a browser. Then one window filters, narrows down and opens among all jobs; beside it: the bare request that each act
needs. Every page is opened once: how long, with how many requests and how many elements.
"""

import argparse
import asyncio
import json
import os
import statistics
import sysconfig
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bench.harness import opened, parser_of, run
from foliot_bench.benchmark import bar
from tests.cluster.cluster import Cluster
from tests.console.large import Large, Sizes, fill
from web import build

SEES_MS: Final = 1000
ANSWERS_MS: Final = 100
REQUESTS_MAX: Final = 4
OPENS_MS: Final = 1500
SERVERS: Final = ("s1", "s2")


async def main(options: argparse.Namespace) -> Mapping[str, Any]:
    """Fill a store, start two servers, and let a browser measure."""
    assert build.build() == 0, "the console is not built"
    sizes = Sizes(jobs=options.jobs, runs=options.runs, nodes=options.nodes, shards=options.shards)
    async with opened(options.on) as (url, place, _):
        large = await fill(place, sizes)
        settings = await place.settings()
        with tempfile.TemporaryDirectory(prefix="foliot-bench-") as folder, Cluster(url, Path(folder)) as cluster:
            names = SERVERS[:1] if cluster.is_sqlite else SERVERS
            for name in names:
                cluster.start_server(name, options=("--timing", "prod"))
            for name in names:
                await cluster.answers(name)
            measured = await _measured(cluster, large, sizes, rounds=options.rounds)
    return {"settings": settings, **_sizes(sizes), **_told(measured)}


async def _measured(cluster: Cluster, large: Large, sizes: Sizes, *, rounds: int) -> dict[str, Any]:
    node = Path(sysconfig.get_path("scripts")) / "node"
    asked = {
        "FOLIOT_SERVERS": ",".join(cluster.server_urls),
        "FOLIOT_TOKEN": cluster.token,
        "FOLIOT_ROUNDS": str(rounds),
        "FOLIOT_JOBS": str(sizes.jobs),
        "FOLIOT_SHARDED": large.sharded,
        "FOLIOT_LONG_LOG": large.long_log,
    }
    process = await asyncio.create_subprocess_exec(
        node,
        "e2e/measure.ts",
        cwd=build.WEB,
        env={**os.environ, **asked},
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, "the browser did not come to its end"
    found: dict[str, Any] = json.loads(out)
    return found


def _sizes(sizes: Sizes) -> dict[str, int]:
    return {"jobs": sizes.jobs, "finished_runs": sizes.runs, "nodes": sizes.nodes, "shards": sizes.shards}


def _told(measured: Mapping[str, Any]) -> dict[str, Any]:
    sees, bare = _spread(measured["sees_ms"]), _spread(measured["bare_stream_ms"])
    acts = {
        act["name"]: {"shown_ms": _spread(act["shown_ms"]), "bare_request_ms": _spread(act["bare_ms"])}
        for act in measured["acts"]
    }
    pages = measured["pages"]
    slowest = max(pages, key=lambda page: page["shown_ms"])
    most = max(pages, key=lambda page: len(page["calls"]))
    return {
        "another browser sees it after_ms": sees,
        "the bare stream after_ms": bare,
        "acts": acts,
        "longest_frame_while_scrolling_ms": round(measured["longest_frame_ms"], 1),
        "pages": pages,
        "bars": [
            bar("p99 until another browser sees a change, ms", sees["p99"], at_most=SEES_MS),
            *(
                bar(f"p50 until {name} is shown, ms", act["shown_ms"]["p50"], at_most=ANSWERS_MS)
                for name, act in acts.items()
            ),
            bar("longest frame while scrolling, ms", round(measured["longest_frame_ms"], 1), at_most=ANSWERS_MS),
            bar(f"slowest page ({slowest['page']}), ms", slowest["shown_ms"], at_most=OPENS_MS),
            bar(f"most requests of a page ({most['page']})", len(most["calls"]), at_most=REQUESTS_MAX),
        ],
    }


def _spread(took_ms: Sequence[float]) -> dict[str, float]:
    ordered = sorted(took_ms)
    return {
        "p50": round(statistics.median(ordered), 1),
        "p99": round(ordered[int(0.99 * (len(ordered) - 1))], 1),
        "most": round(ordered[-1], 1),
    }


def arguments() -> argparse.ArgumentParser:
    parser = parser_of(__doc__)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--nodes", type=int, default=500)
    parser.add_argument("--shards", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=30)
    return parser


if __name__ == "__main__":
    run(main, arguments())
