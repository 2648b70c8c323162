"""Triggers that come close together, over HTTP: the answer says which run stands for them, and why."""

import httpx2
import pytest

from foliot.domain.instants import SECOND
from tests.api.asking import Api
from tests.api.stage import Stage


async def test_a_debounced_trigger_is_answered_with_the_run_that_took_its_parameters(api: Api, stage: Stage) -> None:
    await api.create_job("tick", debounce={"quiet": "10s", "by": "customer"})
    first = await api.post("/jobs/tick:trigger", {"params": {"customer": "a", "n": 1}})
    assert (first.status_code, first.json()["stands_for"]) == (201, None)
    stage.elapse("5s")
    second = await api.post("/jobs/tick:trigger", {"params": {"customer": "a", "n": 2}})
    told = second.json()
    assert (second.status_code, told["id"], told["stands_for"]) == (200, first.json()["id"], "debounce")
    assert told["params"] == {"customer": "a", "n": 2}
    assert told["not_before"] > first.json()["not_before"]
    why = (await api.get(f"/runs/{told['id']}/why")).json()["sentence"]
    assert why.endswith("; a further trigger puts it off (debounce 10s).")


async def test_a_throttled_trigger_is_answered_with_the_run_of_the_window(api: Api) -> None:
    await api.create_job("tick", throttle="1/1m")
    first = await api.post("/jobs/tick:trigger", {"key": "once"})
    second = await api.post("/jobs/tick:trigger", {"params": {"n": 2}})
    assert (second.status_code, second.json()["id"]) == (200, first.json()["id"])
    assert second.json()["stands_for"] == "throttle"
    again = await api.post("/jobs/tick:trigger", {"key": "once"})
    assert (again.status_code, again.json()["stands_for"]) == (200, "key")


@pytest.mark.parametrize("by", ["key", "Idempotency-Key"])
async def test_repeats_of_a_debounced_trigger_change_nothing_and_are_not_refused(
    api: Api, stage: Stage, by: str
) -> None:
    await api.create_job("tick", debounce="10s", params={"zone": "a"})

    async def trigger(n: int, **more: object) -> httpx2.Response:
        body = {"params": {"n": n}, **more}
        if by == "key":
            return await api.post("/jobs/tick:trigger", {**body, "key": str(n)})
        return await api.post("/jobs/tick:trigger", body, headers={"Idempotency-Key": str(n)})

    run = (await trigger(1)).json()["id"]
    for n in (2, 3):
        assert (await trigger(n)).json()["stands_for"] == "debounce"
    await forget_answers(stage)
    for n in (1, 2, 3):
        again = await trigger(n)
        told = again.json()
        assert (again.status_code, told["id"], told["stands_for"]) == (200, run, "key"), n
        assert told["params"] == {"n": 3, "zone": "a"}
    await forget_answers(stage)
    for n in (1, 2, 3):
        other = await trigger(n, priority=2)
        assert (other.status_code, other.json()["code"]) == (422, "FOL-1082")


async def test_a_repeat_of_a_throttled_trigger_is_compared_with_what_it_asked(api: Api, stage: Stage) -> None:
    await api.create_job("tick", throttle="1/1m")
    first = (await api.post("/jobs/tick:trigger", {"params": {"n": 1}})).json()
    throttled = {"params": {"n": 2}, "key": "late"}
    assert (await api.post("/jobs/tick:trigger", throttled)).json()["stands_for"] == "throttle"
    stage.elapse("2m")
    again = await api.post("/jobs/tick:trigger", throttled)
    assert (again.status_code, again.json()["id"], again.json()["stands_for"]) == (200, first["id"], "key")
    other = await api.post("/jobs/tick:trigger", {"params": {"n": 1}, "key": "late"})
    assert (other.status_code, other.json()["code"]) == (422, "FOL-1082")


async def test_what_a_debounced_run_was_made_of_is_not_compared_when_its_key_was_forgotten(
    api: Api, stage: Stage
) -> None:
    await api.create_job("tick", debounce="10s")
    first = {"params": {"n": 1}, "key": "first"}
    run = (await api.post("/jobs/tick:trigger", first)).json()["id"]
    await api.post("/jobs/tick:trigger", {"params": {"n": 2}})
    stage.elapse("26h")
    await stage.store.runs.forget(before=0, after_id=0, limit=100)
    again = await api.post("/jobs/tick:trigger", first)
    assert (again.status_code, again.json()["id"], again.json()["stands_for"]) == (200, run, "key")


async def test_a_trigger_of_its_own_time_is_compared_with_its_run(api: Api) -> None:
    await api.create_job("tick", debounce="10s")
    later = {"params": {"n": 1}, "delay": "1h", "key": "later"}
    await api.post("/jobs/tick:trigger", later)
    assert (await api.post("/jobs/tick:trigger", later)).json()["stands_for"] == "key"
    other = await api.post("/jobs/tick:trigger", {**later, "params": {"n": 2}})
    assert (other.status_code, other.json()["code"]) == (422, "FOL-1082")


async def forget_answers(stage: Stage) -> None:
    """As if they were lost: what a server keeps of a trigger under an Idempotency-Key."""
    while await stage.store.replies.forget(older_us=-SECOND, limit=100):
        pass


@pytest.mark.parametrize(
    ("definition", "told"),
    [
        ({"debounce": "10s", "throttle": "1/10s"}, "throttle: a debounce makes one run"),
        ({"debounce": {"by": "customer"}}, "debounce.quiet: it is missing"),
        ({"debounce": {"quiet": "10s", "at_most": "5s"}}, "debounce.at_most: it is shorter than the quiet time of 10s"),
        ({"debounce": "1ms"}, "debounce.quiet: 1ms is out of bounds"),
        ({"throttle": "often"}, 'throttle: "often" is not a rate'),
        ({"throttle": {"by": "customer"}}, "throttle.rate: it is missing"),
        ({"throttle": "0/10s"}, "throttle.rate: 0 is not a whole number from 1 to 10000"),
        ({"throttle": "1/2d"}, "throttle.rate: 2d is out of bounds"),
    ],
)
async def test_what_makes_no_sense_is_refused_with_its_place(
    api: Api, definition: dict[str, object], told: str
) -> None:
    answer = await api.create_job("tick", **definition)
    assert answer.status_code == 422
    assert told in answer.json()["detail"]


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ({"debounce": "600s"}, {"debounce": "10m"}),
        ({"debounce": {"quiet": "10s", "at_most": "100s"}}, {"debounce": "10s"}),
        ({"debounce": {"quiet": "10s", "at_most": "1m"}}, {"debounce": {"quiet": "10s", "at_most": "1m"}}),
        ({"throttle": {"rate": "1/60s"}}, {"throttle": "1/1m"}),
        ({"throttle": {"rate": "5/1h", "by": "customer"}}, {"throttle": {"rate": "5/1h", "by": "customer"}}),
    ],
)
async def test_a_definition_is_kept_in_its_shortest_form(
    api: Api, written: dict[str, object], kept: dict[str, object]
) -> None:
    await api.create_job("tick", **written)
    definition = (await api.get("/jobs/tick")).json()["definition"]
    assert {name: definition[name] for name in kept} == kept
