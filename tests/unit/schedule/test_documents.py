"""The form schedules have in job files, and the same words in code."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from foliot.domain.errors import FoliotError
from foliot.domain.instants import HOUR, SECOND
from foliot.domain.schedule import Cron, Schedule, schedule_from_document
from foliot.domain.schedule.words import at, cron, daily, every, weekly
from tests.unit.schedule.asking import instant

SAME: list[Any] = [
    {"cron": "0 2 * * *"},
    {"cron": "0 2 * * *", "tz": "Asia/Shanghai", "jitter": "30s", "calendar": "cn-workdays"},
    {"cron": "0 0 2 ? * 2", "dialect": "quartz"},
    {"cron": "30 2 * * *", "tz": "Europe/Berlin", "dst_gap": "skip", "dst_overlap": "both"},
    {"cron": "H 2 * * *", "count": 10},
    {"every": "15m"},
    {"every": "15m", "phase": "5m", "start": "2026-01-01T00:00:00Z", "end": "2027-01-01T00:00:00Z"},
    {"every": "15m", "from_end": True},
    {"at": "2026-01-31T17:00:00Z"},
    {"at": ["2026-01-31T17:00:00Z", "2026-02-01T17:00:00Z"], "tz": "Asia/Shanghai"},
    {"daily": "09:00", "tz": "Asia/Shanghai"},
    {"daily": ["09:00", "17:30:15"], "every_days": 3, "since": "1970-01-02"},
    {"weekly": ["MON", "FRI"], "time": "09:00", "every_weeks": 2, "since": "1970-01-08"},
    {"weekly": ["SUN"], "time": ["08:00", "20:00"], "calendar": "weekdays", "shift": "next"},
    [{"cron": "0 2 * * *"}, {"cron": "0 14 * * *"}],
    [{"cron": "0 2 * * *", "calendar": "weekdays", "count": 3}, {"every": "6h", "jitter": "1m", "count": 3}],
]


@pytest.mark.parametrize("document", SAME, ids=str)
def test_a_schedule_is_written_as_it_was_read(document: Any) -> None:
    schedule = schedule_from_document(document)
    assert schedule.to_document() == document
    assert schedule_from_document(schedule.to_document()) == schedule


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("0 2 * * *", {"cron": "0 2 * * *"}),
        (["0 2 * * *"], {"cron": "0 2 * * *"}),
        ({"cron": "0 2 * * *", "timezone": "UTC"}, {"cron": "0 2 * * *"}),
        ({"cron": "0 2 * * *", "dialect": "unix"}, {"cron": "0 2 * * *"}),
        ({"every": 90}, {"every": "1m30s"}),
        ({"every": "1h", "anchor": "2026-01-01 10:20"}, {"every": "1h", "phase": "20m"}),
        ({"every": "1h", "phase": "80m"}, {"every": "1h", "phase": "20m"}),
        ({"at": date(2026, 1, 31), "tz": "Asia/Shanghai"}, {"at": "2026-01-30T16:00:00Z", "tz": "Asia/Shanghai"}),
        ({"at": datetime(2026, 1, 31, 17, tzinfo=UTC)}, {"at": "2026-01-31T17:00:00Z"}),
        ({"at": "2026-01-31T17:00:00.5Z"}, {"at": "2026-01-31T17:00:01Z"}),
        ({"daily": ["17:30", "9:00", "09:00"]}, {"daily": ["09:00", "17:30"]}),
        ({"weekly": "fri,mon-wed", "time": "09:00"}, {"weekly": ["MON", "TUE", "WED", "FRI"], "time": "09:00"}),
        ({"cron": "0 2 * * *", "jitter": None, "calendar": None}, {"cron": "0 2 * * *"}),
    ],
)
def test_what_people_write_becomes_one_form(written: Any, canonical: Any) -> None:
    assert schedule_from_document(written).to_document() == canonical


@pytest.mark.parametrize(
    ("document", "code", "problem", "hint"),
    [
        ({}, "FOL-1038", "A schedule needs cron, every, at, daily or weekly.", 'write cron: "0 2 * * *" or every: 15m'),
        ({"crom": "0 2 * * *"}, "FOL-1038", 'The schedule: "crom" is not known.', "did you mean cron?"),
        (
            {"cron": "0 2 * * *", "every": "1h"},
            "FOL-1038",
            "A schedule is one of cron and every, not both.",
            "write a list",
        ),
        ({"cron": "0 2 * * *", "phase": "1m"}, "FOL-1038", 'The cron schedule: "phase" is not known.', "known: cron"),
        (
            {"cron": "0 2 * * *", "jiter": "1m"},
            "FOL-1038",
            'The cron schedule: "jiter" is not known.',
            "did you mean jitter?",
        ),
        ({"cron": 5}, "FOL-1001", '"5": an expression is text.', "did you mean 0 2 * * *?"),
        (
            {"cron": "0 2 * * *", "tz": "Asia/Beijing"},
            "FOL-1004",
            'Time zone "Asia/Beijing" does not exist.',
            "use Asia/Shanghai",
        ),
        (
            {"cron": "0 2 * * *", "dialect": "vixie"},
            "FOL-1038",
            'dialect "vixie" is not known.',
            "known: unix, quartz, spring",
        ),
        (
            {"cron": "0 2 * * *", "dst_gap": "before"},
            "FOL-1038",
            'dst_gap "before" is not known.',
            "known: after, skip",
        ),
        ({"cron": "0 2 * * *", "shift": "next"}, "FOL-1038", "shift needs a calendar.", "add calendar: weekdays"),
        ({"cron": "0 2 * * *", "count": 0}, "FOL-1038", 'count "0" is not a whole number from 1', "write count: 1"),
        ({"cron": "0 2 * * *", "start": "soon"}, "FOL-1031", '"soon" is not an instant.', "write 2026-01-31T17:00:00Z"),
        (
            {"cron": "0 2 * * *", "start": "2026-02-01", "end": "2026-01-01"},
            "FOL-1038",
            "The schedule ends before it starts.",
            "exchange start and end",
        ),
        ({"cron": "0 2 * * *", "jitter": "soon"}, "FOL-1010", '"soon" is not a duration.', "write 90s"),
        ({"every": "500ms"}, "FOL-1038", '"500ms" is not a whole number of seconds.', "the shortest interval is 1s"),
        ({"every": "0s"}, "FOL-1038", '"0s" is not a whole number of seconds.', "the shortest interval is 1s"),
        ({"every": "1.5s"}, "FOL-1038", '"1.5s" is not a whole number of seconds.', "the shortest interval is 1s"),
        (
            {"every": "1h", "from_end": True, "phase": "1m"},
            "FOL-1038",
            "phase and anchor do not go with from_end.",
            "leave",
        ),
        (
            {"every": "1h", "from_end": True, "jitter": "1m"},
            "FOL-1038",
            "An interval from the end of the last run takes no",
            "leave",
        ),
        (
            {"every": "1h", "calendar": "weekdays", "shift": "next"},
            "FOL-1038",
            "An interval has no days to shift.",
            "leave shift out",
        ),
        ({"at": []}, "FOL-1038", "at names 1 to 1000 instants.", "write at:"),
        ({"at": "2026-13-01"}, "FOL-1031", '"2026-13-01" is not an instant.', "write 2026-01-31T17:00:00Z"),
        (
            {"at": "1969-12-31T00:00:00Z"},
            "FOL-1031",
            '"1969-12-31T00:00:00Z" is not an instant between 1970 and 2199.',
            "write",
        ),
        ({"daily": "25:00"}, "FOL-1031", '"25:00" is not a time of day.', "write 09:00 or 23:59:30"),
        ({"daily": 540}, "FOL-1031", '"540" is not a time of day.', 'put it in quotes: "09:00"'),
        ({"daily": []}, "FOL-1038", "A day has 1 to 1440 times.", 'write daily: "09:00"'),
        (
            {"daily": "09:00", "every_days": 400},
            "FOL-1038",
            'every_days "400" is not a whole number from 1 to 366.',
            "write",
        ),
        ({"weekly": "MON"}, "FOL-1038", "weekly needs a time.", 'write weekly: MON-FRI, time: "09:00"'),
        ({"weekly": "MOM", "time": "09:00"}, "FOL-1031", '"MOM" is not a list of weekdays.', "write MON-FRI"),
        ([], "FOL-1038", "A schedule is a mapping or a list of up to 50.", "write"),
        (None, "FOL-1038", "A schedule is a mapping or a list of up to 50.", "write"),
        ([5], "FOL-1038", '"5" is not a schedule.', "write"),
        (["* * * * *"] * 51, "FOL-1038", "A schedule is a mapping or a list of up to 50.", "write"),
        (
            ["* * * * *", {"every": "1h", "from_end": True}],
            "FOL-1038",
            "An interval from the end of the last run stands alone.",
            "leave",
        ),
        (["* * * * *", {"every": "1h", "count": 1}], "FOL-1038", "count holds for the whole list.", "give every entry"),
    ],
    ids=str,
)
def test_a_wrong_schedule_is_refused_with_the_next_step(document: Any, code: str, problem: str, hint: str) -> None:
    with pytest.raises(FoliotError) as caught:
        schedule_from_document(document)
    assert caught.value.code == code
    assert caught.value.sentence.startswith(problem)
    assert (caught.value.hint or "").startswith(hint)


def test_words_in_code_build_what_files_say() -> None:
    same: list[tuple[Schedule, Any]] = [
        (cron("0 2 * * *"), "0 2 * * *"),
        (
            cron("0 2 * * *", tz="Asia/Shanghai", calendar="cn-workdays", jitter="30s", count=3),
            {"cron": "0 2 * * *", "tz": "Asia/Shanghai", "calendar": "cn-workdays", "jitter": "30s", "count": 3},
        ),
        (cron("0 0 2 ? * 2", dialect="quartz"), {"cron": "0 0 2 ? * 2", "dialect": "quartz"}),
        (
            cron("30 2 * * *", tz="Europe/Berlin", dst_gap="skip", dst_overlap="second"),
            {"cron": "30 2 * * *", "tz": "Europe/Berlin", "dst_gap": "skip", "dst_overlap": "second"},
        ),
        (every("15m"), {"every": "15m"}),
        (every(timedelta(minutes=15), phase="5m"), {"every": "15m", "phase": "5m"}),
        (every("15m", from_end=True), {"every": "15m", "from_end": True}),
        (
            every("1h", start=date(2026, 1, 1), end="2027-01-01"),
            {"every": "1h", "start": "2026-01-01", "end": "2027-01-01"},
        ),
        (at("2026-01-31 17:00", tz="Asia/Shanghai"), {"at": "2026-01-31 17:00", "tz": "Asia/Shanghai"}),
        (
            at(datetime(2026, 1, 31, 17, tzinfo=UTC), "2026-02-01T00:00:00Z"),
            {"at": ["2026-01-31T17:00:00Z", "2026-02-01T00:00:00Z"]},
        ),
        (daily("09:00", "17:30"), {"daily": ["09:00", "17:30"]}),
        (daily("09:00", every_days=2, since="2026-01-01"), {"daily": "09:00", "every_days": 2, "since": "2026-01-01"}),
        (weekly("MON-FRI", time="09:00"), {"weekly": "MON-FRI", "time": "09:00"}),
        (weekly("SAT", "SUN", time=["09:00", "17:30"]), {"weekly": ["SAT", "SUN"], "time": ["09:00", "17:30"]}),
    ]
    for built, document in same:
        assert built == schedule_from_document(document)


def test_the_job_places_h_and_the_cluster_gives_the_default_zone() -> None:
    schedule = schedule_from_document("H H * * *", job="settle", tz="Asia/Shanghai")
    assert schedule.triggers == (Cron(text="H H * * *", tz="Asia/Shanghai", job="settle"),)
    assert schedule.to_document() == {"cron": "H H * * *", "tz": "Asia/Shanghai"}
    hourly = schedule_from_document({"every": "1h", "calendar": "weekdays"}, tz="Asia/Shanghai")
    assert hourly.to_document() == {"every": "1h", "tz": "Asia/Shanghai", "calendar": "weekdays"}
    assert not hourly.ruling(instant("2026-01-02T20:00:00Z")).is_allowed  # Saturday there, still Friday in UTC


def test_an_interval_shorter_than_its_phase_is_still_on_its_grid() -> None:
    schedule = schedule_from_document({"every": "1h", "phase": "150m"})
    assert schedule.next_after(instant("2026-01-01")) == instant("2026-01-01") + HOUR // 2
    assert schedule.next_after(instant("2026-01-01") - SECOND) == instant("2026-01-01") + HOUR // 2
