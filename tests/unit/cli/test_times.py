"""Times as the command line shows them."""

from datetime import UTC, datetime
from typing import Any

import pytest

from foliot.cli.jobs_reading import due_of
from foliot.cli.times import Times

NOW = datetime(2026, 3, 2, 6, 30, tzinfo=UTC)


@pytest.fixture
def times() -> Times:
    return Times("Asia/Shanghai", chinese=False, now=NOW)


def test_a_range_of_skipped_instants_is_shown_as_one(times: Times) -> None:
    skipped: dict[str, Any] = {"due_at": "2026-03-02T06:02:50Z", "from_at": "2026-03-02T06:02:30Z"}
    assert due_of(times, skipped) == "14:02:30–14:02:50"
    assert due_of(times, {**skipped, "from_at": skipped["due_at"]}) == "14:02:50"
    assert due_of(times, {**skipped, "from_at": None}) == "14:02:50"


@pytest.mark.parametrize(
    ("written", "tz", "told"),
    [
        ("2026-03-02T06:02:50Z", None, "14:02:50 CST"),
        ("2026-03-02T18:00:00Z", None, "03-03 02:00:00 CST"),
        ("2027-01-02T18:00:00Z", None, "2027-01-03 02:00:00 CST"),
        ("2026-03-02T18:00:00Z", "UTC", "18:00:00 UTC"),
        ("2026-03-02T06:02:50Z", "Europe/Berlin", "07:02:50 CET"),
        ("2026-07-02T06:02:50Z", "Europe/Berlin", "07-02 08:02:50 CEST"),
        ("2026-03-02T06:02:50Z", "Nowhere/Else", "14:02:50 CST"),
        (None, None, ""),
    ],
)  # fmt: skip
def test_a_time_in_a_sentence_says_its_zone(times: Times, written: str | None, tz: str | None, told: str) -> None:
    assert times.told(written, tz) == told
