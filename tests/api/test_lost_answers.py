"""A write whose answer was lost is asked for again with the same key, and is done once all the same (S4, R5)."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from foliot.domain.instants import SECOND
from foliot.domain.verdict import Cause
from foliot.ports.store.errors import OutcomeUnknown, StoreUnavailable
from foliot.ports.store.replies import Reply
from tests.api.asking import Api
from tests.api.stage import Stage
from tests.api.test_backfills import HOUR, prepared

ONCE = {"Idempotency-Key": "one and only"}


def lose_answer(part: object, verb: str, *, of_call: int = 1) -> None:
    """That call of the verb happens, and nobody is told; the others work."""
    real: Callable[..., Awaitable[Any]] = getattr(part, verb)
    calls = 0

    async def lossy(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        done = await real(*args, **kwargs)
        if calls == of_call:
            raise OutcomeUnknown("The answer to a commit was lost; whether it happened is being found out.")
        return done

    object.__setattr__(part, verb, lossy)


async def order(api: Api, **wish: object) -> dict[str, Any]:
    body = {"job": "tick", **HOUR, "parallel": 50, **wish}
    return {**body, "token": (await api.post("/backfills:preview", body)).json()["token"]}


async def runs_by_instant(api: Api) -> list[str]:
    return sorted(run["due_at"] for run in (await api.get("/runs", job="tick", limit=200)).json()["items"])


@pytest.mark.parametrize("only", ["all", "missing"])  # what is missing is another set at the second try
async def test_a_backfill_is_started_once(api: Api, stage: Stage, only: str) -> None:
    await prepared(api, stage, overlap="allow")
    body = await order(api, only=only)
    lose_answer(stage.services.store.backfills, "add")
    lost = await api.post("/backfills", body, headers=ONCE)
    assert (lost.status_code, lost.headers["retry-after"]) == (503, "1")
    again = await api.post("/backfills", body, headers=ONCE)
    assert again.status_code == 200, again.text
    replayed = await api.post("/backfills", body, headers=ONCE)
    assert (replayed.headers["idempotent-replayed"], replayed.json()) == ("true", again.json())
    assert [found["id"] for found in (await api.get("/backfills")).json()["items"]] == [again.json()["id"]]
    assert await runs_by_instant(api) == [f"2026-03-02T06:0{minute}:00Z" for minute in range(3, 9)]
    kinds = [event["kind"] for event in (await api.get("/journal", topic="jobs")).json()["items"]]
    assert kinds.count("backfill.started") == 1


async def test_a_key_stays_with_its_backfill_and_its_asker(api: Api, stage: Stage) -> None:
    await prepared(api, stage, overlap="allow")
    body, less = await order(api, only="all"), await order(api, only="all", to="2026-03-02T06:05:00Z")
    lose_answer(stage.services.store.backfills, "add")
    assert (await api.post("/backfills", body, headers=ONCE)).status_code == 503
    other = await api.post("/backfills", less, headers=ONCE)
    assert (other.status_code, other.json()["code"]) == (422, "FOL-1082")
    somebody = await (await api.with_scopes("run", "read")).post("/backfills", less, headers=ONCE)
    assert somebody.status_code == 201
    without = [await api.post("/backfills", body) for _ in range(2)]
    assert [answer.status_code for answer in without] == [201, 201]


async def failed_runs(api: Api, stage: Stage, count: int) -> list[str]:
    await api.create_job("tick", overlap="allow")
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    runs = []
    for _ in range(count):
        runs.append(await stage.trigger("tick"))
        await worker.lease()
        await worker.end(Cause.ERROR, after_us=SECOND, error="ValueError: boom")
    return runs


@pytest.mark.parametrize("by", ["ids", "job"])
async def test_many_runs_are_run_again_once_each(api: Api, stage: Stage, by: str) -> None:
    failed = await failed_runs(api, stage, 3)
    body = {"ids": failed} if by == "ids" else {"job": "tick", "expected": 3}
    lose_answer(stage.store.runs, "trigger", of_call=3)
    assert (await api.post("/runs:retry", body, headers=ONCE)).status_code == 503
    again = await api.post("/runs:retry", body, headers=ONCE)
    assert (again.status_code, again.json()["count"]) == (200, 3)
    assert len((await api.get("/runs", job="tick")).json()["items"]) == 6
    for key in ({"Idempotency-Key": "another"}, {}):
        assert (await api.post("/runs:retry", {"ids": failed}, headers=key)).status_code == 200
    assert len((await api.get("/runs", job="tick")).json()["items"]) == 12


async def test_one_run_is_run_again_once_and_long_keys_are_told_apart(api: Api, stage: Stage) -> None:
    (failed,) = await failed_runs(api, stage, 1)
    lose_answer(stage.store.runs, "trigger")
    keys = [{"Idempotency-Key": "x" * 199 + last} for last in "ab"]
    assert (await api.post(f"/runs/{failed}:retry", headers=keys[0])).status_code == 503
    first, other = [(await api.post(f"/runs/{failed}:retry", headers=key)).json()["id"] for key in keys]
    runs = [run["id"] for run in (await api.get("/runs", job="tick")).json()["items"]]
    assert sorted(runs) == sorted([failed, first, other])


async def test_shards_of_one_run_run_it_again_once(api: Api, stage: Stage) -> None:
    await api.create_job("tick", overlap="allow", shards=2)
    parent = await stage.trigger("tick")
    await api.post(f"/runs/{parent}:cancel")
    shards = [run["id"] for run in (await api.get(f"/runs/{parent}/shards")).json()["items"]]
    assert len(shards) == 2
    again = (await api.post("/runs:retry", {"ids": shards})).json()
    assert again["count"] == 1
    assert len((await api.get("/runs", job="tick")).json()["items"]) == 2


async def test_an_answer_that_could_not_be_kept_is_given_again_by_what_was_done(api: Api, stage: Stage) -> None:
    """The claim of the first is given up after a minute; its backfill is found by the key."""
    await prepared(api, stage, overlap="allow")
    body = await order(api, only="all")
    real = stage.services.store.replies.keep

    async def away(key_hash: str, claim: str, reply: Reply) -> None:
        raise StoreUnavailable("The store does not answer.")

    object.__setattr__(stage.services.store.replies, "keep", away)
    assert (await api.post("/backfills", body, headers=ONCE)).status_code == 503
    object.__setattr__(stage.services.store.replies, "keep", real)
    assert (await api.post("/backfills", body, headers=ONCE)).status_code == 409
    stage.elapse("61s")
    again = await api.post("/backfills", body, headers=ONCE)
    assert (again.status_code, again.json()["total"]) == (200, 6)
    assert len(await runs_by_instant(api)) == 6


async def test_an_idempotency_key_of_a_trigger_belongs_to_who_sent_it(api: Api) -> None:
    await api.create_job("tick", overlap="allow")
    mine = (await api.post("/jobs/tick:trigger", headers=ONCE)).json()["id"]
    somebody = await (await api.with_scopes("run", "read")).post("/jobs/tick:trigger", headers=ONCE)
    assert somebody.status_code == 201
    assert somebody.json()["id"] != mine


@pytest.mark.parametrize("how", ["header", "key"])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"params": {"day": 1}}, {"params": {"day": 2}}),
        ({"params": {"day": 1}}, {}),
        ({}, {"params": {"day": 1}}),
        ({}, {"priority": 9}),
        ({"at": "2026-03-02T07:00:00Z"}, {"at": "2026-03-02T08:00:00Z"}),
    ],
)
async def test_a_trigger_with_a_used_key_and_another_body_is_refused(
    api: Api, stage: Stage, how: str, first: dict[str, Any], second: dict[str, Any]
) -> None:
    """Also when the first answer was lost, so that nothing but the run remembers the key."""
    await api.create_job("tick", overlap="allow")
    headers, key = (ONCE, {}) if how == "header" else ({}, {"key": "refund-7"})
    lose_answer(stage.store.runs, "trigger")
    assert (await api.post("/jobs/tick:trigger", {**first, **key}, headers=headers)).status_code == 503
    other = await api.post("/jobs/tick:trigger", {**second, **key}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (422, "FOL-1082")
    same = await api.post("/jobs/tick:trigger", {**first, **key}, headers=headers)
    assert same.status_code == 200
    assert len((await api.get("/runs", job="tick")).json()["items"]) == 1


async def test_a_key_is_the_same_run_after_the_definition_changed(api: Api) -> None:
    await api.create_job("tick", overlap="allow", params={"region": "north"})
    wish = {"key": "refund-7", "params": {"day": 1}}
    first = await api.post("/jobs/tick:trigger", wish)
    changed = {"definition": {"params": {"region": "south"}}}
    assert (await api.ask("PATCH", "/jobs/tick", changed, headers={"If-Match": '"v1"'})).status_code == 200
    again = await api.post("/jobs/tick:trigger", wish)
    assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])
