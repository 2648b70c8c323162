"""Previews over HTTP: what each kind of channel would send, in both languages, and whether it would be heard now."""

from dataclasses import replace
from typing import Any

import pytest

from foliot.app.notifier_kinds import InstalledNotifiers
from foliot.domain.instants import SECOND
from foliot.domain.verdict import Cause
from tests.api.asking import Api
from tests.api.stage import Stage
from tests.api.test_alerts import NEW, code_of, fire

HOOK = {"webhook": "${secret:HOOK}"}
CHANNELS: dict[str, dict[str, Any]] = {
    "apprise": {"url": "${secret:HOOK}"},
    "dingtalk": HOOK,
    "email": {"host": "smtp.example.org", "from": "a@example.org", "to": ["b@example.org"]},
    "feishu": HOOK,
    "ntfy": {"topic": "alerts"},
    "pagerduty": {"routing_key": "${secret:HOOK}"},
    "slack": HOOK,
    "teams": HOOK,
    "telegram": {"token": "${secret:HOOK}", "chat": "-100"},
    "webhook": {"url": "https://hooks.example.org/x"},
    "wecom": HOOK,
}


@pytest.fixture
def stage(stage: Stage) -> Stage:
    kinds = InstalledNotifiers()
    stage.services = replace(
        stage.services, channel_kinds=kinds.schemas, channel_body=kinds.body, public_url="https://f.example"
    )
    return stage


async def add(api: Api, name: str, kind: str, **fields: Any) -> None:
    channel = {"kind": kind, "settings": CHANNELS[kind], **fields}
    made = await api.ask("PUT", f"/channels/{name}", {"channel": channel}, headers=NEW)
    assert made.status_code == 201, made.text


async def test_every_kind_shows_what_it_would_send_in_both_languages(api: Api) -> None:
    run = await failed_run(api)
    for kind in InstalledNotifiers().names():
        await add(api, kind, kind)
        found = (await api.post(f"/channels/{kind}:preview", {"run": run})).json()
        assert (found["kind"], found["told"], found["why"]) == (kind, "now", "")
        english, chinese = found["messages"]
        assert (english["language"], english["title"]) == ("en", "[warning] settle failed")
        assert (chinese["language"], chinese["title"]) == ("zh", "【警告】settle 失败")
        assert {"job", "run", "due", "next step"} <= english["facts"].keys()
        assert {"任务", "执行", "触发点", "下一步"} <= chinese["facts"].keys()
        assert english["text"] == "boom"
        assert english["link"] == "https://f.example/alerts"
        for one in (english, chinese):
            assert "settle" in str(one["body"])
            assert not one["is_cut"]
            assert one["bytes"] > 50
    assert (await api.get("/deliveries")).json()["items"] == [], "nothing was sent"


async def failed_run(api: Api) -> str:
    """A run of `settle` that failed with boom."""
    await api.post("/jobs", {"name": "settle", "definition": {"run": {"python": "jobs:settle"}}})
    worker = await api.stage.worker("w-1", handlers={"python:jobs:settle": None})
    run = await api.stage.trigger("settle")
    await worker.lease()
    await worker.end(Cause.ERROR, after_us=SECOND, error="ValueError: boom")
    return run


async def test_the_message_of_an_alert_and_its_end(api: Api) -> None:
    await fire(api, 7, "default", "tick")
    await add(api, "oncall", "slack", language="zh")
    found = (await api.post("/channels/oncall:preview", {"alert": 7, "kind": "resolved"})).json()
    assert (found["language"], [one["title"] for one in found["messages"]]) == (
        "zh",
        ["[over] tick failed", "【恢复】tick 失败"],
    )
    assert found["messages"][0]["link"] == "https://f.example/alerts/7"
    assert code_of(await api.post("/channels/oncall:preview", {"alert": 7, "run": "r-0004"})) == (422, "FOL-1395")
    assert code_of(await api.post("/channels/oncall:preview", {"alert": 99})) == (404, "FOL-2050")
    assert (await api.post("/channels/oncall:preview", {"kind": "digest"})).status_code == 422


async def test_a_channel_that_would_not_hear_it_says_why(api: Api) -> None:
    await add(api, "calm", "slack", level="critical")
    await add(api, "later", "slack", digest="10m")
    calm = (await api.post("/channels/calm:preview", {})).json()
    assert (calm["told"], calm["told_at"], calm["why"]) == ("never", None, "it is less grave than the channel wants")
    later = await api.ask("POST", "/channels/later:preview", {}, headers={"Accept-Language": "zh-CN"})
    assert (later.json()["told"], later.json()["why"]) == ("later", "等待该渠道的汇总")
    unsaved = {"channel": {"kind": "wecom", "settings": HOOK, "on": False}}
    assert (await api.post("/channels/new:preview", unsaved)).json()["told"] == "never"
    reader = await api.with_scopes("read")
    assert (await reader.post("/channels/new:preview", unsaved)).status_code == 403
    assert (await reader.post("/channels/calm:preview", {})).status_code == 200


async def test_a_rule_shows_what_each_of_its_channels_would_hear(api: Api) -> None:
    await add(api, "all", "slack", default=True)
    await add(api, "chat", "wecom")
    dead = (await api.post("/rules/node-dead:preview", {})).json()["items"]
    assert [(one["channel"], one["messages"][0]["title"]) for one in dead] == [
        ("all", "[critical] the node w-1 is dead: its runs were moved")
    ]
    rule = {"when": "late 10m", "to": ["chat", "gone"], "runbook": "ask the night shift"}
    late = (await api.post("/rules/new:preview", {"rule": rule})).json()["items"]
    (chat,) = late
    assert (chat["channel"], chat["messages"][0]["title"]) == ("chat", "[warning] settle did not start for 11 m")
    assert "ask the night shift" in str(chat["messages"][1]["body"])


async def test_the_rules_that_come_with_foliot_are_listed_changed_and_switched_off(api: Api) -> None:
    listed = {one["name"]: one for one in (await api.get("/rules")).json()["items"]}
    assert {"node-dead", "leader-lost", "store-away", "channel-dead", "check-warning"} <= listed.keys()
    assert {one["origin"] for one in listed.values()} == {"foliot"}
    assert listed["node-dead"]["in_words"]
    assert code_of(await api.ask("DELETE", "/rules/node-dead")) == (409, "FOL-3113")
    off = {**listed["channel-dead"]["rule"], "on": False}
    saved = await api.ask("PUT", "/rules/channel-dead", {"rule": off}, headers=NEW)
    assert (saved.status_code, saved.json()["namespace"], saved.json()["origin"]) == (201, None, "changed")
    found = (await api.get("/rules/channel-dead")).json()
    assert (found["is_on"], found["version"]) == (False, 1)
    assert (await api.ask("DELETE", "/rules/channel-dead")).status_code == 204
    found = (await api.get("/rules/channel-dead")).json()
    assert (found["is_on"], found["origin"]) == (True, "foliot"), "it is as it came"
