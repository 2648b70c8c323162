"""The way out: nothing new, time for what runs, then given back or ended, and everything reported (R18)."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest

from foliot.app.system import SystemClock
from foliot.client.worker_http import Refused
from foliot.domain.drills import DrillOrder
from foliot.domain.errors import Denied
from foliot.domain.instants import MINUTE
from foliot.domain.run import RunState
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import Hello, Leaving, LockAnswered, LockAsked, Welcome
from foliot.sdk.registry import load
from tests.clocks import DrivenClock
from tests.eventually import eventually, soon
from tests.unit.worker.fake_server import FakeServer
from tests.unit.worker.house import JOBS, working

ROOT = Path(__file__).parents[3]


async def test_an_idle_worker_leaves_at_once_and_says_goodbye() -> None:
    async with working(poll_wait_s=600.0) as house:
        await house.until(lambda: house.worker.session is not None)
        assert house.worker.session is not None
        session = house.worker.session.id
        await house.stop()
        assert house.server.left == [session]


class Crossed(FakeServer):
    """Gives each lock at once to whom does not wait for it, and never to whom does."""

    async def claim_lock(self, asked: LockAsked) -> LockAnswered:
        self.lock_claims.append(asked)
        if asked.wait_us:
            await asyncio.Event().wait()
        return LockAnswered(state="held", token=1, ttl_us=asked.ttl_us)


@pytest.mark.parametrize(("runs", "claims"), [(0, 0), (2, 4)])
async def test_a_worker_leaves_though_a_deadlock_on_purpose_goes_on(runs: int, claims: int) -> None:
    async with working(Crossed(SystemClock())) as house:
        rows = [house.add("hold") for _ in range(runs)]
        await house.until(lambda: house.worker.session and len(house.worker._at_work()) == len(rows))
        assert house.worker.session is not None
        house.worker._begin_deadlock(DrillOrder(id=1, type="deadlock", for_us=10 * MINUTE), house.worker.session)
        await house.until(lambda: len(house.server.lock_claims) == claims)
        await house.stop()
        assert sorted(house.server.locks_left) == sorted(asked.claim for asked in house.server.lock_claims)


async def test_a_worker_that_still_waits_for_a_server_leaves_at_once() -> None:
    class Silent(FakeServer):
        async def register(self, hello: Hello) -> Welcome:
            self.calls["register"] += 1
            await asyncio.Event().wait()
            raise AssertionError

    async with working(Silent(SystemClock()), call_within_s=600.0) as house:
        await house.until(lambda: house.server.calls["register"] == 1)
        await house.stop()


async def test_running_work_gets_its_time_and_nothing_new_is_leased(tmp_path: Path) -> None:
    async with working(drain_timeout_s=600) as house:
        row = house.add("until", params=json.dumps({"path": str(tmp_path / "go")}))
        await house.until(lambda: house.worker.figures.started == 1)
        house.worker.stop()
        late = house.add("noop")
        await house.until(lambda: any(n.last_beat and n.last_beat.draining for n in house.server.sessions.values()))
        assert not house.task.done()
        (tmp_path / "go").touch()
        await asyncio.wait_for(asyncio.shield(house.task), 60)
        assert row.cause is Cause.SUCCEEDED
        assert late.state is RunState.PENDING
        assert late.leases == 0


async def test_after_the_drain_timeout_runs_are_given_back_and_at_most_once_ones_finish(tmp_path: Path) -> None:
    clock = DrivenClock()
    server = FakeServer(clock, ttl_s=1e6, beat_every_s=1e5, margin_s=1)
    async with working(server, clock=clock, drain_timeout_s=30) as house:
        given_back = [house.add("hold"), house.add("sleeper", grace_us=200_000)]
        finishing = house.add("until", params=json.dumps({"path": str(tmp_path / "go")}), at_most_once=True)
        await house.until(lambda: house.worker.figures.started == 3)
        house.worker.stop()
        await clock.advance(29)
        assert not any(row.reports for row in given_back)
        await clock.advance(2)
        await soon(lambda: _advanced(clock, all(row.cause is Cause.RELEASED for row in given_back)), within_s=60)
        assert all(row.state is RunState.PENDING for row in given_back)
        await clock.advance(3600)
        assert finishing.state is RunState.RUNNING, "an hour later it still runs"
        assert not house.task.done()
        (tmp_path / "go").touch()
        await soon(lambda: _advanced(clock, house.task.done()), within_s=60)
        assert finishing.cause is Cause.SUCCEEDED


async def _advanced(clock: DrivenClock, condition: bool) -> bool:
    await clock.advance(0.1)
    return condition


async def test_a_second_stop_ends_everything_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foliot.worker.worker._HURRIED_FLUSH_S", 60.0)
    async with working(drain_timeout_s=3600, release_within_s=60.0) as house:
        rows = [house.add("hold"), house.add("sleeper")]
        once = [house.add("hold", at_most_once=True), house.add("sleeper", at_most_once=True)]
        await house.until(lambda: house.worker.figures.started == 4)
        house.worker.stop()
        await house.until(lambda: house.server.calls["beat"] >= 2)
        assert not house.task.done()
        house.worker.stop()
        await asyncio.wait_for(asyncio.shield(house.task), 60)
        assert [row.cause for row in rows] == [Cause.RELEASED] * 2
        assert [row.cause for row in once] == [Cause.ERROR] * 2
        assert "stopped at once" in str(once[1].reports[0].error)


async def test_a_second_stop_gives_back_what_waits_for_a_process_even_if_it_may_run_once_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """S7: it certainly has not started, so it did not fail."""
    monkeypatch.setattr("foliot.worker.worker._HURRIED_FLUSH_S", 60.0)
    monkeypatch.setattr("foliot.worker.isolation.process.ProcessPool._spawn", lambda _: None)
    async with working(drain_timeout_s=3600, release_within_s=60.0) as house:
        once = house.add("sleeper", at_most_once=True)
        await house.until(lambda: house.worker._execution.running)
        house.worker.stop()
        house.worker.stop()
        await asyncio.wait_for(asyncio.shield(house.task), 60)
        assert (once.cause, once.state) == (Cause.RELEASED, RunState.PENDING)
        assert house.worker.figures.started == 0


async def test_a_goodbye_without_an_answer_is_said_again_and_not_for_ever() -> None:
    async with working(poll_wait_s=600.0) as house:
        await house.until(lambda: house.worker.session is not None)
        house.server.lose["leave"] = 1000
        await house.stop()
        assert house.server.calls["leave"] == 3


async def test_a_goodbye_that_was_heard_and_not_answered_is_over_when_a_server_says_so() -> None:
    class Forgetful(FakeServer):
        async def leave(self, leaving: Leaving) -> None:
            if leaving.session in self.left:
                self.calls["leave"] += 1
                raise Refused("http://a:7171", 404, {"code": "FOL-2011"})
            await super().leave(leaving)

    async with working(Forgetful(SystemClock()), poll_wait_s=600.0) as house:
        await house.until(lambda: house.worker.session is not None)
        house.server.lose["leave"] = 1
        await house.stop()
        assert house.server.calls["leave"] == 2


async def test_a_run_whose_lease_was_never_answered_goes_back_with_the_goodbye() -> None:
    async with working(poll_wait_s=600.0) as house:
        await house.until(lambda: house.server.calls["lease"])
        house.server.lose["lease"] = 1000
        once = house.add("noop", at_most_once=True)
        await house.until(lambda: once.leases)
        await house.stop()
        assert once.state is RunState.PENDING
        assert house.worker.figures.started == 0


async def test_what_was_leased_and_not_started_is_given_back_at_once() -> None:
    async with working(slots=1, drain_timeout_s=3600) as house:
        hold = house.add("hold")
        await house.until(lambda: house.worker.figures.started == 1)
        queued = house.add("noop")
        house.lease_ahead(queued)
        house.worker.stop()
        await house.until(lambda: queued.cause is Cause.RELEASED)
        assert queued.reports[0].started_us_ago is None
        assert hold.reports == []


@pytest.mark.slow
async def test_a_handler_that_swallows_its_cancellation_does_not_keep_the_worker(tmp_path: Path) -> None:
    async with working(drain_timeout_s=0.1, release_within_s=0.3) as house:
        row = house.add("stubborn", params=json.dumps({"path": str(tmp_path / "go")}))
        await house.until(lambda: house.worker.figures.started == 1)
        await house.stop()
        assert row.reports == [], "it still runs: nobody says that it stopped"
        assert row.state is RunState.PENDING, "given back by the goodbye"
        (tmp_path / "go").touch()
        await soon(lambda: not house.worker._loop_isolator.running)


@pytest.mark.slow
async def test_results_are_not_given_back_as_if_they_had_never_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foliot.worker.worker._HURRIED_FLUSH_S", 3.0)
    async with working(spool=tmp_path, flush_within_s=0.1) as house:
        row = house.add("hold")
        await house.until(lambda: house.worker.figures.started == 1)
        house.server.lose["complete"] = 10**9
        house.worker.stop()
        house.worker.stop()
        await asyncio.wait_for(asyncio.shield(house.task), 60)
        assert house.server.left == []
        assert len(row.reports) == 1


SCRIPT = """
    import asyncio, sys
    from pathlib import Path
    from tests.unit.worker.house import working

    async def main() -> None:
        async with working(slots=4, processes_warm=2) as house:
            row = house.add("fork_children", params='{"path": "%s"}')
            await house.until(lambda: "forked" in row.log)
            print(" ".join(map(str, house.worker._pool.pids)), flush=True)
            await asyncio.Event().wait()

    asyncio.run(main())
"""


def test_no_process_survives_a_worker_that_was_killed(tmp_path: Path) -> None:
    pids_file = tmp_path / "pids"
    script = textwrap.dedent(SCRIPT) % pids_file
    worker = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert worker.stdout is not None
        lines = iter(worker.stdout.readline, "")
        pool = next(line for line in lines if line.strip() and line.replace(" ", "").strip().isdigit())
        pids = {int(pid) for pid in (pool + pids_file.read_text()).split()}
        started = {process.pid for process in psutil.Process(worker.pid).children(recursive=True)}
        assert pids <= started, "the pool, and what its function started"
        left_group = int(pids_file.read_text().split()[2])
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait(60)

        eventually(lambda: not _alive(started - {left_group}), within_s=60, what="every process gone")
    finally:
        worker.kill()
        for pid in pids_file.read_text().split() if pids_file.exists() else ():
            if psutil.pid_exists(int(pid)):
                os.kill(int(pid), signal.SIGKILL)


def _alive(pids: set[int]) -> set[int]:
    alive = set()
    for pid in pids:
        try:
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                alive.add(pid)
        except psutil.NoSuchProcess:
            continue
    return alive


async def test_a_refused_token_ends_the_worker_with_its_reason() -> None:

    class Strict(FakeServer):
        async def register(self, hello: Hello) -> Welcome:
            raise Denied("This token is not accepted.")

    with pytest.raises(Denied):
        async with working(Strict(SystemClock())) as house:
            await house.until(house.task.done)


def test_our_jobs_load() -> None:

    assert load([JOBS]).problems == ()
