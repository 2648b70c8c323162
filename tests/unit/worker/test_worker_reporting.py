"""Reporting: in batches, again until acknowledged, over the disk while no server answers (R5, R17)."""

import asyncio
import gc
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from foliot.app.system import SystemClock
from foliot.client.worker_http import Refused
from foliot.domain.run import Landing, RunState
from foliot.domain.step_gap import StepGap
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import Report
from foliot.sdk.invocation import Outcome
from foliot.worker.reporter import GAP_MAX_S
from foliot.worker.reports import AttemptEnd, to_spooled
from tests.clocks import DrivenClock
from tests.eventually import soon
from tests.unit.worker.fake_server import FakeServer
from tests.unit.worker.house import House, working


class NoEnd(StepGap):
    """A gap that never ends by itself."""

    def __init__(self) -> None:
        super().__init__(GAP_MAX_S)
        self.is_mostly_over = False

    def left_s(self, now: float) -> float:
        return 3600.0

    def is_over(self, now: float, *, has_news: bool = False) -> bool:
        return has_news and self.is_mostly_over


class Noted(NoEnd):
    """Such a gap that notes which calls carried one end alone."""

    def __init__(self) -> None:
        super().__init__()
        self.alone: list[bool] = []

    def thin(self, *, began_at: float, ended_at: float, is_alone: bool = False) -> None:
        self.alone.append(is_alone)


async def test_an_end_is_reported_at_once_when_the_worker_is_idle() -> None:
    async with working() as house:
        row = house.add("noop")
        await house.done(row)
        assert house.server.batches == [1]


async def test_ends_are_batched_while_the_worker_is_busy() -> None:
    async with working(slots=500) as house:
        for _ in range(3000):
            house.add("noop")
        await house.done()
        assert len(house.server.batches) <= 300
        assert max(house.server.batches) <= 500


async def test_ends_gather_after_a_call_and_a_flush_does_not_wait_for_more() -> None:
    async with working() as house:
        reporter = house.worker._reporter
        reporter._gap = NoEnd()
        for _ in range(3):
            house.add("noop")
        await house.until(lambda: reporter.waiting == 3)
        assert house.server.batches == []
        assert await reporter.flush(within_s=60)
        assert house.server.batches == [3]


async def test_a_call_with_one_end_is_followed_by_a_short_gap_and_one_with_more_by_the_usual_one() -> None:
    async with working() as house:
        reporter = house.worker._reporter
        reporter._gap = noted = Noted()
        house.add("noop")
        await house.until(lambda: reporter.waiting == 1)
        assert await reporter.flush(within_s=60)
        assert noted.alone == [True]
        for _ in range(2):
            house.add("noop")
        await house.until(lambda: reporter.waiting == 2)
        assert await reporter.flush(within_s=60)
        assert noted.alone == [True, False]


async def test_ends_that_go_out_in_two_calls_because_some_have_a_log_went_together() -> None:
    async with working() as house:
        reporter = house.worker._reporter
        reporter._gap = noted = Noted()
        house.add("noop")
        house.add("talk", params='{"lines": 3}')
        await house.until(lambda: reporter.waiting == 2)
        assert await reporter.flush(within_s=60)
        assert len(noted.alone) == 2
        assert not noted.alone[-1]


async def test_once_most_of_the_gap_is_over_what_was_leased_together_is_reported_when_all_of_it_has_ended() -> None:
    """A report that follows its lease at once costs less than one that comes some milliseconds later."""
    async with working(slots=2) as house:
        reporter = house.worker._reporter
        reporter._gap = gap = NoEnd()
        house.add("noop")
        await house.until(lambda: reporter.waiting == 1)
        gap.is_mostly_over = True
        assert house.server.batches == []  # nothing has ended since
        house.add("noop")
        await house.done()
        assert house.server.batches == [2]


async def test_a_report_waits_for_the_whole_gap_while_something_is_executed() -> None:
    async with working(slots=2) as house:
        reporter = house.worker._reporter
        reporter._gap = gap = NoEnd()
        gap.is_mostly_over = True
        house.add("hold")
        await house.until(lambda: house.worker._execution.busy == 1)
        house.add("noop")
        await house.until(lambda: reporter.waiting == 1)
        assert house.server.batches == []
        assert await reporter.flush(within_s=60)
        assert house.server.batches == [1]


async def test_a_report_whose_answer_was_lost_is_repeated_and_counts_once() -> None:
    async with working() as house:
        house.server.lose["complete"] = 3
        rows = [house.add("echo", params=f'{{"value": {i}}}') for i in range(10)]
        await house.done()
        await house.until(lambda: house.server.already >= 1)
        assert all(len(row.reports) == 1 for row in rows)
        await house.until(lambda: house.worker.session is not None and house.worker.session.held_count == 0)


async def test_a_report_says_how_long_ago_it_started_and_how_long_it_took(tmp_path: Path) -> None:
    async with working() as house:
        row = house.add("until", params=json.dumps({"path": str(tmp_path / "go")}))
        await house.until(lambda: house.worker.figures.started == 1)
        (tmp_path / "go").touch()
        await house.done(row)
        report = row.reports[0]
        assert report.started_us_ago is not None
        assert report.took_us is not None
        assert 0 < report.took_us <= report.started_us_ago < 120_000_000


async def test_one_report_that_is_refused_does_not_hold_up_the_others() -> None:
    async with working(slots=50) as house:
        house.server.refuse = lambda report: report.result == "13"
        rows = [house.add("echo", params=f'{{"value": {i}}}') for i in range(40)]
        await house.done()
        bad = rows[13].reports[0]
        assert (bad.cause, bad.result) == (Cause.SUCCEEDED, None)
        assert "could not be recorded" in str(bad.error)
        assert [row.reports[0].result for row in rows if row is not rows[13]] == [str(i) for i in range(40) if i != 13]


class Gateway(FakeServer):
    """Something stands in front of the server and has an opinion of its own about ends."""

    status = 404
    is_there = True

    async def complete(self, session: str, reports: Sequence[Report]) -> Sequence[Landing]:
        if self.is_there:
            self.calls["gateway"] += 1
            raise Refused("http://gateway", self.status, {})
        return await super().complete(session, reports)


@pytest.mark.parametrize("status", [400, 404, 409, 422])
async def test_a_no_that_is_not_the_servers_ends_nothing(status: int) -> None:
    """S7: an ingress that has no backend for a moment must not have a run executed again."""
    server = Gateway(SystemClock(), ttl_s=60, beat_every_s=0.2)
    server.status = status
    async with working(server) as house:
        row = house.add("echo", params='{"value": 7}', at_most_once=True)
        await house.until(lambda: server.calls["gateway"] >= 2)
        await _beats(house, 3)
        assert (row.state, row.leases) == (RunState.RUNNING, 1)
        server.is_there = False
        await house.done(row)
        assert [report.result for report in row.reports] == ["7"]
        assert (row.leases, server.fenced, house.worker.figures.fenced) == (1, 0, 0)


async def test_too_large_for_what_stands_in_between_is_sent_in_smaller_parts() -> None:
    class Narrow(FakeServer):
        async def complete(self, session: str, reports: Sequence[Report]) -> Sequence[Landing]:
            if len(reports) > 3 or any(report.result == "1000" for report in reports):
                raise Refused("http://gateway", 413, {})
            return await super().complete(session, reports)

    async with working(Narrow(SystemClock()), slots=50) as house:
        rows = [house.add("echo", params=f'{{"value": {i}}}') for i in range(40)]
        large = house.add("echo", params='{"value": 1000}')
        await house.done()
        assert [row.reports[0].result for row in rows] == [str(i) for i in range(40)]
        assert (large.reports[0].cause, large.reports[0].result) == (Cause.SUCCEEDED, None)


@pytest.mark.slow
async def test_a_report_that_is_refused_whole_keeps_its_lease_and_is_sent_again() -> None:
    """Nothing is known of it but that it ran: it is not another's, and it is not to be given back."""
    clock = DrivenClock()
    server = Away(clock)
    async with working(server, clock=clock) as house:
        server.refuse = lambda report: report.run_id == 1
        stubborn = house.add("echo", params='{"value": 1}', at_most_once=True)
        other = house.add("echo", params='{"value": 2}')
        await house.done(other)
        await house.until(lambda: server.calls["refused"] >= 2, what="it was sent, and sent without what it left")
        session, heart = house.worker.session, house.worker._heart
        assert session is not None
        assert heart is not None
        await house.until(lambda: [attempt.run.run_id for attempt in session.held()[1]] == [1])
        await asyncio.to_thread(heart.beat)
        assert (stubborn.state, stubborn.leases, server.adopted) == (RunState.RUNNING, 1, 0)
        assert house.worker.figures.fenced == 0
        assert not house.worker._reporter.is_settled
        server.refuse = lambda _: False  # a server of another version, say
        await _advance_until(clock, house, lambda: stubborn.state.is_final)
        assert [report.result for report in stubborn.reports] == ["1"]
        await house.until(lambda: session.held_count == 0 and house.worker._reporter.is_settled)


async def test_what_is_refused_to_the_end_is_left_to_the_next_worker(tmp_path: Path) -> None:
    server = FakeServer(SystemClock())
    server.refuse = lambda _: True
    async with working(server, spool=tmp_path, flush_within_s=0.1) as house:
        row = house.add("echo", params='{"value": 1}', at_most_once=True)
        await house.until(lambda: server.calls["refused"] >= 2)
        await house.stop()
    assert server.left == [], "it did not say goodbye as if this had never run"
    assert row.state is RunState.RUNNING
    server.refuse = lambda _: False
    async with working(server, spool=tmp_path) as house:
        await house.done(row)
        assert [report.result for report in row.reports] == ["1"]
    assert list(tmp_path.iterdir()) == []


async def test_a_lease_that_is_anothers_is_fenced_and_dropped() -> None:
    async with working() as house:
        row = house.add("hold")
        await house.until(lambda: house.worker.figures.started == 1)
        row.lease_id = "another's"
        held = house.worker.session
        assert held is not None
        (attempt,) = held.held()[1]
        house.worker._execution.stop(attempt, Cause.CANCELLED, "Cancelled")
        await house.until(lambda: house.server.fenced == 1)
        await house.until(lambda: held.held_count == 0)
        assert house.worker.figures.fenced == 1
        assert house.server.fenced_logs == []
        assert row.state is RunState.RUNNING


class Away(FakeServer):
    """A server with a driven clock whose beats the test sends."""

    def __init__(self, clock: DrivenClock) -> None:
        super().__init__(clock, ttl_s=1e6, beat_every_s=1e5, margin_s=1)


async def test_two_hundred_results_survive_a_minute_without_a_server(tmp_path: Path) -> None:
    clock = DrivenClock()
    server = Away(clock)
    gate = tmp_path / "go"
    async with working(server, clock=clock, slots=200, spool=tmp_path / "spool") as house:
        rows = [house.add("until", params=json.dumps({"path": str(gate)})) for _ in range(200)]
        await house.until(lambda: house.worker.figures.started == 200)
        server.is_away = True
        gate.touch()
        await house.until(lambda: house.worker.figures.ended.get(Cause.SUCCEEDED) == 200)
        most_in_memory = 0
        for _ in range(12):
            await clock.advance(5.0)
            await _disk_is_quiet(house)
            most_in_memory = max(most_in_memory, house.worker._reporter.waiting)
        assert _live(AttemptEnd) == 0
        assert house.worker.figures.spooled == 200
        assert house.worker._reporter.waiting == 0, "nothing is left in memory"
        assert most_in_memory == 0
        assert server.states()[RunState.RUNNING] == 200
        assert house.worker.session is not None
        assert house.worker.session.held_count == 200, "beats go on naming them, so that nobody is given them"
        server.is_away = False
        await _advance_until(clock, house, server.is_done)
        assert all(len(row.reports) == 1 for row in rows)
        assert all(row.reports[0].result == '"seen"' for row in rows)
        assert server.fenced == server.already == 0
        await house.until(lambda: house.worker._reporter.is_settled)
        await house.stop()
    assert list((tmp_path / "spool").iterdir()) == [], "the file is gone"


async def test_what_one_process_could_not_send_the_next_one_sends(tmp_path: Path) -> None:
    server = FakeServer(SystemClock())
    gate = tmp_path / "go"
    async with working(server, slots=20, spool=tmp_path / "spool", flush_within_s=0.1) as house:
        rows = [house.add("until", params=json.dumps({"path": str(gate)})) for _ in range(20)]
        await house.until(lambda: house.worker.figures.started == 20)
        server.is_away = True
        gate.touch()
        await house.until(lambda: house.worker.figures.spooled == 20)
        await house.stop()
    assert server.states()[RunState.RUNNING] == 20
    assert server.left == [], "it did not say goodbye as if these had never run"
    assert len(list((tmp_path / "spool").iterdir())) == 1
    server.is_away = False
    async with working(server, spool=tmp_path / "spool") as house:
        await house.done()
        assert all([report.result for report in row.reports] == ['"seen"'] for row in rows)
        assert all(row.leases == 1 for row in rows), "nobody executed them again"
    assert list((tmp_path / "spool").iterdir()) == []


async def test_spooled_logs_come_before_their_report(tmp_path: Path) -> None:
    server = FakeServer(SystemClock())
    async with working(server, spool=tmp_path, flush_within_s=0.1) as house:
        row = house.add("talk", params='{"lines": 3}')
        server.lose["logs"] = 10**9
        await house.until(lambda: row.state is RunState.RUNNING)
        server.is_away = True
        await house.until(lambda: house.worker.figures.spooled == 1)
        await house.stop()
    server.is_away = False
    server.lose.clear()
    async with working(server, spool=tmp_path) as house:
        await house.done(row)
        assert row.log.count("line ") == 3
        assert server.fenced == 0


async def test_spooled_results_whose_lease_is_anothers_are_dropped(tmp_path: Path) -> None:
    server = FakeServer(SystemClock())
    gate = tmp_path / "go"
    async with working(server, spool=tmp_path / "spool", flush_within_s=0.1) as house:
        row = house.add("until", params=json.dumps({"path": str(gate)}))
        await house.until(lambda: house.worker.figures.started == 1)
        server.is_away = True
        gate.touch()
        await house.until(lambda: house.worker.figures.spooled == 1)
        await house.stop()
    server.is_away = False
    server.kill_sessions()
    async with working(server, spool=tmp_path / "spool") as house:
        await house.until(lambda: server.fenced >= 1)
        await house.done(row)
        assert row.leases == 2
        assert len(row.reports) == 1
    assert list((tmp_path / "spool").iterdir()) == []


async def test_a_disk_that_refuses_leaves_results_in_memory(tmp_path: Path) -> None:
    server = FakeServer(SystemClock())
    async with working(server, spool=tmp_path, spool_max_bytes=10) as house:
        row = house.add("noop")
        server.lose["complete"] = 0
        await house.until(lambda: row.state is not RunState.PENDING)
        server.is_away = True
        other = house.add("noop")
        server.is_away = False
        await house.done(row, other)
        assert house.worker.figures.spooled == 0


async def test_without_a_folder_results_wait_in_memory() -> None:
    server = FakeServer(SystemClock())
    async with working(server) as house:
        row = house.add("hold")
        await house.until(lambda: house.worker.figures.started == 1)
        server.is_away = True
        assert house.worker.session is not None
        (attempt,) = house.worker.session.held()[1]
        house.worker._execution.stop(attempt, Cause.CANCELLED, "Cancelled")
        await house.until(lambda: house.worker.figures.is_away)
        assert house.worker._reporter.waiting == 1
        server.is_away = False
        await house.done(row)


@pytest.mark.slow
async def test_a_worker_that_cannot_report_takes_no_more_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foliot.worker.answers.CLOGGED", 20)

    class Deaf(FakeServer):
        async def complete(self, session: str, reports: Any) -> list[Landing]:
            raise OSError("nobody listens")

    async with working(Deaf(SystemClock()), slots=4) as house:
        for _ in range(500):
            house.add("noop")
        await house.until(lambda: house.worker._reporter.waiting > 20)
        await _rest(house)
        assert house.worker.figures.leased < 60


async def test_a_worker_asks_for_work_as_soon_as_its_ends_are_acknowledged(monkeypatch: pytest.MonkeyPatch) -> None:
    """No slot becomes free then, and no beat comes: nothing else would tell the poller."""
    monkeypatch.setattr("foliot.worker.answers.CLOGGED", 20)
    monkeypatch.setattr("foliot.worker.poller._PAUSE_S", 3600.0)

    class Slow(FakeServer):
        hears = asyncio.Event()

        async def complete(self, session: str, reports: Sequence[Report]) -> Sequence[Landing]:
            await self.hears.wait()
            return await super().complete(session, reports)

    server = Slow(SystemClock(), ttl_s=7200, beat_every_s=3600)
    async with working(server, slots=4) as house:
        for _ in range(200):
            house.add("noop")
        await house.until(lambda: house.worker._answers.is_clogged and house.worker._execution.is_idle)
        server.hears.set()
        await house.done()


async def _beats(house: House, n: int) -> None:
    """Return when so many more beats were answered."""
    until = house.worker.figures.beats + n
    await house.until(lambda: house.worker.figures.beats >= until)


async def _rest(house: House) -> None:
    """Return when the worker leases nothing more for a moment."""
    seen: list[int] = []

    def unchanged() -> bool:
        seen.append(house.worker.figures.leased)
        return len(seen) > 25 and len(set(seen[-25:])) == 1

    await soon(unchanged)


async def _disk_is_quiet(house: House) -> None:
    """Let a write to disk that is on its way finish."""
    reporter = house.worker._reporter
    await soon(lambda: not reporter.waiting or not house.worker.figures.is_away)


async def _advance_until(clock: DrivenClock, house: House, condition: Any) -> None:
    async def step() -> bool:
        await clock.advance(0.5)
        return bool(condition())

    await soon(step, within_s=60)


def _live(kind: type) -> int:
    """How many of them are in memory."""
    gc.collect()
    return sum(type(thing) is kind for thing in gc.get_objects())


def test_a_report_is_sent_with_the_age_it_has_then() -> None:
    ended = AttemptEnd(run_id=1, lease_id="L", outcome=Outcome(cause=Cause.SUCCEEDED), started_at=10.0, ended_at=11.5)
    assert ended.to_report(20.0) == Report(
        run_id=1, lease_id="L", cause=Cause.SUCCEEDED, started_us_ago=10_000_000, took_us=1_500_000
    )


async def test_a_spooled_report_keeps_its_age_by_the_wall_clock() -> None:

    clock = DrivenClock()
    started_at = clock.monotonic()
    await clock.advance(5)
    ended = AttemptEnd(
        run_id=1, lease_id="L", outcome=Outcome(cause=Cause.ERROR), started_at=started_at, ended_at=clock.monotonic()
    )
    spooled = to_spooled(ended, clock)
    await clock.advance(60)
    report = spooled.to_report(clock.now())
    assert (report.started_us_ago, report.took_us) == (65_000_000, 5_000_000)
