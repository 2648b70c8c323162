"""Checks of jobs outside of Foliot: what pings, time, pauses and edits make of them, as tables of cases."""

from datetime import UTC, datetime
from typing import Any

import pytest

from foliot.domain.errors import BadField
from foliot.domain.heartbeats.check import CheckState, CheckTrouble, HeartbeatCheck, PingKind
from foliot.domain.heartbeats.document import PING_TEXT_BYTES_MAX, check_from, ping_from, written_check
from foliot.domain.heartbeats.life import Heard, Ping, edited, excused, heard_of, paused, resumed, state_of, trouble_of
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Instant

T0: Instant = int(datetime(2026, 3, 2, 2, 0, tzinfo=UTC).timestamp()) * SECOND
START, OK, FAIL = PingKind.START, PingKind.OK, PingKind.FAIL


def check(**fields: Any) -> HeartbeatCheck:
    document = {"every": "1h", "grace": "10m", **fields}
    said = {name: value for name, value in document.items() if value is not None}
    return check_from(said, name="backup", namespace="default")


def after(one: HeartbeatCheck, *pings: tuple[int, PingKind]) -> Heard:
    """What is known after pings at so many minutes."""
    heard = Heard()
    for minute, kind in pings:
        heard = heard_of(one, heard, Ping(kind=kind), at=T0 + minute * MINUTE, is_paused=False)
    return heard


LIVES: list[tuple[str, dict[str, Any], list[tuple[int, PingKind]], int, str, str | None]] = [
    ("never heard of", {}, [], 10_000, "new", None),
    ("in time", {}, [(0, OK)], 59, "up", None),
    ("due now", {}, [(0, OK)], 60, "late", None),
    ("at the end of its grace", {}, [(0, OK)], 69, "late", None),
    ("missed", {}, [(0, OK)], 70, "down", "missed"),
    ("heard of again", {}, [(0, OK), (100, OK)], 101, "up", None),
    ("failed", {}, [(0, OK), (10, FAIL)], 10, "down", "failed"),
    ("failed, and then silent", {}, [(0, OK), (10, FAIL)], 500, "down", "failed"),
    ("failed, and begun anew", {}, [(10, FAIL), (20, START)], 21, "running", "failed"),
    ("failed, begun anew, and stuck", {}, [(10, FAIL), (20, START)], 500, "down", "failed"),
    ("failed, and well again", {}, [(10, FAIL), (20, START), (30, OK)], 31, "up", None),
    ("missed, and begun anew", {}, [(0, OK), (100, START)], 101, "running", "missed"),
    ("it runs", {}, [(0, START)], 5, "running", None),
    ("it runs until it is due again", {}, [(0, START)], 69, "running", None),
    ("it does not end", {}, [(0, START)], 70, "down", "overrun"),
    ("it may run long", {"longest": "3h"}, [(0, START)], 179, "running", None),
    ("it runs too long", {"longest": "3h"}, [(0, START)], 180, "down", "overrun"),
    ("it may run only shortly", {"longest": "5m"}, [(0, START)], 5, "down", "overrun"),
    ("the longest time is for what runs alone", {"longest": "5m"}, [(0, START), (4, OK)], 30, "up", None),
    ("it overran, and ends", {"longest": "5m"}, [(0, START), (20, OK)], 21, "up", None),
    ("the last start counts", {"longest": "30m"}, [(0, START), (20, START)], 49, "running", None),
]


UNHEARD: list[tuple[str, dict[str, Any], list[tuple[int, PingKind]], list[tuple[int, int]], int | None]] = [
    ("long before it is due", {}, [(0, OK)], [(10, 40)], None),
    ("a little before it is due", {}, [(0, OK)], [(45, 51)], 111),
    ("when it is due", {}, [(0, OK)], [(58, 62)], 122),
    ("at the end of its grace", {}, [(0, OK)], [(69, 80)], 140),
    ("it was down before", {}, [(0, OK)], [(71, 80)], None),
    ("twice", {}, [(0, OK)], [(58, 62), (120, 130)], 190),
    ("it said that it failed", {}, [(0, OK), (30, FAIL)], [(31, 90)], None),
    ("it was heard of after that", {"grace": "3h"}, [(0, OK), (40, OK)], [(10, 30)], None),
    ("it ran", {"longest": "20m"}, [(0, START)], [(5, 10)], 70),
    ("it began after that", {"longest": "20m"}, [(15, START)], [(5, 10)], None),
    ("by the clock", {"every": None, "cron": "0 * * * *"}, [(0, OK)], [(58, 62)], 120),
    ("never heard of", {}, [], [(0, 500)], None),
]


@pytest.mark.parametrize(("name", "fields", "pings", "unheard", "due"), UNHEARD, ids=[one[0] for one in UNHEARD])
def test_a_ping_that_nobody_could_hear_is_no_missed_ping(
    name: str,
    fields: dict[str, Any],
    pings: list[tuple[int, PingKind]],
    unheard: list[tuple[int, int]],
    due: int | None,
) -> None:
    one = check(**fields)
    before = after(one, *pings)
    times = [(T0 + began * MINUTE, T0 + back * MINUTE) for began, back in unheard]
    found = excused(one, before, times)
    if due is None:
        assert found == before, name
        return
    deadline_at = T0 + due * MINUTE + one.grace_us
    assert (found.due_at, found.deadline_at, found.alarm_at) == (T0 + due * MINUTE, deadline_at, deadline_at), name
    assert found.started_at is None
    assert excused(one, found, times) == found, "once is enough"


@pytest.mark.parametrize(
    ("name", "fields", "pings", "minute", "state", "trouble"), LIVES, ids=[one[0] for one in LIVES]
)
def test_how_a_check_is(
    name: str, fields: dict[str, Any], pings: list[tuple[int, PingKind]], minute: int, state: str, trouble: str | None
) -> None:
    heard, now = after(check(**fields), *pings), T0 + minute * MINUTE
    assert state_of(heard, now, is_paused=False) is CheckState(state), name
    assert trouble_of(heard, now) == trouble, name


@pytest.mark.parametrize(
    ("pinged_at", "due_in"),
    [
        (0, DAY),  # just in time: the next one is tomorrow's
        (-30 * SECOND, DAY + 30 * SECOND),  # its clock is fast: the ping counts for this instant
        (-10 * MINUTE, 10 * MINUTE),  # somebody ran it by hand: the night's is still to come
        (15 * MINUTE, DAY - 15 * MINUTE),
    ],
)
def test_by_cron_a_ping_counts_for_the_instant_it_is_near(pinged_at: int, due_in: int) -> None:
    one = check_from({"cron": "0 2 * * *", "grace": "10m"}, name="backup", namespace="default")
    assert one.due_after(T0 + pinged_at) == T0 + pinged_at + due_in


def test_by_cron_of_every_minute_no_instant_is_taken_for_another() -> None:
    one = check_from({"cron": "* * * * *"}, name="beat", namespace="default")
    assert [one.due_after(T0 + early * SECOND) for early in (-31, -29, 1)] == [T0, T0 + MINUTE, T0 + MINUTE]


def test_a_cron_counts_in_its_zone() -> None:
    one = check_from({"cron": "0 2 * * *", "timezone": "Europe/Berlin"}, name="backup", namespace="default")
    assert one.due_after(T0) == T0 + 23 * HOUR


def test_an_end_says_how_long_it_took_if_its_start_was_heard_of() -> None:
    one = check()
    assert after(one, (0, START), (7, OK)).took_us == 7 * MINUTE
    assert after(one, (0, START), (7, FAIL)).took_us == 7 * MINUTE
    assert after(one, (0, OK), (7, OK)).took_us is None


def test_the_alarm_of_a_failure_counts_from_its_first_word() -> None:
    assert after(check(), (0, OK), (10, FAIL), (20, START), (30, FAIL)).alarm_at == T0 + 10 * MINUTE


def test_nobody_waits_for_a_paused_check_and_its_pings_count_all_the_same() -> None:
    one = check()
    heard = paused(after(one, (0, OK), (10, FAIL)))
    assert (heard.alarm_at, trouble_of(heard, T0 + DAY)) == (None, None)
    assert state_of(heard, T0 + DAY, is_paused=True) is CheckState.PAUSED
    heard = heard_of(one, heard, Ping(kind=FAIL), at=T0 + HOUR, is_paused=True)
    assert (heard.pings, heard.alarm_at, heard.due_at) == (3, None, None)
    again = resumed(one, heard, at=T0 + DAY)
    assert (again.trouble, again.due_at) == (None, T0 + DAY + HOUR)
    assert state_of(again, T0 + DAY + 2 * HOUR, is_paused=False) is CheckState.DOWN
    assert resumed(one, Heard(), at=T0) == Heard()


def test_another_rhythm_counts_from_the_last_ping() -> None:
    heard = after(check(), (0, OK))
    slower = edited(check(every="1d"), heard)
    assert (slower.due_at, slower.deadline_at) == (T0 + DAY, T0 + DAY + 10 * MINUTE)
    failed = edited(check(every="1d"), after(check(), (5, FAIL)))
    assert trouble_of(failed, T0 + 6 * MINUTE) is CheckTrouble.FAILED
    assert edited(check(every="1d"), Heard()) == Heard()
    assert edited(check(every="1d"), paused(heard)) == paused(heard)


FULL = {
    "cron": "0 2 * * *",
    "timezone": "Asia/Shanghai",
    "grace": "30m",
    "longest": "2h",
    "owner": "ops",
    "description": "the dump\nof the shop",
    "runbook": "https://wiki.example/backup",
    "level": "critical",
    "to": ["oncall"],
    "tags": {"team": "data"},
}


@pytest.mark.parametrize("document", [FULL, {"every": "1d"}, {"every": "10s", "to": ["a", "b"]}])
def test_a_document_is_read_and_written_the_same(document: dict[str, Any]) -> None:
    assert written_check(check_from(document, name="backup", namespace="default")) == document


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({}, "every"),
        ({"every": "1d", "cron": "0 2 * * *"}, "every"),
        ({"every": "1s"}, "every"),
        ({"every": "1d", "timezone": "UTC"}, "timezone"),
        ({"cron": "0 25 * * *"}, "cron"),
        ({"cron": 7}, "cron"),
        ({"cron": "0 2 * * *", "timezone": "Mars/Base"}, "timezone"),
        ({"every": "1d", "grace": "0s"}, "grace"),
        ({"every": "1d", "longest": "400d"}, "longest"),
        ({"every": "1d", "level": "bad"}, "level"),
        ({"every": "1d", "runbook": "a\nb"}, "runbook"),
        ({"every": "1d", "owner": "x" * 201}, "owner"),
        ({"every": "1d", "to": [f"c{n}" for n in range(1000)]}, "to"),
        ({"every": "1d", "tags": {f"t{n}": "x" for n in range(21)}}, "tags"),
    ],
)
def test_a_bad_document_is_refused_by_its_field(document: dict[str, Any], path: str) -> None:
    with pytest.raises(BadField) as refused:
        check_from(document, name="backup", namespace="default")
    assert refused.value.data["path"] == path


def test_of_a_long_text_of_a_ping_the_end_is_kept() -> None:
    ping = ping_from("fail", text="é" * PING_TEXT_BYTES_MAX + "\0 out of space\n", exit_code=3)
    assert ping.kind is FAIL
    assert ping.text.endswith("é out of space")
    assert len(ping.text.encode()) <= PING_TEXT_BYTES_MAX
    with pytest.raises(BadField):
        ping_from("maybe")
