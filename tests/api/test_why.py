"""`why`: every prepared situation gets the verdict and the very words that were written down before the code."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from foliot.domain.access import Principal, Scope
from foliot.domain.instants import MINUTE, SECOND, parse_duration
from foliot.domain.late_work import SURPLUS_AFTER
from foliot.domain.limits import LimitKind
from foliot.domain.run import parse_run_id
from foliot.domain.verdict import Cause
from foliot.domain.why.verdicts import WhyVerdict
from foliot.operations import cancel, limits, pause, save
from foliot.operations.calendars import save_calendar
from foliot.operations.why import why_instant, why_run, why_since
from foliot.ports.store.actor import Actor
from foliot.ports.store.locks import LockAsk, RunOwner
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement
from foliot.words.chinese import why as chinese
from foliot.words.english import why as english
from foliot.words.language import Language
from foliot.words.why import hint, sentence
from tests.api.asking import Api
from tests.api.stage import NS, ROOT, Stage
from tests.conformance.locking import acquire

CASES: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("why_cases.toml").read_text("utf-8"))["case"]
JOB_FIELDS = ("schedule", "overlap", "misfire", "on_lost", "group", "isolation", "params")


def test_there_are_at_least_twenty_five_situations() -> None:
    assert len({case["name"] for case in CASES}) >= 25


def test_every_verdict_has_words_in_both_languages() -> None:
    assert set(WhyVerdict) <= set(chinese.SENTENCES)
    assert set(WhyVerdict) <= set(english.SENTENCES)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
async def test_situation(stage: Stage, case: Mapping[str, Any]) -> None:
    for step in case["steps"]:
        await perform(stage, step)
    names = dict(zip("abcdefgh", stage_ids := await stage.run_ids() or ["r-1"], strict=False))
    assert stage_ids
    ask = case["ask"]
    if "run" in ask:
        explanation, _ = await why_run(stage.services, ROOT, parse_run_id(ask["run"].format(**names)))
    else:
        explanation, _ = await why_instant(stage.services, ROOT, NS, ask["job"], stage.moment(ask["at"]))
    if explanation.run is not None and explanation.run.lock is not None:
        names["token"] = str(explanation.run.lock.token)
    tz = "Asia/Shanghai"
    assert sentence(explanation, tz=tz) == said(case["says"], names)
    assert explanation.verdict == case["verdict"]
    assert sentence(explanation, tz=tz, language=Language.CHINESE) == said(case["says_zh"], names)
    assert hint(explanation) == (said(case["hint"], names) if "hint" in case else None)


TICK = {"run": {"python": "jobs:tick"}, "schedule": {"every": "10s"}}
NIGHTLY = {"run": {"python": "jobs:tick"}, "schedule": {"cron": "0 2 * * *", "tz": "Asia/Shanghai"}}


async def told_since(stage: Stage, job: str, since: str) -> list[tuple[str, str, str, str | None]]:
    explanations, _ = await why_since(stage.services, ROOT, NS, job, stage.moment(since))
    return [
        (
            one.verdict,
            sentence(one, tz="Asia/Shanghai"),
            sentence(one, tz="Asia/Shanghai", language=Language.CHINESE),
            hint(one),
        )
        for one in explanations
    ]


async def test_a_job_whose_instants_say_nothing_says_how_it_stands(stage: Stage) -> None:
    await save.create(stage.services, ROOT, NS, "greet", {"run": {"python": "jobs:greet"}})
    await save.create(stage.services, ROOT, NS, "nightly", NIGHTLY)
    await save.create(stage.services, ROOT, NS, "tick", TICK)
    await pause.pause(stage.services, ROOT, NS, "tick", until=stage.moment("2026-03-03 06:00"), reason="night")
    assert await told_since(stage, "greet", "2026-03-01 14:02") == [
        (
            "unscheduled",
            "greet has no schedule: it runs when it is triggered.",
            "greet 没有调度计划：仅在手动触发时执行。",
            "foliot job trigger greet",
        )
    ]
    assert await told_since(stage, "nightly", "2026-03-01 14:02") == [
        (
            "quiet",
            ("nightly: nothing was due since it was created at 14:02:11 CST; next 03-03 02:00:00 CST (in 11 h 57 m)."),
            "nightly：自 14:02:11 CST 创建以来没有触发点到期；下次 03-03 02:00:00 CST（11 小时 57 分后）。",
            None,
        )
    ]
    assert await told_since(stage, "tick", "14:00") == [
        (
            "paused_now",
            "tick is paused by root since 14:02:11 CST, until 03-03 06:00:00 CST (night).",
            "tick 自 14:02:11 CST 起由 root 暂停，至 03-03 06:00:00 CST（night）。",
            "foliot job resume tick; to catch up what was missed: --catch-up",
        )
    ]
    stage.clock.at = stage.moment("15:00")
    assert (await told_since(stage, "nightly", "14:30"))[0][1:3] == (
        "nightly: nothing was due since 14:30:00 CST; next 03-03 02:00:00 CST (in 11 h).",
        "nightly：自 14:30:00 CST 以来没有触发点到期；下次 03-03 02:00:00 CST（11 小时后）。",
    )


async def test_a_range_of_skipped_instants_is_told_as_a_range(stage: Stage, api: Api) -> None:
    await save.create(stage.services, ROOT, NS, "tick", TICK)
    for at in ("14:02:20.006", "14:02:30.006", "14:02:40.006", "14:02:50.006"):
        stage.clock.at = stage.moment(at)
        await stage.fire()
    (run,) = await stage.run_ids()
    why = f"an earlier run was still open ({run} of 14:02:20), and overlap is skip."
    assert (await told_since(stage, "tick", "14:02:25"))[0][1:3] == (
        f"14:02:30–14:02:50 CST  3 instants skipped: {why}",
        f"14:02:30–14:02:50 CST  共 3 个触发点已跳过：前一次执行尚未结束（14:02:20 的 {run}），重叠策略为 skip。",
    )
    items = (await api.get("/jobs/tick/why", since="2026-03-02T06:00:00Z")).json()["items"]
    assert [(one["from_at"], one["at"], one["count"]) for one in items] == [
        (None, "2026-03-02T06:02:20Z", None),
        ("2026-03-02T06:02:30Z", "2026-03-02T06:02:50Z", 3),
    ]
    first = (await api.get("/jobs/tick/why", since="2026-03-02T06:00:00Z", limit=1)).json()
    rest = (await api.get("/jobs/tick/why", since="2026-03-02T06:00:00Z", cursor=first["next_cursor"])).json()
    assert [*first["items"], *rest["items"]] == items
    assert (len(first["items"]), rest["next_cursor"]) == (1, None)
    await pause.pause(stage.services, ROOT, NS, "tick")
    stage.clock.at = stage.moment("14:05:00")
    await pause.resume(stage.services, ROOT, NS, "tick")
    paused = [one for one in await told_since(stage, "tick", "14:02:25") if one[0] == "skipped_paused"]
    assert [one[1:3] for one in paused] == [
        ("14:03:00–14:05:00 CST  13 instants skipped: tick was paused.",
         "14:03:00–14:05:00 CST  共 13 个触发点已跳过：tick 处于暂停状态。"),
    ]  # fmt: skip


async def test_what_is_paused_undecided_or_over_is_told_behind_what_was_decided(stage: Stage) -> None:
    await save.create(stage.services, ROOT, NS, "tick", TICK)
    stage.clock.at = stage.moment("14:02:20.006")
    await stage.fire()
    assert [one[0] for one in await told_since(stage, "tick", "14:00")] == ["held_nobody"]
    stage.clock.at = stage.moment("14:02:33")
    assert [one[0] for one in await told_since(stage, "tick", "14:00")] == ["held_nobody", "undecided"]
    await stage.fire()
    await pause.pause(stage.services, ROOT, NS, "tick")
    assert [one[0] for one in await told_since(stage, "tick", "14:00")][-1] == "paused_now"
    once = {"run": {"python": "jobs:tick"}, "schedule": {"at": "2026-03-02T15:00:00+08:00"}}
    await save.create(stage.services, ROOT, NS, "once", once)
    stage.clock.at = stage.moment("15:00:00.006")
    await stage.fire()
    over = (await told_since(stage, "once", "15:00:01"))[0]
    assert over[:3] == (
        "over",
        "once is done: its schedule has no more instants.",
        "once 已结束：调度计划没有更多触发点。",
    )


def said(text: str, names: Mapping[str, str]) -> str:
    for letter, run in names.items():
        text = text.replace(f"{{{letter}}}", run)
    return text


async def test_a_job_without_a_schedule_says_how_its_newest_run_went(api: Api, stage: Stage) -> None:
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    await save.create(stage.services, ROOT, NS, "tick", {"run": {"python": "jobs:tick"}})
    run = (await api.post("/jobs/tick:trigger")).json()["id"]
    await worker.lease()
    await worker.end(Cause.ERROR, after_us=SECOND, error="ValueError: boom")
    failed, standing = await told_since(stage, "tick", "14:00")
    assert failed[1].startswith(f"{run} of tick, ")
    assert "ValueError: boom" in failed[1]
    assert standing[0] == "unscheduled"


async def test_a_run_that_keeps_an_older_version_says_so_and_why(api: Api, stage: Stage) -> None:
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    await api.create_job("tick", overlap="queue", retries={"max": 1, "backoff": "1h", "jitter": False})
    tried = (await api.post("/jobs/tick:trigger")).json()["id"]
    await worker.lease()
    await worker.end(Cause.ERROR, after_us=SECOND, error="ValueError: boom")
    waiting = (await api.post("/jobs/tick:trigger")).json()["id"]
    await api.ask("PATCH", "/jobs/tick", {"definition": {"shards": 4}}, headers={"If-Match": '"v1"'})

    async def told(run: str) -> dict[str, Any]:
        return dict((await api.get(f"/runs/{run}/why")).json())

    assert (await told(tried))["sentence"].endswith("; it keeps version 1 (2 is the newest): the run was tried before.")
    said = await told(waiting)
    assert said["sentence"].endswith("; it keeps version 1 (2 is the newest): the newest has another number of shards.")
    assert said["hint"] == f"foliot run show {tried}"  # what it waits for comes first
    chinese, _ = await why_run(stage.services, ROOT, parse_run_id(waiting))
    assert sentence(chinese, tz="UTC", language=Language.CHINESE).endswith(
        "；保留版本 1（最新为 2）：最新版本的分片数不同。"
    )
    await api.post(f"/runs/{tried}:cancel")
    assert (await told(waiting))["hint"] == (
        f"to run the newest version instead: foliot run cancel {waiting}, then foliot job trigger tick"
    )
    await api.post(f"/runs/{waiting}:cancel")
    again = (await api.post(f"/runs/{tried}:retry")).json()["id"]
    assert (await told(again))["sentence"].endswith(
        "; it keeps version 1 (2 is the newest): that version was asked for."
    )


async def perform(stage: Stage, step: Mapping[str, Any]) -> None:
    """One step of a situation."""
    match step:
        case {"job": name}:
            await save.create(stage.services, ROOT, NS, name, document(step))
        case {"worker": name}:
            own = {key: step[key] for key in ("labels", "slots", "weight") if key in step}
            await stage.worker(name, list(step["handlers"]), **own)
        case {"beat": name}:
            await stage.workers[name].beat({"cpu": step["load"], "memory": step["load"]})
        case {"assign": _}:
            await stage.assign(again=step["assign"] == "again")
        case {"at": written} if set(step) == {"at"}:
            stage.clock.at = stage.moment(written)
            for worker in stage.workers.values():
                if worker.name != "w-4":
                    await worker.beat()
        case {"fire": True}:
            await stage.fire()
        case {"lease": name}:
            stage.last_worker = stage.workers[name]
            await stage.workers[name].lease()
        case {"start": True}:
            assert stage.last_worker is not None
            await stage.last_worker.beat()
        case {"end": how}:
            assert stage.last_worker is not None
            await stage.last_worker.end(
                Cause(how), after_us=parse_duration(step["after"]), error=step.get("error"), result=None
            )
        case {"maintenance": reason}:
            await stage.store.nodes.begin_maintenance(lasts_us=None, by=Actor(name="sre", reason=reason))
        case {"pause": name}:
            until = stage.moment(step["until"]) if "until" in step else None
            await pause.pause(stage.services, person(step), NS, name, until=until, reason=step.get("reason", ""))
        case {"resume": name}:
            await pause.resume(stage.services, person(step), NS, name)
        case {"cancel": run}:
            names = dict(zip("abcdefgh", await stage.run_ids(), strict=False))
            ids = [parse_run_id(run.format(**names))]
            await cancel.cancel(stage.services, person(step), ids, reason=step.get("reason", ""))
        case {"trigger": name}:
            delay_us = parse_duration(step["delay"]) if "delay" in step else None
            await stage.trigger(name, by=step["by"], reason=step.get("reason", ""), delay_us=delay_us)
        case {"claim": name}:
            assert stage.last_worker is not None
            run = stage.last_worker.held[-1]
            owner = RunOwner(session=stage.last_worker.session, run_id=run.run_id, lease_id=run.lease_id)
            claim_id = f"{run.run_id:032d}"
            asked = LockAsk(claim=claim_id, namespace="", name=name, most=1, ttl_us=MINUTE, run=owner)
            await acquire(stage.store.locks, asked)
        case {"limit": kind}:
            await limit(stage, kind, step)
        case {"reap": True}:
            await stage.reap()
        case {"forget": run}:
            names = dict(zip("abcdefgh", await stage.run_ids(), strict=False))
            await stage.forget(run.format(**names))
        case _:
            raise AssertionError(step)


async def limit(stage: Stage, kind: str, step: Mapping[str, Any]) -> None:
    """An admin sets a limit."""
    if kind == LimitKind.NAMED:
        await limits.set_limit(stage.services, person(step), step["name"], step["max"])
        return
    said: dict[str, Any] = {"max_": step.get("max"), "rate": step.get("rate"), "burst": step.get("burst")}
    await limits.set_scope_limit(stage.services, person(step), LimitKind(kind), step["name"], **said)


def person(step: Mapping[str, Any]) -> Principal:
    return Principal(name=step.get("by", "root"), scopes=frozenset({Scope.ADMIN}))


def document(step: Mapping[str, Any]) -> dict[str, Any]:
    kind, _, name = step["handler"].partition(":")
    wanted: dict[str, Any] = {"run": {kind: name}}
    wanted |= {field: step[field] for field in JOB_FIELDS if field in step}
    if "retries" in step:
        wanted["retries"] = {"max": step["retries"], "backoff": step.get("backoff", "10s"), "jitter": False}
    place = {"require": step.get("require"), "concurrency": step.get("limits"), **step.get("place", {})}
    if any(place.values()):
        wanted["place"] = {field: value for field, value in place.items() if value}
    return wanted


async def test_a_hundred_instants_of_every_kind_are_explained_in_at_most_ten_statements(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every fact is needed: versions, tries, shards, the line, limits, workers, a calendar. Each is read for all."""
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    await stage.server("s-1")
    await save_calendar(stage.services, ROOT, "ours", {"exclude": ["2026-12-31"]})
    sharded = {**TICK, "overlap": "skip", "shards": 2}
    await save.create(stage.services, ROOT, NS, "tick", sharded)
    stage.elapse("10s")
    await stage.fire()
    for _ in range(2):
        await worker.lease()
        await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    limited = {**TICK, "overlap": "skip", "retries": {"max": 3}, "place": {"concurrency": {"db": 1}}}
    await save.replace(stage.services, ROOT, NS, "tick", limited, expected_version=1)
    for n in range(108):
        stage.elapse("10s")
        await stage.fire()
        if n % 3 == 1:
            newest = (await stage.run_ids())[-1]
            await cancel.cancel(stage.services, ROOT, [parse_run_id(newest)])
    await worker.beat()
    await worker.lease()
    await worker.end(Cause.ERROR, after_us=SECOND, error="OSError: gone")
    stage.elapse("10s")
    await stage.fire()
    open_days = {**limited, "schedule": {"every": "10s", "calendar": "ours"}}
    await save.replace(stage.services, ROOT, NS, "tick", open_days, expected_version=2)
    stage.elapse("20s")
    await worker.beat()
    asked: list[str] = []

    def counting(ask: Any) -> Any:
        def counted(tx: Tx, statement: Statement, *values: Any, **sets: Any) -> Any:
            asked.append(" ".join(statement.rendered(tx.dialect).text.split())[:90])
            return ask(tx, statement, *values, **sets)

        return counted

    for verb in ("rows", "tuples", "change"):
        monkeypatch.setattr(Tx, verb, counting(getattr(Tx, verb)))
    explanations, _ = await why_since(stage.services, ROOT, NS, "tick", stage.moment("14:00"))
    by_verdict = {one.verdict: one for one in explanations}
    assert set(by_verdict) == {"succeeded", "cancelled", "skipped_overlap", "ready", "undecided"}
    assert len(explanations) >= 70
    sharded_run, tried = by_verdict[WhyVerdict.SUCCEEDED].run, by_verdict[WhyVerdict.READY].run
    assert sharded_run is not None
    assert sharded_run.shards == {"SUCCEEDED": 2}
    assert tried is not None
    assert tried.last_try is not None
    assert tried.kept is not None
    assert len(asked) == 10, "\n".join(asked)


async def test_both_questions_find_the_run_in_the_way_behind_very_many_shards(stage: Stage, api: Api) -> None:
    made = await api.create_job("tick", schedule={"every": "10s"}, shards=2500)
    assert made.status_code == 201
    for _ in range(2):
        stage.elapse("10s")
        await stage.fire()
    (run_id,) = await stage.run_ids()
    since, _ = await why_since(stage.services, ROOT, NS, "tick", stage.moment("14:00"))
    skipped = since[-1]
    assert skipped.at is not None
    alone, _ = await why_instant(stage.services, ROOT, NS, "tick", skipped.at)
    assert run_id in sentence(alone, tz="UTC")
    assert sentence(skipped, tz="UTC") == sentence(alone, tz="UTC")


async def test_runs_of_a_list_are_explained_in_one_request_within_what_a_token_sees(api: Api, stage: Stage) -> None:
    await api.create_job("stuck")
    await api.create_job("line", overlap="queue")
    asked = [(await api.post(f"/jobs/{name}:trigger")).json()["id"] for name in ("stuck", "line", "line")]
    answer = (await api.get("/runs:why", ids=",".join([*asked, asked[0], "r-zzzz"]))).json()
    alone = [(await api.get(f"/runs/{run}/why")).json() for run in asked]
    assert answer["items"] == alone, "each once, as it is explained alone, and none for a run that is not there"
    assert [one["verdict"] for one in answer["items"]][2] == "held_line"
    await stage.worker("w-1", ["python:jobs:stuck"])
    speaks = {"Accept-Language": "zh-CN"}
    chinese = await api.ask("GET", "/runs:why", headers=speaks, ids=asked[1], tz="Asia/Shanghai")
    assert chinese.json()["items"][0]["sentence"] != alone[1]["sentence"]
    limited = await api.with_scopes("read", namespace="pay")
    assert (await limited.get("/runs:why", ids=asked[0])).json() == {"items": []}
    many = await api.get("/runs:why", ids=",".join(["r-1"] * 51))
    assert (many.status_code, many.json()["errors"][0]["path"]) == (422, "ids")
    odd, alone_odd = await api.get("/runs:why", ids="r-1,!"), await api.get("/runs/!")
    assert (odd.status_code, odd.json()["code"]) == (alone_odd.status_code, alone_odd.json()["code"])


async def test_a_run_beyond_the_share_of_its_job_gives_way_and_says_so(stage: Stage) -> None:
    await stage.worker("w-1", ["python:jobs:tick"], slots=8)
    await save.create(stage.services, ROOT, NS, "tick", {"run": TICK["run"], "overlap": "allow"})
    for _ in range(SURPLUS_AFTER + 1):
        await stage.trigger("tick", by="anne")
    ids = await stage.run_ids()
    told = [await why_run(stage.services, ROOT, parse_run_id(run)) for run in (ids[0], ids[-1])]
    first, last = [sentence(explanation, tz="UTC") for explanation, _ in told]
    gives_way = "100 runs of its job waited before it, and what is beyond gives way to other jobs"
    assert gives_way in last
    assert gives_way not in first


async def test_a_shard_beyond_the_first_hundred_of_its_run_says_that_they_come_first(stage: Stage) -> None:
    await stage.worker("w-1", ["python:jobs:tick"], slots=8)
    await save.create(stage.services, ROOT, NS, "tick", {"run": TICK["run"], "shards": SURPLUS_AFTER + 1})
    await stage.trigger("tick", by="anne")
    (parent,) = await stage.run_ids()
    *_, before, last = await stage.store.lookups.shards(parse_run_id(parent), limit=1000)
    told = [await why_run(stage.services, ROOT, run.run_id) for run in (before, last)]
    one, two = [sentence(explanation, tz="UTC") for explanation, _ in told]
    assert "gives way" not in one
    assert "100 shards of its run come before it, and what is beyond gives way to other jobs" in two
