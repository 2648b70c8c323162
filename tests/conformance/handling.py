"""Kinds of handlers under test: what shows each thing a kind must be able to do, and a worker that does it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import ANY

from foliot.app.system import SystemChance, SystemClock
from foliot.domain.handler import JobHandler
from foliot.domain.verdict import Cause
from foliot.ports.handler import HandlerKind
from foliot.worker.handlers.http.kind import HttpHandlers
from foliot.worker.handlers.settings import set_up
from foliot.worker.handlers.shell.kind import Shell
from foliot.worker.settings import WorkerSettings
from foliot.worker.worker import Worker
from tests.conformance.echo_kind import Echo
from tests.conformance.sql_kind import SLOW, URL, SqlOfShop
from tests.eventually import soon
from tests.servers.web_site import WebSite
from tests.unit.worker.fake_server import FakeServer, Row
from tests.unit.worker.house import JOBS, code

SECRET = "s3cret-canary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Specimen:
    """A kind, and options of it that show each thing a kind must be able to do."""

    make: Callable[[], HandlerKind]
    works: Any
    returns: Any
    fails: Any
    waits: Any
    bad_options: tuple[Any, ...]
    bad_params: dict[str, Any]
    blocks: Any = None  # works too, and is not async; None: the kind is always async
    always: dict[str, Any] = field(default_factory=dict)  # settings without which its worker could do nothing
    params: dict[str, Any] = field(default_factory=dict)  # for `blocks`
    good_params: dict[str, Any] = field(default_factory=dict)  # for `works`
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
    "sql": Specimen(
        make=SqlOfShop,
        works={"connection": "shop", "query": "SELECT 7 AS n", "fetch": "value"},
        returns={"statements": [{"rows_affected": 1, "value": 7, "ms": ANY}]},
        fails={"connection": "shop", "query": 'SELECT * FROM "no luck"'},
        waits={"connection": "shop", "query": SLOW},
        bad_options=(
            "SELECT 1",
            {},
            {"query": "SELECT 1"},
            {"connection": "shop"},
            {"connection": "no such name", "query": "SELECT 1"},
            {"connection": "shop", "query": "SELECT 1", "statements": ["SELECT 1"]},
            {"connection": "shop", "query": " "},
            {"connection": "shop", "statements": []},
            {"connection": "shop", "query": "SELECT 1", "qeury": "SELECT 2"},
            {"connection": "shop", "query": "SELECT 1", "timeout": "soon"},
            {"connection": "shop", "query": "SELECT 1", "timeout": 0},
            {"connection": "shop", "query": "SELECT 1", "mode": "both"},
            {"connection": "shop", "query": "SELECT 1", "rows_max": -1},
            {"connection": "shop", "query": "DELETE FROM notes", "read_only": True},
            {"connection": "shop", "statements": ["DELETE FROM notes", "-- done\n commit;"]},
        ),
        bad_params={"run_id": 7},
        settings={"connections": {"shop": {"url": URL, "read_only": "true", "rows_max": 1}}},
        returns_set_up={"statements": [{"rows_affected": 1, "value": 7, "ms": ANY}]},
        bad_settings=(
            {"no_such_setting": SECRET},
            {"connections": {"shop": {"url": URL, "pasword": SECRET}}},
            {"connections": {"shop": {"pool_size": SECRET}}},
            {"connections": [SECRET]},
        ),
    ),
    "shell": Specimen(
        make=Shell,
        works={"argv": ["sh", "-c", "echo hello$VOICE"]},
        returns="hello",
        fails={"argv": ["sh", "-c", "echo no luck >&2; exit 1"]},
        waits={"argv": ["sleep", "600"]},
        bad_options=(
            "echo hello",
            {},
            {"argv": ["echo"], "agrv": []},
            {"argv": ["echo"], "script": "echo"},
            {"argv": ["./echo"]},
            {"argv": ["${params.command}"], "params_as": "argv"},
            {"argv": ["echo", "${secret:PASSWORD}"]},
            {"argv": ["echo", "--file=${params.file}"], "params_as": "argv"},
            {"argv": ["echo", "${params.file}"]},
            {"argv": ["sh", "-c", "${params.text}"], "params_as": "argv"},
            {"argv": ["echo", "a\0b"]},
            {"script": "echo"},
            {"script": " ", "language": "sh"},
            {"script": "echo", "language": "cobol"},
            {"script": "echo ${secret:PASSWORD}", "language": "sh"},
            {"argv": ["echo"], "env": {"FOLIOT_FENCE": "9"}},
            {"argv": ["echo"], "env": {"A=B": "9"}},
            {"argv": ["echo"], "files": {"../a": "9"}},
            {"argv": ["echo"], "cwd": "here"},
            {"argv": ["echo"], "stdin": "a", "params_as": "stdin"},
            {"argv": ["echo"], "retry_codes": [0]},
            {"argv": ["echo"], "success_codes": [256]},
            {"argv": ["echo"], "encoding": "utf-16"},
        ),
        bad_params={"a-b": 1, "a_b": 2},
        settings={"env": {"VOICE": " (low)"}, "limits": {"cpu_s": "60"}},
        returns_set_up="hello (low)",
        bad_settings=(
            {"no_such_setting": SECRET},
            {"umaks": SECRET},
            {"sandbox": SECRET},
            {"limits": {"cpu_s": SECRET}},
        ),
    ),
}


def http_specimen() -> Specimen:
    """The kind `http`, and a site that it calls. The site is there from the first use to the end of the process."""
    site = WebSite()
    site.pages["/orders/5"] = lambda visit: visit.answer(200, b"hello", content_type="text/plain")
    answer = {"status": 200, "headers": {"content-type": "text/plain"}, "body": "hello", "truncated": False}
    return Specimen(
        make=HttpHandlers,
        always={"allow": ["loopback"]},
        works={"url": f"{site.url}/orders/${{params.id}}"},
        good_params={"id": 5},
        returns=answer,
        fails={"url": f"{site.url}/none", "expect": {"status": 404, "json": '$.error != "no luck"'}},
        waits={"url": f"{site.url}/hang"},
        bad_options=(
            "https://example.org",
            {},
            {"url": "ftp://example.org"},
            {"url": "https://example.org", "metod": "GET"},
            {"url": "https://${params.host}/"},
            {"url": "https://example.org/", "expect": "3 of them"},
        ),
        bad_params={"id": ".."},
        settings={"allow": ["loopback"], "connections_per_host": "3"},
        returns_set_up=answer,
        bad_settings=(
            {"no_such_setting": SECRET},
            {"proxi": SECRET},
            {"ports": [SECRET]},
            {"tls": {"internal": {"ca_fiel": SECRET}}},
        ),
    )


SPECIMENS["http"] = http_specimen()


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
    tell_kind(kind, told or specimen.always)
    others = [] if kind.kind == "python" else [kind]
    settings = WorkerSettings(name="w-1", slots=4, processes_warm=0, drain_timeout_s=0.0)
    worker = Worker(server, SystemClock(), SystemChance(), settings, code(), others)
    task = asyncio.create_task(worker.run())
    try:
        yield Bench(server, kind)
    finally:
        worker.stop()
        await asyncio.wait_for(task, 60)
