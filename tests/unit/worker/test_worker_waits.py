"""Waits: a run that waits for another system is held by its worker, and takes no slot."""

from pathlib import Path

from foliot.domain.instants import SECOND
from foliot.domain.run import RunState
from foliot.domain.verdict import Cause
from tests.unit.worker.fake_server import Row
from tests.unit.worker.house import House, working

MANY = 500


def last_words(house: House) -> dict[str, str | None]:
    """What the last beat said that each lease waits for."""
    (node,) = house.server.sessions.values()
    return {} if node.last_beat is None else {held.lease_id: held.waits_for for held in node.last_beat.held}


def end_elsewhere(row: Row) -> None:
    """A callback ended the run: its lease is nobody's any more."""
    row.lease_id, row.state = None, RunState.SUCCEEDED


async def all_wait(house: House, rows: list[Row]) -> None:
    await house.until(lambda: house.worker._execution.waiting == len(rows), what="every run waits")


async def test_many_runs_wait_while_others_go_through_the_slots() -> None:
    async with working(slots=2, beat_every_s=0.2) as house:
        waiting = [house.add("wait_outside") for _ in range(MANY)]
        await all_wait(house, waiting)
        await house.done(*[house.add("echo", params='{"value": 7}') for _ in range(20)])
        assert not any(row.state.is_final for row in waiting)
        await house.until(lambda: list(last_words(house).values()).count("callback") == MANY)
        for row in waiting:
            end_elsewhere(row)
        await house.until(lambda: house.worker._execution.is_idle, what="the worker lets go")
        assert house.worker.figures.dropped == 0
        assert not any(row.reports for row in waiting), "it reports no end of its own"


async def test_a_run_that_waits_is_stopped_times_out_and_is_given_back_like_any_other() -> None:
    async with working(slots=1, beat_every_s=0.2, drain_timeout_s=0.0) as house:
        cancelled, late, kept = (
            house.add("wait_outside"),
            house.add("wait_outside", timeout_us=SECOND // 5),
            house.add("wait_outside"),
        )
        await house.done(late)
        await house.until(lambda: house.worker._execution.waiting == 2)
        house.server.cancel(cancelled)
        await house.done(cancelled)
        assert (cancelled.cause, late.cause) == (Cause.CANCELLED, Cause.TIMEOUT)
        assert "given_up=False" in cancelled.log
        assert "given_up=False" in late.log
        await house.stop()
        assert kept.cause is Cause.RELEASED
        assert "given_up=True" in kept.logs[1], "the next attempt goes on with it"


async def test_beyond_the_bound_a_run_waits_in_its_slot(tmp_path: Path) -> None:
    path = tmp_path / "go"
    async with working(slots=2, waiting_max=1) as house:
        rows = [house.add("wait_for_file", params=f'{{"path": "{path}"}}') for _ in range(2)]
        other = house.add("echo")
        await house.done(other)
        third = house.add("wait_for_file", params=f'{{"path": "{path}"}}')
        await house.until(lambda: house.worker._execution.free == 0, what="one without a slot, two in theirs")
        assert house.worker._execution.waiting == 1
        path.touch()
        await house.done(*rows, third)
        assert house.worker._execution.waiting == 0
        assert house.worker._execution.free == 2
