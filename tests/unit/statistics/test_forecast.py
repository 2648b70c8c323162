"""The forecast of slots."""

import random

import pytest

from foliot.domain.instants import MINUTE, SECOND
from foliot.domain.statistics.forecast import SlotForecast, is_short

BEGIN = 100 * MINUTE


def slots(*runs: tuple[int, int], minutes: int = 4) -> list[float]:
    """Of runs that are due and last so many seconds after the beginning."""
    forecast = SlotForecast(BEGIN, BEGIN + minutes * MINUTE)
    for due_s, lasts_s in runs:
        forecast.add(BEGIN + due_s * SECOND, lasts_s * SECOND)
    found = forecast.slots()
    assert list(found) == [BEGIN + nth * MINUTE for nth in range(minutes)]
    return list(found.values())


@pytest.mark.parametrize(
    ("runs", "busy"),
    [
        ([], [0, 0, 0, 0]),
        ([(0, 30)], [0.5, 0, 0, 0]),
        ([(0, 60)], [1, 0, 0, 0]),
        ([(30, 60)], [0.5, 0.5, 0, 0]),
        ([(30, 120)], [0.5, 1, 0.5, 0]),
        ([(60, 3600)], [0, 1, 1, 1]),
        ([(0, 0), (10, 0)], [0, 0, 0, 0]),
        ([(0, 15)] * 8, [2, 0, 0, 0]),
        ([(0, 90), (60, 60), (210, 20)], [1, 1.5, 0, pytest.approx(1 / 3)]),
        ([(180, 60)], [0, 0, 0, 1]),
    ],
)
def test_a_run_keeps_its_slot_for_as_long_as_it_lasts(runs: list[tuple[int, int]], busy: list[float]) -> None:
    assert slots(*runs) == busy


def test_no_slot_time_is_lost_and_none_is_added() -> None:
    chance = random.Random(7)
    runs = [(chance.randrange(600), chance.randrange(700)) for _ in range(300)]
    kept_s = sum(min(due + lasts, 600) - due for due, lasts in runs)
    assert sum(slots(*runs, minutes=10)) * 60 == pytest.approx(kept_s)


@pytest.mark.parametrize(("needs", "slots", "short"), [(7, 10, False), (7.1, 10, True), (0, 0, False), (0.1, 0, True)])
def test_three_tenths_of_the_slots_stay_free(needs: float, slots: int, short: bool) -> None:
    assert is_short(needs, slots) is short
