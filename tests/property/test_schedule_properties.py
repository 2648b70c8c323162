"""Unions, bounds, calendars, shifts and jitter: counted, walked and looked up, all say the same."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from foliot.domain.schedule import At, Calendar, Cron, Daily, Every, Schedule, Shift, Trigger, Weekly
from foliot.domain.schedule.calendars import Blackout, ClosedHours, DayKind
from foliot.domain.schedule.days import day_number
from foliot.domain.schedule.workdays import Place
from tests.property.clockwork import SECOND, Meaning, meanings, zone_of
from tests.property.walking import masked, walked, walked_back

DAY_S, DAY = 86_400, 86_400 * SECOND
START_S = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())
START = START_S * SECOND
ZONES = ("UTC", "Asia/Shanghai", "Europe/Berlin", "America/Sao_Paulo", "Pacific/Chatham")
SECONDS = st.integers(0, 300 * DAY_S)
DAYS = st.integers(START_S // DAY_S, START_S // DAY_S + 300)
TIMES = st.lists(st.integers(0, DAY_S - 1), min_size=1, max_size=3, unique=True).map(lambda times: tuple(sorted(times)))


@st.composite
def crons(draw: st.DrawFn) -> Cron:
    meaning: Meaning = draw(meanings(dialects=("unix",)))
    return Cron(text=meaning.text, tz=draw(st.sampled_from(ZONES)))


@st.composite
def days_triggers(draw: st.DrawFn) -> Trigger:
    tz = draw(st.sampled_from(ZONES))
    every, since = draw(st.integers(1, 10)), draw(DAYS)
    kind = draw(st.sampled_from(["daily", "weekly", "at", "cron"]))
    if kind == "daily":
        return Daily(times=draw(TIMES), tz=tz, every=every, since=since)
    if kind == "weekly":
        return Weekly(weekdays=draw(st.integers(1, 127)), times=draw(TIMES), tz=tz, every=min(every, 5), since=since)
    if kind == "at":
        seconds = draw(st.lists(SECONDS, min_size=1, max_size=5, unique=True))
        return At(instants=tuple(sorted(START + second * SECOND for second in seconds)), tz=tz)
    return draw(crons())


@st.composite
def triggers(draw: st.DrawFn) -> Trigger:
    if draw(st.booleans()):
        interval = draw(st.integers(1, 3 * DAY_S))
        return Every(interval_us=interval * SECOND, phase_us=draw(st.integers(0, interval - 1)) * SECOND)
    return draw(days_triggers())


@st.composite
def calendars(draw: st.DrawFn, *, shift: Shift | None = None) -> Calendar:
    hours = st.tuples(st.integers(0, DAY_S - 1), st.integers(1, DAY_S), st.integers(1, 127))
    closed = draw(st.lists(hours, max_size=2))
    blackouts = draw(st.lists(st.tuples(SECONDS, st.integers(1, 20 * DAY_S)), max_size=2))
    return Calendar(
        name="days",
        tz=draw(st.sampled_from([None, "Asia/Tokyo", "America/New_York"])),
        place=draw(st.sampled_from([None, Place("CN"), Place("US", "NY")])),
        days=draw(st.sampled_from(list(DayKind))),
        weekdays=draw(st.sampled_from([127, 127, 0b0111110, 0b1010101])),
        include=frozenset(draw(st.lists(DAYS, max_size=3))),
        exclude=frozenset(draw(st.lists(DAYS, max_size=3))),
        exclude_yearly=frozenset([(5, 1)] if draw(st.booleans()) else []),
        closed_hours=tuple(ClosedHours(start=start, end=end, weekdays=days) for start, end, days in closed),
        blackouts=tuple(
            Blackout(start_at=START + first * SECOND, end_at=START + (first + length) * SECOND - 1)
            for first, length in blackouts
        ),
        shift=shift,
    )


def union(parts: tuple[Trigger, ...], first: int, past: int) -> list[int]:
    return sorted(set().union(*(walked(part, first, past) for part in parts)))


def window(schedule: Schedule, first: int) -> int:
    """The end of a span with not too many instants to walk through."""
    past = first + 30 * DAY_S
    while sum(one.count_between(first * SECOND - 1, past * SECOND - 1) for one in schedule.triggers) > 600:
        past = first + (past - first) // 4
    return past


@settings(max_examples=150, deadline=None)
@given(st.lists(triggers(), min_size=1, max_size=3), SECONDS, st.integers(0, 60 * DAY_S), st.integers(1, 90 * DAY_S))
def test_a_union_within_bounds_is_what_its_parts_say(parts: list[Trigger], begin: int, late: int, length: int) -> None:
    start_at, end_at = START + (begin + late // 2) * SECOND, START + (begin + late // 2 + length) * SECOND
    schedule = Schedule(triggers=tuple(parts), start_at=start_at, end_at=end_at)
    first = START_S + begin
    past = window(schedule, first)
    expected = [at for at in union(tuple(parts), first, past) if start_at <= at * SECOND < end_at]
    assert walked(schedule, first, past) == expected
    assert walked_back(schedule, first, past) == expected
    assert masked(schedule, first, past) == expected
    assert schedule.count_between(first * SECOND - 1, past * SECOND - 1) == len(expected)
    assert schedule.allowed_between(first * SECOND - 1, past * SECOND - 1) == len(expected)


@settings(max_examples=150, deadline=None)
@given(st.lists(triggers(), min_size=1, max_size=2), calendars(), SECONDS)
def test_a_calendar_rules_and_counts_alike(parts: list[Trigger], calendar: Calendar, begin: int) -> None:
    schedule = Schedule(triggers=tuple(parts), calendar=calendar)
    first = START_S + begin
    past = window(schedule, first)
    allowed = [at for at in walked(schedule, first, past) if schedule.ruling(at * SECOND).is_allowed]
    assert schedule.allowed_between(first * SECOND - 1, past * SECOND - 1) == len(allowed)
    found, at = [], schedule.next_allowed_after(first * SECOND - 1)
    while at is not None and at < past * SECOND:
        found.append(at // SECOND)
        at = schedule.next_allowed_after(at)
    assert found == allowed
    back, at = [], schedule.previous_allowed_before(past * SECOND)
    while at is not None and at >= first * SECOND:
        back.append(at // SECOND)
        at = schedule.previous_allowed_before(at)
    assert back[::-1] == allowed


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(triggers(), calendars()), min_size=2, max_size=3), SECONDS)
def test_a_list_with_a_calendar_each_is_allowed_where_any_entry_is(
    entries: list[tuple[Trigger, Calendar]], begin: int
) -> None:
    branches = tuple(Schedule(triggers=(trigger,), calendar=calendar) for trigger, calendar in entries)
    schedule = Schedule(triggers=branches)
    first = START_S + begin
    past = window(schedule, first)
    expected = {
        at for branch in branches for at in walked(branch, first, past) if branch.ruling(at * SECOND).is_allowed
    }
    assert schedule.allowed_between(first * SECOND - 1, past * SECOND - 1) == len(expected)
    assert {at for at in walked(schedule, first, past) if schedule.ruling(at * SECOND).is_allowed} == expected
    found, at = [], schedule.next_allowed_after(first * SECOND - 1)
    while at is not None and at < past * SECOND:
        found.append(at // SECOND)
        at = schedule.next_allowed_after(at)
    assert found == sorted(expected)


def moved(at: int, is_open: Callable[[int], bool], step: int) -> int | None:
    """The first of these instants, a day apart, that is open."""
    for _ in range(367):
        if is_open(at):
            return at
        at += step * DAY_S
    return None


@settings(max_examples=100, deadline=None)
@given(days_triggers(), calendars(), st.sampled_from(list(Shift)), st.integers(0, 200))
def test_a_shift_moves_each_day_to_an_open_one_once(
    trigger: Trigger, calendar: Calendar, direction: Shift, begin: int
) -> None:
    """Wall times stay, days move; what meets on one day counts once. Zones without clock changes keep it simple.

    Whether a day counts is asked in the calendar's own zone, if it has one.
    """
    tz = "Asia/Shanghai" if getattr(trigger, "tz", "UTC") != "UTC" else "UTC"
    trigger = _in_zone(trigger, tz)
    schedule = Schedule(triggers=(trigger,), calendar=calendar, shift=direction)
    first = START_S + begin * DAY_S
    past = first + 10 * DAY_S
    many = trigger.count_between((first - 40 * DAY_S) * SECOND, (past + 40 * DAY_S) * SECOND)
    if many > 4000:
        return
    counts = cache(lambda day: not calendar.against(day))
    zone = ZoneInfo(calendar.tz or tz)

    def is_open(at: int) -> bool:
        return counts(day_number(datetime.fromtimestamp(at, zone).date()))

    step = 1 if direction is Shift.NEXT else -1
    expected = set()
    for at in walked(trigger, first - 400 * DAY_S, past + 400 * DAY_S) if many < 400 else []:
        landing = moved(at, is_open, step)
        if landing is not None and first <= landing < past:
            expected.add(landing)
    if many < 400:
        assert walked(schedule, first, past) == sorted(expected)
        assert walked_back(schedule, first, past) == sorted(expected)
        assert schedule.count_between(first * SECOND - 1, past * SECOND - 1) == len(expected)
    following = schedule.next_after(first * SECOND)
    assert following is None or following > first * SECOND


def _in_zone(trigger: Trigger, tz: str) -> Trigger:
    match trigger:
        case Cron():
            return Cron(text=trigger.text, tz=tz)
        case Daily():
            return Daily(times=trigger.times, tz=tz, every=trigger.every, since=trigger.since)
        case Weekly():
            return Weekly(
                weekdays=trigger.weekdays, times=trigger.times, tz=tz, every=trigger.every, since=trigger.since
            )
        case At():
            return At(instants=trigger.instants, tz=tz)
    raise AssertionError(trigger)


@settings(max_examples=200, deadline=None)
@given(st.lists(triggers(), min_size=1, max_size=2), st.integers(1, 3 * DAY), SECONDS, st.text(max_size=8))
def test_jitter_is_the_same_everywhere_and_never_reaches_the_next_instant(
    parts: list[Trigger], jitter_us: int, begin: int, job: str
) -> None:
    schedule = Schedule(triggers=tuple(parts), jitter_us=jitter_us)
    due_at = schedule.next_after(START + begin * SECOND)
    if due_at is None:
        return
    wake_at = schedule.wake_at(job, due_at)
    assert wake_at == Schedule(triggers=tuple(parts), jitter_us=jitter_us).wake_at(job, due_at)
    assert due_at <= wake_at <= due_at + jitter_us
    following = schedule.next_after(due_at)
    assert following is None or wake_at < following


def test_the_weekly_grid_counts_weeks_from_monday() -> None:
    """Every second week of Monday 5 January 2026, also seen from a Sunday of that week."""
    for since in ("2026-01-05", "2026-01-11"):
        day = day_number(datetime.fromisoformat(since).date())
        weekly = Weekly(weekdays=0b0000011, times=(0,), every=2, since=day)  # Sunday and Monday
        zone = zone_of("UTC")
        dates = [datetime.fromtimestamp(at, zone).date() for at in walked(weekly, START_S, START_S + 30 * DAY_S)]
        monday = datetime(2026, 1, 5, tzinfo=UTC).date()
        expected = [monday + timedelta(days=n) for n in (0, 6, 14, 20)]
        assert dates == expected
