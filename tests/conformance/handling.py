"""Kinds of handlers under test: what shows each thing a kind must be able to do, and a worker that does it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from foliot.app.system import SystemChance, SystemClock
from foliot.domain.handler import JobHandler
from foliot.domain.verdict import Cause
from foliot.ports.handler import HandlerKind
from foliot.worker.handlers.settings import set_up
from foliot.worker.settings import WorkerSettings
from foliot.worker.worker import Worker
from tests.conformance.echo_kind import Echo
from tests.eventually import soon
from tests.unit.worker.fake_server import FakeServer, Row
from tests.unit.worker.house import JOBS, code

SECRET = "s3cret-canary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Specimen:
    """A kind, and options of it that show each thing a kind must be able to do."""

    make: Callable[[], HandlerKind]
    works: Any
    blocks: Any  # works too, and is not async
    returns: Any
    fails: Any
    waits: Any
    bad_options: tuple[Any, ...]
    bad_params: dict[str, Any]
    params: dict[str, Any] = field(default_factory=dict)  # for `blocks`
    settings: dict[str, Any] = field(default_factory=dict)  # of a worker
    returns_set_up: Any = None  # what both return then
    bad_settings: tuple[dict[str, Any], ...] = ({"no_such_setting": SECRET},)  # each holds the secret


SPECIMENS = {
    "python": Specimen(
        make=code,
        works=f"{JOBS}:echo",
        returns=0,
        blocks=f"{JOBS}:add",
        params={"a": -1},
        fails=f"{JOBS}:fail",
        waits=f"{JOBS}:hold",
        bad_options=({"name": f"{JOBS}:echo"}, 5),
        bad_params={"value": "many"},
        returns_set_up=0,
    ),
    "echo": Specimen(
        make=Echo,
        works={"text": "hello"},
        returns="hello",
        blocks={"text": "hello", "blocks": True},
        fails={"text": "no luck", "fails": True},
        waits={"text": "hello", "waits": True},
        bad_options=("hello", {}, {"text": "hello", "txet": "x"}),
        bad_params={"times": "many"},
        settings={"voice": "low", "times_max": "3", "listeners": {"a": {"name": "anne", "password": SECRET}}},
        returns_set_up="hello (low)",
        bad_settings=(
            {"no_such_setting": SECRET},
            {"voise": SECRET},
            {"times_max": SECRET},
            {"listeners": {"a": {"name": "anne", "pasword": SECRET}}},
            {"listeners": {"a": {"password": SECRET}}},
            {"listeners": [SECRET]},
        ),
    ),
}


class Bench:
    """A worker with the kinds of this suite, and a server that gives it runs."""

    def __init__(self, server: FakeServer, kind: HandlerKind) -> None:
        self.server = server
        self.kind = kind

    def add(self, options: Any, **fields: Any) -> Row:
        handler = JobHandler(self.kind.kind, options)
        return self.server.add(handler.offer, options=handler.options_text(), job="specimen", **fields)

    async def end_of(self, row: Row) -> Cause | None:
        await soon(lambda: row.state.is_final, within_s=60)
        return row.cause


def tell_kind(kind: HandlerKind, values: Mapping[str, Any]) -> None:
    """Give a kind its settings, as a worker does."""
    set_up(kind, values)


@asynccontextmanager
async def at_work(specimen: Specimen, told: Mapping[str, Any] | None = None) -> AsyncIterator[Bench]:
    """Its worker, stopped at the end. `told`: the worker's settings of the kind."""
    server = FakeServer(SystemClock())
    kind = specimen.make()
    tell_kind(kind, told or {})
    others = [] if kind.kind == "python" else [kind]
    settings = WorkerSettings(name="w-1", slots=4, processes_warm=0, drain_timeout_s=0.0)
    worker = Worker(server, SystemClock(), SystemChance(), settings, code(), others)
    task = asyncio.create_task(worker.run())
    try:
        yield Bench(server, kind)
    finally:
        worker.stop()
        await asyncio.wait_for(task, 60)
