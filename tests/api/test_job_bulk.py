"""One verb on many jobs: named or filtered, with the number that the user saw; each job tells what became of it."""

from typing import Any

from tests.api.asking import Api


async def made(api: Api) -> None:
    """Three jobs of one team, one of another; one of the three needs a parameter."""
    for name in ("a", "b", "c"):
        await api.create_job(name, schedule={"every": "1h"}, tags={"team": "data"}, group="etl")
    await api.create_job("other", schedule={"every": "1h"})


async def states(api: Api) -> dict[str, str]:
    jobs = (await api.get("/jobs")).json()["items"]
    return {job["name"]: job["state"] for job in jobs}


OF_DATA = {"label": ["team=data"]}


async def test_a_filter_with_the_expected_number_pauses_and_resumes(api: Api) -> None:
    await made(api)
    await api.post("/jobs/a:pause", {"reason": "mine"})
    body = {"filter": OF_DATA, "expected": 3, "reason": "kernel update", "until": "2040-01-01T06:00:00Z"}
    done = (await api.post("/jobs:pause", body)).json()
    assert done["count"] == 2
    assert [(job["name"], job["outcome"]) for job in done["items"]] == [("a", "same"), ("b", "done"), ("c", "done")]
    assert await states(api) == {"a": "PAUSED", "b": "PAUSED", "c": "PAUSED", "other": "ACTIVE"}
    mine, theirs = [(await api.get(f"/jobs/{name}")).json() for name in ("a", "b")]
    assert (mine["pause_reason"], mine["paused_until"]) == ("mine", None)
    assert (theirs["pause_reason"], theirs["paused_until"][:10]) == ("kernel update", "2040-01-01")
    undo = {"jobs": [{"name": "b"}, {"name": "c", "namespace": "default"}, {"name": "b"}]}
    assert (await api.post("/jobs:resume", undo)).json()["count"] == 2
    assert await states(api) == {"a": "PAUSED", "b": "ACTIVE", "c": "ACTIVE", "other": "ACTIVE"}


async def test_another_number_changes_nothing_and_tells_the_new_one(api: Api) -> None:
    await made(api)
    refused = await api.post("/jobs:pause", {"filter": OF_DATA, "expected": 2})
    assert (refused.status_code, refused.json()["code"]) == (409, "FOL-3017")
    assert refused.json()["detail"] == "2 were expected, 3 match now. Nothing was changed."
    assert set((await states(api)).values()) == {"ACTIVE"}


async def test_a_verb_needs_names_or_a_filter_with_its_number(api: Api) -> None:
    await made(api)
    incomplete: list[dict[str, Any]] = [{}, {"jobs": [], "filter": {}}, {"filter": {}}]
    for body in incomplete:
        assert (await api.post("/jobs:delete", body)).json()["code"] == "FOL-1080"
    missing = await api.post("/jobs:pause", {"jobs": [{"name": "a"}, {"name": "nobody"}]})
    assert (missing.status_code, missing.json()["code"]) == (404, "FOL-2001")
    assert set((await states(api)).values()) == {"ACTIVE"}


async def test_one_refusal_stops_no_other_job_and_the_same_key_means_the_same_runs(api: Api) -> None:
    await made(api)
    needs = {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]}
    made_too = await api.create_job("b2", tags={"team": "data"}, parameters=needs, run={"shell": {"argv": ["true"]}})
    assert made_too.status_code == 201, made_too.text
    body = {"filter": OF_DATA, "expected": 4}
    first = await api.post("/jobs:trigger", body, headers={"Idempotency-Key": "k-1"})
    found = {job["name"]: job for job in first.json()["items"]}
    assert first.json()["count"] == 3
    assert (found["b2"]["outcome"], found["b2"]["run"]) == ("failed", None)
    assert found["b2"]["code"] == "FOL-1006"
    again = await api.post("/jobs:trigger", body, headers={"Idempotency-Key": "k-1"})
    assert [job["run"] for job in again.json()["items"]] == [job["run"] for job in first.json()["items"]]
    assert len((await api.get("/runs")).json()["items"]) == 3


async def test_deleted_jobs_are_gone_and_their_names_are_free(api: Api) -> None:
    await made(api)
    done = (await api.post("/jobs:delete", {"filter": {"group": "etl"}, "expected": 3, "reason": "moved"})).json()
    assert done["count"] == 3
    assert await states(api) == {"other": "ACTIVE"}
    assert (await api.create_job("a")).status_code == 201


async def test_a_token_of_one_group_touches_no_job_of_another(api: Api) -> None:
    await made(api)
    limited = await api.with_scopes("write", "read", group="etl")
    refused = await limited.post("/jobs:pause", {"filter": {}, "expected": 4})
    assert refused.status_code == 403
    assert set((await states(api)).values()) == {"ACTIVE"}
    assert (await limited.post("/jobs:pause", {"filter": {"group": "etl"}, "expected": 3})).json()["count"] == 3


async def test_a_token_of_one_namespace_finds_no_job_of_another(api: Api) -> None:
    await made(api)
    limited = await api.with_scopes("write", "read", namespace="shop")
    found = await limited.post("/jobs:delete", {"filter": {}, "expected": 0})
    assert (found.status_code, found.json()["count"]) == (200, 0)
    elsewhere = await limited.post("/jobs:delete", {"jobs": [{"name": "a", "namespace": "default"}]})
    assert elsewhere.status_code in (403, 404)
    assert set(await states(api)) == {"a", "b", "c", "other"}
