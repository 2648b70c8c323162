"""Which poll gets which run, without a database."""

from typing import Any

from foliot.ports.store.runs import Poll
from foliot.store.sql.leasing.candidates import Candidate, _Line
from foliot.store.sql.leasing.candidates import _best as best
from foliot.store.sql.leasing.fair_order import by_rank
from foliot.store.sql.leasing.free_slots import FreeSlots
from foliot.store.sql.leasing.run_kinds import RunKind
from foliot.store.sql.leasing.run_kinds import _gaps as gaps

MINUTE = 60_000_000


def poll(session: str, free: int, *lanes: int) -> Poll:
    return Poll(session=session, request_no=1, free=free, lanes=lanes or (1,))


def run(run_id: int = 1, **other: Any) -> Candidate:
    usual = dict.fromkeys(Candidate._fields, 0) | {"id": run_id, "lane": 1, "assigned_to": None, "assigned_until": None}
    return Candidate(**(usual | other))


def taken(slots: FreeSlots, *runs: Candidate) -> list[str | None]:
    polls = [slots.take(run, now=100, namespace="default") for run in runs]
    return [one.session if one else None for one in polls]


def test_whoever_has_most_free_is_served_next() -> None:
    slots = FreeSlots([poll("a", 1), poll("b", 3), poll("c", 2)])
    assert slots.free == 6
    assert taken(slots, *(run(n) for n in range(7))) == ["b", "c", "b", "a", "c", "b", None]
    assert slots.free == 0


def test_only_lanes_that_a_worker_serves() -> None:
    slots = FreeSlots([poll("a", 2, 1), poll("b", 2, 1, 2)])
    assert slots.free_in(1) == 4
    assert slots.free_in(2) == 2
    assert taken(slots, run(1, lane=2), run(2, lane=2), run(3, lane=2), run(4), run(5), run(6)) == [
        "b", "b", None, "a", "a", None,
    ]  # fmt: skip


def test_a_run_somebody_died_of_goes_alone() -> None:
    slots = FreeSlots([poll("a", 5), poll("b", 2)])
    assert taken(slots, run(1, deaths=1), run(2), run(3, deaths=2), run(4)) == ["a", "b", None, "b"]
    alone = FreeSlots([poll("a", 5)])
    assert taken(alone, run(1), run(2, deaths=1)) == ["a", None]


def test_an_assigned_run_goes_to_its_worker_until_its_time_is_over() -> None:
    slots = FreeSlots([poll("a", 5), poll("b", 1)])
    mine = {"assigned_to": "b", "assigned_until": 101}
    assert taken(slots, run(1, **mine), run(2, **mine), run(3, assigned_to="gone", assigned_until=101)) == [
        "b", None, None,
    ]  # fmt: skip
    assert taken(slots, run(4, assigned_to="b", assigned_until=100)) == ["a"]


def test_a_bounded_job_counts_the_runs_of_every_session_whichever_lane_it_serves() -> None:
    slots = FreeSlots([poll("a", 5, 1), poll("b", 5, 2)])
    slots.bound(1, 7, 2, {"a": 1})
    slots.bound(2, 7, 2, {"b": 0})
    assert slots.free_in(1) == 1
    assert taken(slots, run(1), run(2), run(3, lane=2), run(4, lane=2), run(5, lane=2)) == ["a", None, "b", "b", None]
    slots.bound(1, 7, 2, {"a": 0})
    assert slots.free_in(1) == 2, "what was read last counts"


def test_a_poll_with_nothing_to_offer_is_not_seated() -> None:
    assert FreeSlots([poll("a", 0), Poll(session="b", request_no=1, free=3, lanes=())]).free == 0


def test_a_step_of_priority_is_worth_a_minute() -> None:
    urgent, old = run(1, priority=6, not_before=3 * MINUTE), run(2, priority=5, not_before=2 * MINUTE - 1)
    assert by_rank(old) < by_rank(urgent)
    assert by_rank(urgent) < by_rank(old._replace(not_before=2 * MINUTE + 1))


def test_the_best_of_several_kinds() -> None:
    usual, urgent, late = RunKind(1, 0, 5), RunKind(2, 0, 6), RunKind(1, 1, 5)
    known = {usual: [10, 20, 30], urgent: [MINUTE + 15, MINUTE + 25], late: [1, 2, 3, 4]}
    assert best([_Line(known)], 4, late_max=2) == {late: 2, usual: 1, urgent: 1}
    assert best([_Line(known)], 9, late_max=4) == {late: 4, usual: 3, urgent: 2}
    assert best([_Line({late: [1, 2, 3]})], 2, late_max=1) == {late: 2}  # nothing on time is left out
    assert best([_Line({usual: [1], late: [0]})], 1, late_max=0) == {usual: 1}
    assert best([_Line({usual: [1], late: [0]})], 1, late_max=1) == {late: 1}


def test_namespaces_take_turns_and_each_has_its_own_order() -> None:
    crowd, other, urgent = RunKind(1, 0, 5), RunKind(2, 0, 5), RunKind(3, 0, 10)
    crowded = {crowd: [1, 2, 3, 4, 5, 6]}
    few = {other: [20, 21, 22], urgent: [30]}

    def shares(n: int, *, got: tuple[int, int] = (0, 0)) -> dict[RunKind, int]:
        return best([_Line(crowded, got[0]), _Line(few, got[1])], n, late_max=0)

    assert shares(2) == {crowd: 1, urgent: 1}
    assert shares(4) == {crowd: 2, urgent: 1, other: 1}
    assert shares(9) == {crowd: 5, urgent: 1, other: 3}, "nothing is left idle for the sake of shares"
    assert shares(1, got=(1, 0)) == {urgent: 1}
    assert shares(3, got=(0, 2)) == {crowd: 2, urgent: 1}


def test_gaps_lie_between_what_is_known() -> None:
    (everything,) = gaps([])
    low, high = everything[:3], everything[3:]
    one, two = RunKind(1, 0, 5), RunKind(4, 1, 2)
    assert gaps([two, one]) == [(*low, *one), (*one, *two), (*two, *high)]
