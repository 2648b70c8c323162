"""Causes of skips: kept as data, read back as they were; texts of an older Foliot are read, too."""

import json

import pytest

from foliot.domain.instants import HOUR
from foliot.domain.skip_texts import read_text, text_of
from foliot.domain.skips import SkipCause, SkipKind, read_cause

AT = 1_772_442_005_000_000
CAUSES = [
    SkipCause(SkipKind.STANDS_FOR, at=AT),
    SkipCause(SkipKind.WAS_DUE, at=AT),
    SkipCause(SkipKind.BEYOND_WINDOW, within_us=2 * HOUR),
    SkipCause(SkipKind.NEWEST_ONLY, most=10),
    SkipCause(SkipKind.POLICY),
    SkipCause(SkipKind.BEFORE_PAUSE),
    SkipCause(SkipKind.OPEN_RUN),
    SkipCause(SkipKind.ANOTHER_WAITS),
    SkipCause(SkipKind.QUEUE_FULL, most=1000),
    SkipCause(SkipKind.PAUSED),
    SkipCause(SkipKind.BEFORE_EDIT),
    SkipCause(SkipKind.BEFORE_DELETE),
    SkipCause(SkipKind.UNREADABLE),
    SkipCause(SkipKind.OTHER, text="gone fishing"),
]
CLOSED = SkipCause(SkipKind.CLOSED, text='weekdays: "weekend", 周末')


def test_every_kind_is_tried_here() -> None:
    assert {cause.kind for cause in [*CAUSES, CLOSED]} == set(SkipKind)


@pytest.mark.parametrize("cause", [*CAUSES, CLOSED], ids=lambda cause: cause.kind)
def test_a_cause_is_read_back_as_it_was(cause: SkipCause) -> None:
    assert read_cause(cause.to_json()) == cause
    troubled = cause._replace(partly_closed=True, trouble="ZeroDivisionError: no zone")
    assert read_cause(troubled.to_json()) == troubled


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.kind)
def test_the_text_an_older_foliot_wrote_tells_the_same_cause(cause: SkipCause) -> None:
    assert read_text(text_of(cause)) == cause


def test_a_kind_of_a_newer_foliot_is_not_known_and_breaks_nothing() -> None:
    assert read_cause(json.dumps({"kind": "moonlight", "phase": 3})) is None
    assert read_cause(json.dumps({"kind": "policy", "phase": 3})) == SkipCause(SkipKind.POLICY)


def test_the_ledger_keeps_no_more_than_belongs_to_a_cause() -> None:
    assert SkipCause(SkipKind.STANDS_FOR, at=AT).to_json() == f'{{"kind":"stands_for","at":{AT}}}'
