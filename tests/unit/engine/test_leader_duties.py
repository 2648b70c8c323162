"""The list of the leader's duties: each hands its term to every write, and rests as it should."""

from collections.abc import Mapping
from itertools import count
from typing import Any, Final, cast

import pytest

from foliot.app.system import SystemClock
from foliot.domain.checkup import Finding
from foliot.domain.instants import MINUTE, SECOND
from foliot.domain.locks import LockClaim
from foliot.domain.planner import Planner
from foliot.domain.reports.period import Period
from foliot.domain.reports.schedule import schedule_from
from foliot.domain.sources import Source
from foliot.domain.verdict import judge
from foliot.engine.leader_duties import LEADER_DUTIES, LeaderContext, LeaderDuty, LeaderDutyRow, leader_duties
from foliot.engine.leadership import Leadership
from foliot.engine.node_look import NodeLook
from foliot.engine.pulse import Tide
from foliot.ports.store import Store
from foliot.ports.store.alert_rounds import AlertMarks, RoundLook
from foliot.ports.store.anomalies import JudgingPage, JudgingProgress
from foliot.ports.store.code import LiveCode, LiveCodes, RetiredPage
from foliot.ports.store.failovers import FailoverPage
from foliot.ports.store.firing import Pulse
from foliot.ports.store.locks import LocksSwept, LockWaits
from foliot.ports.store.node_loads import LoadProgress
from foliot.ports.store.reports import KeptSchedule
from foliot.ports.store.statistics import CountProgress
from tests.unit.engine.test_journal_and_backfills import Cluster, node

TERM: Final = 7
MORNING: Final = schedule_from("morning", {"to": ["mail"]}, namespace=None)
READS: Final = {
    "lookups.cluster",
    "lookups.nodes",
    "lookups.now",
    "locks.waits",
    "failovers.open",
    "failovers.list",
    "failovers.policies",
    "code.live",
    "code.sources",
    "code.modules_with_jobs",
    "checkup.kept",
    "statistics.progress",
    "statistics.left",
    "statistics.load_progress",
    "alert_rounds.look",
    "alerts.rules",
    "alerts.silences",
    "channels.list",
    "gauges.jobs",
    "gauges.read",
    "gauges.names",
    "statistics.judging_progress",
    "statistics.judging_page",
    "reports.next_report_at",
    "reports.due_schedules",
}
ONLY_LOOKS: Final = {"gauges"}
"""Duties that write nothing."""
ANSWERS: Final[Mapping[str, Any]] = {
    "runs.forget": (0, 0),
    "lookups.nodes": [node("s-a")],
    "journal.note": None,
    "code.live": LiveCodes(frozenset({LiveCode("code", None)}), 1),
    "code.sources": {"code": [Source(None, None, "jobs")]},
    "code.modules_with_jobs": frozenset({"jobs"}),
    "code.declared_again": RetiredPage((), None),
    "code.mark": None,
    "code.ask_again": (),
    "locks.sweep": LocksSwept(waiting=2),
    "locks.waits": LockWaits(
        claims=[
            LockClaim(id="a", lock=1, place=1, most=1, owner="one", until=1, token=1),
            LockClaim(id="b", lock=2, place=1, most=1, owner="two", until=1, token=1),
            LockClaim(id="c", lock=2, place=2, most=1, owner="one", until=1),
            LockClaim(id="d", lock=1, place=2, most=1, owner="two", until=1),
        ],
        locks={1: ("default", "first"), 2: ("default", "second")},
        owners={"one": "r-1", "two": "r-2"},
    ),
    "locks.break_waits": (["d"], []),
    "failovers.open": [],
    "failovers.list": FailoverPage(items=()),
    "checkup.kept": None,
    "statistics.progress": CountProgress(ver=1, counted_id=0, newest_id=0, now=0, has_left=True),
    "statistics.left": [],
    "statistics.load_progress": LoadProgress(0, {}),
    "alert_rounds.look": RoundLook(now=MINUTE, marks=AlertMarks((0, 0), (0, 0), (0, 0), (0, 0))),
    "alert_rounds.repair_policies": None,
    "alerts.rules": [],
    "alerts.silences": [],
    "channels.list": [],
    "reports.next_report_at": 1,
    "reports.due_schedules": [KeptSchedule(schedule=MORNING, next_at=1, last_at=None, updated_at=0, updated_by="")],
    "statistics.judging_progress": JudgingProgress(0, 0, 0),
    "statistics.judging_page": JudgingPage(jobs=(), hours={}, days={}, open={}, is_last=True),
}


class Asked:
    """A store that writes down what is asked of it."""

    def __init__(self, path: str = "", calls: list[tuple[str, Any]] | None = None) -> None:
        self._path = path
        self.calls: list[tuple[str, Any]] = [] if calls is None else calls

    def __getattr__(self, name: str) -> "Asked":
        return Asked(f"{self._path}.{name}".lstrip("."), self.calls)

    async def __call__(self, *_: Any, **how: Any) -> Any:
        self.calls.append((self._path, how.get("term")))
        if self._path == "lookups.cluster":
            return await Cluster().cluster()
        return ANSWERS.get(self._path, 0)


def context(store: Asked) -> LeaderContext:
    tide = Tide(SystemClock())
    pulse = Pulse(
        now=0, next_at=None, ready=False, parked=False, admissible=False, epoch=1, leader="s-a", term=TERM,
        leader_until=0, clock_suspect=False, lanes=0, maintenance_until=1,  # it is over
        assigned=True,
    )  # fmt: skip
    tide.learn(pulse, seen_at=0.0)

    async def replan(term: int) -> int:
        store.calls.append(("replan", term))
        return 0

    async def examine() -> list[Finding]:
        return []

    async def settle() -> None:
        store.calls.append(("settle", TERM))

    async def deliver(term: int) -> None:
        store.calls.append(("deliver", term))

    async def compose_report(period: Period, *, namespace: str | None, now: int) -> dict[str, Any]:
        return {}

    minutes = count(MINUTE, MINUTE)  # so that what is done once a minute is done
    return LeaderContext(
        store=cast("Store", store),
        tide=tide,
        judge=judge,
        tick_us=SECOND,
        grace_us=SECOND,
        session_ttl_us=SECOND,
        keep_us=SECOND,
        believed_now=lambda: next(minutes),
        band_of=lambda row: row.band,
        runs_may_be_ready=lambda: None,
        replan_calendars=replan,
        plans=Planner(),
        clock=SystemClock(),
        keeps_removed=False,
        retirement_told=lambda *_: None,
        locks_granted=lambda _: None,
        look=NodeLook(cast("Store", store).lookups, SystemClock()),
        examine=examine,
        graded=lambda *_: None,
        settle_drills=settle,
        deliver=deliver,
        keep_alive=deliver,
        compose_report=compose_report,
    )


@pytest.mark.parametrize("row", LEADER_DUTIES, ids=[row.name for row in LEADER_DUTIES])
async def test_every_write_of_a_duty_is_under_its_term(row: LeaderDutyRow) -> None:
    round_ = row.make(context(store := Asked()))
    for _ in range(2):
        await round_(TERM)
    writes = [call for call in store.calls if call[0] not in READS]
    assert bool(writes) is (row.name not in ONLY_LOOKS), "it did nothing"
    assert {term for _, term in writes} <= {TERM}


async def test_a_duty_rests_as_usual_or_as_its_round_says() -> None:
    leadership = Leadership(SystemClock())
    rests: list[float | None] = [0.5, None]

    async def act(term: int) -> float | None:
        assert term == TERM
        return rests.pop(0)

    duty = LeaderDuty("x", leadership, act, every_s=60)
    assert await duty.step() == 60, "a follower does nothing"
    leadership.won(TERM, trusted_until=SystemClock().monotonic() + 60)
    assert [await duty.step(), await duty.step()] == [0.5, 60]


def test_every_row_becomes_a_duty_of_its_own_name() -> None:
    duties = leader_duties(context(Asked()), Leadership(SystemClock()))
    assert [duty.name for duty in duties] == [row.name for row in LEADER_DUTIES]
    assert len({duty.name for duty in duties}) == len(duties)


async def test_the_duties_that_look_at_nodes_share_one_read() -> None:
    shared = context(store := Asked())
    rows = {row.name: row for row in LEADER_DUTIES}
    for name in ("chronicling", "failovers", "chronicling", "failovers"):
        await rows[name].make(shared)(TERM)
    reads = [path for path, _ in store.calls if path == "lookups.nodes"]
    assert len(reads) == 2, "one a round, not one a duty"
