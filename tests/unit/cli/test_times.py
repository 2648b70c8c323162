"""Times as the command line shows them."""

from datetime import UTC, datetime
from typing import Any

import click
import pytest

from foliot.cli import main
from foliot.cli.job_runs import told_start
from foliot.cli.job_views import due_of
from foliot.cli.time_options import RULES, TENSES, Tense, TimeType, TypedTime
from foliot.cli.times import Times
from foliot.domain.schedule.errors import BadTime

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


def test_how_far_ahead_a_time_lies_counts_from_now_or_from_when_a_run_was_made(times: Times) -> None:
    starts = "2026-03-02T06:30:42Z"
    assert times.ahead(starts) == "in 42 s"
    assert times.ahead(starts, since="2026-03-02T06:30:32Z") == "in 10 s", "however slowly its answer came"
    assert times.ahead("2026-03-02T06:29:00Z") == "now"
    assert times.ahead(None) == ""


def test_the_start_of_a_run_that_stands_for_this_trigger_too_counts_from_now(times: Times) -> None:
    run = {"created_at": "2026-03-02T06:29:50Z", "not_before": "2026-03-02T06:30:10Z", "stands_for": None}
    assert told_start(times, run) == {"at": "14:30:10 CST", "ahead": "in 20 s"}
    assert told_start(times, {**run, "stands_for": "debounce"})["ahead"] == "in 10 s"
    assert told_start(times, {**run, "not_before": run["created_at"]}) == {"at": None, "ahead": None}


# ------------------------------------------------------------------------------------------------- what people type

PAST, FUTURE = Tense.PAST, Tense.FUTURE


@pytest.mark.parametrize(
    ("typed", "tense", "meant"),
    [
        ("now", PAST, "2026-03-02T06:30:00Z"),
        ("now", FUTURE, "2026-03-02T06:30:00Z"),
        ("2h", PAST, "2026-03-02T04:30:00Z"),
        ("2h", FUTURE, "2026-03-02T08:30:00Z"),
        ("+2h", PAST, "2026-03-02T08:30:00Z"),
        ("+2h", FUTURE, "2026-03-02T08:30:00Z"),
        ("-2h", PAST, "2026-03-02T04:30:00Z"),
        ("-2h", FUTURE, "2026-03-02T04:30:00Z"),
        ("14:00", PAST, "2026-03-02T06:00:00Z"),
        ("16:45", PAST, "2026-03-02T08:45:00Z"),  # today's, though it has not come
        ("14:00", FUTURE, "2026-03-03T06:00:00Z"),  # over today
        ("16:45", FUTURE, "2026-03-02T08:45:00Z"),
        ("2026-03-01", PAST, "2026-02-28T16:00:00Z"),
        (" 2026-03-01 02:00 ", FUTURE, "2026-02-28T18:00:00Z"),
        ("2026-03-01T02:00:00Z", PAST, "2026-03-01T02:00:00Z"),
    ],
)  # fmt: skip
def test_one_rule_reads_every_time_that_people_type(times: Times, typed: str, tense: Tense, meant: str) -> None:
    assert times.instant_of(TypedTime(typed, tense)) == meant


@pytest.mark.parametrize("typed", ["", "yesterday", "25:00", "++2h", "2 hours", "2026-13-01", "+-2h", "1e9d"])
def test_what_is_no_time_is_refused_in_a_sentence(times: Times, typed: str) -> None:
    with pytest.raises(BadTime, match="is not a time"):
        times.instant_of(TypedTime(typed))


def options_with_times(group: click.Group, path: str = "") -> dict[str, click.Option]:
    """Every option of every command that takes a time, by the words that a user types."""
    found: dict[str, click.Option] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        where = f"{path} {name}".strip()
        if isinstance(command, click.Group):
            found |= options_with_times(command, where)
        for one in command.params:
            if isinstance(one, click.Option) and (one.metavar == "TIME" or isinstance(one.type, TimeType)):
                found[f"{where} {one.opts[0]}"] = one
    return found


def test_one_table_says_which_way_each_option_looks_and_its_help_says_so() -> None:
    options = options_with_times(main)
    assert {place: getattr(one.type, "tense", None) for place, one in options.items()} == TENSES
    for place, one in options.items():
        assert RULES[TENSES[place]] in (one.help or ""), place
