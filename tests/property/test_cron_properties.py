"""What holds for every cron expression in every zone: order, agreement forwards and backwards, exact counts."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foliot.domain.schedule import HORIZON, Cron, CronDialect, Gap, RepeatedTime
from tests.property.clockwork import (
    SECOND,
    ZONES,
    Meaning,
    due_by_looking,
    due_by_readings,
    meanings,
    transitions_of,
    zone_of,
)
from tests.property.walking import masked, walked, walked_back

DAY_S = 86_400
INSTANTS = st.integers(0, 4_000_000_000 * SECOND)
FROM, TO = (int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in (2024, 2027))


def cron_of(meaning: Meaning, tz: str, gap: str = "after", overlap: str = "first") -> Cron:
    return Cron(
        text=meaning.text,
        tz=tz,
        dialect=CronDialect(meaning.dialect),
        dst_gap=Gap(gap),
        dst_overlap=RepeatedTime(overlap),
    )


@settings(max_examples=300, deadline=None)
@given(meanings(), st.sampled_from(ZONES), INSTANTS)
def test_the_next_instant_is_later_and_leads_back(meaning: Meaning, tz: str, instant: int) -> None:
    trigger = cron_of(meaning, tz)
    following = trigger.next_after(instant)
    if following is None:
        return
    assert following > instant
    assert following % SECOND == 0
    before = trigger.previous_before(following)
    assert before is None or before <= instant
    assert trigger.previous_before(following + 1) == following
    assert trigger.next_after(following - 1) == following
    assert trigger.count_between(instant, following) == 1


@settings(max_examples=300, deadline=None)
@given(meanings(), st.sampled_from(ZONES), INSTANTS, st.integers(0, 400 * DAY_S * SECOND))
def test_later_questions_never_get_earlier_answers(meaning: Meaning, tz: str, instant: int, more: int) -> None:
    trigger = cron_of(meaning, tz)
    one, other = trigger.next_after(instant), trigger.next_after(instant + more)
    assert other is None or (one is not None and one <= other)
    earlier, later = trigger.previous_before(instant), trigger.previous_before(instant + more)
    assert earlier is None or (later is not None and earlier <= later)


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(meanings(), st.sampled_from(ZONES), st.integers(FROM, TO), st.sampled_from(["after", "skip"]), st.data())
def test_every_way_of_asking_agrees_with_the_wall_clock(
    meaning: Meaning, tz: str, first: int, gap: str, data: st.DataObject
) -> None:
    overlap = data.draw(st.sampled_from(["first", "second", "both"]))
    many = len(meaning.seconds) * len(meaning.minutes) * len(meaning.hours)
    past = first + max(3600, min(60 * DAY_S, 1000 * DAY_S // many))
    trigger = cron_of(meaning, tz, gap, overlap)
    expected = due_by_readings(meaning, zone_of(tz), first, past, gap=gap, overlap=overlap)
    assert walked(trigger, first, past) == expected
    assert walked_back(trigger, first, past) == expected
    assert masked(trigger, first, past) == expected
    assert trigger.count_between(first * SECOND - 1, past * SECOND - 1) == len(expected)


@settings(max_examples=60, deadline=None)
@given(meanings(), st.sampled_from(ZONES), st.data())
def test_near_a_change_of_the_clock_all_agree(meaning: Meaning, tz: str, data: st.DataObject) -> None:
    changes = transitions_of(tz, FROM, FROM + 366 * DAY_S)
    if not changes:
        return
    at = data.draw(st.sampled_from(changes)) + data.draw(st.integers(-7200, 3600))
    gap, overlap = (
        data.draw(st.sampled_from(["after", "skip"])),
        data.draw(st.sampled_from(["first", "second", "both"])),
    )
    trigger = cron_of(meaning, tz, gap, overlap)
    expected = due_by_readings(meaning, zone_of(tz), at, at + 10_800, gap=gap, overlap=overlap)
    assert walked(trigger, at, at + 10_800) == expected
    assert walked_back(trigger, at, at + 10_800) == expected
    assert masked(trigger, at, at + 10_800) == expected


@settings(max_examples=20, deadline=None)
@given(meanings(), st.integers(FROM, TO))
def test_the_oracle_agrees_with_simply_looking(meaning: Meaning, first: int) -> None:
    """The judge is judged: away from changes of the clock, both ways of knowing say the same."""
    zone = zone_of("Asia/Kolkata")
    assert due_by_readings(meaning, zone, first, first + 7200) == due_by_looking(meaning, zone, first, first + 7200)


@settings(max_examples=200, deadline=None)
@given(meanings(), st.sampled_from(ZONES), INSTANTS, st.lists(st.integers(1, 3 * 366 * DAY_S), min_size=1, max_size=4))
def test_counts_add_up(meaning: Meaning, tz: str, start: int, steps: list[int]) -> None:
    trigger = cron_of(meaning, tz)
    edges = [start]
    for step in steps:
        edges.append(edges[-1] + step * SECOND)
    parts = [trigger.count_between(a, b) for a, b in pairwise(edges)]
    assert sum(parts) == trigger.count_between(edges[0], edges[-1])
    assert trigger.count_between(edges[-1], edges[0]) == 0


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(meanings(), st.sampled_from(ZONES), st.sampled_from([-(10**18), -1, 0, HORIZON - 1, HORIZON, 10**18]))
def test_the_ends_of_time_are_answered(meaning: Meaning, tz: str, instant: int) -> None:
    trigger = cron_of(meaning, tz)
    following, before = trigger.next_after(instant), trigger.previous_before(instant)
    assert following is None or max(instant, -1) < following < HORIZON
    assert before is None or 0 <= before < min(instant, HORIZON)
    assert trigger.count_between(-(10**18), 10**18) == trigger.count_between(-1, HORIZON - 1)


@pytest.mark.parametrize(
    "text", ["0 0 31 2 *", "0 0 0 30 2 ?", "0 0 0 31 4,6,9,11 *", "0 0 0 1 1 ? 1970", "0 0 0 LW * SUN"]
)
def test_what_never_comes_is_known_at_once(text: str) -> None:
    trigger = Cron(text=text)
    assert trigger.next_after(1_769_875_200 * SECOND) is None
