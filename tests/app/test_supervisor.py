"""The supervisor of `--supervise`, with real children: they crash, stand still or end well, and it may die itself."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from foliot.app.overseers import Overseers, _end_with
from foliot.app.signals import SAME_WISH_S, stop_on_signals
from foliot.app.supervisor import CrashLoop, Supervision, Supervisor
from foliot.app.system import SystemClock
from foliot.domain.restarts import Restarts
from tests.clocks import CountingChance, DrivenClock, settle
from tests.eventually import eventually

QUICK = Supervision(silent_s=60.0, rest_s=0.01, rest_max_s=0.05, crashes_max=2)
WATCHFUL = Supervision(silent_s=3.0, ends_within_s=0.5, rest_s=0.01, rest_max_s=0.05)

CHILD = """
import asyncio, os, signal, sys
from pathlib import Path
from foliot.app.overseers import Overseers
from foliot.app.system import SystemClock

async def main() -> None:
    global OVERSEERS
    overseers, stop = Overseers.of(os.environ), asyncio.Event()
    OVERSEERS = overseers
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    lives = Path(sys.argv[1])
    with lives.open("a") as notes:
        notes.write(f"{os.getpid()}\\n")
    async with overseers.watching(SystemClock(), stop):
        overseers.ready("up")
        await LIFE(len(lives.read_text().splitlines()), stop)

"""
"""A child that notes its lives, and does in each of them what a test says."""


class Stage:
    """Where a child's lives are noted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes = folder / "lives"

    def command(self, life: str) -> list[str]:
        """`life`: the body of a function of the number of this life and the event that asks for its end."""
        body = "".join(f"    {line}\n" for line in life.splitlines())
        script = self.folder / "child.py"
        script.write_text(f"{CHILD}async def LIFE(life, stop):\n{body}\nasyncio.run(main())\n")
        return [sys.executable, str(script), str(self.notes)]

    def pids(self) -> list[int]:
        return [int(line) for line in self.notes.read_text().splitlines()] if self.notes.exists() else []

    def supervisor(self, life: str, rules: Supervision = QUICK, manager: Overseers | None = None) -> Supervisor:
        return Supervisor(
            self.command(life),
            dict(os.environ),
            clock=SystemClock(),
            chance=CountingChance(),
            rules=rules,
            manager=manager or Overseers(),
        )


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


@contextmanager
def systemd(path: str) -> Iterator[socket.socket]:
    """A socket as systemd has it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(path)
        listener.settimeout(30)
        yield listener


def said(listener: socket.socket) -> list[str]:
    """What was said so far."""
    found: list[str] = []
    listener.setblocking(False)
    while True:
        try:
            found += listener.recv(4096).decode().split("\n")
        except BlockingIOError:
            return found


def events(told: list[Any]) -> list[str]:
    return [line["event"] for line in told]


# -------------------------------------------------------------------------------------------------------- restarts


def test_a_child_that_crashes_is_started_again_and_its_wanted_end_is_the_supervisors(stage: Stage) -> None:
    with capture_logs() as told:
        code = stage.supervisor(
            "if life == 1: os.kill(os.getpid(), signal.SIGKILL)\nif life == 2: sys.exit(1)",
            replace(QUICK, crashes_max=3),
        ).run()
    assert code == 0
    assert len(stage.pids()) == 3
    assert [line["why"] for line in told if line["event"] == "supervisor.restart"] == [
        "killed by SIGKILL",
        "exit code 1",
    ]


def test_a_child_learns_how_often_it_was_started_again_and_why(stage: Stage) -> None:
    told = "(Path(sys.argv[1]).parent / f'told-{life}').write_text(repr(overseers.restarts))\n"
    life = "overseers = OVERSEERS\n" + told + "if life == 1: os.kill(os.getpid(), signal.SIGKILL)\n"
    assert stage.supervisor(life).run() == 0
    lives = [(stage.folder / f"told-{number}").read_text() for number in (1, 2)]
    assert lives == [repr(Restarts()), repr(Restarts(1, 128 + signal.SIGKILL))]


def test_a_refused_option_is_no_reason_to_start_again(stage: Stage) -> None:
    assert stage.supervisor("sys.exit(2)").run() == 2
    assert len(stage.pids()) == 1


def test_a_child_that_fails_all_the_time_is_given_up(stage: Stage) -> None:
    with pytest.raises(CrashLoop) as failed:
        stage.supervisor("sys.exit(1)").run()
    assert (failed.value.code, failed.value.data["ends"], failed.value.data["last"]) == ("FOL-5065", 2, "exit code 1")
    assert len(stage.pids()) == 2


def test_trouble_outside_of_the_process_is_no_crash(stage: Stage) -> None:
    assert stage.supervisor("sys.exit(8 if life < 4 else 0)").run() == 0
    assert len(stage.pids()) == 4


# ---------------------------------------------------------------------------------------------------------- wedged


@pytest.mark.parametrize(
    "wedge",
    ["import threading; threading.Event().wait()", "os.kill(os.getpid(), signal.SIGSTOP)"],
    ids=["a loop that waits for ever", "a process that is stopped"],
)
def test_a_child_whose_loop_stands_still_shows_its_stacks_and_is_replaced(
    stage: Stage, wedge: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with capture_logs() as told:
        code = stage.supervisor(f"if life == 1:\n    await asyncio.sleep(0.1)\n    {wedge}", WATCHFUL).run()
    assert code == 0
    assert len(stage.pids()) >= 2  # on a busy machine the second may look wedged, too
    assert "supervisor.wedged" in events(told)
    if "threading" in wedge:
        assert "in LIFE" in capfd.readouterr().err


# --------------------------------------------------------------------------------------------- signals and orphans

PARENT = """
import os, sys
from foliot.app.overseers import Overseers
from foliot.app.supervisor import Supervision, Supervisor
from foliot.app.system import SystemChance, SystemClock
manager = Overseers.of(os.environ)
how = {"clock": SystemClock(), "chance": SystemChance(), "rules": Supervision(), "manager": manager}
sys.exit(Supervisor(sys.argv[1:], os.environ, **how).run())
"""


@contextmanager
def parent(stage: Stage, life: str, **environment: str) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen([sys.executable, "-c", PARENT, *stage.command(life)], env={**os.environ, **environment})
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_signal_is_forwarded_once_and_a_killed_supervisor_leaves_no_orphan(stage: Stage) -> None:
    with parent(stage, "await stop.wait()\n(Path(sys.argv[1]).parent / 'drained').touch()") as process:
        eventually(stage.pids, what="the child lives", within_s=60)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    assert (stage.folder / "drained").exists()
    (first,) = stage.pids()
    assert not is_alive(first)

    (stage.folder / "drained").unlink()
    with parent(stage, "await stop.wait()\n(Path(sys.argv[1]).parent / 'drained').touch()") as process:
        eventually(lambda: len(stage.pids()) == 2, what="the child lives", within_s=60)
        process.kill()
        process.wait()
        eventually(lambda: not is_alive(stage.pids()[1]), what="the child ended with its supervisor", within_s=60)
    assert (stage.folder / "drained").exists(), "it was asked to end, not killed"


@pytest.mark.parametrize("is_stopping", [False, True])
def test_a_child_that_drains_already_is_not_hurried_when_its_supervisor_dies(
    monkeypatch: pytest.MonkeyPatch, is_stopping: bool
) -> None:
    """A second SIGTERM would end it at once, with what it executes."""
    sent: list[int] = []
    monkeypatch.setattr("foliot.app.overseers.os.kill", lambda _pid, number: sent.append(number))
    monkeypatch.setattr("foliot.app.overseers.LEAVE_WITHIN_S", 0)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.close()
    with theirs:
        _end_with(theirs, lambda: is_stopping)
    assert sent == ([signal.SIGKILL] if is_stopping else [signal.SIGTERM, signal.SIGKILL])


def test_under_nohup_neither_the_supervisor_nor_its_child_ends_with_the_terminal(stage: Stage) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        life = "os.kill(os.getppid(), signal.SIGHUP)\nos.kill(os.getpid(), signal.SIGHUP)"
        assert stage.supervisor(life).run() == 0
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("is_supervised", [True, False])
async def test_a_signal_of_systemd_that_the_supervisor_forwards_as_well_is_one_wish(
    monkeypatch: pytest.MonkeyPatch, is_supervised: bool
) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    hurried: list[int] = []
    monkeypatch.setattr("foliot.app.signals.os._exit", hurried.append)
    stop_on_signals(stop, is_supervised=is_supervised)
    try:
        now = loop.time()
        monkeypatch.setattr(loop, "time", lambda: now)
        for _ in range(2):
            signal.raise_signal(signal.SIGTERM)
            await settle()
        assert stop.is_set()
        assert bool(hurried) is not is_supervised
        hurried.clear()
        monkeypatch.setattr(loop, "time", lambda: now + SAME_WISH_S)
        signal.raise_signal(signal.SIGTERM)
        await settle()
        assert hurried, "a later one is another"
    finally:
        monkeypatch.undo()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


# --------------------------------------------------------------------------------------------------------- systemd


def test_systemd_hears_of_the_child_through_the_supervisor_and_the_child_knows_no_socket_of_systemd(
    stage: Stage,
) -> None:
    address = str(stage.folder / "notify")
    with systemd(address) as listener:
        manager = Overseers.of({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "2000000"})
        assert manager.every_s == 1.0
        life = "if life == 1: sys.exit(1)\nassert not {'NOTIFY_SOCKET', '_FOLIOT_SUPERVISED'} & os.environ.keys()"
        assert stage.supervisor(life, manager=manager).run() == 0
        heard = said(listener)
    assert heard.count("READY=1") == 2
    assert "WATCHDOG=1" in heard
    assert any(field.startswith("STATUS=Started again") for field in heard)


async def test_the_loop_beats_at_half_of_the_watchdogs_time_and_says_ready_and_stopping() -> None:
    address = f"@foliot-test-{os.getpid()}"  # an abstract one
    with systemd(f"\0{address[1:]}") as listener:
        environment = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "10000000", "WATCHDOG_PID": str(os.getpid())}
        overseers, clock, stop = Overseers.of(environment), DrivenClock(), asyncio.Event()
        assert environment == {}, "no job is to speak for this process"
        async with overseers.watching(clock, stop):
            overseers.ready("listening on here")
            await settle()
            assert said(listener) == ["READY=1", "STATUS=listening on here", "WATCHDOG=1"]
            await clock.advance(10)
            assert said(listener) == ["WATCHDOG=1"] * 2
            stop.set()
            await settle()
            assert said(listener) == ["STOPPING=1"]


async def test_nobody_hears_that_the_process_lives_while_the_loop_of_another_thread_stands_still() -> None:
    address = f"@foliot-test-{os.getpid()}-threads"
    with systemd(f"\0{address[1:]}") as listener:
        overseers = Overseers.of({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "10000000"})
        clock, turns = DrivenClock(), {"one": True, "other": True}
        asked: list[str] = []

        def looked_at(name: str) -> bool:
            asked.append(name)
            return turns[name]

        others = [partial(looked_at, "one"), partial(looked_at, "other")]
        async with overseers.watching(clock, asyncio.Event(), others=others):
            await settle()
            assert said(listener) == ["WATCHDOG=1"]
            turns["one"] = False
            await clock.advance(10)
            assert said(listener) == []
            assert asked == ["one", "other"] * 3, "each is asked each time"
            turns["one"] = True
            await clock.advance(5)
            assert said(listener) == ["WATCHDOG=1"]


@pytest.mark.parametrize("environment", [{}, {"NOTIFY_SOCKET": "vsock:2:1"}, {"NOTIFY_SOCKET": "/nowhere/at/all"}])
async def test_without_anybody_who_listens_nothing_fails(environment: dict[str, str]) -> None:
    overseers = Overseers.of(environment)
    async with overseers.watching(SystemClock(), asyncio.Event()):
        overseers.ready("up")


def test_a_watchdog_that_watches_another_process_gets_no_beats() -> None:
    assert Overseers.of({"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "10", "WATCHDOG_PID": "1"}).every_s is None
