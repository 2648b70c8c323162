"""The oracle's own answers, written down by hand."""

from datetime import UTC, datetime, timedelta

import pytest

from foliot_check.history import SECOND
from foliot_check.oracle import NotUnderstood, instants


def us(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * SECOND


def shown(found: list[int]) -> list[str]:
    return [(datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=at)).strftime("%d %H:%M:%S") for at in found]


def test_an_interval_is_anchored_to_the_epoch() -> None:
    found = instants({"every": "7s"}, us("2026-01-01T00:00:00+00:00"), us("2026-01-01T00:00:20+00:00"))
    assert all(at // SECOND % 7 == 0 for at in found)
    assert len(found) == 2


def test_a_fixed_time_in_the_gap_fires_once_after_it() -> None:
    night = {"cron": "30 2 * * *", "tz": "Europe/Berlin"}
    assert shown(instants(night, us("2026-03-28T00:00:00+00:00"), us("2026-03-30T12:00:00+00:00"))) == [
        "28 01:30:00",
        "29 01:00:00",
        "30 00:30:00",
    ]


def test_a_fixed_time_in_the_overlap_fires_in_the_first_pass() -> None:
    night = {"cron": "30 2 * * *", "tz": "Europe/Berlin"}
    assert shown(instants(night, us("2026-10-24T12:00:00+00:00"), us("2026-10-25T12:00:00+00:00"))) == ["25 00:30:00"]


def test_a_wildcard_hour_follows_elapsed_time() -> None:
    half = {"cron": "30 * * * *", "tz": "Europe/Berlin"}
    assert len(instants(half, us("2026-10-25T00:00:00+00:00"), us("2026-10-25T04:00:00+00:00"))) == 4


@pytest.mark.slow
def test_day_and_weekday_are_joined_by_or() -> None:
    found = instants({"cron": "0 0 13 * FRI"}, us("2026-02-12T00:00:00+00:00"), us("2026-02-21T00:00:00+00:00"))
    assert shown(found) == ["13 00:00:00", "20 00:00:00"]


def test_what_it_does_not_know_is_said() -> None:
    with pytest.raises(NotUnderstood):
        instants({"cron": "0 0 L * *"}, 0, SECOND)
