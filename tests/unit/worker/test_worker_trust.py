"""Trust: what may start and what must end when no server answers; sessions that die; leases that are taken away."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import psutil
import pytest

from foliot.app.system import SystemClock
from foliot.domain.run import RunState
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import Leased, LeasedRun
from foliot.worker.answers import UNATTENDED
from foliot.worker.loop_watch import Blocked
from foliot.worker.worker import Worker
from tests.clocks import DrivenClock
from tests.eventually import eventually
from tests.unit.worker.fake_server import FakeServer
from tests.unit.worker.house import House, name_of, working

ROOT = Path(__file__).parents[3]
QUICK = {"ttl_s": 60.0, "beat_every_s": 0.2, "margin_s": 2.0}


def by_hand(clock: DrivenClock) -> FakeServer:
    """A server of 15 s sessions whose beats the test sends: the beat's thread rests in real time."""
    return FakeServer(clock, ttl_s=15.0, beat_every_s=1e5, margin_s=2.0)


async def beat(house: House) -> bool:
    """One beat, as the beat's thread would send it."""
    await house.until(lambda: house.worker._heart is not None)
    assert house.worker._heart is not None
    return await asyncio.to_thread(house.worker._heart.beat)


async def first_beat(house: House) -> None:
    """The beat's thread begins with a beat of its own."""
    await house.until(lambda: house.worker.figures.beats + house.worker.figures.beats_unanswered >= 1)


async def test_nothing_starts_after_the_trust_window_and_everything_does_after_the_next_beat() -> None:
    clock = DrivenClock()
    async with working(by_hand(clock), clock=clock) as house:
        await first_beat(house)
        await clock.advance(12.9)
        early = house.add("noop")
        await house.until(lambda: early.state is RunState.SUCCEEDED)
        assert house.worker.session is not None
        session = house.worker.session
        parked = house.server.calls["lease"]
        await clock.advance(0.1)
        assert not session.is_trusted(clock.monotonic())
        late = house.add("noop")  # a poll that was parked before may still bring it
        await house.until(lambda: late.state is RunState.RUNNING or house.server.calls["lease"] > parked)
        await clock.advance(0.5)
        assert house.worker.figures.started == 1
        assert await beat(house)
        await house.until(lambda: late.state is RunState.SUCCEEDED)


async def test_trust_counts_from_the_sending_of_the_beat_not_from_its_answer() -> None:
    clock = DrivenClock()
    server = by_hand(clock)
    async with working(server, clock=clock) as house:
        await first_beat(house)
        session = house.worker.session
        assert session is not None
        await clock.advance(5)
        sent_at = clock.monotonic()
        server.hold_beats = threading.Event()
        beating = asyncio.create_task(beat(house))
        await house.until(lambda: server.beats_arrived >= 2)
        await clock.advance(4)
        server.hold_beats.set()
        assert await beating
        assert session.trusted_until == pytest.approx(sent_at + 13.0)


@pytest.mark.parametrize(
    ("kind", "cause"), [({"at_most_once": True}, Cause.ERROR), ({"exclusive": True}, Cause.RELEASED)]
)
async def test_what_must_not_run_unattended_is_killed_when_trust_ends(kind: dict[str, bool], cause: Cause) -> None:
    clock = DrivenClock()
    async with working(by_hand(clock), clock=clock) as house:
        await first_beat(house)
        guarded = house.add("sleeper", **kind)
        other = house.add("sleeper")
        await house.until(lambda: house.worker.figures.started == 2)
        await clock.advance(12.9)
        assert house.worker.figures.trust_lost == 0
        await clock.advance(0.2)
        await house.until(lambda: len(house.worker._execution.running) == 1, what="the guarded one is gone")
        assert [attempt.run.run_id for attempt in house.worker._execution.running.values()] == [other.run.run_id]
        await clock.advance(0.1)
        await house.until(lambda: guarded.cause is cause)
        assert str(guarded.reports[0].error).startswith(UNATTENDED)
        assert house.worker.figures.trust_lost == 1


async def test_an_async_one_is_cancelled_when_trust_ends() -> None:
    clock = DrivenClock()
    async with working(by_hand(clock), clock=clock) as house:
        await first_beat(house)
        row = house.add("hold", at_most_once=True)
        await house.until(lambda: house.worker.figures.started == 1)
        await clock.advance(13.1)
        await house.until(lambda: row.cause is Cause.ERROR)


@pytest.mark.slow
async def test_children_are_killed_at_the_trust_deadline_even_while_the_loop_is_blocked(tmp_path: Path) -> None:
    async with working(FakeServer(SystemClock(), ttl_s=15.0, beat_every_s=0.2, margin_s=11.0)) as house:
        row = house.add("sleeper", at_most_once=True)
        await house.until(lambda: "sleeping" in row.log)
        (pid,) = house.worker._pool.pids
        house.server.is_away = True
        began_at = time.monotonic()
        eventually(lambda: is_gone(pid), what="killed while nobody can run in the loop")  # which this blocks
        assert time.monotonic() - began_at < 15.0, "before the session can be given up for dead"
        house.server.is_away = False


def is_gone(pid: int) -> bool:
    """Whether a process is over; a zombie is."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


PAUSED = """
    import asyncio, sys
    from foliot.app.system import SystemClock
    from tests.unit.worker.fake_server import FakeServer
    from tests.unit.worker.house import working

    async def main() -> None:
        server = FakeServer(SystemClock(), ttl_s=6.0, beat_every_s=0.2, margin_s=1.0)
        async with working(server) as house:
            row = house.add("sleeper", at_most_once=True)
            await house.until(lambda: "sleeping" in row.log)
            print(*house.worker._pool.pids, flush=True)
            await house.until(lambda: house.worker.figures.sessions == 2)
            print("reports", len(row.reports), flush=True)

    asyncio.run(main())
"""


@pytest.mark.slow
def test_a_worker_that_was_paused_kills_its_children_when_it_wakes() -> None:
    worker = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(PAUSED)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    try:
        assert worker.stdout is not None
        pid = next(int(line) for line in iter(worker.stdout.readline, "") if line.strip().isdigit())
        os.kill(worker.pid, signal.SIGSTOP)
        threading.Event().wait(8.0)  # longer than its session
        assert not is_gone(pid), "nobody is awake to kill it"
        os.kill(worker.pid, signal.SIGCONT)
        eventually(lambda: is_gone(pid), within_s=10, what="killed when it wakes")
        rest = worker.communicate(timeout=60)[0]
        assert "reports 0" in rest, "and nothing is said about a lease that is no longer ours"
        assert worker.returncode == 0
    finally:
        worker.kill()


async def test_a_dead_session_ends_its_handlers_and_a_new_one_begins(tmp_path: Path) -> None:
    async with working(FakeServer(SystemClock(), **QUICK)) as house:
        rows = [house.add("sleeper"), house.add("hold")]
        lost = house.add("hold", at_most_once=True)
        await house.until(lambda: house.worker.figures.started == 3 and "sleeping" in rows[0].log)
        first = house.worker.session
        (pid,) = house.worker._pool.pids
        house.server.kill_sessions()
        await house.until(lambda: house.worker.figures.sessions == 2)
        assert house.worker.session is not None
        assert house.worker.session is not first
        await house.until(lambda: not Path(f"/proc/{pid}").exists(), what="its child gone")
        await house.until(lambda: all(row.leases == 2 for row in rows), what="leased again, by the new session")
        assert all(row.reports == [] for row in (*rows, lost)), "nothing was reported for leases of a dead session"
        assert lost.leases == 1
        assert lost.state is RunState.FAILED


async def test_runs_leased_for_a_session_that_died_meanwhile_are_not_started() -> None:
    async with working(FakeServer(SystemClock(), ttl_s=600, beat_every_s=200, margin_s=2)) as house:
        await house.until(lambda: house.worker.session is not None)
        dead = house.worker.session
        assert dead is not None
        house.server.kill_sessions()
        await house.until(lambda: house.worker.figures.sessions == 2)
        late = LeasedRun(
            run_id=99, job_id=1, namespace="default", job="noop", version=1, handler=name_of("noop"), params=None,
            attempt=1, lease_id="late", fence=1, due_at=0, leased_at=0,
        )  # fmt: skip
        house.worker._answers.leased(dead, Leased(request_no=dead.next_request(), runs=(late,)))
        assert house.worker.figures.started == 0
        assert house.worker._execution.is_idle


async def test_a_session_found_dead_by_a_poll_is_buried_too() -> None:
    async with working(FakeServer(SystemClock(), ttl_s=600, beat_every_s=200, margin_s=2)) as house:
        row = house.add("hold")
        await house.until(lambda: house.worker.figures.started == 1)
        house.server.kill_sessions()
        await house.until(lambda: house.worker.figures.sessions == 2)
        await house.until(lambda: row.leases == 2)


async def test_a_lease_that_was_taken_away_is_stopped_and_not_reported() -> None:
    async with working(FakeServer(SystemClock(), **QUICK)) as house:
        rows = [house.add("sleeper"), house.add("hold")]
        await house.until(lambda: house.worker.figures.started == 2)
        for row in rows:
            row.lease_id, row.session = f"another's {row.run.run_id}", "another"
        await house.until(lambda: house.worker._execution.is_idle)
        assert house.worker.figures.dropped == 2
        assert house.server.fenced == 0
        assert house.worker.figures.sessions == 1


async def test_a_run_is_cancelled_through_the_next_beat() -> None:
    async with working(FakeServer(SystemClock(), **QUICK), slots=1) as house:
        row = house.add("hold")
        await house.until(lambda: house.worker.figures.started == 1)
        house.server.cancel(row)
        await house.done(row)
        assert row.cause is Cause.CANCELLED
        assert row.state is RunState.CANCELLED


async def test_a_parked_poll_calls_for_a_beat_that_cancels_the_run() -> None:
    """At once, not with the next one that is due."""
    async with working(FakeServer(SystemClock(), ttl_s=600, beat_every_s=200, margin_s=2), slots=2) as house:
        row = house.add("hold")
        await house.until(lambda: house.worker.figures.started == 1)
        house.server.cancel(row)
        await house.done(row)
        assert row.cause is Cause.CANCELLED
        assert house.worker.figures.beats == 2


async def test_beats_go_on_while_the_loop_is_blocked() -> None:
    async with working(FakeServer(SystemClock(), **QUICK)) as house:
        await first_beat(house)
        before = house.worker.figures.beats
        eventually(lambda: house.worker.figures.beats >= before + 3, what="beats while this blocks the loop")


async def test_a_beat_carries_load_starts_and_what_is_held(tmp_path: Path) -> None:
    async with working(FakeServer(SystemClock(), **QUICK)) as house:
        row = house.add("until", params=json.dumps({"path": str(tmp_path / "go")}))
        await house.until(lambda: row.started)
        (node,) = house.server.sessions.values()
        assert node.last_beat is not None
        load = node.last_beat.load
        assert {"cpu", "memory", "disk", "running", "cores", "process_memory_bytes"} <= load.keys()
        assert load["running"] == 1
        assert 0 < load["memory"] <= 1
        assert load["process_memory_bytes"] > 1_000_000
        (tmp_path / "go").touch()
        await house.done(row)


@pytest.mark.slow
async def test_progress_and_checkpoints_are_told_before_the_next_turn(tmp_path: Path) -> None:
    server = FakeServer(SystemClock(), ttl_s=60, beat_every_s=10, margin_s=2)
    async with working(server) as house:
        row = house.add("tell", params=json.dumps({"path": str(tmp_path / "go")}))
        began_at = time.monotonic()
        await house.until(lambda: row.progress is not None)
        assert time.monotonic() - began_at < 9.0, "a hurried beat"
        assert row.progress == '{"done":3,"total":5,"note":"third"}'
        assert row.checkpoint == '{"at":3}'
        (tmp_path / "go").touch()
        await house.done(row)
        assert row.reports[0].checkpoint == '{"at":3}'


async def test_beat_numbers_rise() -> None:
    async with working(FakeServer(SystemClock(), **QUICK)) as house:
        await house.until(lambda: house.worker.figures.beats >= 4)
        (node,) = house.server.sessions.values()
        assert node.beat_no >= 4


async def test_a_worker_waits_for_a_server_to_come_up() -> None:
    server = FakeServer(SystemClock(), **QUICK)
    server.is_away = True
    async with working(server) as house:
        row = house.add("noop")
        await house.until(lambda: server.calls["register"] >= 3)
        server.is_away = False
        await house.done(row)


@pytest.mark.slow
async def test_a_loop_that_is_blocked_is_reported_with_file_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = tmp_path / "go"
    tell = Worker._loop_blocked

    def tell_and_go_on(worker: Worker, blocked: Blocked) -> None:
        tell(worker, blocked)
        gate.touch()

    monkeypatch.setattr(Worker, "_loop_blocked", tell_and_go_on)
    async with working() as house:
        row = house.add("block", params=json.dumps({"path": str(gate)}))
        await house.done(row)
        assert re.search(r"WARNING  blocks the worker's loop for \d+\.\d s", row.log)
        assert "jobs.py:" in row.log
        assert "in block" in row.log


async def test_a_bug_in_the_beats_thread_ends_the_worker_loudly() -> None:
    class Buggy(FakeServer):
        def beat(self, beat: object) -> object:  # type: ignore[override]
            raise ZeroDivisionError

    with pytest.raises(ExceptionGroup) as caught:
        async with working(Buggy(SystemClock(), **QUICK)) as house:
            await house.until(house.task.done)
    assert caught.group_contains(ZeroDivisionError)
