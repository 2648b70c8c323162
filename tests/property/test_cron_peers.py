"""Agreement with cronsim and croniter where they are right; where they are not, docs/decisions/own-cron.md says why."""

import re
from datetime import UTC, datetime
from itertools import islice

import pytest
from croniter import croniter
from croniter.croniter import CroniterError
from cronsim import CronSim, CronSimError
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from foliot.domain.schedule import Cron
from tests.property.clockwork import SECOND, ZONES, Meaning, meanings, zone_of

pytestmark = pytest.mark.slow

MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1)).map(lambda moment: moment.replace(microsecond=0))  # noqa: DTZ001
FIRES = 6
# `5/3`, `5-5/2`, `SUN-SUN` and steps longer than their range are read differently by one or the other.
ODD = re.compile(r"(^|[ ,])[0-9]+/|([0-9A-Z]+)-\2(/| |$)")


def is_plain(text: str) -> bool:
    ranges = re.findall(r"([0-9]+)-([0-9]+)/([0-9]+)", text)
    return not ODD.search(text) and all(int(step) <= int(last) - int(first) for first, last, step in ranges)


def ours(text: str, tz: str, start: datetime) -> list[datetime]:
    trigger, zone = Cron(text=text, tz=tz), zone_of(tz)
    found: list[datetime] = []
    at = trigger.next_after(int(start.timestamp()) * SECOND)
    while at is not None and len(found) < FIRES:
        found.append(datetime.fromtimestamp(at // SECOND, zone))
        at = trigger.next_after(at)
    return found


@settings(max_examples=400, deadline=None)
@given(meanings(dialects=("unix",)), MOMENTS)
def test_cronsim_agrees_in_utc(meaning: Meaning, moment: datetime) -> None:
    assume(is_plain(meaning.text))
    start = moment.replace(tzinfo=UTC)
    try:
        theirs = list(islice(CronSim(meaning.text, start), FIRES))
    except CronSimError:
        assume(False)
    assume(not theirs or theirs[-1].year < 2100)
    assert ours(meaning.text, "UTC", start) == theirs


@settings(max_examples=300, deadline=None)
@given(meanings(dialects=("unix",)), MOMENTS, st.sampled_from(ZONES))
def test_cronsim_agrees_in_zones(meaning: Meaning, moment: datetime, tz: str) -> None:
    """For fixed times and for plain stars; it counts a starred minute as wildcard and `3/5` hours as fixed."""
    assume(is_plain(meaning.text))
    minute, hour = meaning.text.split()[:2]
    is_star = hour.startswith("*")
    assume(is_star == (not meaning.is_fixed_time) and (is_star or not minute.startswith("*")))
    start = moment.replace(tzinfo=UTC).astimezone(zone_of(tz))
    try:
        theirs = list(islice(CronSim(meaning.text, start), FIRES))
    except CronSimError:
        assume(False)
    assume(not theirs or theirs[-1].year < 2100)
    assert [at.timestamp() for at in ours(meaning.text, tz, start)] == [at.timestamp() for at in theirs]


@settings(max_examples=150, deadline=None)
@given(meanings(dialects=("unix",)), MOMENTS)
def test_croniter_agrees_in_utc(meaning: Meaning, moment: datetime) -> None:
    """Without W and L, where it has other rules; it joins `*/2` days to weekdays by OR, and days to `FRI#3` by AND.

    Its `FRI/1` ends on Saturday; ours and cronsim's goes on to 7, which is Sunday.
    """
    assume(is_plain(meaning.text))
    _, _, day, _, weekday = meaning.text.split()
    assume(not any(letter in day + weekday for letter in "LW"))
    assume("#" not in weekday or day == "*")
    assume("/" not in weekday or weekday[0] == "*")
    assume("*" in (day, weekday) or not (day[0] == "*" or weekday[0] == "*"))
    start = moment.replace(tzinfo=UTC)
    try:
        fires = croniter(meaning.text, start, ret_type=datetime)
        theirs = [fires.get_next() for _ in range(FIRES)]
    except (CroniterError, OverflowError):
        assume(False)
    assert ours(meaning.text, "UTC", start) == theirs
