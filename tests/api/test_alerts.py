"""Alerts, rules, silences and channels over HTTP: what users see and may do, and what lies outside their namespace."""

from typing import Any

import pytest

from foliot.domain.alerts.alert import Notice, NoticeKind
from foliot.domain.alerts.level import AlertLevel
from foliot.store.sql.kernel.statement import Statement
from tests.api.asking import Api
from tests.api.stage import Stage

RULE = {"when": "failed 2 of 3", "of": {"group": "etl"}, "level": "critical"}
KINDS: dict[str, Any] = {
    "webhook": {
        "type": "object",
        "properties": {"url": {"type": "string", "secret": True}, "verb": {"type": "string"}},
        "required": ["url"],
        "additionalProperties": False,
    }
}
HOOK = {"kind": "webhook", "settings": {"url": "${secret:HOOK}"}}
NEW = {"If-None-Match": "*"}

INSERT = """
    INSERT INTO alerts (id, open_key, namespace, rule, kind, level, state, cause, channels, runbook, began_at, fired_at,
                        last_at, step, acted, seen, ver)
    VALUES (:id, :key, :namespace, :rule, 'failed', 'critical', :state, '{"key": "boom", "data": {}}',
            '{"to": ["oncall"]}', '', 1, 1, 1, 0, 0, 1, 1)
"""
TOUCHES = """
    INSERT INTO alert_subjects (alert_id, subject_key, subject, namespace, job_id, count, first_at, last_at, recent,
                                data)
    VALUES (:id, :subject, :subject, :namespace, 1, 1, 1, 1, '[]', '{}')
"""


@pytest.fixture
def stage(stage: Stage) -> Stage:
    from dataclasses import replace

    stage.services = replace(stage.services, channel_kinds=lambda: KINDS)
    return stage


async def fire(api: Api, number: int, namespace: str | None, subject: str = "tick", state: str = "firing") -> None:
    """An alert as the leader writes it."""
    database = api.stage.store.database
    alert = {"id": number, "key": f"k{number}", "namespace": namespace, "rule": "nights", "state": state}
    touched = {"id": number, "subject": subject, "namespace": namespace}
    await database.transact(lambda tx: tx.change(Statement(INSERT), alert))
    await database.transact(lambda tx: tx.change(Statement(TOUCHES), touched))


def code_of(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


# -------------------------------------------------------------------------------------------------------------- alerts


async def test_an_alert_is_listed_looked_after_and_over(api: Api) -> None:
    await fire(api, 1, "default")
    await fire(api, 2, None, "w-1")
    listed = (await api.get("/alerts", level="critical")).json()["items"]
    assert [(one["id"], one["state"], one["namespace"]) for one in listed] == [
        (2, "FIRING", None),
        (1, "FIRING", "default"),
    ]
    assert [[touched["subject"] for touched in one["subjects"]] for one in listed] == [["w-1"], ["tick"]]
    assert [one["id"] for one in (await api.get("/alerts", job="tick")).json()["items"]] == [1]
    seen = (await api.get("/alerts/1")).json()
    assert (seen["subjects"][0]["subject"], seen["to"]) == ("tick", ["oncall"])
    acked = (await api.post("/alerts/1:ack", {"note": "on it"})).json()
    assert (acked["state"], acked["acked_by"], acked["ack_note"]) == ("ACKNOWLEDGED", "root", "on it")
    assert (await api.post("/alerts/1:ack")).json()["state"] == "ACKNOWLEDGED", "a repeat is harmless"
    assert (await api.post("/alerts/1:resolve", {"reason": "mended"})).json()["state"] == "RESOLVED"
    assert code_of(await api.post("/alerts/1:ack")) == (409, "FOL-3111")
    assert [one["id"] for one in (await api.get("/alerts")).json()["items"]] == [2]
    assert [one["id"] for one in (await api.get("/alerts", state="RESOLVED")).json()["items"]] == [1]
    kinds = [event["kind"] for event in (await api.get("/journal", topic="cluster")).json()["items"]]
    assert kinds[:2] == ["alert.resolved", "alert.acknowledged"]
    assert code_of(await api.get("/alerts/77")) == (404, "FOL-2050")
    assert (await api.get("/alerts", state="loud")).status_code == 422


async def test_an_alert_is_silent_at_once_and_loud_again_when_its_silence_ends(api: Api) -> None:
    await fire(api, 1, "default")
    made = (await api.post("/silences", {"alert": 1, "for": "2h", "reason": "the bank is away"})).json()
    assert (await api.get("/alerts/1")).json()["silence"] == made["id"]
    assert (await api.get("/overview")).json()["alert_counts"]["critical"] == 0
    await api.ask("DELETE", f"/silences/{made['id']}")
    assert (await api.get("/alerts/1")).json()["silence"] is None


ACCESS = [
    # scopes, namespace, group, method, path, body, status
    (("read",), None, None, "GET", "/alerts/1", None, 200),
    (("read",), None, None, "POST", "/alerts/1:ack", {}, 403),
    (("write",), None, None, "POST", "/alerts/1:ack", {}, 403),
    (("run",), None, None, "POST", "/alerts/1:ack", {}, 200),
    (("run",), "ours", None, "POST", "/alerts/1:ack", {}, 200),
    (("run",), "theirs", None, "POST", "/alerts/1:ack", {}, 404),
    (("run",), "ours", None, "POST", "/alerts/2:ack", {}, 404),
    (("run",), "ours", "etl", "POST", "/alerts/1:ack", {}, 200),
    (("run",), "ours", "web", "POST", "/alerts/1:ack", {}, 403),
    (("read",), "theirs", None, "GET", "/alerts/1", None, 404),
    (("read",), None, None, "POST", "/silences", {"rule": "x", "for": "1h", "reason": "r"}, 403),
    (("run",), "ours", None, "POST", "/silences", {"of": {"job": "*"}, "for": "1h", "reason": "r"}, 201),
    (("run",), "ours", None, "POST", "/silences", {"of": {"node": "w"}, "for": "1h", "reason": "r"}, 403),
    (("run",), "ours", "etl", "POST", "/silences", {"of": {"group": "etl"}, "for": "1h", "reason": "r"}, 201),
    (("run",), "ours", "etl", "POST", "/silences", {"of": {"job": "*"}, "for": "1h", "reason": "r"}, 403),
    (("run",), "ours", "etl", "POST", "/silences", {"alert": 1, "for": "1h", "reason": "r"}, 201),
    (("run",), None, None, "PUT", "/rules/x", {"rule": {"when": "failed"}}, 403),
    (("write",), "ours", None, "PUT", "/rules/x", {"rule": {"when": "failed"}}, 201),
    (("write",), "ours", None, "PUT", "/rules/x", {"rule": {"when": "node dead"}}, 403),
    (("write",), None, None, "PUT", "/rules/x", {"rule": {"when": "node dead"}}, 403),
    (("write",), "ours", "etl", "PUT", "/rules/x", {"rule": {"when": "failed", "of": {"group": "etl"}}}, 201),
    (("write",), "ours", "etl", "PUT", "/rules/x", {"rule": {"when": "failed"}}, 403),
    (("admin",), None, None, "PUT", "/rules/x", {"rule": {"when": "node dead"}}, 201),
    (("write",), None, None, "PUT", "/channels/x", {"channel": HOOK}, 403),
    (("admin",), None, None, "PUT", "/channels/x", {"channel": HOOK}, 201),
    (("write",), "ours", None, "POST", "/alerts:apply", {"channels": {"x": HOOK}}, 403),
    (("write",), "ours", None, "POST", "/alerts:apply", {"rules": {"x": {"when": "failed"}}}, 200),
]


async def test_who_may_do_what_and_where(api: Api) -> None:
    definition = {"run": {"python": "jobs:tick"}, "group": "etl"}
    await api.post("/jobs", {"name": "tick", "definition": definition}, namespace="ours")
    await fire(api, 1, "ours")
    await fire(api, 2, None, "w-1")
    wrong = []
    for scopes, namespace, group, method, path, body, status in ACCESS:
        asker = await api.with_scopes(*scopes, namespace=namespace, group=group)
        headers = NEW if method == "PUT" else None
        found = (await asker.ask(method, path, body, headers=headers)).status_code
        if found != status:
            wrong.append((scopes, namespace, group, method, path, body, status, found))
        await api.ask("DELETE", "/rules/x", namespace="ours")
        await api.ask("DELETE", "/rules/x")
        await api.ask("DELETE", "/channels/x", force=True)
    assert wrong == []


async def test_a_tenant_sees_its_own_alerts_alone(api: Api) -> None:
    await fire(api, 1, "ours")
    await fire(api, 2, None, "w-1")
    await api.post("/silences", {"rule": "x", "namespace": "ours", "for": "1h", "reason": "ours"})
    ours, theirs = await api.with_scopes("read", namespace="ours"), await api.with_scopes("read", namespace="theirs")
    assert [one["id"] for one in (await ours.get("/alerts")).json()["items"]] == [1]
    assert (await theirs.get("/alerts")).json()["items"] == []
    assert (await theirs.get("/alerts", namespace="ours")).json()["items"] == []
    assert [one["reason"] for one in (await ours.get("/silences")).json()["items"]] == ["ours"]
    assert (await theirs.get("/silences")).json()["items"] == []


# ------------------------------------------------------------------------------------------------------------ silences


async def test_a_silence_has_an_end_and_a_reason_and_names_something(api: Api) -> None:
    made = await api.post("/silences", {"of": {"job": "etl_*"}, "for": "2h", "reason": "the database moves"})
    assert made.status_code == 201
    assert (made.json()["namespace"], made.json()["is_active"], made.json()["of"]["job"]) == ("default", True, "etl_*")
    number = made.json()["id"]
    assert made.headers["location"] == f"/api/v1/silences/{number}"
    for body, code in (
        ({"for": "2h", "reason": "r"}, "FOL-1390"),
        ({"rule": "x", "reason": "r"}, "FOL-1058"),
        ({"rule": "x", "for": "2h", "until": "2026-03-02T09:00:00Z", "reason": "r"}, "FOL-1058"),
        ({"rule": "x", "for": "1s", "reason": "r"}, "FOL-1058"),
        ({"rule": "x", "for": "2h", "reason": "  "}, "FOL-1058"),
        ({"rule": "x", "for": "2h"}, "FOL-1085"),
    ):
        assert (await api.post("/silences", body)).json()["code"] == code, body
    everything = await api.post("/silences", {"everything": True, "everywhere": True, "for": "1h", "reason": "moving"})
    assert (everything.status_code, everything.json()["namespace"]) == (201, None)
    ended = (await api.ask("DELETE", f"/silences/{number}")).json()
    assert (ended["ended_by"], ended["is_active"]) == ("root", False)
    assert code_of(await api.ask("DELETE", "/silences/999")) == (404, "FOL-2052")
    listed = (await api.get("/silences", ended=True)).json()["items"]
    assert {one["id"] for one in listed} == {number, everything.json()["id"]}


# --------------------------------------------------------------------------------------------------------------- rules


async def test_a_rule_is_made_changed_from_what_was_seen_and_taken_away(api: Api) -> None:
    made = await api.ask("PUT", "/rules/nights", {"rule": RULE, "reason": "new"}, headers=NEW)
    assert (made.status_code, made.headers["etag"]) == (201, '"v1"')
    assert made.json()["in_words"].startswith("2 of the last 3 runs of a job failed, of group etl: critical")
    assert (await api.ask("PUT", "/rules/nights", {"rule": RULE})).status_code == 428
    same = await api.ask("PUT", "/rules/nights", {"rule": {**RULE}}, headers={"If-Match": '"v1"'})
    assert (same.status_code, same.json()["version"]) == (200, 1), "a repeat changes nothing"
    changed = await api.ask("PUT", "/rules/nights", {"rule": {**RULE, "remind": "4h"}}, headers={"If-Match": '"v1"'})
    assert changed.json()["version"] == 2
    stale = await api.ask("PUT", "/rules/nights", {"rule": RULE}, headers={"If-Match": '"v1"'})
    assert code_of(stale) == (412, "FOL-3110")
    assert stale.json()["current"]["version"] == 2
    assert stale.json()["changes"] == [{"path": "remind", "before": "4h", "after": None}]
    chinese = await api.ask("GET", "/rules/nights", headers={"Accept-Language": "zh-CN"})
    assert "任务最近 3 次执行中有 2 次失败" in chinese.json()["in_words"]
    assert [one["name"] for one in (await api.get("/rules")).json()["items"] if one["version"]] == ["nights"]
    assert (await api.ask("DELETE", "/rules/nights")).status_code == 204
    assert code_of(await api.get("/rules/nights")) == (404, "FOL-2051")


async def test_a_rule_that_names_an_unknown_channel_is_saved_with_a_warning(api: Api) -> None:
    await api.ask("PUT", "/channels/oncall", {"channel": HOOK}, headers=NEW)
    made = (await api.ask("PUT", "/rules/nights", {"rule": {**RULE, "to": ["onkall"]}}, headers=NEW)).json()
    assert [(one["code"], one["hint"]) for one in made["warnings"]] == [("FOL-1391", "did you mean oncall?")]
    job = (await api.create_job("tick", alert={"on": ["failed"], "to": ["onkall"]})).json()
    assert [one["code"] for one in job["warnings"]] == ["FOL-1391"]
    checked = await api.post("/jobs:validate", {"definition": job["definition"]})
    assert "FOL-1391" in [one["code"] for one in checked.json()["warnings"]]


async def test_a_rule_about_the_cluster_is_the_clusters(api: Api) -> None:
    made = (await api.ask("PUT", "/rules/dead", {"rule": {"when": "node dead"}}, headers=NEW)).json()
    assert (made["namespace"], made["kind"]) == (None, "node")
    wrong = await api.ask("PUT", "/rules/dead2", {"rule": {"when": "node dead"}}, headers=NEW, everywhere=0)
    assert code_of(wrong) == (422, "FOL-1058")


async def test_a_rule_says_whether_it_would_fire_for_a_run(api: Api, stage: Stage) -> None:
    from foliot.domain.verdict import Cause

    await api.create_job("tick", group="etl", retries=0)
    worker = await stage.worker("w-1", ["python:jobs:tick"], group="etl")
    for _ in range(2):
        run = await stage.trigger("tick")
        assert await worker.lease()
        await worker.beat()
        await worker.end(Cause.ERROR, after_us=1_000_000, error="ValueError: boom")
    await api.ask("PUT", "/rules/nights", {"rule": RULE}, headers=NEW)
    found = (await api.post("/rules/nights:test", {"run": run})).json()
    assert found["would_fire"], found
    assert "2 of the last 2 runs failed" in " ".join(found["why"])
    other = {"when": "failed", "of": {"group": "web"}}
    found = (await api.post("/rules/nights:test", {"run": run, "rule": other})).json()
    assert (found["would_fire"], found["why"][0]) == (False, "group etl does not fit web")
    await api.post("/silences", {"of": {"job": "t*"}, "for": "1h", "reason": "quiet"})
    assert not (await api.post("/rules/nights:test", {"run": run})).json()["would_fire"]


# ------------------------------------------------------------------------------------------------------------ channels


async def test_a_channel_is_made_changed_and_taken_away_once_no_rule_names_it(api: Api) -> None:
    made = await api.ask("PUT", "/channels/oncall", {"channel": HOOK}, headers=NEW)
    assert (made.status_code, made.headers["etag"], made.json()["kind"]) == (201, '"v1"', "webhook")
    assert code_of(await api.ask("PUT", "/channels/oncall", {"channel": HOOK}, headers=NEW))[0] == 409
    changed = {**HOOK, "level": "critical"}
    assert (await api.ask("PUT", "/channels/oncall", {"channel": changed}, headers={"If-Match": '"v1"'})).json()[
        "version"
    ] == 2
    stale = await api.ask("PUT", "/channels/oncall", {"channel": HOOK}, headers={"If-Match": '"v1"'})
    assert (stale.status_code, stale.json()["changes"][0]["path"]) == (412, "level")
    await api.ask("PUT", "/rules/nights", {"rule": {**RULE, "to": ["oncall"]}}, headers=NEW)
    assert code_of(await api.ask("DELETE", "/channels/oncall")) == (409, "FOL-3120")
    assert (await api.ask("DELETE", "/channels/oncall", force=True)).status_code == 204
    assert code_of(await api.get("/channels/oncall"))[0] == 404
    kinds = [event["kind"] for event in (await api.get("/journal", subject="oncall")).json()["items"]]
    assert kinds == ["channel.removed", "channel.changed", "channel.created"]


@pytest.mark.parametrize(
    ("channel", "code"),
    [
        ({"kind": "webhok", "settings": {"url": "${secret:X}"}}, "FOL-1058"),
        ({"kind": "webhook", "settings": {}}, "FOL-1058"),
        ({"kind": "webhook", "settings": {"url": "https://hooks.example/T0/secret"}}, "FOL-1393"),
        ({"kind": "webhook", "settings": {"url": "${secret:}"}}, "FOL-1393"),
        ({"kind": "webhook", "settings": {"url": "${secret:X}"}, "colour": "red"}, "FOL-1058"),
    ],
)
async def test_a_channel_that_cannot_be_is_refused(api: Api, channel: dict[str, Any], code: str) -> None:
    refused = await api.ask("PUT", "/channels/x", {"channel": channel}, headers=NEW)
    assert (refused.status_code, refused.json()["code"]) == (422, code)


async def test_a_test_message_goes_through_the_outbox(api: Api, stage: Stage) -> None:
    await api.ask("PUT", "/channels/oncall", {"channel": HOOK}, headers=NEW)
    found = (await api.post("/channels/oncall:test")).json()
    assert (found["is_sent"], found["delivery"]["state"], found["delivery"]["kind"]) == (False, "WAITING", "test")
    notice = Notice(
        key="a:1",
        kind=NoticeKind.FIRED,
        channel="oncall",
        namespace=None,
        level=AlertLevel.CRITICAL,
        alert_id=1,
        data={},
    )
    await stage.store.channels.put([notice])
    await fire(api, 1, "ours")
    listed = (await api.get("/deliveries")).json()["items"]
    assert [one["kind"] for one in listed] == ["fired", "test"]
    ours = await api.with_scopes("read", namespace="ours")
    assert (await ours.get("/deliveries")).json()["items"] == [], "a channel of the cluster may speak of others"
    assert [one["alert"] for one in (await ours.get("/deliveries", alert=1)).json()["items"]] == [1]


# --------------------------------------------------------------------------------------------------------------- files


async def test_a_file_is_applied_as_a_whole_and_a_repeat_changes_nothing(api: Api) -> None:
    wanted = {
        "channels": {"oncall": HOOK},
        "rules": {"nights": {**RULE, "to": ["oncall"]}, "dead": {"when": "node dead"}},
    }
    looked = (await api.post("/alerts:apply", {**wanted, "dry_run": True})).json()
    assert [(one["sort"], one["change"]) for one in looked["items"]] == [("channel", "created")] + [
        ("rule", "created")
    ] * 2
    assert (await api.get("/channels")).json()["items"] == [], "a look changes nothing"
    done = (await api.post("/alerts:apply", wanted)).json()
    assert [(one["namespace"], one["warnings"]) for one in done["items"]] == [(None, []), ("default", []), (None, [])]
    again = (await api.post("/alerts:apply", wanted)).json()
    assert {one["change"] for one in again["items"]} == {"same"}
    assert {one["version"] for one in again["items"]} == {1}
    report = {"reports": {"morning": {"at": "07:30", "to": ["oncall"]}}}
    for change in ("created", "same"):
        (entry,) = (await api.post("/alerts:apply", report)).json()["items"]
        assert (entry["sort"], entry["namespace"], entry["change"]) == ("report", None, change)
    assert (await api.get("/report-schedules/morning")).json()["schedule"]["at"] == "07:30"
    named = await api.ask("DELETE", "/channels/oncall")
    assert (code_of(named), "report morning" in named.json()["detail"]) == ((409, "FOL-3120"), True)
    late = await api.post("/alerts:apply", {"reports": {"morning": {"at": "late", "to": ["oncall"]}}})
    assert late.json()["errors"][0]["path"] == "reports.morning.at"
    bad = {"rules": {"good": {"when": "failed"}, "bad": {"when": "sometimes"}}}
    refused = await api.post("/alerts:apply", bad)
    assert refused.json()["errors"][0]["path"] == "rules.bad.when"
    assert code_of(await api.get("/rules/good"))[0] == 404, "nothing is saved when something is wrong"


async def test_a_job_tells_its_policy_and_its_open_alerts(api: Api) -> None:
    await api.create_job("tick", alert={"on": ["failed", "late 10m"], "to": ["oncall"]})
    await fire(api, 1, "default")
    job = (await api.get("/jobs/tick")).json()
    assert job["alerting"] == "a run failed, a run starts 10 m late; tells oncall"
    assert [one["id"] for one in job["alerts"]] == [1]
    overview = (await api.get("/overview")).json()
    assert (overview["alert_counts"], [one["id"] for one in overview["alerts"]]) == (
        {"critical": 1, "warning": 0, "info": 0},
        [1],
    )
    assert (await api.get("/cluster")).json()["alerts"]["critical"] == 1
