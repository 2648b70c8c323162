"""The crew: several workers in one process, each with its own session and slots, that start and end together."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from foliot.app.system import SystemChance, SystemClock
from foliot.domain.errors import Denied
from foliot.domain.run import RunState
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import Hello, Welcome
from foliot.worker.crew import NO_CODE, Crew, Share, shares
from foliot.worker.handlers.python import PythonHandlers
from foliot.worker.settings import WorkerSettings
from tests.conformance.echo_kind import Echo
from tests.eventually import soon
from tests.unit.worker.fake_server import FakeServer
from tests.unit.worker.house import code, name_of


class Other(Echo):
    """Another kind beside `echo`."""

    kind = "other"


def told(**fields: Any) -> WorkerSettings:
    return WorkerSettings(**{"name": "w-1", "processes_warm": 0, "drain_timeout_s": 0.0, **fields})


def test_each_kind_with_slots_of_its_own_is_a_share_and_all_others_are_one() -> None:
    python, echo, other = code(), Echo(), Other()
    assert [*shares(told(slots=3), python, [echo, other])] == [Share(3, python, [echo, other])]
    assert [*shares(told(slots=3, own_slots={"echo": 50}), python, [echo, other])] == [
        Share(50, NO_CODE, (echo,)),
        Share(3, python, [other]),
    ]
    assert [*shares(told(slots=3, own_slots={"python": 1, "other": 9}), python, [echo, other])] == [
        Share(1, python, ()),
        Share(9, NO_CODE, (other,)),
        Share(3, NO_CODE, [echo]),
    ]


def test_a_rest_of_nothing_is_no_share() -> None:
    echo = Echo()
    assert [*shares(told(own_slots={"echo": 50}), NO_CODE, [echo])] == [Share(50, NO_CODE, (echo,))]


@asynccontextmanager
async def a_crew(server: FakeServer, **settings: Any) -> "AsyncIterator[tuple[Crew, asyncio.Task[None]]]":
    """Two members: `echo` with four slots, Python with one."""
    crew = Crew(
        lambda: server,
        SystemClock(),
        SystemChance(),
        told(**{"slots": 1, "own_slots": {"echo": 4}, **settings}),
        code(),
        [Echo()],
    )
    task = asyncio.create_task(crew.run(), name="crew")
    try:
        yield crew, task
    finally:
        for _ in range(2):
            crew.stop()
        await asyncio.wait([task], timeout=60)
        assert task.done()


def waits(server: FakeServer) -> None:
    server.add("echo", options=json.dumps({"text": "hello", "waits": True}))


async def test_a_kind_fills_its_own_slots_and_leaves_those_of_others_alone(tmp_path: Path) -> None:
    server = FakeServer(SystemClock())
    for _ in range(6):
        waits(server)
    held = [server.add(name_of("until"), params=json.dumps({"path": str(tmp_path / "go")})) for _ in range(3)]
    async with a_crew(server, drain_timeout_s=600, spool=tmp_path / "spool") as (crew, task):
        await soon(lambda: server.states()[RunState.RUNNING] == 5, within_s=60, what="every slot is taken")
        hellos = [node.hello for node in server.sessions.values()]
        assert {(hello.name, hello.slots) for hello in hellos} == {("w-1", 4), ("w-1", 1)}
        (own,) = [hello for hello in hellos if hello.slots == 4]
        (rest,) = [hello for hello in hellos if hello.slots == 1]
        assert ([offer.name for offer in own.handlers], own.jobs, own.modules) == (["echo"], (), ())
        assert all(offer.name.startswith("python:") for offer in rest.handlers)
        assert rest.jobs
        assert [row.state is RunState.RUNNING for row in held].count(True) == 1

        crew.stop()
        (tmp_path / "go").touch()
        await soon(lambda: rest.session in server.left, within_s=60, what="the member whose run ended is gone")
        assert not task.done()
        assert own.session not in server.left
        crew.stop()  # at once
        await asyncio.wait_for(asyncio.shield(task), 60)
        assert {*server.left} == {own.session, rest.session}
    ended = [row.cause for row in server.rows.values() if row.run.handler == "echo" and row.reports]
    assert ended == [Cause.RELEASED] * 4
    assert sum(row.state is RunState.SUCCEEDED for row in held) == 1


async def test_what_runs_of_every_member_print_goes_to_their_log_and_the_streams_come_back() -> None:
    server = FakeServer(SystemClock())
    before = sys.stdout, sys.stderr
    async with a_crew(server) as (_, _task):
        rows = [server.add(name_of("talk")), server.add("echo", options='{"text": "hello"}')]
        await soon(server.is_done, within_s=60)
        assert "line 0" in rows[0].log
        assert "said" in rows[1].log
    assert (sys.stdout, sys.stderr) == before


async def test_new_code_goes_to_the_member_that_runs_python() -> None:
    server = FakeServer(SystemClock())
    async with a_crew(server) as (crew, _):
        await soon(lambda: len(server.sessions) == 2, within_s=60)
        await crew.reload(PythonHandlers(handlers={}, jobs=(), offered=()))
        offers = [[offer.name for offer in node.hello.handlers] for node in server.sessions.values()]
        assert sorted(offers) == [[], ["echo"]]


class Broken(Exception):
    """A bug of the kind's own."""


async def test_a_member_that_breaks_ends_the_whole_crew_with_its_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    server = FakeServer(SystemClock())
    async with a_crew(server) as (_, task):
        await soon(lambda: len(server.sessions) == 2, within_s=60)

        def breaks(*_: object) -> None:
            raise Broken

        monkeypatch.setattr("foliot.worker.execution.Execution._begin", breaks)
        waits(server)
        await asyncio.wait([task], timeout=60)
        failure = task.exception()
    assert isinstance(failure, ExceptionGroup)
    assert failure.subgroup(Broken) is not None


async def test_a_token_that_is_refused_is_said_once() -> None:
    class Closed(FakeServer):
        async def register(self, hello: Hello) -> Welcome:
            self.calls["register"] += 1
            raise Denied("The token is not good.")

    async with a_crew(Closed(SystemClock())) as (_, task):
        await asyncio.wait([task], timeout=60)
        assert isinstance(task.exception(), Denied)


async def test_each_member_keeps_its_results_in_a_file_of_its_own(tmp_path: Path) -> None:
    server = FakeServer(SystemClock())
    async with a_crew(server, spool=tmp_path / "spool", flush_within_s=0.1) as (crew, task):
        go = json.dumps({"path": str(tmp_path / "go")})
        python = server.add(name_of("until"), params=go)
        echo = server.add("echo", options='{"text": "hello"}')
        await soon(lambda: echo.reports and python.state is RunState.RUNNING, within_s=60)
        server.is_away = True
        (tmp_path / "go").touch()
        crew.stop()
        await asyncio.wait_for(asyncio.shield(task), 60)
    (file,) = (tmp_path / "spool").glob("*.jsonl")
    assert file.stem == python.session
    assert python.run.run_id in [json.loads(line)["run_id"] for line in file.read_text().splitlines()]


class Link(FakeServer):
    """A link that cannot be closed."""

    closed = 0

    async def close(self) -> None:
        self.closed += 1
        raise OSError(f"close {self.closed}")


async def test_a_link_that_cannot_be_closed_keeps_no_other_open() -> None:
    link = Link(SystemClock())
    crew = Crew(lambda: link, SystemClock(), SystemChance(), told(own_slots={"echo": 4}), code(), [Echo()])
    crew.stop()
    crew.stop()
    with pytest.raises(OSError, match="close 1"):
        await crew.run()
    assert link.closed == 2
