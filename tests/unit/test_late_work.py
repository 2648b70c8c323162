"""Late work: how much of it starts while other work waits."""

import pytest

from foliot.domain.instants import SECOND
from foliot.domain.late_work import CATCH_UP, ON_TIME, PATIENCE_US, SURPLUS, LateShare
from foliot.store.sql.leasing.candidates import _best, _Line
from foliot.store.sql.leasing.run_kinds import RunKind

EARLY = [10 * SECOND, 11 * SECOND, 12 * SECOND, 13 * SECOND]
LATER = [20 * SECOND, 21 * SECOND, 22 * SECOND, 23 * SECOND]

ON_5, ON_1 = RunKind(1, ON_TIME, 5), RunKind(1, ON_TIME, 1)
PAST_5, PAST_10 = RunKind(1, CATCH_UP, 5), RunKind(1, CATCH_UP, 10)
MANY_5, MANY_1, MANY_10 = RunKind(1, SURPLUS, 5), RunKind(1, SURPLUS, 1), RunKind(1, SURPLUS, 10)


@pytest.mark.parametrize(
    ("n", "waited_us", "expected"),
    [
        (8, 0, [4, 4, 4]),
        (8, PATIENCE_US, [4, 4]),
        (8, PATIENCE_US + 1, [1, 1, 1]),
        (3, 0, [1, 2, 1, 2]),  # rounded down and up in turn
        (1, 0, [0, 1, 0, 1]),
        (1, PATIENCE_US + 1, [0, 0, 0, 0, 0, 0, 0, 1, 0]),  # one slot gets to it, too
        (0, 0, [0, 0]),
    ],
)
def test_late_work_gets_half_and_an_eighth_when_other_work_waits_for_long(
    n: int, waited_us: int, expected: list[int]
) -> None:
    share = LateShare()
    assert [share.of(n, waited_us=waited_us) for _ in expected] == expected


@pytest.mark.parametrize(
    ("waiting", "expected"),
    [
        ({PAST_5: EARLY, ON_5: LATER}, {PAST_5: 2, ON_5: 2}),
        ({PAST_5: EARLY, ON_5: LATER[:1]}, {PAST_5: 3, ON_5: 1}),  # what is left over
        ({PAST_5: EARLY}, {PAST_5: 4}),
        ({PAST_10: EARLY, ON_1: LATER}, {PAST_10: 2, ON_1: 2}),  # catch-up gives way to all on-time work
        ({MANY_5: EARLY, ON_5: LATER}, {MANY_5: 2, ON_5: 2}),
        ({MANY_5: EARLY, ON_5: LATER[:1]}, {MANY_5: 3, ON_5: 1}),
        ({MANY_5: LATER, ON_5: EARLY}, {ON_5: 4}),  # by rank, as ever
        ({MANY_10: EARLY, ON_1: LATER}, {MANY_10: 4}),  # a job with much to do keeps its priority
        ({MANY_1: EARLY, ON_5: LATER}, {ON_5: 4}),
        ({MANY_5: EARLY[:2], PAST_5: EARLY[2:], ON_5: LATER}, {MANY_5: 2, ON_5: 2}),  # one share for both
    ],
)
def test_late_work_gives_way_and_no_slot_stays_free(
    waiting: dict[RunKind, list[int]], expected: dict[RunKind, int]
) -> None:
    assert _best([_Line(waiting)], 4, late_max=2) == expected
