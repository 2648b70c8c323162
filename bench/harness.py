"""What the benchmarks of single parts share: options, and the report."""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.private import KINDS, private
from foliot.app.run_loop import run_for_long
from foliot.observability.log_lines import configure_logging
from foliot_bench.ground import Ground, ground
from foliot_bench.report import lines, machine
from foliot_bench.twins.choosing import twin_of
from foliot_bench.twins.raw import RawTwin


@asynccontextmanager
async def opened(kind: str) -> AsyncIterator[tuple[str, Ground, Callable[[], AbstractAsyncContextManager[RawTwin]]]]:
    """A private database, migrated: its URL, the ground it is, and its twin, once there are jobs."""
    with private(kind) as where, tempfile.TemporaryDirectory(prefix="foliot-bench-") as folder:
        url = where.url or f"sqlite:///{folder}/foliot.db"
        async with ground(url) as place:
            yield url, place, lambda: twin_of(url, place)


def parser_of(doc: str | None) -> argparse.ArgumentParser:
    """The options they have."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--on", choices=KINDS, default="postgresql", help="a private server")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    return parser


def run(main: Callable[[argparse.Namespace], Awaitable[Mapping[str, Any]]], parser: argparse.ArgumentParser) -> None:
    """Measure and tell; what is not as it must be raises."""
    options = parser.parse_args()
    configure_logging(level="warning", form="console")
    began_at, load_before = time.monotonic(), os.getloadavg()[0]
    figures = run_for_long(_awaited(main(options)))  # as a server runs: its loop, its garbage collector
    name = Path(sys.argv[0]).stem
    report = {
        "benchmark": name,
        "command": " ".join(["python -m bench", name, *sys.argv[1:]]),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "load": {"before": round(load_before, 2), "after": round(os.getloadavg()[0], 2)},
        "took_s": round(time.monotonic() - began_at, 1),
        **figures,
    }
    print(json.dumps(report) if options.json else "\n".join(f"{what:>30}  {value}" for what, value in lines(report)))


async def _awaited(figures: Awaitable[Mapping[str, Any]]) -> Mapping[str, Any]:
    return await figures
