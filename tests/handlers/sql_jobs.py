"""A worker with one SQL connection, and runs on it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from foliot.domain.verdict import Cause
from foliot.worker.handlers.sql import SqlHandlers
from tests.conformance.handling import Bench, Specimen, at_work
from tests.unit.worker.fake_server import Row

NAME = "shop"


def specimen(make: Any = SqlHandlers) -> Specimen:
    return Specimen(
        make=make, works=None, blocks=None, returns=None, fails=None, waits=None, bad_options=(), bad_params={}
    )


@dataclass(frozen=True, slots=True)
class Done:
    """How a run ended."""

    row: Row

    @property
    def cause(self) -> Cause | None:
        return self.row.cause

    @property
    def error(self) -> str:
        return str(self.row.reports[-1].error)

    @property
    def error_type(self) -> str:
        """The name of the error itself, without its bases."""
        return str(self.row.reports[-1].error_type).partition(",")[0].rpartition(".")[2]

    @property
    def statements(self) -> list[dict[str, Any]]:
        assert self.cause is Cause.SUCCEEDED, (self.error, self.row.log)
        written: list[dict[str, Any]] = json.loads(str(self.row.reports[-1].result))["statements"]
        return written

    @property
    def rows(self) -> list[list[Any]]:
        """Of the last statement."""
        rows: list[list[Any]] = self.statements[-1]["rows"]
        return rows


@dataclass(frozen=True, slots=True)
class SqlWorker:
    """Runs jobs on the connection `shop`."""

    bench: Bench
    url: str

    @property
    def kind(self) -> SqlHandlers:
        assert isinstance(self.bench.kind, SqlHandlers)
        return self.bench.kind

    def start(self, *texts: str, params: dict[str, Any] | None = None, **options: Any) -> Row:
        said = {"query": texts[0]} if len(texts) == 1 else {"statements": list(texts)}
        of_run = {key: options.pop(key) for key in ("namespace", "timeout_us", "isolation") if key in options}
        return self.bench.add({"connection": NAME, **said, **options}, params=json.dumps(params or {}), **of_run)

    async def end_of(self, row: Row) -> Done:
        await self.bench.end_of(row)
        return Done(row)

    async def run(self, *texts: str, params: dict[str, Any] | None = None, **options: Any) -> Done:
        """Execute one job and wait for its end."""
        return await self.end_of(self.start(*texts, params=params, **options))


@asynccontextmanager
async def sql_worker(url: str, **connection: Any) -> AsyncIterator[SqlWorker]:
    """A worker whose only connection leads to this database."""
    told = {"connections": {NAME: {"url": url, **connection}}}
    async with at_work(specimen(), told) as bench:
        yield SqlWorker(bench, url)
