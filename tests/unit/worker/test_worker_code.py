"""The code a worker runs: offered to the server, replaced while it works, and said when it does not load."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from structlog.testing import capture_logs

from foliot.app.system import SystemChance, SystemClock
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import Beat, BeatAnswer, DeclaredJob, Hello, Welcome
from foliot.sdk.registry import load
from foliot.worker.handlers.python import PythonHandlers
from foliot.worker.settings import WorkerSettings
from foliot.worker.worker import Worker
from tests.unit.worker.fake_server import FakeServer
from tests.unit.worker.house import House, code, working

OLD = "from foliot import job\n\n@job\ndef version() -> str:\n    return 'old'\n"
NEW = OLD.replace("old", "new")


async def test_a_worker_says_what_it_can_run() -> None:
    async with working(labels={"zone": "a"}, version="1.2") as house:
        await house.until(lambda: house.server.sessions)
        (node,) = house.server.sessions.values()
        hello = node.hello
        assert (hello.name, hello.group, hello.slots, dict(hello.labels)) == ("w-1", "default", 8, {"zone": "a"})
        assert hello.version == "1.2"
        offers = {offer.name: offer for offer in hello.handlers}
        offer = offers["python:tests.unit.worker.jobs:add"]
        assert offer.parameters is not None
        assert offer.parameters["required"] == ["a"]
        assert len(offer.code_hash) == 12
        declared = {job.name: json.loads(job.document) for job in hello.jobs}
        assert declared["add"]["run"] == {"python": "tests.unit.worker.jobs:add"}
        assert {job.module for job in hello.jobs} == {"tests.unit.worker.jobs"}
        assert "tests.unit.worker.jobs" in hello.modules


class HeldElsewhere(FakeServer):
    """Refuses a job twice, because live workers of another module declare it."""

    async def register(self, hello: Hello) -> Welcome:
        welcome = await super().register(hello)
        if self.calls["register"] > 2:
            return welcome
        return msgspec.structs.replace(welcome, refused=("add: theirs",), again_after_us=1)


async def test_a_worker_asks_again_for_jobs_that_another_module_holds_and_says_so_once() -> None:
    with capture_logs() as logs:
        async with working(server=HeldElsewhere(SystemClock())) as house:
            await house.until(lambda: house.server.calls["register"] == 3)
            assert len(house.server.sessions) == 1, "in the same session"
    assert [line["why"] for line in logs if line["event"] == "job.refused"] == ["add: theirs"]
    assert house.server.calls["register"] == 3, "it is heard, and asks no more"


class Asking(FakeServer):
    """Asks for the jobs once, in the answer to a beat, and says then that one was another module's."""

    def __init__(self) -> None:
        super().__init__(SystemClock(), beat_every_s=0.1)
        self.hellos: list[Hello] = []
        self.is_asking = False

    def beat(self, beat: Beat) -> BeatAnswer:
        return msgspec.structs.replace(super().beat(beat), declare=self.is_asking)

    async def register(self, hello: Hello) -> Welcome:
        welcome = await super().register(hello)
        self.hellos.append(hello)
        self.is_asking = len(self.hellos) == 1
        return welcome if self.is_asking else msgspec.structs.replace(welcome, taken_over={"add": "elsewhere"})


async def test_a_worker_declares_its_jobs_again_when_a_beat_asks_and_keeps_its_session_and_runs() -> None:
    server = Asking()
    with capture_logs() as logs:
        async with working(server=server, takes_over=True) as house:
            held = house.add("hold")
            await house.until(lambda: held.leases == 1 and len(server.hellos) == 2)
            assert len(server.sessions) == 1, "in the same session"
            assert held.leases == 1
    first, again = server.hellos
    assert again.jobs == first.jobs
    assert (first.takes_over, again.takes_over) == (True, False), "the word counts when the worker comes"
    taken = [(line["job"], line["taken_from"]) for line in logs if line["event"] == "job.taken_over"]
    assert taken == [("add", "elsewhere")]


async def test_new_code_is_run_without_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "reloaded_jobs.py"
    file.write_text(OLD)
    loaded = load([file])
    server = FakeServer(SystemClock())
    worker = Worker(server, SystemClock(), SystemChance(), WorkerSettings(name="w"), PythonHandlers.of(loaded, [file]))
    task = asyncio.create_task(worker.run())
    house = House(server, worker, task)
    try:
        name = next(iter(loaded.handlers))
        first = server.add(name)
        await house.done(first)
        file.write_text(NEW)
        loaded = load([file], previous=loaded)
        await worker.reload(PythonHandlers.of(loaded, [file]))
        second = server.add(name)
        await house.done(second)
        assert [row.reports[0].result for row in (first, second)] == ['"old"', '"new"']
        assert server.calls["register"] == 2
        assert len(server.sessions) == 1, "the same session"
    finally:
        await house.stop()


class SlowToRegister(FakeServer):
    """Takes a worker in when the test says so."""

    def __init__(self) -> None:
        super().__init__(SystemClock())
        self.open = asyncio.Event()

    async def register(self, hello: Hello) -> Welcome:
        self.calls["arrived"] += 1
        await self.open.wait()
        return await super().register(hello)

    def told(self) -> set[str]:
        """The jobs it knows of."""
        return {job.name for node in self.sessions.values() for job in node.hello.jobs}


async def test_code_that_changes_while_the_worker_registers_is_told_all_the_same() -> None:
    server = SlowToRegister()
    async with working(server) as house:
        await house.until(lambda: server.calls["arrived"] == 1)
        newer = replace(house.worker.code, jobs=(DeclaredJob(namespace="default", name="newer", document="{}"),))
        reloading = asyncio.create_task(house.worker.reload(newer))
        server.open.set()
        await asyncio.wait_for(reloading, 60)
        assert server.told() == {"newer"}
        assert len(server.sessions) == 1


@pytest.mark.parametrize("is_newer", [False, True])
async def test_code_that_no_server_hears_of_is_told_again(is_newer: bool) -> None:
    """What is told last is the newest code, however the calls before it went."""
    server = SlowToRegister()
    server.open.set()
    async with working(server) as house:
        await house.until(lambda: server.sessions)
        server.is_away = True
        codes = [
            replace(house.worker.code, jobs=(DeclaredJob(namespace="default", name=name, document="{}"),))
            for name in ("new", "newer")[: 1 + is_newer]
        ]
        reloading = [asyncio.create_task(house.worker.reload(each)) for each in codes]
        await house.until(lambda: server.calls["arrived"] >= 2)
        assert not reloading[-1].done()
        server.is_away = False
        await asyncio.wait_for(asyncio.gather(*reloading), 60)
        assert server.told() == {"newer" if is_newer else "new"}


async def test_a_worker_that_stops_tells_of_no_more_code() -> None:
    server = SlowToRegister()
    async with working(server) as house:
        await house.until(lambda: server.calls["arrived"] == 1)
        reloading = asyncio.create_task(house.worker.reload(replace(house.worker.code)))
        house.worker.stop()
        await asyncio.wait_for(reloading, 60)
        assert server.told() == set()


async def test_a_file_that_broke_leaves_the_last_good_version_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "breaking_jobs.py"
    file.write_text(OLD)
    loaded = load([file])
    server = FakeServer(SystemClock())
    settings = WorkerSettings(name="w", slots=1, process_runs_max=1)
    worker = Worker(server, SystemClock(), SystemChance(), settings, PythonHandlers.of(loaded, [file]))
    task = asyncio.create_task(worker.run())
    house = House(server, worker, task)
    try:
        name = next(iter(loaded.handlers))
        await house.until(lambda: worker._pool._idle, what="a warm child")
        file.write_text("syntax error (\n")
        loaded = load([file], previous=loaded)
        assert loaded.problems
        await worker.reload(PythonHandlers.of(loaded, [file]))
        rows = [server.add(name) for _ in range(3)]
        await house.done()
        assert [row.reports[0].result for row in rows] == ['"old"'] * 3
    finally:
        await house.stop()


async def test_a_child_that_cannot_load_the_code_says_why(tmp_path: Path) -> None:
    broken = tmp_path / "broken_jobs.py"
    broken.write_text("import no_such_module_anywhere\n")
    server = FakeServer(SystemClock())
    settings = WorkerSettings(name="w", processes_warm=0)
    not_there_anew = replace(code(), sources=(str(broken),))
    worker = Worker(server, SystemClock(), SystemChance(), settings, not_there_anew)
    task = asyncio.create_task(worker.run())
    house = House(server, worker, task)
    try:
        row = house.add("add", params='{"a": 1}')
        await house.done(row)
        assert row.cause is Cause.ERROR
        assert row.reports[0].error_type == "NotLoaded"
        assert "no_such_module_anywhere" in str(row.reports[0].error)
    finally:
        await house.stop()


async def test_a_child_that_does_not_even_start_is_an_error_of_the_run_that_waits(tmp_path: Path) -> None:
    async with working(process_environment={"PYTHONHOME": str(tmp_path)}) as house:
        row = house.add("add", params='{"a": 1}')
        after = house.add("echo")
        await house.done()
        assert row.cause is Cause.ERROR
        assert row.reports[0].error_type == "ProcessNotStarted"
        assert after.cause is Cause.SUCCEEDED
