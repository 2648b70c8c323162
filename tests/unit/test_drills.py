"""Drills: what a node does with an order, and what the judge says of fires and times."""

import asyncio
from datetime import timedelta
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from foliot.app.stepped_clock import SteppedClock
from foliot.domain.drill_judge import FiredRun, JudgedJob, Occurrence, SkippedRange, compare, judge_fires, judge_times
from foliot.domain.drill_sizes import OneSizeOnly, check_size, read_size
from foliot.domain.drills import (
    SIZES,
    BadDrill,
    DrillNote,
    DrillOrder,
    DrillType,
    Faults,
    NodeDrills,
    TakesNoPart,
    check_for,
    check_node,
)
from foliot.domain.errors import BadDuration
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Instant
from foliot.domain.verdict import Cause
from foliot.operations.drill_report import _ledger
from foliot.ports.store.drills import FireSeen, LedgerSeen
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.worker_link import Leaving, WorkerLink
from foliot.store.sql.kernel.database import Mode, Pool, Work
from foliot.store.sql.kernel.faulty_runner import FaultyRunner
from foliot.worker.faulty_link import CutOff, FaultyLink
from foliot.worker.full_disk import write_or_refuse
from foliot.worker.reports import SpooledReport
from foliot.worker.spool import SpoolFolder
from tests.api.stage import StageClock

HANG = DrillOrder(id=7, type="hang", for_us=10 * SECOND)


class Node:
    """A node's drills, with a clock that moves when told."""

    def __init__(self) -> None:
        self.now = 100.0
        self.offset_us = 0
        self.broken: list[DrillOrder] = []
        self.faults = Faults(lambda: self.now)
        self.drills = NodeDrills(self.faults, self.broken.append, kind="worker")

    def beat(self, order: DrillOrder | None = None, *, begin: int = 0) -> bool:
        """One beat and its answer; whether the next beat comes at once."""
        return self.drills.heard(order, begin=begin, said=self.drills.note(self.offset_us))


def test_a_node_breaks_only_after_a_server_knows_that_it_begins_and_ends_by_its_own_clock() -> None:
    node = Node()
    assert node.drills.note(None) is None
    assert node.beat(HANG)
    assert (node.drills.note(None), node.broken) == (DrillNote(7), [])
    assert not node.beat(begin=7)
    assert (node.broken, node.faults.has(DrillType.HANG), node.drills.note(None)) == ([HANG], True, None)
    node.now += 9.9
    assert node.faults.has(DrillType.HANG)
    node.now += 0.1
    assert not node.faults.has(DrillType.HANG)
    assert node.drills.note(None) == DrillNote(7, over=True)
    node.beat()
    assert node.drills.note(None) is None
    assert node.beat(HANG), "another drill may come"


@pytest.mark.parametrize("begin", [0, 8])
def test_an_order_that_was_taken_back_breaks_nothing(begin: int) -> None:
    node = Node()
    node.beat(HANG)
    node.beat(begin=begin)
    assert (node.broken, node.drills.note(None)) == ([], None)


def test_a_drill_that_the_node_does_not_know_is_none() -> None:
    node = Node()
    assert not node.beat(DrillOrder(id=7, type="flood", for_us=SECOND))
    assert node.drills.note(None) is None


def test_a_node_can_be_asked_to_stop_and_says_so_at_once() -> None:
    node = Node()
    node.beat(HANG)
    node.beat(begin=7)
    node.now += 1
    node.faults.notice(DrillType.HANG)
    assert node.beat(DrillOrder(id=7, type="hang", for_us=SECOND, stop=True))
    assert not node.faults.has(DrillType.HANG)
    assert node.drills.note(None) == DrillNote(7, over=True, noticed_us=SECOND)


def test_what_a_drill_cannot_be() -> None:
    assert check_for(SECOND) == SECOND
    for wrong in (0, SECOND - 1, 10 * MINUTE + 1):
        with pytest.raises(BadDrill):
            check_for(wrong)
    check_node(DrillType.CRASH, node="w-1", kind="worker", taken=("crash",))
    with pytest.raises(TakesNoPart):
        check_node(DrillType.CRASH, node="w-1", kind="worker", taken=())


def sized(type_: DrillType, size_us: int | None, taken: tuple[str, ...] = (SIZES,)) -> int | None:
    return check_size(type_, size_us, node="w-1", taken=taken)


def test_a_size_has_bounds_and_only_two_types_have_one() -> None:
    for right in (SECOND, -SECOND, DAY, -DAY):
        assert sized(DrillType.CLOCK_STEP, right) == right
    assert (sized(DrillType.CLOCK_STEP, None), sized(DrillType.SLOW_STORE, None)) == (HOUR, SECOND // 2)
    assert (sized(DrillType.SLOW_STORE, 1000), sized(DrillType.CRASH, None)) == (1000, None)
    for wrong in (0, 999_999, -1, DAY + 1, -DAY - 1):
        with pytest.raises(BadDrill, match="size"):
            sized(DrillType.CLOCK_STEP, wrong)
    for type_, wrong in ((DrillType.SLOW_STORE, 10 * SECOND + 1), (DrillType.SLOW_STORE, -1), (DrillType.HANG, 1)):
        with pytest.raises(BadDrill, match="size"):
            sized(type_, wrong)


def test_a_node_of_an_older_foliot_has_the_usual_size() -> None:
    assert sized(DrillType.CLOCK_STEP, HOUR, ("clock_step",)) == HOUR
    with pytest.raises(OneSizeOnly):
        sized(DrillType.CLOCK_STEP, 2 * HOUR, ("clock_step",))


def test_a_size_is_read_with_its_sign() -> None:
    read = [read_size(one) for one in (None, "", "2h", "-90s", " -1h30m ", 1.5, -2)]
    assert read == [None, None, 2 * HOUR, -90 * SECOND, -90 * MINUTE, 1_500_000, -2 * SECOND]
    for wrong in ("--1h", "-", "soon"):
        with pytest.raises(BadDuration):
            read_size(wrong)


# ------------------------------------------------------------------------------------------------------------ the judge


def each(step: int) -> JudgedJob:
    """A job that is due every `step`, decided up to 100."""

    def due(after: Instant) -> "count[int]":
        return count(after - after % step + step, step)

    return JudgedJob(1, "tick", due, 100)


def run(due_at: int, *, created_at: int | None = None) -> FiredRun:
    return FiredRun(1, due_at, due_at if created_at is None else created_at)


ALL = [run(at) for at in range(0, 100, 10)]


@pytest.mark.parametrize(
    ("runs", "skips", "wrong"),
    [
        (ALL, [], {}),
        ([one for one in ALL if one.due_at != 40], [], {"lost": 1}),
        ([one for one in ALL if one.due_at not in (40, 50)], [SkippedRange(1, 40, 50)], {"skipped": 2}),
        ([*ALL, run(40)], [], {"doubled": 1}),
        (ALL, [SkippedRange(1, 40, 40)], {"skipped": 1, "doubled": 1}),
        ([*(one for one in ALL if one.due_at != 40), run(40, created_at=39)], [], {"early": 1}),
        ([*(one for one in ALL if one.due_at != 40), run(40, created_at=47)], [], {}),
    ],
)
def test_each_due_instant_has_one_run_or_one_skip_and_none_before_its_time(
    runs: list[FiredRun], skips: list[SkippedRange], wrong: dict[str, int]
) -> None:
    found = judge_fires([each(10)], runs, skips, from_at=0, to_at=100)
    names = ("skipped", "lost", "doubled", "early", "late")
    assert {name: getattr(found, name) for name in names if getattr(found, name)} == wrong
    assert (found.due, found.created) == (10, len(runs))
    assert found.is_clean == (not wrong.keys() & {"lost", "doubled", "early"})
    assert bool(found.named) == (not found.is_clean)
    assert found.worst_delay_us == max(one.created_at - one.due_at for one in runs)


def test_what_nobody_decided_yet_is_late_and_not_lost() -> None:
    found = judge_fires([each(10)], ALL, [], from_at=0, to_at=130)
    assert (found.late, found.lost, found.is_clean) == (3, 0, True)


async def test_jobs_beyond_one_look_at_the_ledger_are_not_judged_lost() -> None:
    class Cutting:
        """A ledger of which one look takes a job."""

        async def fires(self, job_ids: list[int], *, from_at: int, to_at: int) -> LedgerSeen:
            runs = [FireSeen(job_id, from_at, to_at) for job_id in job_ids[:1]]
            return LedgerSeen(runs=runs, skips=[], is_cut=len(job_ids) > 1)

    jobs: Any = [SimpleNamespace(job_id=number) for number in (1, 2, 3, 4)]
    store: Any = Cutting()
    judged, seen = await _ledger(store, jobs, 0, 10)
    assert [job.job_id for job in judged] == [run.job_id for run in seen.runs] == [1]


def test_times_count_from_the_beginning() -> None:
    death = Occurrence(1, "worker_crash", 17, 18, moves_work=True)
    found = judge_times(10, [death], noticed_us=None, back_at=40)
    assert (found.detected_us, found.failed_over_us, found.recovered_us) == (7, 8, 30)
    found = judge_times(10, [], noticed_us=3, back_at=20)
    assert (found.detected_us, found.failed_over_us, found.recovered_us) == (3, None, 10)
    still = death._replace(ended_at=None)
    found = judge_times(10, [still], noticed_us=None, back_at=20)
    assert (found.failed_over_us, found.recovered_us) == (None, None)


def test_a_time_is_compared_with_the_usual_one() -> None:
    earlier = [{"detected_us": seconds * SECOND, "recovered_us": None} for seconds in (9, 10, 30)]

    def word(seconds: float) -> str | None:
        return compare({"detected_us": int(seconds * SECOND)}, earlier).get("detected_us")

    assert [word(7), word(8), word(12), word(13)] == ["better", "same", "same", "worse"]
    assert compare({"recovered_us": SECOND}, earlier) == {}
    assert compare({"detected_us": None}, earlier) == {}


# ---------------------------------------------------------------------------------------------------- wrappers of ports


def broken(type_: DrillType, size_us: int | None = None) -> Faults:
    """A node in which this is broken."""
    node = Node()
    node.faults.begin(DrillOrder(id=1, type=str(type_), for_us=SECOND, size_us=size_us))
    return node.faults


async def test_a_server_that_is_cut_off_or_slow_reaches_its_store_so() -> None:
    asked: list[str] = []
    waited: list[float] = []

    class Inner:
        greet: Work[None] | None = None

        async def once(self, work: Any, pool: Pool, mode: Mode) -> Any:
            asked.append(f"{pool} {mode.value}")
            return work

        async def close(self) -> None: ...

    class Waits(StageClock):
        async def wait(self, wake: asyncio.Event, *, for_s: float) -> bool:
            waited.append(for_s)
            return False

    async def once(faults: Faults) -> Any:
        return await FaultyRunner(Inner(), faults, Waits()).once(lambda _: 7, Pool.API, Mode.READ)

    with pytest.raises(StoreUnavailable):
        await once(broken(DrillType.PARTITION))
    assert asked == []
    await once(broken(DrillType.SLOW_STORE))
    assert (asked, waited) == (["api read"], [0.5])
    await once(broken(DrillType.SLOW_STORE, 20_000))
    await once(broken(DrillType.HANG))
    assert waited == [0.5, 0.02]


async def test_a_worker_that_is_cut_off_loses_the_answer_that_is_on_its_way() -> None:
    node = Node()
    left: list[str] = []

    class Link:
        async def leave(self, leaving: Leaving) -> None:
            left.append(leaving.session)
            node.faults.begin(DrillOrder(id=1, type="partition", for_us=SECOND))

    link = FaultyLink(cast("WorkerLink", Link()), node.faults)
    for _ in range(2):
        with pytest.raises(CutOff):
            await link.leave(Leaving(session="s"))
    assert left == ["s"], "the second call never left the worker"


def test_a_full_disk_refuses_and_nothing_counts_as_kept(tmp_path: Path) -> None:
    faults = broken(DrillType.DISK_FULL)
    folder = SpoolFolder(tmp_path / "spool", write=partial(write_or_refuse, faults))
    spool = folder.open("s")
    entry = SpooledReport(run_id=1, lease_id="l", cause=Cause.SUCCEEDED)
    assert not spool.append([entry])
    assert (faults.noticed_us, spool.is_empty) == (0, True)
    faults.clear()
    assert spool.append([entry])
    spool.close()


def test_only_the_wall_clock_steps() -> None:
    for size_us, off in ((None, timedelta(hours=1)), (-90 * SECOND, timedelta(seconds=-90))):
        faults = broken(DrillType.CLOCK_STEP, size_us)
        clock = StageClock()
        stepped = SteppedClock(clock, faults)
        assert (stepped.now() - clock.now(), stepped.monotonic() - clock.monotonic()) == (off, 0)
        faults.clear()
        assert stepped.now() == clock.now()
