"""A kind of handler that is one file and one line, or a package: from a job to the result of its run."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from foliot.app import plugins
from foliot.app.handler_kinds import (
    GROUP,
    InstalledKinds,
    KindsHere,
    NothingToExecute,
    beside_python,
    check_something_to_execute,
)
from foliot.app.inprocess import InProcessLink
from foliot.app.plugins import HANDLERS, UnknownPart
from foliot.app.server import Server
from foliot.app.settings import ServerSettings
from foliot.app.system import SystemClock
from foliot.domain import schema
from foliot.domain.access import Principal, Scope
from foliot.domain.errors import BadField
from foliot.operations import save
from foliot.operations.kinds import STEPS_ON_LOOP, OptionsRefused, what_runs
from foliot.operations.why import why_run
from foliot.ports.handler import BadHandlerSetting, HandlerKind
from foliot.ports.store.journal import EventFilter
from foliot.ports.worker_link import HandlerOffer
from foliot.words.errors import tell
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

    async def save(self, name: str, **document: Any) -> save.SavedJob:
        return await save.replace(self.server.services, ROOT, NS, name, document, expected_version=None)

    @asynccontextmanager
    async def working(
        self, kinds: list[HandlerKind], *, name: str = "w", group: str = "default"
    ) -> AsyncIterator[None]:
        link = InProcessLink(self.server.workers, asyncio.get_running_loop())
        settings = WorkerSettings(name=name, group=group, slots=2, processes_warm=0)
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
    async with scene.working(beside_python().kinds):
        assert await scene.result_of(first) == "one"
        assert await scene.result_of(second) == "two two"


async def test_a_worker_tells_its_kinds_what_it_was_told_also_in_child_processes(
    world: World, install_echo: None
) -> None:
    scene = Scene(world)
    await scene.create("here", run={"echo": {"text": "one"}})
    await scene.create("there", run={"echo": {"text": "two", "blocks": True}})
    (here,), (there,) = await trigger(world, "here"), await trigger(world, "there")
    async with scene.working(beside_python({"echo": {"voice": "low"}}).kinds):
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
    check_something_to_execute(["jobs"], KindsHere([]))
    with pytest.raises(NothingToExecute):
        check_something_to_execute([], KindsHere([]))
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


async def test_a_kind_that_nobody_offers_is_saved_with_a_warning_and_runs_when_a_worker_comes(world: World) -> None:
    scene = Scene(world)
    saved = await scene.save("loud", run={"echo": {"text": "hello"}})
    (warning,) = saved.warnings
    assert warning.code == "FOL-1099"
    assert 'No live worker that may run this job offers the kind "echo"' in tell(warning)[0]
    assert "处理器类型“echo”" in tell(warning, Language.CHINESE)[0]
    (event,) = (await world.store.journal.newest(EventFilter(), limit=10)).items
    assert (event.kind, event.data["warnings"]) == ("job.created", ["FOL-1099"])
    (run_id,) = await trigger(world, "loud")
    async with scene.working([Echo()]):
        assert (await scene.save("loud", run={"echo": {"text": "hello again"}})).warnings == []
        job = await world.store.lookups.job(NS, "loud")
        assert job is not None
        assert what_runs(scene.server.services.kinds, job.document) == 'echo: {"text":"hello again"}'
        assert await scene.result_of(run_id) == "hello again"


async def test_a_misspelt_kind_is_saved_with_the_nearest_one_named(world: World) -> None:
    (warning,) = (await Scene(world).save("call", run={"htpp": {"url": "https://example.org"}})).warnings
    assert str(warning.hint).startswith("did you mean http? start a worker that offers htpp; known are: http, ")


class EchoOfTwo(Echo):
    """The next version of the kind: its text may be a list, and it takes no `fails` any more."""

    version = "2.0"
    options_schema: Mapping[str, Any] | None = {
        "type": "object",
        "properties": {"text": {"anyOf": [{"type": "string"}, {"type": "array"}]}, "waits": {"type": "boolean"}},
        "required": ["text"],
        "additionalProperties": False,
    }


async def test_options_are_checked_by_what_live_workers_state_and_any_version_will_do(world: World) -> None:
    """The server has no such package: all it knows of the kind is what workers said."""
    scene = Scene(world)
    async with scene.working([Echo()]):
        with pytest.raises(OptionsRefused, match=r'run\.echo\.text=\["a"\] is not text\.') as refused:
            await scene.create("list", run={"echo": {"text": ["a"]}})
        assert refused.value.data["path"] == "run.echo.text"
        assert refused.value.hint == "see its options: foliot handler show echo"
        with pytest.raises(OptionsRefused, match=r"run\.echo\.text is missing; run\.echo\.txet is unknown\."):
            await scene.create("typo", run={"echo": {"txet": "a"}})
        async with scene.working([EchoOfTwo()], name="w2"):
            await scene.create("list", run={"echo": {"text": ["a"]}})  # 2.0 takes it
            await scene.create("old", run={"echo": {"text": "a", "fails": True}})  # 1.0 does
            with pytest.raises(OptionsRefused) as refused:
                await scene.create("none", run={"echo": {"text": ["a"], "fails": True}})
            assert tell(refused.value)[0] == "run.echo.fails is unknown.", "the newest worker's words"
            assert tell(refused.value, Language.CHINESE)[0] == "run.echo.fails 是未知选项。"


async def test_workers_of_another_group_do_not_say_what_a_job_takes(world: World) -> None:
    scene = Scene(world)
    async with scene.working([Echo()], group="theirs"):
        (warning,) = (await scene.save("free", run={"echo": {"txet": "a"}})).warnings
        assert warning.code == "FOL-1099"
        with pytest.raises(OptionsRefused):
            await scene.create("bound", run={"echo": {"txet": "a"}}, group="theirs")


class EchoOfNoEnd(Echo):
    """Its schema leads a check astray: each step doubles those that are left."""

    version = "endless"
    options_schema: Mapping[str, Any] | None = {
        "$defs": {"again": {"anyOf": [{"$ref": "#/$defs/again"}, {"$ref": "#/$defs/again"}]}},
        "$ref": "#/$defs/again",
    }


async def test_a_schema_without_end_holds_no_save_and_refuses_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[int] = []
    count = schema._Walk.step

    def step(walk: schema._Walk, part: Any, depth: int) -> None:
        steps.append(threading.get_ident())
        count(walk, part, depth)

    scene = Scene(world)
    async with scene.working([EchoOfNoEnd()]):
        monkeypatch.setattr(schema._Walk, "step", step)
        assert (await scene.save("odd", run={"echo": {"text": "a"}})).warnings == []
    on_loop = steps.count(threading.get_ident())
    assert 0 < on_loop <= STEPS_ON_LOOP + 1
    assert len(steps) - on_loop <= schema.STEPS_MAX + 1


async def test_why_names_the_kind_that_no_worker_offers(world: World, install_echo: None) -> None:
    scene = Scene(world)
    await scene.create("loud", run={"echo": {"text": "hello"}})
    (run_id,) = await trigger(world, "loud")
    async with scene.working([]):
        explanation, tz = await why_run(scene.server.services, ROOT, run_id)
    assert "no worker offers echo (1 online)" in sentence(explanation, tz=tz)
    assert hint(explanation) == "start a worker that offers echo, or fix run.echo"
    assert hint(explanation, Language.CHINESE) == "启动提供 echo 的工作节点，或修正 run.echo"


class Unsteady(Echo):
    """A kind that loads, and cannot say what it offers."""

    kind = "unsteady"

    def offers(self) -> Sequence[HandlerOffer]:
        raise ConnectionError("no route to postgresql://tom:s3cret@db/shop")


def test_a_package_that_does_not_work_is_reported_and_keeps_no_other_kind_from_working(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "broken", "no_such_module_anywhere:Kind", monkeypatch)
    install(tmp_path, "otherwise", ECHO, monkeypatch)
    install(tmp_path, "echo", ECHO, monkeypatch)
    install(tmp_path, "unsteady", f"{__name__}:Unsteady", monkeypatch)
    install(tmp_path, "sql", ECHO, monkeypatch)
    kinds = InstalledKinds()
    assert set(kinds.names()) == {*HANDLERS, "broken", "otherwise", "echo", "unsteady"}
    assert kinds.find("broken") is None
    assert kinds.find("python") is not None
    for settings in ({}, {"broken": {}, "echo": {"voice": "low"}}):
        here = beside_python(settings)
        assert [kind.kind for kind in here.kinds] == ["echo"]
        why = {failed.kind: (failed.package, failed.version, failed.why) for failed in here.failed}
        assert why.keys() == {"sql", "broken", "otherwise", "unsteady"}
        assert why["broken"] == (
            "foliot-broken",
            "1.0",
            "ModuleNotFoundError: No module named 'no_such_module_anywhere'",
        )
        assert why["sql"][2] == 'The package foliot-sql brings a handler "sql", a name that Foliot has already.'
        assert why["otherwise"][2] == 'The class that is listed as handler "otherwise" says that it is the kind "echo".'
        assert "ConnectionError: no route to" in why["unsteady"][2]
        assert "s3cret" not in str(why)
        check_something_to_execute([], KindsHere([], here.failed))  # its node shows why it executes nothing
    with pytest.raises(BadHandlerSetting):
        beside_python({"echo": {"voise": "low"}})  # what a user wrote wrong is refused
