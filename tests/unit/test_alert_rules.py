"""Alert rules, conditions, hours and silences: what people write, and the one form that is kept."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from foliot.domain.alerts.condition_text import condition_from, written_condition
from foliot.domain.alerts.hours import hours_from, told_from, written_hours
from foliot.domain.alerts.rule_document import rule_from, written_rule
from foliot.domain.alerts.silence_document import silence_from, written_silence
from foliot.domain.anomalies.anomaly import AnomalyKind
from foliot.domain.errors import BadField, FoliotError
from foliot.domain.instants import DAY, HOUR, MINUTE, to_instant

CONDITIONS = [
    ("failed", "failed"),
    ("failed  3 of 5", "failed 3 of 5"),
    ("late 600s", "late 10m"),
    ("slower p95 × 2.50", "slower p95*2.5"),
    ("slower 5m", "slower 5m"),
    ("silent 2h", "silent 2h"),
    ("queue 5m", "queue 5m"),
    ("node dead", "node dead"),
    ("leader 30s", "leader 30s"),
    ("store 1m", "store 1m"),
    ("check database.clock", "check database.clock warning"),
    ("check any critical", "check any critical"),
    ("drift", "check system.clocks warning"),
    ("certificate 14d", "certificate 14d"),
    ("certificate", "check business.certificates warning"),
    ("failover", "failover"),
    *((f"anomaly {kind}", f"anomaly {kind}") for kind in AnomalyKind),
    ("anomaly", "anomaly"),
    ("heartbeat", "heartbeat"),
    ("heartbeat  missed", "heartbeat missed"),
    ("channel", "channel"),
    ('foliot_node_score{node="w-1",group="etl"}>0.9', 'foliot_node_score{group="etl", node="w-1"} > 0.9'),
    ("foliot_ready >= 1e3", "foliot_ready >= 1000"),
]
WRONG_CONDITIONS = [
    *("", "fails", "failed 5 of 3", "failed 0 of 3", "failed 3 of 1000", "late", "late soon", "late 0s", "slower"),
    *("slower p94*2", "slower p95*0", "silent", "node", "node sick", "check", "check any awful", "check A;B"),
    *("anomaly mood", "anomaly volume", "drift 5m", "certificate soon", "heartbeat sick", "late 5000d"),
    *("x{a=b} > 1", "x > many", "x => 1"),
    "x" * 501,
]


@pytest.mark.parametrize(("written", "kept"), CONDITIONS)
def test_a_condition_has_one_form(written: str, kept: str) -> None:
    condition = condition_from(written)
    assert written_condition(condition) == kept
    assert condition_from(kept) == condition


@pytest.mark.parametrize("written", [*WRONG_CONDITIONS, None, 5, ["failed"]])
def test_what_is_no_condition_is_refused_with_a_hint(written: Any) -> None:
    with pytest.raises(BadField) as refused:
        condition_from(written)
    assert refused.value.path == "when"


RULES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"when": "failed"}, {"when": "failed"}),
    ({"when": "failed", "level": "warning", "recover": True, "on": True, "to": []}, {"when": "failed"}),
    (
        {
            "when": "failed 2 of 3",
            "of": {"group": "etl", "job": "settle*", "tags": {"team": "data"}},
            "level": "critical",
            "for": "300s",
            "after": "2 in 24h",
            "to": "oncall",
            "recover": False,
            "remind": "4h",
            "hours": {"days": "mon-fri", "from": "09:00", "to": "18:00", "timezone": "Asia/Shanghai"},
            "escalate": [{"after": "30m", "to": ["boss"], "level": "critical"}],
            "do": {"retry": 2, "an_hour": 5},
            "runbook": "https://wiki.example/settle",
            "on": False,
        },
        {
            "when": "failed 2 of 3",
            "of": {"group": "etl", "job": "settle*", "tags": {"team": "data"}},
            "level": "critical",
            "for": "5m",
            "after": "2 in 1d",
            "to": ["oncall"],
            "recover": False,
            "remind": "4h",
            "hours": {
                "days": ["mon", "tue", "wed", "thu", "fri"],
                "from": "09:00",
                "to": "18:00",
                "timezone": "Asia/Shanghai",
            },
            "escalate": [{"after": "30m", "to": ["boss"], "level": "critical"}],
            "do": {"retry": 2, "an_hour": 5},
            "runbook": "https://wiki.example/settle",
            "on": False,
        },
    ),
    ({"when": "node dead", "do": {"drain": True, "most": 3}}, {"when": "node dead", "do": {"drain": True, "most": 3}}),
    ({"when": "late 5m", "do": {"trigger": "mend"}}, {"when": "late 5m", "do": {"trigger": "mend"}}),
]  # fmt: skip

WRONG_RULES: list[tuple[dict[str, Any], str]] = [
    ({}, "when"),
    ({"when": "failed", "colour": "red"}, "colour"),
    ({"when": "failed", "level": "grave"}, "level"),
    ({"when": "failed", "for": "30d"}, "for"),
    ({"when": "failed", "after": 0}, "after"),
    ({"when": "failed", "after": "2 per day"}, "after"),
    ({"when": "failed", "to": ["a b"]}, "channel"),
    ({"when": "failed", "remind": "1s"}, "remind"),
    ({"when": "failed", "hours": {"days": "someday"}}, "hours.days"),
    ({"when": "failed", "hours": {"from": "25:00"}}, "hours.from"),
    ({"when": "failed", "hours": {"timezone": "Mars/Olympus"}}, "hours.timezone"),
    ({"when": "failed", "escalate": [{"after": "1h"}]}, "escalate.0"),
    ({"when": "failed", "escalate": [{"after": "1h", "to": "b"}, {"after": "5m", "to": "a"}]}, "escalate"),
    ({"when": "failed", "do": {"retry": 1, "pause": True}}, "do"),
    ({"when": "failed", "do": {"retry": 1000}}, "do.retry"),
    ({"when": "failed", "do": {"pause": "yes"}}, "do.pause"),
    ({"when": "failed", "do": {"drain": True}}, "do.drain"),
    ({"when": "late 5m", "do": {"retry": 1}}, "do.retry"),
    ({"when": "node dead", "do": {"pause": True}}, "do.pause"),
    ({"when": "node dead", "of": {"job": "x"}}, "of.job"),
    ({"when": "failed", "of": {"node": "x"}}, "of.node"),
    ({"when": "failed", "runbook": "x" * 3000}, "runbook"),
]


@pytest.mark.parametrize(("written", "kept"), RULES)
def test_a_rule_has_one_form(written: dict[str, Any], kept: dict[str, Any]) -> None:
    rule = rule_from(written, name="night", namespace=None)
    assert written_rule(rule) == kept
    assert rule_from(kept, name="night", namespace=None) == rule


@pytest.mark.parametrize(("written", "about"), WRONG_RULES)
def test_a_wrong_rule_is_refused_by_the_path_of_what_is_wrong(written: dict[str, Any], about: str) -> None:
    with pytest.raises(FoliotError) as refused:
        rule_from(written, name="night", namespace=None)
    assert about in refused.value.sentence


def test_a_rule_about_the_cluster_is_nothing_for_a_namespace() -> None:
    with pytest.raises(BadField):
        rule_from({"when": "node dead"}, name="night", namespace="billing")
    assert rule_from({"when": "failed"}, name="night", namespace="billing").namespace == "billing"


SHANGHAI = {"days": "mon-fri", "from": "09:00", "to": "18:00", "timezone": "Asia/Shanghai"}
NIGHTS = {"days": ["fri"], "from": "22:00", "to": "06:00", "timezone": "Europe/Berlin"}
HOURS = [
    (SHANGHAI, "2026-11-18T10:00", "2026-11-18T10:00"),  # a Wednesday
    (SHANGHAI, "2026-11-18T08:59", "2026-11-18T09:00"),
    (SHANGHAI, "2026-11-18T18:00", "2026-11-19T09:00"),
    (SHANGHAI, "2026-11-20T19:00", "2026-11-23T09:00"),  # Friday evening: Monday
    (NIGHTS, "2026-11-21T03:00", "2026-11-21T03:00"),  # the night that began on Friday
    (NIGHTS, "2026-11-21T06:00", "2026-11-27T22:00"),
    ({"from": "08:00", "to": "08:00"}, "2026-11-21T03:00", "2026-11-21T03:00"),  # all day
]


@pytest.mark.parametrize(("written", "at", "told"), HOURS)
def test_what_comes_outside_of_the_hours_waits_for_them(written: dict[str, Any], at: str, told: str) -> None:
    hours = hours_from(written)
    assert hours is not None
    assert hours_from(written_hours(hours)) == hours
    zone = ZoneInfo(hours.timezone)
    comes, goes = (to_instant(datetime.fromisoformat(one).replace(tzinfo=zone)) for one in (at, told))
    assert told_from(hours, comes) == goes


def test_a_silence_has_an_end_and_a_reason() -> None:
    written = {"of": {"job": "settle*"}, "rule": "night*", "alert": 7}
    silence = silence_from(written, namespace=None, from_at=0, until=HOUR, reason="move", made_by="anne")
    assert written_silence(silence) == written
    for until, reason in ((MINUTE - 1, "x"), (91 * DAY, "x"), (HOUR, " ")):
        with pytest.raises(BadField):
            silence_from({}, namespace=None, from_at=0, until=until, reason=reason, made_by="anne")
