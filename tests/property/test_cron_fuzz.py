"""Whatever is written is read, or refused with the field, the value and a suggestion: never a crash, never a hang."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from foliot.domain.errors import FoliotError
from foliot.domain.schedule import Cron, CronDialect, calendar_from_document, schedule_from_document
from foliot.domain.schedule.cron.conversion import convert
from foliot.domain.schedule.errors import AmbiguousWeekday, BadCron, NotConvertible
from foliot.words.errors import tell
from foliot.words.language import Language
from foliot.words.schedules import describe
from foliot.words.schedules.warnings import warnings_of

pytestmark = pytest.mark.slow

NOW = 1_769_875_200_000_000
FIELDS = ("second", "minute", "hour", "day", "month", "weekday", "year", "expression")
ALPHABET = st.sampled_from(
    [
        *"0123456789*/,-?LWH#~()@ ",
        *"JFMASOND",
        "JAN",
        "FRI",
        "SUN",
        "24",
        "60",
        "99",
        "2026",
        "\t",
        "é",
        "一",
        "\x00",
        "W,",
    ]
)
PARTS = st.lists(ALPHABET, min_size=1, max_size=5).map("".join)
WORDS = st.lists(st.one_of(PARTS, st.sampled_from(["*", "0", "?", "1-5", "*/7", "MON#1"])), min_size=4, max_size=8)
TEXTS = st.one_of(st.text(max_size=60), PARTS, WORDS.map(" ".join))
DIALECTS = st.sampled_from([None, *CronDialect])


@settings(max_examples=1500)
@given(TEXTS, DIALECTS)
@example("*/5", None)
@example("", None)
@example("@", None)
@example("* * * * " + ",".join(["1"] * 200), None)
@example("0 0 * * " + "9" * 300, None)
@example("- - - - -", None)
@example("/ / / / /", None)
@example("H(5-1) * * * *", None)
@example("~ ~ ~ ~ ~", None)
@example("0 0 1 1 ? 99999", None)
@example("٣ * * * *", None)
@example("² * * * *", None)
def test_any_text_is_read_or_refused_with_a_way_out(text: str, dialect: CronDialect | None) -> None:
    with soon_done():
        try:
            trigger = Cron(text=text, dialect=dialect, job="settle")
        except BadCron as error:
            check_refusal(error, text, dialect)
        except AmbiguousWeekday as error:
            check_told(error)
        else:
            check_usable(trigger)


@contextmanager
def soon_done(within_s: float = 2.0) -> Iterator[None]:
    """By the processor's time: what a crowded machine keeps from it does not count."""
    begin = time.thread_time()
    yield
    assert time.thread_time() - begin < within_s


def check_refusal(error: BadCron, text: str, dialect: CronDialect | None) -> None:
    assert error.data["field"] in FIELDS
    assert error.data["value"] != "" or not text.strip()
    assert error.hint
    suggestion = error.data["suggestion"]
    if suggestion is not None:
        assert Cron(text=suggestion, dialect=dialect).text == suggestion, "what is suggested can be written"
    check_told(error)


def check_told(error: FoliotError) -> None:
    for language in Language:
        for line in tell(error, language):
            assert line
            assert line.isprintable()
            assert len(line) <= 1001


def check_usable(trigger: Cron) -> None:
    with soon_done(1.0):
        following = trigger.next_after(NOW)
        assert following is None or following > NOW
        trigger.previous_before(NOW)
        trigger.count_between(NOW, NOW + 10 * 366 * 86_400_000_000)
    schedule = schedule_from_document({"cron": trigger.text, "dialect": trigger.expression.dialect.value}, job="settle")
    for language in Language:
        assert describe(schedule, language).isprintable()
        warnings_of(schedule, now=NOW, language=language)
    for to in CronDialect:
        try:
            converted = convert(trigger.text, to, dialect=trigger.expression.dialect)
        except NotConvertible as error:
            check_told(error)
        else:
            same = Cron(text=converted.text, dialect=to, job="settle")
            assert same.next_after(NOW) == convert_free(trigger).next_after(NOW)


def convert_free(trigger: Cron) -> Cron:
    return Cron(text=trigger.text, dialect=trigger.expression.dialect, job="settle")


KEYS = st.sampled_from(
    ["cron", "every", "at", "daily", "weekly", "tz", "phase", "anchor", "from_end", "calendar", "shift", "start", "end",
     "count", "jitter", "time", "dialect", "dst_gap", "dst_overlap", "every_days", "every_weeks", "since", "country",
     "exclude", "include", "only", "blackouts", "weekdays", "days", "market", "ics", "mode", "crom"]
)  # fmt: skip
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 10**6), st.floats(allow_nan=False), st.text(max_size=12)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=8,
)
WORDINGS = st.sampled_from(
    ["0 2 * * *", "15m", "1s", "0s", "2026-01-31", "2026-01-31T17:00:00Z", "09:00", "MON-FRI", "UTC", "Asia/Shanghai",
     "cn-workdays", "next", "after", "first", "quartz", "CN", "XNYS", "22:00-06:00", "12-25", "workdays", "30 2 30 2 *"]
)  # fmt: skip


@settings(max_examples=600)
@given(st.one_of(JSON, st.dictionaries(KEYS, st.one_of(WORDINGS, JSON), max_size=5)))
def test_any_document_is_a_schedule_or_refused(document: object) -> None:
    with soon_done():
        try:
            schedule = schedule_from_document(document)
        except FoliotError as error:
            check_told(error)
        else:
            assert schedule_from_document(schedule.to_document()) == schedule
            schedule.next_after(NOW)


@settings(max_examples=400)
@given(st.dictionaries(KEYS, st.one_of(WORDINGS, st.lists(WORDINGS, max_size=2), JSON), max_size=5))
def test_any_document_is_a_calendar_or_refused(document: dict[str, object]) -> None:
    with soon_done():
        try:
            calendar_from_document("days", document)
        except FoliotError as error:
            check_told(error)
