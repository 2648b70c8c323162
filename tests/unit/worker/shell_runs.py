"""Runs of the kind `shell` on a real worker with a server in memory."""

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil

from foliot.domain.instants import SECOND
from tests.conformance.handling import SPECIMENS, Bench, at_work
from tests.eventually import eventually, soon
from tests.unit.worker.fake_server import Row


class Commands:
    """A worker that executes commands; `run` waits for the end of one."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def start(self, options: Any, params: Any = None, **fields: Any) -> Row:
        return self.bench.add(options, params=None if params is None else json.dumps(params), **fields)

    async def run(self, options: Any, params: Any = None, **fields: Any) -> Row:
        row = self.start(options, params, **fields)
        await self.bench.end_of(row)
        return row

    async def first_line(self, row: Row) -> str:
        """The first line of a run's output, as soon as the server has it."""
        log = await soon(lambda: row.log)
        return log.split("  ", 2)[2].splitlines()[0]


@asynccontextmanager
async def commands(**settings: Any) -> AsyncIterator[Commands]:
    async with at_work(SPECIMENS["shell"], settings) as bench:
        yield Commands(bench)


def result_of(row: Row) -> Any:
    assert row.reports, row.log
    assert row.reports[-1].error is None, (row.reports[-1].error, row.log)
    written = row.reports[-1].result
    return None if written is None else json.loads(written)


def error_of(row: Row) -> str:
    return str(row.reports[-1].error)


def sh(text: str, **more: Any) -> dict[str, Any]:
    return {"script": text, "language": "sh", **more}


def argv(*words: str, **more: Any) -> dict[str, Any]:
    return {"argv": list(words), **more}


def seconds(number: float) -> int:
    return int(number * SECOND)


def marked_processes(mark: str) -> list[psutil.Process]:
    """Processes with this word among their arguments."""
    all_of_them = psutil.process_iter(["cmdline"])
    return [process for process in all_of_them if mark in " ".join(process.info["cmdline"] or ())]


def wait_until_gone(mark: str) -> None:
    eventually(lambda: not marked_processes(mark), what=f"the end of the processes marked {mark}")


LAUNCHER = Path(sys.modules["foliot"].__path__[0]) / "worker" / "handlers" / "shell" / "launcher.py"
