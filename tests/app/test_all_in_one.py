"""Everything in one process, for real: files are loaded, jobs fire, runs are recorded, a stop drains."""

import asyncio
import json
import socket
import stat
import threading
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from foliot.app import this_machine
from foliot.app.all_in_one import AllInOne, UpSettings
from foliot.app.data_folder import FolderInUse
from foliot.app.listener import PortTaken
from foliot.app.settings import Timing
from foliot.app.slots import Slots
from foliot.app.system import SystemChance, SystemClock
from foliot.app.this_machine import Access, LocalToken
from foliot.client.awaited.foliot import AsyncFoliot
from foliot.domain.errors import FoliotError
from foliot.domain.instants import SECOND
from foliot.domain.verdict import Cause
from foliot.operations.services import SessionTimes
from foliot.operations.tokens import hash_of
from foliot.ports.store.code import RetiringJob
from foliot.ports.store.lookups import RunFilter
from foliot.ports.worker_link import Report
from foliot.sdk.registry import Loaded
from foliot.store.sql.store import SqlStore
from foliot.worker.heartbeat import Heartbeat
from tests.eventually import soon

QUICK = """
from foliot import Ctx, every, job

@job(every("1s"))
async def quick(ctx: Ctx) -> str:
    return {answer!r}
"""
SLOW = """
from pathlib import Path
from urllib.parse import urlsplit
from foliot import Ctx, every, job

@job(every("1s"))
async def slow(ctx: Ctx) -> str:
    Path({begun!r}).touch()
    await ctx.sleep_async(1.5)
    return "done"
"""
HELD = """
from pathlib import Path
from foliot import Ctx, every, job

@job(every("1s"), overlap="skip")
async def held(ctx: Ctx) -> str:
    Path({begun!r}).touch()
    while not Path({go!r}).exists():
        await ctx.sleep_async(0.05)
    return "held"
"""


class Listener:
    """An audience that remembers."""

    def __init__(self) -> None:
        self.url = ""
        self.token = ""
        self.reports: list[Report] = []
        self.loads: list[Loaded] = []
        self.is_new: bool | None = None
        self.has_others: bool | None = None
        self.retirements: list[tuple[str, str]] = []

    def database_ready(self, *, is_new: bool, schema: str, took_s: float) -> None:
        self.is_new = is_new

    def started(self, url: str, access: Access) -> None:
        self.url, self.token = url, access.local_token

    def loaded(self, loaded: Loaded, *, again: bool, has_others: bool = False) -> None:
        self.loads.append(loaded)
        self.has_others = has_others

    def reported(self, reports: Sequence[Report]) -> None:
        self.reports += reports

    def retirement(self, kind: str, job: RetiringJob) -> None:
        self.retirements.append((kind, job.name))

    def refused(self, job: str, refusal: FoliotError) -> None: ...

    def stopping(self) -> None: ...

    def succeeded(self) -> list[str]:
        return [report.result or "" for report in self.reports if report.cause is Cause.SUCCEEDED]


def settings(folder: Path, *, port: int = 0) -> UpSettings:
    return UpSettings(sources=(str(folder / "jobs.py"),), folder=folder / ".foliot", port=port, slots=Slots(shared=2))


def save(file: Path, text: str) -> None:
    """As editors do it: never half a file."""
    whole = file.with_suffix(".new")
    whole.write_text(text)
    whole.replace(file)


@asynccontextmanager
async def running(chosen: UpSettings, listener: Listener | None = None) -> AsyncIterator[Listener]:
    listener, stop = listener or Listener(), asyncio.Event()
    task = asyncio.create_task(AllInOne(chosen, listener).run(stop))
    try:
        yield listener
    finally:
        stop.set()
        await asyncio.wait_for(task, 90)


async def runs_in(folder: Path) -> list[str]:
    """The states of all runs, read after the process has let go of the store."""
    store = await SqlStore.open(
        f"sqlite:///{folder / '.foliot' / 'foliot.db'}", clock=SystemClock(), chance=SystemChance()
    )
    try:
        page = await store.lookups.runs(RunFilter(), limit=200)
        return [run.state for run in page.items]
    finally:
        await store.close()


async def test_a_declared_job_fires_runs_and_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text(QUICK.format(answer="first"))
    async with running(settings(tmp_path)) as listener:
        await soon(lambda: len(listener.succeeded()) >= 2, within_s=60)
    assert listener.is_new
    assert set(listener.succeeded()) == {'"first"'}
    assert {report.job for report in listener.reports} == {"quick"}
    states = await runs_in(tmp_path)
    assert states.count("SUCCEEDED") >= len(listener.succeeded())
    assert set(states) <= {"SUCCEEDED", "PENDING"}, "one may have become due as it stopped"
    assert listener.has_others is False
    (tmp_path / "jobs.py").unlink()
    async with running(settings(tmp_path)) as without_file:
        await soon(lambda: without_file.loads, within_s=60)
    assert without_file.has_others, "the store has jobs though no file declares any"


async def test_a_changed_file_is_loaded_again_and_a_broken_one_keeps_the_last_good_version(tmp_path: Path) -> None:
    source = tmp_path / "jobs.py"
    source.write_text(QUICK.format(answer="first"))
    async with running(settings(tmp_path)) as listener:
        await soon(lambda: '"first"' in listener.succeeded(), within_s=60)
        save(source, QUICK.format(answer="second"))
        await soon(lambda: '"second"' in listener.succeeded(), within_s=60)
        save(source, "this is not Python")
        await soon(lambda: bool(listener.loads[-1].problems), within_s=60)
        count = len(listener.succeeded())
        await soon(lambda: len(listener.succeeded()) > count, within_s=60, what="the last good version goes on")
        assert listener.succeeded()[-1] == '"second"'


async def test_a_stop_waits_for_what_runs(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    (tmp_path / "jobs.py").write_text(SLOW.format(begun=str(begun)))
    async with running(settings(tmp_path)) as listener:
        await soon(begun.exists, within_s=60)  # a run that is leased and has not begun is given back
    assert listener.succeeded()
    assert set(await runs_in(tmp_path)) <= {"SUCCEEDED", "PENDING"}


async def test_who_stops_is_not_ready_any_more_while_its_worker_drains(tmp_path: Path) -> None:
    """R18: a load balancer looks elsewhere from the first moment."""
    begun, go = tmp_path / "begun", tmp_path / "go"
    (tmp_path / "jobs.py").write_text(HELD.format(begun=str(begun), go=str(go)))
    listener, stop = Listener(), asyncio.Event()
    chosen = replace(settings(tmp_path), drain_within_s=300)
    task = asyncio.create_task(AllInOne(chosen, listener).run(stop))
    await soon(begun.exists, within_s=60)

    async def says(word: str) -> bool:
        return await asyncio.to_thread(readiness, listener.url) == word

    await soon(lambda: says("ready"), within_s=60)
    stop.set()
    await soon(lambda: says("stopping"), within_s=60)
    assert not task.done()
    go.touch()
    await asyncio.wait_for(task, 60)
    assert "held" in listener.succeeded()[0]


def readiness(url: str) -> str:
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=30) as answer:
            return str(answer.read().decode().strip())
    except urllib.error.HTTPError as refusal:
        return refusal.read().decode().strip()


async def test_programs_of_this_user_alone_are_told_how_to_reach_it(tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text(QUICK.format(answer="x"))
    told = tmp_path / ".foliot" / "client.json"
    async with running(settings(tmp_path)) as listener:
        await soon(told.exists, within_s=60)
        await soon(lambda: listener.url != "", within_s=60)
        assert json.loads(told.read_text())["url"] == listener.url
        assert stat.S_IMODE(told.stat().st_mode) == 0o600
    assert not told.exists()


async def test_the_token_of_this_machine_ends_with_it(tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text(QUICK.format(answer="x"))
    async with running(settings(tmp_path)) as listener:
        await soon(lambda: listener.token != "", within_s=60)
        assert await is_good(tmp_path, listener.token)
    assert not await is_good(tmp_path, listener.token)


async def test_the_token_of_one_that_was_killed_ends_with_the_next(tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text(QUICK.format(answer="x"))
    with monkeypatched(LocalToken, "end", nothing):
        async with running(settings(tmp_path)) as killed:
            await soon(lambda: killed.token != "", within_s=60)
    assert await is_good(tmp_path, killed.token)
    async with running(settings(tmp_path)) as listener:
        await soon(lambda: listener.token != "", within_s=60)
        assert not await is_good(tmp_path, killed.token)


async def test_a_user_who_logs_out_is_let_in_again(tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text(QUICK.format(answer="x"))
    client_file = tmp_path / ".foliot" / "client.json"
    with monkeypatched(this_machine, "LOOK_EVERY_S", 0.05):
        async with running(settings(tmp_path)) as listener:
            await soon(lambda: listener.token != "", within_s=60)
            async with AsyncFoliot(listener.url, listener.token) as client:
                assert (await client.tokens.whoami())["name"] == this_machine.token_name(socket.gethostname())
                await client.tokens.logout()

            def token() -> str:
                return str(json.loads(client_file.read_text())["token"])

            await soon(lambda: token() != listener.token, within_s=60)
            async with AsyncFoliot(listener.url, token()) as client:
                assert [one["name"] for one in await client.tokens.list()] == [
                    this_machine.token_name(socket.gethostname())
                ]


async def test_trouble_of_any_kind_with_the_token_is_over_at_the_next_look(tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text(QUICK.format(answer="x"))
    looks: list[str] = []
    renew = LocalToken.renew

    async def first_fails(token: LocalToken) -> bool:
        looks.append(token.secret)
        if len(looks) == 1:
            raise LookupError("a bug")
        return await renew(token)

    with monkeypatched(this_machine, "LOOK_EVERY_S", 0.05), monkeypatched(LocalToken, "renew", first_fails):
        async with running(settings(tmp_path)) as listener:
            await soon(lambda: len(looks) > 1, within_s=60)
            assert await is_good(tmp_path, listener.token)


async def nothing(_: LocalToken) -> None: ...


@contextmanager
def monkeypatched(owner: object, name: str, other: object) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, other)
        yield


async def is_good(folder: Path, token: str) -> bool:
    """Whether the store still lets this token in."""
    url = f"sqlite:///{folder / '.foliot' / 'foliot.db'}"
    store = await SqlStore.open(url, clock=SystemClock(), chance=SystemChance())
    try:
        record, now = await store.tokens.find(hash_of(token))
        assert record is not None
        return record.is_good(now)
    finally:
        await store.close()


async def test_who_is_told_of_it_can_ask_it_at_once(tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text(QUICK.format(answer="x"))

    class Impatient(Listener):
        def started(self, url: str, access: Access) -> None:
            told = json.loads((tmp_path / ".foliot" / "client.json").read_text())
            connect(told["url"])
            super().started(url, access)

    async with running(settings(tmp_path), Impatient()) as listener:
        await soon(lambda: listener.url != "", within_s=60)


def connect(url: str) -> None:
    """Refused unless somebody listens there."""
    where = urlsplit(url)
    socket.create_connection((str(where.hostname), where.port or 0), 60).close()


async def test_a_folder_serves_one_process(tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text(QUICK.format(answer="x"))
    async with running(settings(tmp_path)) as listener:
        await soon(lambda: listener.url != "", within_s=60)
        with pytest.raises(FolderInUse):
            await AllInOne(settings(tmp_path), Listener()).run(asyncio.Event())


async def test_a_taken_port_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(PortTaken):
            await AllInOne(settings(tmp_path, port=taken.getsockname()[1]), Listener()).run(asyncio.Event())
    assert not (tmp_path / ".foliot").exists()


async def test_one_that_is_cancelled_leaves_no_worker_behind(tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text(QUICK.format(answer="x"))
    before = {thread.ident for thread in threading.enumerate()}
    listener = Listener()
    task = asyncio.create_task(AllInOne(settings(tmp_path), listener).run(asyncio.Event()))
    await soon(lambda: len(listener.succeeded()) >= 1, within_s=60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 60)

    def left() -> list[str]:
        names = [thread.name for thread in threading.enumerate() if thread.ident not in before]
        return [name for name in names if name.startswith("foliot-")]

    await soon(lambda: not left(), within_s=60, what="every thread ends")


async def test_a_worker_that_fails_ends_the_process_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would go on firing runs that nobody executes, and nobody would start it again."""
    (tmp_path / "jobs.py").write_text(QUICK.format(answer="x"))
    listener = Listener()
    task = asyncio.create_task(AllInOne(settings(tmp_path), listener).run(asyncio.Event()))
    await soon(lambda: len(listener.succeeded()) >= 1, within_s=60)

    def broken(_: Heartbeat) -> bool:
        raise RuntimeError("a bug in the beat's thread")

    monkeypatch.setattr(Heartbeat, "beat", broken)
    with pytest.raises(BaseExceptionGroup) as failure:
        await asyncio.wait_for(task, 60)
    assert failure.group_contains(RuntimeError, match="a bug in the beat's thread")
    assert not (tmp_path / ".foliot" / "client.json").exists(), "nobody is sent to a server that is gone"


SLEEPY = """
import asyncio
from foliot import Ctx, job

@job
async def sleepy(ctx: Ctx) -> None:
    await asyncio.sleep(600)
"""


async def test_a_cancel_reaches_a_running_run_before_the_next_beat_is_due(tmp_path: Path) -> None:
    """A person does not wait for that: the poll that is parked calls for a beat."""
    (tmp_path / "jobs.py").write_text(SLEEPY)
    calm = Timing(session=SessionTimes(ttl_us=360 * SECOND, margin_us=36 * SECOND))  # a beat every two minutes
    async with running(replace(settings(tmp_path), timing=calm)) as listener:
        await soon(lambda: listener.url != "", within_s=60)
        async with AsyncFoliot(listener.url, listener.token) as client:

            async def is_declared() -> bool:
                return any(job.name == "sleepy" for job in await client.jobs.list())

            await soon(is_declared, within_s=60)
            run = await client.jobs.trigger("sleepy")

            async def is_running() -> bool:
                return (await run.refresh()).state == "RUNNING"

            await soon(is_running, within_s=60)
            await run.cancel(reason="a test")
            assert (await run.wait("60s")).state == "CANCELLED"
