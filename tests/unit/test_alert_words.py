"""Alerts in words: each condition has a sentence and a next step, in both languages."""

from typing import Any

import pytest

from foliot.domain.alerts.alert import Alert, AlertCause
from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.alerts.level import AlertLevel, AlertState
from foliot.domain.instants import MINUTE
from foliot.words.alerts import alert_next_step, alert_sentence
from foliot.words.chinese import alerts as chinese
from foliot.words.english import alerts as english
from foliot.words.language import Language
from tests.latin import latin_words


def alert(about: ConditionKind, count: int = 1, /, **data: Any) -> Alert:
    return Alert(
        id=1, key="k", rule="night", kind=about, namespace=None, level=AlertLevel.WARNING, state=AlertState.FIRING,
        cause=AlertCause(key="c", data={"subject": "settle", **data}), to=(), began_at=0, fired_at=0, last_at=0, seen=1,
        subject_count=count,
    )  # fmt: skip


SAID: list[tuple[Alert, str, str]] = [
    (
        alert(ConditionKind.FAILED, 40, kind="error", error="no route\nto db-1"),
        "settle and 39 other jobs failed: no route to db-1",
        "settle 及另外 39 个任务失败：no route to db-1",
    ),
    (
        alert(ConditionKind.FAILED, kind="lost", node="w-1"),
        "settle lost a run with the node w-1",
        "settle 的执行随节点 w-1 丢失",
    ),
    (
        alert(ConditionKind.LATE, 2, reason="no_worker", of="etl", lasts_us=10 * MINUTE),
        "settle and 1 other job did not start for 10 m: no worker of etl takes runs",
        "",
    ),
    (alert(ConditionKind.NODE, band="dead"), "the node settle is dead: its runs were moved", ""),
    (
        alert(ConditionKind.CHECK, grade="critical", about="settle"),
        "the check settle is critical: settle",
        "检查 settle 的级别为严重：settle",
    ),
    (alert(ConditionKind.STORE, lasts_us=MINUTE), "the store was away for 1 m", ""),
]


@pytest.mark.parametrize(("one", "in_english", "in_chinese"), SAID)
def test_an_alert_is_one_sentence_with_its_numbers(one: Alert, in_english: str, in_chinese: str) -> None:
    assert alert_sentence(one, Language.ENGLISH) == in_english
    if in_chinese:
        assert alert_sentence(one, Language.CHINESE) == in_chinese


@pytest.mark.parametrize("kind", ConditionKind)
@pytest.mark.parametrize("language", Language)
def test_every_condition_is_said_with_and_without_numbers(kind: ConditionKind, language: Language) -> None:
    full = alert(kind, 3, lasts_us=MINUTE, band="warning", grade="critical", type="clock_step", value=3, run="r-1")
    for one in (full, alert(kind)):
        assert "settle" in alert_sentence(one, language) or kind in (ConditionKind.LEADER, ConditionKind.STORE)
        assert alert_next_step(one, language)


def test_both_languages_say_the_same_things() -> None:
    for theirs, ours in ((english.SENTENCES, chinese.SENTENCES), (english.NEXT_STEPS, chinese.NEXT_STEPS)):
        assert theirs.keys() == ours.keys()
        for said in ours.values():
            for text in (said,) if isinstance(said, str) else said:
                assert latin_words(text) <= {"test"}, text  # a word of a command
