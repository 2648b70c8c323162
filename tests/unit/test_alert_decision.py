"""What becomes of alerts: a pure function, by cases."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from foliot.domain.alerts.builtin_rules import BUILT_IN, with_built_in
from foliot.domain.alerts.causes import plain_cause
from foliot.domain.alerts.channel import Channel
from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.alerts.decision import CAUSES_MAX, SUBJECTS_MAX, Decision, KnownAlert, Scene, decide
from foliot.domain.alerts.inhibition import Circumstances, inhibited
from foliot.domain.alerts.level import AlertLevel, AlertState
from foliot.domain.alerts.observation import Observation, Sighting
from foliot.domain.alerts.rule import Rule
from foliot.domain.alerts.rule_book import RuleBook, is_true
from foliot.domain.alerts.rule_document import rule_from
from foliot.domain.alerts.silence import Silence
from foliot.domain.alerts.silence_document import silence_from
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, to_instant

NOW = to_instant(datetime(2026, 11, 18, 3, 0, tzinfo=UTC))  # a Wednesday night


def rule(name: str = "r", **document: Any) -> Rule:
    return rule_from({"when": "late 5m", "to": "oncall", **document}, name=name, namespace=None)


def late(job: str = "a", lasts_us: int = 10 * MINUTE, **other: Any) -> Observation:
    return Observation(
        kind=ConditionKind.LATE,
        subject_key=f"job:{job}",
        subject=job,
        cause=plain_cause("late", "busy"),
        at=NOW - lasts_us,
        namespace="default",
        job_id=ord(job[0]),
        lasts_us=lasts_us,
        group="etl",
        **other,
    )


class Story:
    """Rounds one after the other, each going by what the last one left, as rows would keep it."""

    def __init__(self, *rules: Rule, channels: Sequence[Channel] = ()) -> None:
        self.book = RuleBook(rules)
        self.channels = channels
        self.silences: Sequence[Silence] = ()
        self.now = NOW
        self.known: list[KnownAlert] = []

    def round(self, *seen: Observation, after_us: int = 5 * SECOND, **around: Any) -> Decision:
        self.now += after_us
        sightings: list[Sighting] = inhibited(self.book.sightings(seen), Circumstances(**around))
        scene = Scene(
            now=self.now,
            book=self.book,
            silences=self.silences,
            channels=self.channels,
            looked=frozenset(ConditionKind) - {ConditionKind.FAILED},
        )
        decision = decide(self.known, sightings, scene)
        by_key = {one.alert.key: one for one in self.known}
        by_key |= {one.alert.key: one for one in (*decision.opened, *decision.changed)}
        for one in decision.resolved:
            del by_key[one.alert.key]
        self.known = [
            replace(one, alert=replace(one.alert, id=one.alert.id or 7, ver=one.alert.ver + 1))
            for one in by_key.values()
        ]
        return decision

    @property
    def only(self) -> KnownAlert:
        (one,) = self.known
        return one


def told(decision: Decision) -> list[tuple[str, str]]:
    return [(str(notice.kind), notice.channel) for _, notice in decision.notices]


def test_an_alert_fires_lasts_without_a_write_and_is_over() -> None:
    story = Story(rule())
    assert told(story.round(late())) == [("fired", "oncall")]
    assert story.round(late()).is_empty
    assert not story.round(late(), after_us=2 * MINUTE).is_empty  # that it lasts is written once a minute
    over = story.round()
    assert told(over) == [("resolved", "oncall")]
    assert [one.alert.state for one in over.resolved] == [AlertState.RESOLVED]
    assert story.known == []


def test_what_must_last_is_pending_until_then() -> None:
    story = Story(rule(**{"for": "10m"}))
    first = story.round(late(lasts_us=6 * MINUTE))
    assert (told(first), story.only.alert.state) == ([], AlertState.PENDING)
    assert told(story.round(late(lasts_us=6 * MINUTE), after_us=5 * MINUTE)) == [("fired", "oncall")]
    story = Story(rule(**{"for": "1h"}))
    story.round(late(lasts_us=6 * MINUTE))
    over = story.round()
    assert (told(over), over.events) == ([], [])  # nobody was told that it began


def test_a_rule_that_counts_waits_for_the_second_time() -> None:
    story = Story(rule(after="2 in 1h"))
    assert told(story.round(late())) == []
    assert told(story.round()) == []
    assert story.only.alert.state is AlertState.PENDING  # it may still come to two
    assert told(story.round(late(), after_us=20 * MINUTE)) == [("fired", "oncall")]
    story = Story(rule(after="2 in 1h"))
    story.round(late())
    story.round()
    story.round(after_us=2 * HOUR)
    assert story.known == []


def test_a_second_subject_of_one_cause_joins_in_silence() -> None:
    story = Story(rule())
    story.round(late("a"))
    assert told(story.round(late("a"), late("b"))) == []
    assert sorted(one.subject for one in story.only.open_subjects) == ["a", "b"]
    assert told(story.round(late("b"))) == []
    assert [one.subject for one in story.only.open_subjects] == ["b"]


def test_an_alert_keeps_a_bounded_number_of_subjects() -> None:
    story = Story(rule())
    many = [replace(late(), subject_key=f"job:{n}") for n in range(SUBJECTS_MAX + 10)]
    story.round(*many)
    assert (len(story.only.subjects), story.only.unkept) == (SUBJECTS_MAX, 10)


def test_escalation_goes_step_by_step_and_a_person_ends_it() -> None:
    steps = [{"after": "30m", "to": "boss"}, {"after": "1h", "to": "cto", "level": "critical"}]
    story = Story(rule(escalate=steps))
    story.round(late())
    assert told(story.round(late(), after_us=31 * MINUTE)) == [("escalated", "boss")]
    assert told(story.round(late())) == []
    assert told(story.round(late(), after_us=30 * MINUTE)) == [("escalated", "cto")]
    assert story.only.alert.level is AlertLevel.CRITICAL
    assert told(story.round(late(), after_us=DAY)) == []
    assert sorted(told(story.round())) == [("resolved", "boss"), ("resolved", "cto"), ("resolved", "oncall")]

    story = Story(rule(escalate=steps))
    story.round(late())
    acked = replace(story.only, alert=replace(story.only.alert, state=AlertState.ACKNOWLEDGED))
    story.known = [acked]
    assert told(story.round(late(), after_us=DAY)) == []
    assert told(story.round()) == [("resolved", "oncall")]


def test_a_reminder_comes_again_and_no_key_twice() -> None:
    story = Story(rule(remind="1h"))
    keys = [notice.key for _, notice in story.round(late()).notices]
    for _ in range(3):
        decision = story.round(late(), after_us=HOUR)
        assert told(decision) == [("reminded", "oncall")]
        keys += [notice.key for _, notice in decision.notices]
    assert len(set(keys)) == 4


def test_no_recovery_is_told_where_the_rule_says_no() -> None:
    story = Story(rule(recover=False))
    story.round(late())
    assert told(story.round()) == []


def test_outside_of_the_hours_only_what_is_critical_is_told_at_once() -> None:
    hours = {"days": "mon-fri", "from": "09:00", "to": "18:00", "timezone": "UTC"}
    for level, waits_us in (("warning", 6 * HOUR - 5 * SECOND), ("critical", 0)):
        (_, notice), *_ = Story(rule(hours=hours, level=level)).round(late()).notices
        assert notice.not_before == NOW + 5 * SECOND + waits_us


def channel(name: str, namespace: str | None = None, **other: Any) -> Channel:
    return Channel(name=name, namespace=namespace, kind="webhook", settings={}, **other)


ADDRESSES: list[tuple[dict[str, Any], list[Channel], list[str]]] = [
    ({"to": "oncall"}, [], ["alert:{id}:fired:/oncall"]),
    ({"to": "oncall"}, [channel("oncall"), channel("oncall", "default")], ["alert:{id}:fired:default/oncall"]),
    ({"to": "oncall"}, [channel("oncall", level_min=AlertLevel.CRITICAL)], []),
    ({"to": "oncall"}, [channel("oncall", is_on=False)], []),
    ({"to": []}, [channel("x"), channel("y", is_default=True), channel("z", "other", is_default=True)],
     ["alert:{id}:fired:/y"]),
]  # fmt: skip


@pytest.mark.parametrize(("document", "channels", "keys"), ADDRESSES)
def test_who_is_told(document: dict[str, Any], channels: list[Channel], keys: list[str]) -> None:
    decision = Story(rule(**document), channels=channels).round(late())
    assert [notice.key for _, notice in decision.notices] == keys


def test_a_channel_that_is_made_while_it_fires_hears_of_it() -> None:
    story = Story(rule(to=[], escalate=[{"after": "30m", "to": ["boss"]}]))
    assert told(story.round(late())) == []
    assert (story.only.alert.state, story.only.alert.told_at) == (AlertState.FIRING, None)
    assert story.round(late()).is_empty, "nothing is written while nobody can be told"
    story.channels = [channel("oncall", is_default=True)]
    assert told(story.round(late())) == [("fired", "oncall")]
    assert told(story.round(late(), after_us=31 * MINUTE)) == [("escalated", "boss")]


def test_who_is_named_by_a_step_hears_of_it_although_nobody_did_at_first() -> None:
    story = Story(rule(to=[], escalate=[{"after": "30m", "to": ["boss"]}]))
    assert told(story.round(late())) == []
    assert told(story.round(late(), after_us=31 * MINUTE)) == [("escalated", "boss")]
    assert told(story.round()) == [("resolved", "boss")]


def test_a_silence_holds_back_and_its_end_tells() -> None:
    story = Story(rule())
    made = silence_from({"of": {"job": "a"}}, namespace=None, from_at=NOW, until=NOW + HOUR, reason="x", made_by="y")
    story.silences = [replace(made, id=3)]
    assert told(story.round(late("a"))) == []
    assert (story.only.alert.silence_id, story.only.alert.state) == (3, AlertState.FIRING)
    assert told(story.round(late("a"), after_us=2 * HOUR)) == [("fired", "oncall")]
    story = Story(rule())
    story.silences = [replace(made, id=3)]
    assert told(story.round(late("b"))) == [("fired", "oncall")]  # it speaks of another job


def test_time_in_a_silence_does_not_count_for_the_escalation() -> None:
    steps = [{"after": "30m", "to": "boss"}, {"after": "40m", "to": "cto"}]
    made = silence_from({"of": {"job": "a"}}, namespace=None, from_at=NOW, until=NOW + DAY, reason="x", made_by="y")
    quiet = [replace(made, id=3)]
    story = Story(rule(escalate=steps))  # it fires in a silence
    story.silences = quiet
    assert told(story.round(late("a"))) == []
    assert told(story.round(late("a"), after_us=3 * HOUR)) == []
    story.silences = []
    assert told(story.round(late("a"))) == [("fired", "oncall")]
    assert told(story.round(late("a"))) == []
    assert told(story.round(late("a"), after_us=29 * MINUTE)) == []
    assert told(story.round(late("a"), after_us=MINUTE)) == [("escalated", "boss")]

    story = Story(rule(escalate=steps))  # a silence comes, and another one after it, when the clock shows 20 minutes
    assert told(story.round(late("a"))) == [("fired", "oncall")]
    assert told(story.round(late("a"), after_us=20 * MINUTE)) == []
    for number in (3, 4):
        story.silences = [replace(made, id=number)]
        for _ in range(2):
            assert told(story.round(late("a"))) == []
        assert told(story.round(late("a"), after_us=HOUR)) == []
    story.silences = []
    assert told(story.round(late("a"))) == []
    assert told(story.round(late("a"), after_us=9 * MINUTE)) == []
    assert told(story.round(late("a"), after_us=MINUTE)) == [("escalated", "boss")]


def test_hours_in_which_nobody_is_told_do_not_count_for_the_escalation() -> None:
    hours = {"days": "mon-fri", "from": "09:00", "to": "18:00", "timezone": "UTC"}
    story = Story(rule(hours=hours, escalate=[{"after": "30m", "to": "boss"}]))
    assert told(story.round(late())) == [("fired", "oncall")]  # at three, to be sent at nine
    assert told(story.round(late(), after_us=6 * HOUR)) == []
    assert told(story.round(late(), after_us=30 * MINUTE)) == [("escalated", "boss")]


@pytest.mark.parametrize(
    "around",
    [{"in_maintenance": True}, {"store_was_away": True}, {"groups_without_workers": frozenset({"etl"})}],
)
def test_what_a_graver_trouble_explains_is_told_only_when_it_outlasts_that(around: dict[str, Any]) -> None:
    story = Story(rule())
    assert told(story.round(late(), **around)) == []
    assert told(story.round(late())) == [("fired", "oncall")]


def check(grade: str) -> Observation:
    return Observation(
        kind=ConditionKind.CHECK,
        subject_key="check:database.clock",
        subject="database.clock",
        cause=plain_cause("check", "database.clock"),
        at=NOW,
        word="database.clock",
        grade=grade,
        number=3.0,
    )


def test_the_gravest_rule_tells_of_a_check() -> None:
    story = Story(*with_built_in([]))
    decision = story.round(check("critical"))
    assert [one.alert.rule for one in decision.opened if one.alert.state is AlertState.FIRING] == ["check-critical"]


def test_a_saved_rule_stands_in_the_place_of_one_that_comes_with_foliot() -> None:
    off = rule_from({"when": "node dead", "on": False}, name="node-dead", namespace=None)
    rules = with_built_in([off])
    assert len(rules) == len(BUILT_IN)
    assert not RuleBook(rules).of_kind(ConditionKind.NODE)


def test_actions_are_done_when_it_fires_and_as_often_as_they_may() -> None:
    story = Story(rule(do={"pause": True}))
    assert [act.subject.subject for act in story.round(late("a"), late("b")).acts] == ["a"]
    assert story.round(late("a"), late("b"), after_us=2 * MINUTE).acts == []
    assert Story(rule()).round(late()).acts == []  # off unless a rule says so


METRICS = [
    ('foliot_node_score{node="w-1"} > 0.9', 0.95, {"node": "w-1"}, True),
    ('foliot_node_score{node="w-1"} > 0.9', 0.95, {"node": "w-2"}, False),
    ("foliot_node_score >= 0.95", 0.95, {}, True),
    ("foliot_node_score != 0.95", 0.95, {}, False),
    ("foliot_node_cpu > 0.5", 0.95, {}, False),
]


@pytest.mark.parametrize(("when", "value", "labels", "holds"), METRICS)
def test_a_metric_is_compared_with_its_number(when: str, value: float, labels: dict[str, str], holds: bool) -> None:
    seen = Observation(
        kind=ConditionKind.METRIC,
        subject_key="m",
        subject="m",
        cause=plain_cause("metric"),
        at=NOW,
        word="foliot_node_score",
        number=value,
        labels=labels,
    )
    assert is_true(rule_from({"when": when}, name="r", namespace=None).when, seen) is holds


def test_a_paced_rule_needs_figures() -> None:
    paced = rule_from({"when": "slower p95*2"}, name="r", namespace=None).when
    run = replace(late(lasts_us=10 * MINUTE), kind=ConditionKind.SLOWER)
    assert not is_true(paced, run)
    assert is_true(paced, replace(run, percentiles={95: 4 * MINUTE}))
    assert not is_true(paced, replace(run, percentiles={95: 6 * MINUTE}))


def failure(job: str, cause: str) -> Observation:
    return Observation(
        kind=ConditionKind.FAILED,
        subject_key=f"job:{job}",
        subject=job,
        cause=plain_cause("failed", cause),
        at=NOW,
        namespace="default",
        job_id=7,
    )


def test_very_many_causes_of_one_rule_are_a_bounded_number_of_alerts() -> None:
    story = Story(rule(when="failed"))
    first = story.round(*(failure(f"job-{n}", f"cause-{n}") for n in range(3 * CAUSES_MAX)))
    assert len(first.opened) == len(first.notices) == CAUSES_MAX + 1
    rest = max(first.opened, key=lambda one: len(one.subjects))
    assert len(rest.subjects) == 2 * CAUSES_MAX
    again = story.round(failure(f"job-{2 * CAUSES_MAX}", "cause-x"), failure("job-0", "cause-0"))
    assert (again.opened, again.notices) == ([], [])
    assert {one.alert.key for one in again.changed} == {rest.alert.key, first.opened[0].alert.key}


def test_an_action_waits_until_its_alert_fires_although_the_failure_came_before() -> None:
    story = Story(rule(when="failed", do={"retry": 1}, **{"for": "5m"}))
    assert story.round(failure("a", "x")).acts == []
    acts = story.round(after_us=6 * MINUTE).acts
    assert [(act.subject.subject, act.number) for act in acts] == [("a", 1)]
    assert story.round(failure("a", "x")).acts == [], "it did what it may"


def test_out_of_hours_nothing_piles_up_and_the_end_does_not_come_before_the_beginning() -> None:
    hours = {"days": "mon-fri", "from": "09:00", "to": "18:00", "timezone": "UTC"}
    story = Story(rule(hours=hours, remind="1h"))
    (_, fired) = story.round(late()).notices[0]
    opens_at = to_instant(datetime(2026, 11, 18, 9, 0, tzinfo=UTC))
    assert fired.not_before == opens_at
    assert [told(story.round(late(), after_us=HOUR)) for _ in range(4)] == [[]] * 4
    (_, over) = story.round().notices[0]
    assert (str(over.kind), over.not_before) == ("resolved", opens_at)
