"""Runs over the API: list, wait, cancel, retry, attempts, shards, result, timeline, logs."""

import asyncio
from typing import Any

import pytest

from foliot.api.request_parts import read_since
from foliot.domain.instants import MILLISECOND, SECOND
from foliot.domain.run import parse_run_id
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import LogChunk
from tests.api.asking import Api
from tests.api.stage import Stage, StageWorker

HANDLER = "python:jobs:tick"


async def ready(api: Api, stage: Stage, **document: Any) -> StageWorker:
    await api.create_job("tick", **document)
    return await stage.worker("w-1", [HANDLER])


async def trigger(api: Api, **order: Any) -> str:
    answer = await api.post("/jobs/tick:trigger", order)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def test_a_run_from_trigger_to_result(api: Api, stage: Stage) -> None:
    worker = await ready(api, stage)
    run = await trigger(api)
    assert (await api.get(f"/runs/{run}")).json()["shown"] == "PENDING"
    await worker.lease()
    await worker.end(Cause.SUCCEEDED, after_us=250 * MILLISECOND, result='{"orders": 3}')
    seen = (await api.get(f"/runs/{run}")).json()
    assert (seen["state"], seen["result"], seen["duration_s"], seen["node"]) == (
        "SUCCEEDED",
        {"orders": 3},
        0.25,
        "w-1",
    )
    assert isinstance(seen["fence"], str)
    assert (await api.get(f"/runs/{run}/result")).json() == {"id": run, "state": "SUCCEEDED", "result": {"orders": 3}}
    timeline = [entry["what"] for entry in (await api.get(f"/runs/{run}/timeline")).json()["items"]]
    assert timeline == ["due", "created", "leased", "started", "ended"]


async def test_waiting_for_the_end_of_a_run(api: Api, stage: Stage) -> None:
    worker = await ready(api, stage)
    run = await trigger(api)
    await worker.lease()
    waiting = asyncio.create_task(api.get(f"/runs/{run}", wait=20))
    await asyncio.sleep(0)
    assert not waiting.done()
    await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    assert (await asyncio.wait_for(waiting, 30)).json()["state"] == "SUCCEEDED"
    assert (await api.get(f"/runs/{run}", wait=31)).status_code == 422


async def test_attempts_tell_every_try(api: Api, stage: Stage) -> None:
    worker = await ready(api, stage, retries={"max": 1, "backoff": "1s", "jitter": False})
    run = await trigger(api)
    await worker.lease()
    await worker.end(Cause.ERROR, after_us=SECOND, error="ValueError: boom")
    assert (await api.get(f"/runs/{run}")).json()["shown"] == "RETRYING"
    stage.elapse("2s")
    await worker.lease()
    await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    attempts = (await api.get(f"/runs/{run}/attempts")).json()["items"]
    assert [(one["attempt"], one["cause"], one["error_type"]) for one in attempts] == [
        (1, "error", "ValueError"),
        (2, "succeeded", None),
    ]


async def test_cancelling(api: Api, stage: Stage) -> None:
    worker = await ready(api, stage)
    waiting, running = await trigger(api), await trigger(api)
    assert (await api.post(f"/runs/{waiting}:cancel", {"reason": "wrong day"})).json()["state"] == "CANCELLED"
    leased = await worker.lease()
    assert leased is not None
    assert leased.run_id == parse_run_id(running)
    asked = (await api.post(f"/runs/{running}:cancel")).json()
    assert (asked["state"], asked["shown"]) == ("RUNNING", "CANCELLING")
    await worker.end(Cause.CANCELLED, after_us=SECOND)
    again = (await api.post(f"/runs/{running}:cancel")).json()
    assert again["state"] == "CANCELLED"
    assert (await api.post("/runs/r-zzz:cancel")).status_code == 404
    assert (await api.post("/runs/!:cancel")).status_code == 422


async def test_many_are_cancelled_only_when_they_are_as_many_as_was_seen(api: Api, stage: Stage) -> None:
    await ready(api, stage)
    runs = [await trigger(api) for _ in range(3)]
    wrong = await api.post("/runs:cancel", {"job": "tick", "expected": 2})
    assert (wrong.status_code, wrong.json()["code"]) == (409, "FOL-3017")
    assert (await api.post("/runs:cancel", {"job": "tick"})).status_code == 400
    assert (await api.post("/runs:cancel", {"ids": [runs[0], "r-zzz"]})).status_code == 404
    assert (await api.get(f"/runs/{runs[0]}")).json()["state"] == "PENDING"  # all or none
    done = (await api.post("/runs:cancel", {"job": "tick", "expected": 3, "reason": "stop"})).json()
    assert (done["count"], {item["outcome"] for item in done["items"]}) == (3, {"ended"})


async def test_a_retry_is_a_new_run_with_the_version_parameters_and_instant_of_the_old(api: Api, stage: Stage) -> None:
    worker = await ready(api, stage, schedule={"every": "1m"})
    stage.clock.at = stage.moment("14:03:00.005")
    await worker.beat()
    await stage.fire()
    (run,) = await stage.run_ids()
    assert (await api.post(f"/runs/{run}:retry")).status_code == 409  # still live
    await worker.lease()
    await worker.end(Cause.ERROR, after_us=SECOND, error="ValueError: boom")
    await api.ask("PATCH", "/jobs/tick", {"definition": {"timeout": "5m"}}, headers={"If-Match": '"v1"'})
    again = (await api.post(f"/runs/{run}:retry", {"reason": "network is back"})).json()
    assert again["id"] != run
    assert (again["version"], again["due_at"], again["origin"]) == (1, "2026-03-02T06:03:00Z", "retry")
    assert again["reason"] == "network is back"
    latest = (await api.post(f"/runs/{run}:retry", {"version": "latest"})).json()
    assert latest["version"] == 2
    once = {"Idempotency-Key": "k"}
    first, second = [await api.post(f"/runs/{run}:retry", headers=once) for _ in range(2)]
    assert first.json()["id"] == second.json()["id"]
    failed = (await api.post("/runs:retry", {"job": "tick", "expected": 1})).json()
    assert failed["count"] == 1
    await api.ask("DELETE", "/jobs/tick", headers={"If-Match": '"v2"'})
    gone = await api.post(f"/runs/{run}:retry")
    assert (gone.status_code, gone.json()["code"]) == (409, "FOL-3013")


async def test_of_many_runs_one_that_cannot_be_run_again_stops_no_other(api: Api, stage: Stage) -> None:
    worker = await ready(api, stage)
    over = await trigger(api)
    await worker.lease()
    await worker.end(Cause.ERROR, after_us=SECOND, error="ValueError: boom")
    await api.create_job("gone")
    lost = (await api.post("/jobs/gone:trigger")).json()["id"]
    await api.post(f"/runs/{lost}:cancel")
    await api.ask("DELETE", "/jobs/gone", headers={"If-Match": '"v1"'})
    done = (await api.post("/runs:retry", {"ids": [lost, over]})).json()
    assert (done["count"], done["items"][0]["retry_of"]) == (1, over)
    assert [(one["id"], one["job"], one["code"]) for one in done["refused"]] == [(lost, "gone", "FOL-3013")]
    none = await api.post("/runs:retry", {"ids": [lost]})
    assert (none.status_code, none.json()["code"]) == (409, "FOL-3013")


async def test_a_part_of_a_run_is_not_run_again_while_the_run_goes_on(api: Api, stage: Stage) -> None:
    worker = await ready(api, stage, shards=2)
    run = await trigger(api)
    await worker.lease()
    await worker.end(Cause.ERROR, after_us=SECOND, error="ValueError: boom")
    failed, _ = (await api.get(f"/runs/{run}/shards")).json()["items"]
    assert failed["state"] == "FAILED"
    early = await api.post(f"/runs/{failed['id']}:retry")
    assert (early.status_code, early.json()["code"]) == (409, "FOL-3012")
    assert early.json()["detail"] == (
        f"{failed['id']} is a part of {run}, and {run} is still RUNNING; only a finished run can be run again."
    )
    assert len((await api.get("/runs")).json()["items"]) == 1
    await worker.lease()
    await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    again = await api.post(f"/runs/{failed['id']}:retry")
    assert again.status_code == 201
    assert again.json()["shard"] is None


async def test_a_retry_keeps_its_version_when_the_job_is_edited_before_it_runs(api: Api, stage: Stage) -> None:
    worker = await ready(api, stage, params={"n": 1})
    run = await trigger(api)
    await worker.lease()
    await worker.end(Cause.ERROR, after_us=SECOND, error="ValueError: boom")
    again = (await api.post(f"/runs/{run}:retry")).json()["id"]
    await api.ask("PATCH", "/jobs/tick", {"definition": {"params": {"n": 2}}}, headers={"If-Match": '"v1"'})
    leased = await worker.lease()
    assert leased is not None
    assert (leased.run_id, leased.version, leased.params) == (parse_run_id(again), 1, '{"n":1}')


async def test_a_run_whose_cancel_came_too_late_succeeded_without_an_error(api: Api, stage: Stage) -> None:
    worker = await ready(api, stage, shards=2)
    run = await trigger(api)
    await worker.lease()
    await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    await worker.lease()
    await api.post(f"/runs/{run}:cancel", {"reason": "too late"})
    await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    seen = (await api.get(f"/runs/{run}")).json()
    assert (seen["state"], seen["error"]) == ("SUCCEEDED", None)


async def test_runs_are_found_by_the_state_that_is_shown(api: Api, stage: Stage) -> None:
    worker = await ready(api, stage, overlap="queue", retries={"max": 3, "backoff": "1h"})
    retrying = await trigger(api)
    await worker.lease()
    await worker.end(Cause.ERROR, after_us=SECOND, error="E: boom")
    held = await trigger(api)
    await api.create_job("other", run={"python": "jobs:tick"})
    pending = (await api.post("/jobs/other:trigger")).json()["id"]

    async def found(states: str) -> list[str]:
        return [item["id"] for item in (await api.get("/runs", state=states)).json()["items"]]

    assert await found("retrying") == [retrying]
    assert await found("held") == [held]
    assert await found("held,retrying") == [held, retrying]
    assert await found("pending") == [pending, held, retrying]
    assert await found("cancelling") == []
    await worker.lease()
    assert await found("running") == [pending]
    await worker.beat()
    await api.post(f"/runs/{pending}:cancel")
    assert await found("cancelling") == await found("running") == [pending]
    assert (await api.get("/runs", state="hold")).status_code == 422
    jobs = {job["name"]: job["last_run"] for job in (await api.get("/jobs")).json()["items"]}
    assert (jobs["tick"]["state"], jobs["tick"]["shown"]) == ("PENDING", "HELD")
    assert (jobs["other"]["state"], jobs["other"]["shown"]) == ("RUNNING", "CANCELLING")


async def test_shards_are_counted(api: Api, stage: Stage) -> None:
    worker = await ready(api, stage, shards=3)
    run = await trigger(api)
    await worker.lease()
    await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    shards = (await api.get(f"/runs/{run}/shards")).json()
    assert shards["counts"] == {"SUCCEEDED": 1, "PENDING": 2}
    assert [shard["shard"] for shard in shards["items"]] == [0, 1, 2]
    assert [item["id"] for item in (await api.get("/runs")).json()["items"]] == [run]
    assert len((await api.get("/runs", shards=True)).json()["items"]) == 4


async def test_a_sharded_run_says_how_its_shards_stand_and_a_shard_whose_it_is(api: Api, stage: Stage) -> None:
    worker = await ready(api, stage, shards=3)
    run = await trigger(api)

    async def told(which: str, **zh: Any) -> str:
        answer = await api.ask("GET", f"/runs/{which}/why", **zh)
        return str(answer.json()["sentence"]).partition(":11, ")[2]

    assert await told(run) == "running for 0 µs: 0 of 3 shards succeeded, 3 waiting."
    for cause in (Cause.SUCCEEDED, Cause.ERROR):
        await worker.lease()
        await worker.end(cause, after_us=SECOND, error="E: boom" if cause is Cause.ERROR else None)
    await worker.lease()
    assert await told(run) == "running for 2.0 s: 1 of 3 shards succeeded, 1 running, 1 failed."
    await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    assert await told(run) == "failed after 3.0 s: 1 of 3 shards failed."
    assert (await api.get(f"/runs/{run}/why")).json()["hint"] == f"foliot run show {run}"
    assert (await api.get(f"/runs/{run}")).json()["duration_s"] == 3.0
    failed = (await api.get(f"/runs/{run}/shards")).json()["items"][1]["id"]
    whose = (await api.get(f"/runs/{failed}/why")).json()["sentence"]
    assert whose.startswith(f"{failed} of tick (shard 1 of {run}), triggered by root at ")
    again = await trigger(api)
    for _ in range(3):
        await worker.lease()
        await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    assert (await api.get(f"/runs/{again}/why")).json()["sentence"].endswith("succeeded in 3.0 s with 3 shards.")
    chinese = await api.ask("GET", f"/runs/{again}/why", headers={"Accept-Language": "zh-CN"})
    assert chinese.json()["sentence"].endswith("成功，用时 3.0 秒，共 3 个分片。")


async def test_stats_are_of_the_runs_of_a_week(api: Api, stage: Stage) -> None:
    worker = await ready(api, stage)
    for took in (100, 200, 300):
        await trigger(api)
        await worker.lease()
        await worker.end(Cause.SUCCEEDED, after_us=took * MILLISECOND)
    await trigger(api)
    await worker.lease()
    await worker.end(Cause.TIMEOUT, after_us=SECOND)
    stats = (await api.get("/jobs/tick/stats")).json()
    assert (stats["runs"], stats["success_rate"]) == (4, 0.75)
    assert stats["outcomes"] == {"SUCCEEDED": 3, "FAILED:timeout": 1}
    near = {"mean": 0.4, "p50": 0.3, "p95": 1.0, "p99": 1.0, "max": 1.0}
    assert stats["duration_s"] == pytest.approx(near, rel=0.02)
    assert [(node["node"], node["runs"], node["duration_s"]["mean"]) for node in stats["nodes"]] == [("w-1", 4, 0.4)]


def test_a_list_begins_at_the_whole_second_before_a_fraction() -> None:
    whole = read_since("2026-03-02T06:03:00Z")
    assert read_since("2026-03-02T06:03:00.5Z") == whole
    assert read_since("2026-03-02T06:03:00.000Z") == whole, "as browsers write a whole second"


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ({}, [2, 1, 0]),
        ({"state": "succeeded"}, [0]),
        ({"state": "failed,pending"}, [2, 1]),
        ({"state": "pending"}, [2]),
        ({"kind": "error"}, [1]),
        ({"job": "tick"}, [2, 1, 0]),
        ({"node": "w-1"}, [1, 0]),
        ({"since": "2026-03-02T06:03:00Z"}, [2, 1]),
        ({"until": "2026-03-02T06:03:00Z"}, [0]),
        ({"ended_since": "2026-03-02T06:03:00Z"}, [1]),
        ({"ended_until": "2026-03-02T06:03:00.000Z"}, [0]),
        ({"label": "team:data"}, [2, 1, 0]),
        ({"label": "team:none"}, []),
    ],
)
async def test_runs_are_listed_by_what_one_asks(
    api: Api, stage: Stage, query: dict[str, str], wanted: list[int]
) -> None:
    worker = await ready(api, stage, tags={"team": "data"})
    runs = []
    for how in (Cause.SUCCEEDED, Cause.ERROR, None):
        runs.append(await trigger(api))
        if how is not None:
            await worker.lease()
            await worker.end(how, after_us=SECOND)
        stage.elapse("1m")
        await worker.beat()
    listed = (await api.get("/runs", **query)).json()["items"]
    assert [runs.index(run["id"]) for run in listed] == wanted
    assert all(run["params"] is None for run in listed)
    seen, cursor = [], None
    for _ in range(10):
        page = (await api.get("/runs", limit=1, cursor=cursor, **query)).json()
        seen += [runs.index(run["id"]) for run in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == wanted


@pytest.mark.parametrize("cursor", ["x", "!!!", "bnVsbA", "WzEsMl0", "a" * 900, "WyJqb2JzIiwieCIsInkiXQ"])
async def test_a_made_up_cursor_is_refused(api: Api, cursor: str) -> None:
    answer = await api.get("/runs", cursor=cursor)
    assert (answer.status_code, answer.json()["code"]) == (422, "FOL-1062")


# ---------------------------------------------------------------------------------------------------------------- logs


async def write(stage: Stage, worker: StageWorker, *texts: str, offset: int = 0) -> int:
    run = worker.held[-1]
    for text in texts:
        chunk = LogChunk(run_id=run.run_id, lease_id=run.lease_id, attempt=run.attempt, offset=offset, text=text)
        await stage.store.runs.write_logs(worker.session, [chunk])
        offset += len(text.encode())
    return offset


async def test_a_window_of_a_log_goes_back_and_forth_by_the_positions_of_its_lines(api: Api, stage: Stage) -> None:
    worker = await ready(api, stage)
    run = await trigger(api)
    await worker.lease()
    await write(stage, worker, "".join(f"2026-03-02T06:02:{n:02}.000Z  INFO  line {n}\n" for n in range(10)), "half")
    path = f"/runs/{run}/lines"

    async def window(**query: Any) -> tuple[list[str], list[str], bool, bool]:
        found = (await api.get(path, **query)).json()
        texts = [line["text"].rpartition("  ")[2] for line in found["items"]]
        return texts, [line["position"] for line in found["items"]], found["is_begin"], found["is_end"]

    last, places, is_begin, is_end = await window(limit=3)
    assert (last, is_begin, is_end) == (["line 7", "line 8", "line 9"], False, True), "a line without its end may grow"
    before, first_places, is_begin, is_end = await window(before=places[0], limit=5)
    assert (before, is_begin, is_end) == ([f"line {n}" for n in range(2, 7)], False, False)
    assert (await window(before=first_places[0], limit=5))[0::2] == (["line 0", "line 1"], True)
    assert (await window(after=places[0], limit=1))[0::3] == (["line 8"], False)
    assert (await window(after=places[0]))[0::3] == (["line 8", "line 9"], True)
    assert (await window(grep="LINE 4"))[0] == ["line 4"]
    assert (await window(level="error"))[0] == []
    for wrong in ({"before": "1:0", "after": "1:0"}, {"before": "soon"}, {"limit": 5001}):
        assert (await api.get(path, **wrong)).status_code in (400, 422)


async def test_a_log_is_read_whole_or_by_its_tail(api: Api, stage: Stage) -> None:
    worker = await ready(api, stage)
    run = await trigger(api)
    await worker.lease()
    at = "2026-03-02T06:02"
    await write(
        stage,
        worker,
        f"{at}:11.000Z  INFO  tick i=0\n{at}:12.500Z  WARN",
        f"ING  结算 slow\n{at}:12.900Z  DEBUG  a\n  b\n",
        f"{at}:13.000Z  ERROR  boom\n{at}:13.001Z  OUT  last without end",
    )
    await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    whole = await api.get(f"/runs/{run}/logs")
    assert whole.headers["content-type"] == "text/plain; charset=utf-8"
    lines = [
        f"{at}:11.000Z  INFO  tick i=0",
        f"{at}:12.500Z  WARNING  结算 slow",
        f"{at}:12.900Z  DEBUG  a",
        "  b",
        f"{at}:13.000Z  ERROR  boom",
        f"{at}:13.001Z  OUT  last without end",
    ]
    assert whole.text.splitlines() == lines
    assert (await api.get(f"/runs/{run}/logs", tail=2)).text.splitlines() == lines[4:]
    above = [lines[1], *lines[4:]]  # a line without a time goes with the one before it; plain output has no level
    assert (await api.get(f"/runs/{run}/logs", level="warning")).text.splitlines() == above
    assert (await api.get(f"/runs/{run}/logs", grep="结算")).text.splitlines() == lines[1:2]
    assert (await api.get(f"/runs/{run}/logs", since=f"{at}:12.6Z")).text.splitlines() == lines[1:]
    assert (await api.get(f"/runs/{run}/logs", since=f"{at}:13Z")).text.splitlines() == lines[4:]
    assert (await api.get(f"/runs/{run}/logs", since="yesterday")).status_code == 422
    last = parsed((await api.get(f"/runs/{run}/logs", follow=1, tail=2)).text)
    assert [event.get("data") for event in last] == [*lines[4:], ""]
    warned = parsed((await api.get(f"/runs/{run}/logs", follow=1, level="warning")).text)
    assert [event.get("data") for event in warned] == [*above, ""]
    assert (await api.get(f"/runs/{run}/logs", grep="(((a+)+)+)+$")).text == ""
    assert (await api.get(f"/runs/{run}/logs", attempt=2)).text == ""
    assert (await api.get("/runs/r-zz/logs")).status_code == 404
    assert (await api.get("/runs/..%2Fetc/logs")).status_code in (404, 422)


async def test_a_log_is_followed_to_the_end_and_goes_on_where_it_broke(api: Api, stage: Stage) -> None:
    worker = await ready(api, stage)
    run = await trigger(api)
    await worker.lease()
    offset = await write(stage, worker, "one\ntwo\nthr")
    following = asyncio.create_task(api.get(f"/runs/{run}/logs", follow=1))
    await asyncio.sleep(0)
    await write(stage, worker, "ee\nfour", offset=offset)
    await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    answer = await asyncio.wait_for(following, 30)
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["x-accel-buffering"] == "no"
    events = parsed(answer.text)
    assert [(event.get("id"), event.get("data")) for event in events] == [
        ("1:4", "one"),
        ("1:8", "two"),
        ("1:14", "three"),
        ("1:18", "four"),
        (None, ""),
    ]
    assert events[-1]["event"] == "end"
    rest = await api.ask("GET", f"/runs/{run}/logs", follow=1, headers={"Last-Event-ID": "1:8"})
    assert [event.get("data") for event in parsed(rest.text)] == ["three", "four", ""]


async def test_a_gap_in_a_log_is_told_and_nothing_is_repeated(api: Api, stage: Stage) -> None:
    """A chunk that a server refused is never sent again; what follows it knows where it belongs."""
    worker = await ready(api, stage)
    run = await trigger(api)
    await worker.lease()
    await write(stage, worker, "first\nhalf a li")
    await write(stage, worker, "after a gap\n", "and on\n", offset=15 + 128 * 1024)
    await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    gap = f"… {128 * 1024} bytes of the log are missing here"
    assert (await api.get(f"/runs/{run}/logs")).text.splitlines() == [
        "first",
        "half a li",
        gap,
        "after a gap",
        "and on",
    ]
    events = parsed((await api.get(f"/runs/{run}/logs", follow=1)).text)
    assert [(event.get("id"), event.get("data")) for event in events] == [
        ("1:6", "first"),
        ("1:15", "half a li"),
        (f"1:{15 + 128 * 1024}", gap),
        (f"1:{27 + 128 * 1024}", "after a gap"),
        (f"1:{34 + 128 * 1024}", "and on"),
        (None, ""),
    ]
    for at, left in (("1:15", [gap, "after a gap", "and on"]), (events[2]["id"], ["after a gap", "and on"])):
        rest = await api.ask("GET", f"/runs/{run}/logs", follow=1, headers={"Last-Event-ID": at})
        assert [event.get("data") for event in parsed(rest.text)] == [*left, ""]


async def test_the_logs_of_all_attempts_follow_each_other(api: Api, stage: Stage) -> None:
    worker = await ready(api, stage, retries={"max": 1, "backoff": "1s", "jitter": False})
    run = await trigger(api)
    await worker.lease()
    await write(stage, worker, "first try\n")
    await worker.end(Cause.ERROR, after_us=SECOND, error="ValueError: boom")
    stage.elapse("2s")
    await worker.lease()
    await write(stage, worker, "second try\n")
    await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    assert (await api.get(f"/runs/{run}/logs")).text.splitlines() == ["first try", "second try"]
    assert (await api.get(f"/runs/{run}/logs", attempt=1)).text.splitlines() == ["first try"]
    followed = await api.ask("GET", f"/runs/{run}/logs", follow=1)
    assert [event.get("data") for event in parsed(followed.text)] == ["first try", "second try", ""]


def parsed(stream: str) -> list[dict[str, str]]:
    events = []
    for block in stream.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line and not line.startswith(":"))
        if fields:
            events.append(fields)
    return events


async def test_a_run_that_is_not_there_is_called_as_it_was_written(api: Api) -> None:
    for written in ("tick", "R-ZZZZ"):
        answer = await api.get(f"/runs/{written}")
        assert (answer.status_code, answer.json()["detail"]) == (404, f'No run "{written}".')
        many = await api.post("/runs:cancel", {"ids": [written]})
        assert (many.status_code, many.json()["detail"]) == (404, f'No run "{written}".')
