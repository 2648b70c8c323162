"""A kind of handler that is one file and one line, or a package: from a job to the result of its run."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from foliot.app import plugins
from foliot.app.handler_kinds import (
    GROUP,
    InstalledKinds,
    NothingToExecute,
    beside_python,
    check_something_to_execute,
)
from foliot.app.inprocess import InProcessLink
from foliot.app.plugins import HANDLERS, PartNotLoaded, UnknownPart
from foliot.app.server import Server
from foliot.app.settings import ServerSettings
from foliot.app.system import SystemClock
from foliot.domain.access import Principal, Scope
from foliot.domain.errors import BadField
from foliot.operations import save
from foliot.operations.kinds import UnservedKind, what_runs
from foliot.operations.why import why_run
from foliot.ports.handler import BadHandlerSetting, HandlerKind
from foliot.words.language import Language
from foliot.words.why import hint, sentence
from foliot.worker.settings import WorkerSettings
from foliot.worker.worker import Worker
from tests.conformance.building import NS
from tests.conformance.echo_kind import Echo
from tests.conformance.working import run_of, trigger
from tests.eventually import soon
from tests.installing import make_package
from tests.sql.world import CHANCE, World

ROOT = Principal(name="root", scopes=frozenset({Scope.ADMIN}))
ECHO = "tests.conformance.echo_kind:Echo"


@pytest.fixture(params=["a file and a line", "a package"])
def install_echo(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the kind, by a line in the table or by a package that Python takes for installed. Nothing else is changed."""
    if request.param == "a file and a line":
        monkeypatch.setattr(plugins, "TABLES", {**plugins.TABLES, GROUP: {**HANDLERS, "echo": ECHO}})
    else:
        install(tmp_path, "echo", ECHO, monkeypatch)


def install(folder: Path, kind: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that brings a kind, as far as Python can tell."""
    monkeypatch.syspath_prepend(str(make_package(folder, group=GROUP, name=kind, target=target)))


class Scene:
    """A server and its store; workers on it come and go."""

    def __init__(self, world: World) -> None:
        self.world = world
        settings = ServerSettings(store_url=world.url, node_name="s1")
        self.server = Server(settings, world.store, clock=SystemClock(), chance=CHANCE)

    async def create(self, name: str, **document: Any) -> None:
        await save.create(self.server.services, ROOT, NS, name, document)

    @asynccontextmanager
    async def working(self, kinds: list[HandlerKind]) -> AsyncIterator[None]:
        link = InProcessLink(self.server.workers, asyncio.get_running_loop())
        settings = WorkerSettings(name="w", slots=2, processes_warm=0)
        worker = Worker(link, SystemClock(), CHANCE, settings, kinds=kinds)
        task = asyncio.create_task(worker.run())
        try:
            await soon(lambda: worker.session is not None, within_s=60)
            yield
        finally:
            worker.stop()
            await asyncio.wait_for(task, 60)

    async def result_of(self, run_id: int) -> Any:
        """Let the server lease until the run is over; what it returned."""

        async def over() -> bool:
            await self.server.pulsing.step()
            self.server.leasing.hint()
            await self.server.leasing.step()
            return (await run_of(self.world, run_id)).ended_at is not None

        await soon(over, within_s=60)
        run = await run_of(self.world, run_id)
        assert run.state == "SUCCEEDED", run.error
        return json.loads(run.result or "null")


async def test_two_jobs_with_different_options_share_a_lane_and_get_each_their_own(
    world: World, install_echo: None
) -> None:
    scene = Scene(world)
    await scene.create("one", run={"echo": {"text": "one"}})
    await scene.create("two", run={"echo": {"text": "two", "blocks": True}}, params={"times": 2})
    lanes = await world.store.jobs.lanes()
    assert [lane.offer for lane in lanes.values()] == ["echo"]
    (first,), (second,) = await trigger(world, "one"), await trigger(world, "two")
    async with scene.working(beside_python()):
        assert await scene.result_of(first) == "one"
        assert await scene.result_of(second) == "two two"


async def test_a_worker_tells_its_kinds_what_it_was_told_also_in_child_processes(
    world: World, install_echo: None
) -> None:
    scene = Scene(world)
    await scene.create("here", run={"echo": {"text": "one"}})
    await scene.create("there", run={"echo": {"text": "two", "blocks": True}})
    (here,), (there,) = await trigger(world, "here"), await trigger(world, "there")
    async with scene.working(beside_python({"echo": {"voice": "low"}})):
        assert await scene.result_of(here) == "one (low)"
        assert await scene.result_of(there) == "two (low)"


def test_what_a_worker_is_told_is_refused_before_it_starts_and_never_shown(install_echo: None) -> None:
    with pytest.raises(UnknownPart, match=r'There is no handler "ecko".*known are: echo, '):
        beside_python({"ecko": {"voice": "s3cret"}})
    with pytest.raises(BadHandlerSetting, match=r"handlers\.python\.voice is not allowed: this kind has no settings"):
        beside_python({"python": {"voice": "s3cret"}})
    with pytest.raises(BadHandlerSetting, match=r"handlers\.echo\.times_max is not allowed: expected int") as refused:
        beside_python({"echo": {"times_max": "s3cret"}})
    assert "s3cret" not in f"{refused.value} {refused.value.data}"


def test_a_worker_with_nothing_to_execute_is_refused(install_echo: None) -> None:
    check_something_to_execute([], beside_python())
    check_something_to_execute(["jobs"], [])
    with pytest.raises(NothingToExecute):
        check_something_to_execute([], [])
    with pytest.raises(NothingToExecute):
        check_something_to_execute([], beside_python({"echo": {"is_mute": True}}))  # it is there, and offers nothing


async def test_a_server_that_has_the_package_checks_and_describes_options(world: World, install_echo: None) -> None:
    scene = Scene(world)
    with pytest.raises(BadField, match=r"run\.echo\.text: it is missing"):
        await scene.create("mute", run={"echo": {}})
    await scene.create("loud", run={"echo": {"text": "hello"}})
    job = await world.store.lookups.job(NS, "loud")
    assert job is not None
    assert what_runs(scene.server.services.kinds, job.document) == "echo: says hello"


async def test_a_kind_that_only_a_worker_knows_is_taken_while_that_worker_lives(world: World) -> None:
    scene = Scene(world)
    with pytest.raises(UnservedKind, match=r'No worker serves jobs of the kind "echo"\.'):
        await scene.create("loud", run={"echo": {"text": "hello"}})
    async with scene.working([Echo()]):
        await scene.create("loud", run={"echo": {"text": "hello"}})
        job = await world.store.lookups.job(NS, "loud")
        assert job is not None
        assert what_runs(scene.server.services.kinds, job.document) == 'echo: {"text":"hello"}'
        (run_id,) = await trigger(world, "loud")
        assert await scene.result_of(run_id) == "hello"


async def test_why_names_the_kind_that_no_worker_offers(world: World, install_echo: None) -> None:
    scene = Scene(world)
    await scene.create("loud", run={"echo": {"text": "hello"}})
    (run_id,) = await trigger(world, "loud")
    async with scene.working([]):
        explanation, tz = await why_run(scene.server.services, ROOT, run_id)
    assert "no worker offers echo (1 online)" in sentence(explanation, tz=tz)
    assert hint(explanation) == "start a worker that offers echo, or fix run.echo"
    assert hint(explanation, Language.CHINESE) == "启动提供 echo 的工作节点，或修正 run.echo"


def test_a_package_that_does_not_load_keeps_no_other_kind_from_working(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "broken", "no_such_module_anywhere:Kind", monkeypatch)
    kinds = InstalledKinds()
    assert set(kinds.names()) == {*HANDLERS, "broken"}
    assert kinds.find("broken") is None
    assert kinds.find("python") is not None
    assert beside_python() == []
    with pytest.raises(PartNotLoaded, match="no_such_module_anywhere"):
        beside_python({"broken": {}})  # whoever sets it wants it
