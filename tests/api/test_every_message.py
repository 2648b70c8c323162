"""Each message that people can meet through the API, provoked, in both languages."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from foliot.domain.instants import SECOND
from foliot.domain.verdict import judge
from foliot.ports.worker_link import Beat
from tests.api.asking import Api
from tests.api.stage import Stage

Provoke = Callable[[Api, Stage, dict[str, str]], Awaitable[dict[str, Any]]]


async def validated(api: Api, language: dict[str, str], schedule: dict[str, str]) -> dict[str, Any]:
    body = {"definition": {"run": {"python": "m:f"}, "schedule": schedule}}
    answer: dict[str, Any] = (await api.ask("POST", "/jobs:validate", body, headers=language)).json()
    return answer


async def bad_cron(api: Api, stage: Stage, language: dict[str, str]) -> dict[str, Any]:
    return await validated(api, language, {"cron": "0 25 * * *"})


async def ambiguous(api: Api, stage: Stage, language: dict[str, str]) -> dict[str, Any]:
    return await validated(api, language, {"cron": "0 0 2 ? * 2"})


async def joined_by_or(api: Api, stage: Stage, language: dict[str, str]) -> dict[str, Any]:
    (warning,) = (await validated(api, language, {"cron": "0 9 1 * MON"}))["warnings"]
    return {"code": warning["code"], "detail": warning["message"], "hint": warning["hint"]}


async def unknown_zone(api: Api, stage: Stage, language: dict[str, str]) -> dict[str, Any]:
    return await validated(api, language, {"cron": "0 2 * * *", "tz": "Asia/Beijing"})


async def in_the_gap(api: Api, stage: Stage, language: dict[str, str]) -> dict[str, Any]:
    (warning,) = (await validated(api, language, {"cron": "30 2 * * *", "tz": "Europe/Berlin"}))["warnings"][:1]
    return {"code": warning["code"], "detail": warning["message"], "hint": warning["hint"]}


async def wrong_parameter(api: Api, stage: Stage, language: dict[str, str]) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {"day": {"type": "string", "format": "date"}, "dry_run": {"type": "boolean"}},
        "additionalProperties": False,
    }
    await stage.worker("w-1", {"python:jobs:settle": schema})
    await api.create_job("settle")
    body = {"params": {"day": "2026-13-01", "dry-run": True}}
    answer: dict[str, Any] = (await api.ask("POST", "/jobs/settle:trigger", body, headers=language)).json()
    return answer


async def misspelt(api: Api, stage: Stage, language: dict[str, str]) -> dict[str, Any]:
    await api.create_job("greet")
    answer: dict[str, Any] = (await api.ask("GET", "/jobs/gret", headers=language)).json()
    return answer


async def changed_meanwhile(api: Api, stage: Stage, language: dict[str, str]) -> dict[str, Any]:
    await api.create_job("settle")
    await api.ask("PATCH", "/jobs/settle", {"definition": {"owner": "ops"}}, headers={"If-Match": '"v1"'})
    late = {"If-Match": '"v1"', **language}
    answer = await api.ask("PATCH", "/jobs/settle", {"definition": {"owner": "me"}}, headers=late)
    found: dict[str, Any] = answer.json()
    return found


async def no_scope(api: Api, stage: Stage, language: dict[str, str]) -> dict[str, Any]:
    await api.create_job("bill", group="billing")
    reader = await api.with_scopes("read", "run", group="reports")
    answer: dict[str, Any] = (await reader.ask("POST", "/jobs/bill:trigger", {}, headers=language)).json()
    return answer


async def why(api: Api, language: dict[str, str], name: str) -> dict[str, Any]:
    answer = await api.ask("GET", f"/jobs/{name}/why", headers=language, at="2026-03-02T06:03:00Z")
    (told,) = answer.json()["items"]
    return {"code": told["code"], "detail": told["sentence"], "hint": told["hint"]}


async def not_offered(api: Api, stage: Stage, language: dict[str, str]) -> dict[str, Any]:
    await api.create_job("settle", schedule={"every": "1m"})
    await stage.worker("w-3", ["python:jobs:settle_eu"])
    stage.clock.at = stage.moment("14:03:00.005")
    await stage.fire()
    await stage.workers["w-3"].beat()
    return await why(api, language, "settle")


async def no_label(api: Api, stage: Stage, language: dict[str, str]) -> dict[str, Any]:
    await api.create_job("train", schedule={"every": "1m"}, place={"require": {"gpu": "yes"}})
    await stage.worker("w-1", ["python:jobs:train"])
    stage.clock.at = stage.moment("14:03:00.005")
    await stage.fire()
    await stage.workers["w-1"].beat()
    return await why(api, language, "train")


async def lost(api: Api, stage: Stage, language: dict[str, str]) -> dict[str, Any]:
    await api.create_job("pay", schedule={"every": "1m"}, on_lost="fail")
    stage.clock.at = stage.moment("14:03:00.005")
    worker = await stage.worker("w-4", ["python:jobs:pay"])
    await stage.fire()
    await worker.lease()
    await worker.beat()
    stage.elapse("5m")
    await stage.reap()
    return await why(api, language, "pay")


async def trouble(api: Api, language: dict[str, str], code: str) -> dict[str, Any]:
    told = (await api.ask("GET", "/cluster", headers=language)).json()["troubles"]
    (found,) = [one for one in told if one["code"] == code]
    return {"code": found["code"], "detail": found["message"], "hint": found["hint"]}


async def no_leader(api: Api, stage: Stage, language: dict[str, str]) -> dict[str, Any]:
    if not stage.servers:
        await stage.server("s-1")
        await stage.server("s-2")
        await stage.store.nodes.campaign(stage.servers["s-1"], ttl_us=5 * SECOND)
        stage.elapse("9s")
        for session in stage.servers.values():
            beat = Beat(session=session, beat_no=1, settled=0, held=())
            await stage.store.nodes.beat(beat, ttl_us=15 * SECOND, judge=judge)
    return await trouble(api, language, "FOL-5002")


async def clock_off(api: Api, stage: Stage, language: dict[str, str]) -> dict[str, Any]:
    if "w-3" not in stage.workers:
        await stage.worker("w-3", [])
        session = stage.workers["w-3"].session
        beat = Beat(session=session, beat_no=1, settled=0, held=(), clock_offset_us=47 * SECOND)
        await stage.store.nodes.beat(beat, ttl_us=15 * SECOND, judge=judge)
    return await trouble(api, language, "FOL-5004")


async def ahead(api: Api, stage: Stage, language: dict[str, str]) -> dict[str, Any]:
    if (await api.get("/jobs/settle")).status_code == 404:
        await api.create_job("settle", schedule={"every": "1h"})
        before, stage.clock.at = stage.clock.at, stage.moment("2031-03-03 14:02")
        await stage.fire()
        stage.clock.at = before
    return await trouble(api, language, "FOL-5006")


async def will_not_stop(api: Api, stage: Stage, language: dict[str, str]) -> dict[str, Any]:
    if "w-2" not in stage.workers:
        await api.create_job("calc", isolation="thread")
        worker = await stage.worker("w-2", ["python:jobs:calc"])
        await stage.trigger("calc")
        await worker.lease()
        await worker.beat()
        await api.post(f"/runs/{(await stage.run_ids())[0]}:cancel")
        stage.elapse("30s")
    run = (await stage.run_ids())[0]
    told = (await api.ask("GET", f"/runs/{run}/why", headers=language)).json()
    return {"code": told["code"], "detail": told["sentence"], "hint": told["hint"]}


MESSAGES: list[tuple[str, Provoke, str, str]] = [
    ("FOL-1001", bad_cron, "hour 25 is out of range 0–23 (2nd field).", "第 2 个字段"),
    ("FOL-1002", ambiguous, "2 is Monday in Quartz, Tuesday in Spring and Unix.", "在 Quartz 中是"),
    ("FOL-1003", joined_by_or, "on every Monday", "周一"),
    ("FOL-1004", unknown_zone, 'Time zone "Asia/Beijing" does not exist.', "时区“Asia/Beijing”不存在。"),
    ("FOL-1005", in_the_gap, "02:30 does not exist on 29 March in Europe/Berlin", "02:30"),
    ("FOL-1006", wrong_parameter, 'settle: day="2026-13-01" is not a date; dry-run is unknown.', "day 不是日期"),
    ("FOL-2001", misspelt, 'No job "gret" in namespace "default".', "没有任务“gret”"),
    ("FOL-2002", not_offered, "no worker offers jobs:settle (1 online; nearest: jobs:settle_eu on w-3)", "没有工作"),
    ("FOL-3001", changed_meanwhile, "settle is v2 now (root, 0 µs ago); your change was", "settle 现在是 v2（root"),
    ("FOL-4001", no_scope, "needs the scope run on group billing", "需要权限范围 run，分组 billing"),
    ("FOL-5002", no_leader, "2 of 2 servers answer, none is leader for 4.0 s; electing. Jobs fire", "没有主节点"),
    ("FOL-5004", clock_off, "w-3's clock is 47 s ahead; its log times are off, runs are not", "w-3 的时钟快了 47 秒"),
    ("FOL-5005", no_label, "needs gpu=yes; 0 of 1 workers have it.", "需要 gpu=yes"),
    ("FOL-5006", ahead, "settle in namespace default would be silent until 2031-03-03T07:00:00Z", "存储时钟曾经超前"),
    ("FOL-6002", will_not_stop, "it has not checked ctx.cancelled. Threads cannot be killed", "线程无法被强制终止"),
    ("FOL-6001", lost, "w-4 stopped answering while running it", "w-4 在执行期间停止响应"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "provoke", "english", "chinese"), MESSAGES, ids=[message[0] for message in MESSAGES])
async def test_a_message_is_said_in_both_languages(
    api: Api, stage: Stage, code: str, provoke: Provoke, english: str, chinese: str
) -> None:
    told = await provoke(api, stage, {"Accept-Language": "en"})
    assert told["code"] == code
    assert english in told["detail"]
    assert told["hint"], "every message ends with the next step"
    language = {"Accept-Language": "zh-CN"}
    again = await ask_again(api, stage, provoke, language)
    assert chinese in again["detail"]


async def ask_again(api: Api, stage: Stage, provoke: Provoke, language: dict[str, str]) -> dict[str, Any]:
    """The same question in another language; what it set up is there already."""
    if provoke in (not_offered, no_label, lost):
        return await why(api, language, {not_offered: "settle", no_label: "train", lost: "pay"}[provoke])
    if provoke is changed_meanwhile:
        late = {"If-Match": '"v1"', **language}
        found: dict[str, Any] = (
            await api.ask("PATCH", "/jobs/settle", {"definition": {"owner": "me"}}, headers=late)
        ).json()
        return found
    return await provoke(api, stage, language)
