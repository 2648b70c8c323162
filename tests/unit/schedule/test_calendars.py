"""Named calendars: days that count, closed hours, moving to working days, and where they come from."""

from datetime import date, timedelta
from itertools import takewhile
from typing import Any

import chinese_calendar
import pytest

from foliot.domain.errors import FoliotError
from foliot.domain.instants import SECOND
from foliot.domain.schedule import (
    Calendar,
    Ruling,
    builtin_calendar,
    calendar_from_document,
    calendar_to_document,
    find_calendar,
    schedule_from_document,
)
from foliot.domain.schedule.days import day_number
from foliot.domain.schedule.errors import BadCalendar, UnknownCalendar
from foliot.domain.schedule.workdays import Place, published_until
from tests.unit.schedule.asking import instant, planned, walk

CHINA = "Asia/Shanghai"
NEW_YORK = "America/New_York"


def is_open(calendar: Calendar, day: str) -> bool:
    return not calendar.against(day_number(date.fromisoformat(day)))


def calendar(**document: Any) -> Calendar:
    return calendar_from_document("days", document)


# countries


def test_china_agrees_with_the_state_council_on_every_day_of_twenty_years() -> None:
    workdays = find_calendar("cn-workdays", {})
    day = date(2007, 1, 1)
    while day <= date(2026, 12, 31):
        assert is_open(workdays, day.isoformat()) == chinese_calendar.is_workday(day), day
        day += timedelta(days=1)


def test_make_up_days_are_worked_and_holidays_are_not() -> None:
    workdays = find_calendar("cn-workdays", {})
    assert is_open(workdays, "2026-02-14")  # a Saturday worked for the Spring Festival
    assert is_open(workdays, "2026-10-10")
    assert not is_open(workdays, "2026-02-17")
    assert not is_open(workdays, "2026-02-07")  # an ordinary Saturday
    assert workdays.against(day_number(date(2026, 2, 17))) == "Chinese New Year (Spring Festival)"
    assert workdays.against(day_number(date(2026, 2, 7))) == "weekend"


def test_places_that_decree_make_up_days_are_known_up_to_a_year() -> None:
    assert (published_until(Place("CN")) or 0) >= 2026
    assert (published_until(Place("HU")) or 0) >= 2026
    assert published_until(Place("DE")) is None
    assert published_until(Place(market="XNYS")) is None


def test_parts_of_countries_and_markets_have_their_own_days() -> None:
    assert is_open(find_calendar("de-workdays", {}), "2026-11-01") is False  # a Sunday
    assert is_open(find_calendar("de-workdays", {}), "2026-06-04")
    assert not is_open(find_calendar("de-by-workdays", {}), "2026-06-04")  # Corpus Christi in Bavaria
    assert not is_open(find_calendar("xnys-workdays", {}), "2026-04-03")  # Good Friday
    assert is_open(find_calendar("us-workdays", {}), "2026-04-03")
    assert is_open(find_calendar("us-holidays", {}), "2026-07-04")
    assert not is_open(find_calendar("us-holidays", {}), "2026-07-06")


def test_the_weekend_is_the_countrys_own() -> None:
    saudi = find_calendar("sa-workdays", {})
    assert not is_open(saudi, "2026-01-02")  # Friday
    assert is_open(saudi, "2026-01-04")  # Sunday


# days


def test_days_are_included_and_excluded() -> None:
    days = calendar(weekdays="MON-FRI", include=["2026-01-03"], exclude=["2026-01-05", "01-06"])
    assert is_open(days, "2026-01-02")
    assert is_open(days, "2026-01-03")
    assert not is_open(days, "2026-01-04")
    assert not is_open(days, "2026-01-05")
    assert not is_open(days, "2026-01-06")
    assert not is_open(days, "2027-01-06")
    assert is_open(days, "2027-01-05")


def test_only_these_days() -> None:
    days = calendar(only=["2026-01-15", "2031-06-01"])
    assert planned({"cron": "0 9 * * *", "calendar": "days"}, 9, calendars={"days": days}) == [
        "2026-01-15 09:00",
        "2031-06-01 09:00",
    ]


def test_weekends_and_weekdays_are_built_in() -> None:
    assert planned({"daily": "09:00", "calendar": "weekends"}) == [
        "2026-01-03 09:00",
        "2026-01-04 09:00",
        "2026-01-10 09:00",
    ]
    assert planned({"daily": "09:00", "calendar": "weekdays"}) == [
        "2026-01-01 09:00",
        "2026-01-02 09:00",
        "2026-01-05 09:00",
    ]


def test_a_ruling_says_why() -> None:
    schedule = schedule_from_document({"cron": "0 2 * * *", "tz": CHINA, "calendar": "cn-workdays"})
    assert schedule.ruling(instant("2026-01-31 02:00", CHINA)) == Ruling("calendar", "cn-workdays: weekend")
    assert schedule.ruling(instant("2026-01-30 02:00", CHINA)).is_allowed


def test_the_days_are_those_of_the_schedules_zone_unless_the_calendar_has_its_own() -> None:
    saturday_in_shanghai = instant("2026-01-02T20:00:00Z")  # Saturday 04:00 there, still Friday in UTC
    for tz, allowed in ((CHINA, False), ("UTC", True)):
        schedule = schedule_from_document({"cron": "0 * * * *", "tz": tz, "calendar": "weekdays"})
        assert schedule.ruling(saturday_in_shanghai).is_allowed is allowed
    own = calendar(weekdays="MON-FRI", tz=CHINA)
    schedule = schedule_from_document({"cron": "0 * * * *", "calendar": "days"}, calendars={"days": own})
    assert not schedule.ruling(saturday_in_shanghai).is_allowed


def test_the_entries_of_a_list_count_days_each_in_its_own_zone() -> None:
    document = [
        {"cron": "0 9 * * MON", "tz": CHINA, "calendar": "weekdays"},
        {"cron": "0 20 * * FRI", "tz": NEW_YORK, "calendar": "weekdays"},  # a Saturday in Shanghai
    ]
    expected = ["2026-01-02 20:00", "2026-01-04 20:00", "2026-01-09 20:00"]
    assert planned(document, 3, tz=NEW_YORK) == expected
    read = schedule_from_document(document)
    assert schedule_from_document(read.to_document()) == read


def test_entries_in_several_zones_stay_one_schedule_where_no_calendar_counts_days() -> None:
    document = [{"cron": "0 9 * * *", "tz": CHINA}, {"cron": "0 20 * * *", "tz": NEW_YORK}]
    assert [one.__class__.__name__ for one in schedule_from_document(document).triggers] == ["Cron", "Cron"]


# closed hours


def test_closed_hours_reach_over_midnight() -> None:
    days = calendar(blackouts=[{"daily": "22:00-06:00", "on": "SAT", "why": "stock-taking"}])
    schedule = schedule_from_document({"cron": "0 */4 * * *", "calendar": "days"}, calendars={"days": days})
    allowed = planned(
        {"cron": "0 */4 * * *", "calendar": "days"}, 4, since="2026-01-03 16:00", calendars={"days": days}
    )
    assert allowed == ["2026-01-03 16:00", "2026-01-03 20:00", "2026-01-04 08:00", "2026-01-04 12:00"]
    assert schedule.ruling(instant("2026-01-04 04:00")) == Ruling("blackout", "days: stock-taking")
    assert schedule.ruling(instant("2026-01-04 06:00")).is_allowed


def test_hours_that_end_where_they_begin_last_a_day() -> None:
    days = calendar(blackouts=[{"daily": "06:00-06:00", "on": "SAT"}])
    assert planned({"cron": "0 */6 * * *", "calendar": "days"}, 3, since="2026-01-03", calendars={"days": days}) == [
        "2026-01-03 00:00",
        "2026-01-04 06:00",
        "2026-01-04 12:00",
    ]


def test_a_blackout_is_closed_at_its_start_and_open_at_its_end() -> None:
    days = calendar(blackouts=[{"from": "2026-11-10 22:00", "to": "2026-11-12 02:00", "why": "Double Eleven"}])
    schedule = schedule_from_document({"every": "2h", "calendar": "days"}, calendars={"days": days})
    assert not schedule.ruling(instant("2026-11-10 22:00")).is_allowed
    assert schedule.ruling(instant("2026-11-11 12:00")).why == "days: Double Eleven"
    assert schedule.ruling(instant("2026-11-12 02:00")).is_allowed
    assert schedule.next_allowed_after(instant("2026-11-10 20:00")) == instant("2026-11-12 02:00")
    assert schedule.previous_allowed_before(instant("2026-11-12 02:00")) == instant("2026-11-10 20:00")
    assert schedule.count_between(instant("2026-11-10 20:00"), instant("2026-11-12 02:00")) == 15
    assert schedule.allowed_between(instant("2026-11-10 20:00"), instant("2026-11-12 02:00")) == 1


@pytest.mark.parametrize(
    ("tz", "offset", "is_closed_at"),
    [
        (None, "", ("2026-11-10 22:00", CHINA)),  # the schedule's zone, as days and daily hours
        ("America/New_York", "", ("2026-11-10 22:00", NEW_YORK)),
        (None, "Z", ("2026-11-10 22:00", "UTC")),
        (None, "+01:00", ("2026-11-10 22:00", "Europe/Berlin")),
    ],
)
def test_a_blackout_is_in_the_zone_its_days_are_in(tz: str | None, offset: str, is_closed_at: tuple[str, str]) -> None:
    times = {"from": f"2026-11-10T22:00:00{offset}", "to": f"2026-11-10T23:00:00{offset}"}
    read = calendar(blackouts=[times]) if tz is None else calendar(blackouts=[times], tz=tz)
    stored = calendar_from_document("days", calendar_to_document(read))
    for days in (read, stored):
        schedule = schedule_from_document(
            {"cron": "*/30 * * * *", "tz": CHINA, "calendar": "days"}, calendars={"days": days}
        )
        start = instant(*is_closed_at)
        assert not schedule.ruling(start).is_allowed
        assert schedule.next_allowed_after(start - 1) == start + 3600 * SECOND
        assert schedule.ruling(start - 1800 * SECOND).is_allowed


def test_a_dense_schedule_leaves_closed_days_behind_at_once() -> None:
    schedule = schedule_from_document({"every": "1s", "calendar": "cn-workdays"})
    assert schedule.next_allowed_after(instant("2026-02-15")) == instant("2026-02-24")
    year = schedule.allowed_between(instant("2026-01-01") - 1, instant("2027-01-01") - 1)
    workdays = sum(chinese_calendar.is_workday(date(2026, 1, 1) + timedelta(days=n)) for n in range(365))
    assert year == workdays * 86_400


def test_a_calendar_without_an_open_day_ends_the_search() -> None:
    closed = calendar(only=[])
    schedule = schedule_from_document({"every": "1s", "calendar": "days"}, calendars={"days": closed})
    assert schedule.next_allowed_after(instant("2026-01-01")) is None
    assert schedule.previous_allowed_before(instant("2026-01-01")) is None
    assert schedule.allowed_between(0, instant("2026-01-01")) == 0


# moving to working days


@pytest.mark.parametrize(
    ("shift", "expected"),
    [
        ("next", ["2026-04-27 09:00", "2026-05-25 09:00", "2026-06-25 09:00", "2026-07-27 09:00"]),
        ("previous", ["2026-04-24 09:00", "2026-05-25 09:00", "2026-06-25 09:00", "2026-07-24 09:00"]),
    ],
)
def test_pay_day_moves_to_a_working_day(shift: str, expected: list[str]) -> None:
    document = {"cron": "0 9 25 * *", "tz": CHINA, "calendar": "cn-workdays", "shift": shift}
    assert planned(document, 4, since="2026-04-01", tz=CHINA) == expected


def test_a_shift_over_a_long_holiday_and_a_make_up_day() -> None:
    document = {"cron": "0 9 15 2 *", "tz": CHINA, "calendar": "cn-workdays", "shift": "next"}
    assert planned(document, 1, since="2026-02-01", tz=CHINA) == ["2026-02-24 09:00"]  # 15 to 23 February are free
    document["shift"] = "previous"
    assert planned(document, 1, since="2026-02-01", tz=CHINA) == ["2026-02-14 09:00"]  # the worked Saturday


def test_a_shift_can_cross_into_a_month_that_has_no_day_of_its_own() -> None:
    forward = schedule_from_document({"cron": "0 9 31 * *", "calendar": "weekdays", "shift": "next"})
    assert forward.next_after(instant("2026-01-31")) == instant("2026-02-02 09:00")
    assert forward.next_after(instant("2026-02-02 09:00")) == instant("2026-03-31 09:00")
    assert forward.previous_before(instant("2026-03-31")) == instant("2026-02-02 09:00")
    back = schedule_from_document({"cron": "0 9 1 2,8 *", "calendar": "weekdays", "shift": "previous"})
    assert back.next_after(instant("2026-01-01")) == instant("2026-01-30 09:00")
    assert back.next_after(instant("2026-01-30 09:00")) == instant("2026-07-31 09:00")
    assert back.previous_before(instant("2026-07-31")) == instant("2026-01-30 09:00")


def test_days_that_meet_count_once_and_stay_in_order() -> None:
    document = {"daily": "09:00", "calendar": "weekdays", "shift": "next"}
    assert planned(document, 4) == ["2026-01-01 09:00", "2026-01-02 09:00", "2026-01-05 09:00", "2026-01-06 09:00"]
    mixed = [
        {"weekly": "SAT", "time": "10:00", "calendar": "weekdays", "shift": "next"},
        {"weekly": "SUN", "time": "08:00", "calendar": "weekdays", "shift": "next"},
    ]
    assert planned(mixed, 3) == ["2026-01-05 08:00", "2026-01-05 10:00", "2026-01-12 08:00"]


def test_given_instants_move_by_the_wall_clock() -> None:
    document = {"at": "2026-03-28 02:30", "tz": "Europe/Berlin", "calendar": "weekdays", "shift": "next"}
    assert planned(document, 2, tz="Europe/Berlin") == ["2026-03-30 02:30"]


@pytest.mark.parametrize(
    ("when", "shift", "expected"),
    [
        ({"cron": "0 20 * * FRI"}, "next", ["2026-01-04 20:00", "2026-01-11 20:00"]),
        ({"cron": "0 20 * * FRI"}, "previous", ["2026-01-01 20:00", "2026-01-08 20:00"]),
        ({"cron": "0 20 * * SUN"}, "next", ["2026-01-04 20:00", "2026-01-11 20:00"]),  # a Monday in Shanghai
        ({"cron": "0 9,20 * * FRI"}, "next", ["2026-01-02 09:00", "2026-01-04 20:00", "2026-01-09 09:00"]),
        ({"cron": "0 9,20 * * SUN"}, "next", ["2026-01-04 20:00", "2026-01-05 09:00", "2026-01-11 20:00"]),
        # the clock of New York goes forward on 8 March: 11:30 is 00:30 of the next day in Shanghai before, 23:30 after
        ({"cron": "30 11 * 3 FRI"}, "next", ["2026-03-09 11:30", "2026-03-13 11:30"]),
        ({"weekly": "FRI", "time": "20:00"}, "next", ["2026-01-04 20:00", "2026-01-11 20:00"]),
        ({"at": "2026-01-02 20:00"}, "next", ["2026-01-04 20:00"]),
        ({"at": "2026-01-02 20:00"}, "previous", ["2026-01-01 20:00"]),
        ({"at": "2026-01-04 20:00"}, "previous", ["2026-01-04 20:00"]),
        ({"cron": "0 20 31 1 *"}, "next", ["2026-02-01 20:00", "2027-01-31 20:00", "2028-01-31 20:00"]),
        ({"cron": "0 20 1 8 *"}, "previous", ["2026-07-30 20:00", "2027-08-01 20:00", "2028-08-01 20:00"]),
    ],
)
def test_a_day_moves_if_it_does_not_count_in_the_calendars_own_zone(
    when: dict[str, str], shift: str, expected: list[str]
) -> None:
    days = calendar(weekdays="MON-FRI", tz=CHINA)
    document = {**when, "tz": NEW_YORK, "calendar": "days", "shift": shift}
    since = "2026-03-01" if " 3 " in str(when) else "2026-01-01"
    found = planned(document, len(expected), since=since, tz=NEW_YORK, calendars={"days": days})
    assert found == expected


@pytest.mark.parametrize("shift", ["next", "previous"])
@pytest.mark.parametrize("tz", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin"])
@pytest.mark.parametrize("cron", ["*/20 * * * *", "15 3,11,22 * * SAT,SUN", "0 12 1 * *"])
def test_moved_instants_are_open_and_found_alike_forward_backward_and_by_counting(
    cron: str, tz: str, shift: str
) -> None:
    days = calendar(weekdays="MON-FRI", exclude=["2026-03-31"], tz=tz)
    document = {"cron": cron, "tz": NEW_YORK, "calendar": "days", "shift": shift}
    schedule = schedule_from_document(document, calendars={"days": days})
    first, past = instant("2026-02-20"), instant("2026-04-20")
    forward = list(takewhile(lambda at: at < past, walk(schedule, first - 1)))
    backward: list[int] = []
    at = schedule.previous_before(past)
    while at is not None and at >= first:
        backward.insert(0, at)
        at = schedule.previous_before(at)
    assert forward
    assert backward == forward
    assert schedule.count_between(first - 1, past - 1) == len(forward)
    assert [at for at in forward if not schedule.ruling(at).is_allowed] == []


def test_a_shift_can_belong_to_the_calendar() -> None:
    days = calendar(weekdays="MON-FRI", shift="previous")
    assert planned({"cron": "0 9 31 * *", "calendar": "days"}, 2, calendars={"days": days}) == [
        "2026-01-30 09:00",
        "2026-03-31 09:00",
    ]


def test_an_interval_is_ruled_out_where_a_calendar_would_shift_days() -> None:
    days = calendar(weekdays="MON-FRI", shift="next")
    assert planned({"every": "12h", "calendar": "days"}, 3, since="2026-01-02 12:00", calendars={"days": days}) == [
        "2026-01-02 12:00",
        "2026-01-05 00:00",
        "2026-01-05 12:00",
    ]


def test_a_shift_with_no_day_to_go_to_drops_the_fire() -> None:
    days = calendar(only=["2026-06-01"])
    schedule = schedule_from_document({"daily": "09:00", "calendar": "days", "shift": "next"}, calendars={"days": days})
    assert schedule.next_after(instant("2026-01-01")) == instant("2026-06-01 09:00")
    assert schedule.next_after(instant("2026-06-01 09:00")) is None


# names and documents


def test_a_defined_calendar_wins_over_the_built_in_one() -> None:
    mine = calendar(weekdays="SUN")
    assert find_calendar("weekdays", {"weekdays": mine}) is mine
    assert builtin_calendar("weekdays") != mine


def test_an_unknown_calendar_stays_a_name_until_it_is_needed() -> None:
    schedule = schedule_from_document({"cron": "0 2 * * *", "calendar": "bank-days"})
    assert schedule.missing_calendar == "bank-days"
    assert schedule.to_document() == {"cron": "0 2 * * *", "calendar": "bank-days"}
    assert schedule.next_after(0) is not None
    with pytest.raises(UnknownCalendar, match='No calendar "bank-days"'):
        schedule.ruling(instant("2026-01-01"))
    with pytest.raises(UnknownCalendar):
        schedule.resolved({})
    resolved = schedule.resolved({"bank-days": calendar(weekdays="MON-FRI")})
    assert resolved.missing_calendar is None
    assert resolved.ruling(instant("2026-01-03")).reason == "calendar"
    assert resolved.to_document() == schedule.to_document()


def test_a_misspelt_calendar_gets_the_nearest() -> None:
    with pytest.raises(UnknownCalendar) as caught:
        find_calendar("cn-workday", {})
    assert caught.value.hint == "did you mean cn-workdays?"


DOCUMENTS: list[dict[str, Any]] = [
    {"country": "CN", "tz": "Asia/Shanghai"},
    {"country": "US", "subdivision": "NY", "days": "holidays"},
    {"market": "XNYS"},
    {"weekdays": ["MON", "TUE", "SUN"], "include": ["2026-01-03"], "exclude": ["2026-01-05", "12-25"]},
    {"only": ["2026-01-15"]},
    {"only": []},
    {"days": "workdays", "shift": "next"},
    {"blackouts": [{"from": "2026-11-10T22:00:00Z", "to": "2026-11-12T02:00:00Z", "why": "sale"}]},
    {"blackouts": [{"from": "2026-11-10T22:00:00", "to": "2026-11-12T02:00:00"}]},
    {"blackouts": [{"daily": "22:00-06:00", "on": "SAT,SUN"}, {"daily": "12:00-24:00"}]},
]


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_a_calendar_is_written_as_it_was_read(document: dict[str, Any]) -> None:
    read = calendar_from_document("days", document)
    assert calendar_to_document(read) == document
    assert calendar_from_document("days", calendar_to_document(read)) == read


@pytest.mark.parametrize(
    ("document", "problem", "hint"),
    [
        ({"country": "CM1"}, 'The holidays of country "CM1" are not known.', "did you mean CM?"),
        ({"country": "DE", "subdivision": "BX"}, 'The holidays of part of DE "BX" are not known.', "did you mean"),
        ({"market": "XNYX"}, 'The holidays of market "XNYX" are not known.', "did you mean XNYS?"),
        ({"contry": "CN"}, 'Calendar "days": "contry" is not known.', "did you mean country?"),
        ({"days": "workday"}, 'days "workday" is not known.', "did you mean workdays?"),
        ({"exclude": ["2026-02-30"]}, '"2026-02-30" is not a date.', "write 2026-01-31"),
        ({"exclude": ["13-01"]}, '"13-01" is not a day of the year.', "write 12-25 for 25 December"),
        ({"weekdays": "MOM"}, '"MOM" is not a list of weekdays.', "write MON-FRI or SAT,SUN"),
        ({"blackouts": [{"from": "2026-01-01"}]}, 'Calendar "days": a blackout needs from and to, or daily.', "write"),
        (
            {"blackouts": [{"from": "2026-01-02", "to": "2026-01-01"}]},
            'Calendar "days": a blackout ends before it begins.',
            "exchange from and to",
        ),
        (
            {"blackouts": [{"from": "2026-01-01T00:00:00Z", "to": "2026-01-02"}]},
            'Calendar "days": of a blackout\'s from and to, one has an offset and the other has none.',
            "write both with an offset, both without, or give the calendar a tz",
        ),
        ({"blackouts": [{"daily": "22:00"}]}, '"22:00" is not a span of hours.', "write 22:00-06:00"),
        ({"tz": "Asia/Beijing"}, 'Time zone "Asia/Beijing" does not exist.', "use Asia/Shanghai"),
        ({"mode": "only"}, 'Calendar "days": mode belongs to ics.', "write only: or exclude:"),
        ([], 'Calendar "days" is not a mapping.', "write {country: CN}"),
    ],
)
def test_a_wrong_calendar_is_refused_with_the_next_step(document: Any, problem: str, hint: str) -> None:
    with pytest.raises(FoliotError) as caught:
        calendar_from_document("days", document)
    assert caught.value.sentence == problem
    assert (caught.value.hint or "").startswith(hint)


ICS = """BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
DTSTART;VALUE=DATE:20260216
DTEND;VALUE=DATE:20260219
SUMMARY:Spring
  Festival
END:VEVENT
BEGIN:VEVENT
DTSTART;TZID=Asia/Shanghai:20260501T090000
DTEND;TZID=Asia/Shanghai:20260502T170000
END:VEVENT
BEGIN:VEVENT
DTSTART:20251225
RRULE:FREQ=YEARLY;COUNT=2
END:VEVENT
BEGIN:VEVENT
DTSTART:20260601
STATUS:CANCELLED
END:VEVENT
END:VCALENDAR
"""


def test_an_icalendar_file_names_days() -> None:
    days = {"2026-02-16", "2026-02-17", "2026-02-18", "2026-05-01", "2026-05-02", "2025-12-25", "2026-12-25"}
    only = calendar(ics=ICS, mode="only")
    assert only.only == frozenset(day_number(date.fromisoformat(day)) for day in days)
    besides = calendar(ics=ICS.replace("\n", "\r\n"))
    assert not is_open(besides, "2026-02-17")
    assert is_open(besides, "2026-06-01")
    assert is_open(besides, "2027-12-25")


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        ICS.replace("20260216", "2026-02-16"),
        ICS.replace("YEARLY", "WEEKLY"),
        ICS.replace("20260219", "20290219"),
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VEVENT\nEND:VCALENDAR",
    ],
)
def test_an_icalendar_file_is_refused_rather_than_misread(text: str) -> None:
    with pytest.raises(BadCalendar) as caught:
        calendar(ics=text)
    assert caught.value.hint


def test_ten_years_through_a_calendar_are_counted_without_walking() -> None:
    schedule = schedule_from_document({"every": "1s", "calendar": "weekdays"})
    ten_years = schedule.allowed_between(instant("2016-01-01") - 1, instant("2026-01-01") - 1)
    weekdays = sum((date(2016, 1, 1) + timedelta(days=n)).weekday() < 5 for n in range(3653))
    assert ten_years == weekdays * 86_400
    assert SECOND == 1_000_000
