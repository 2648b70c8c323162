"""A job of another kind than python says its own parameters: shown, checked and filled in as a function's are."""

import json
from typing import Any

import pytest

from tests.api.asking import Api
from tests.api.stage import Stage

PARAMETERS = {
    "properties": {
        "day": {"type": "string", "format": "date"},
        "limit": {"type": "integer", "minimum": 1, "default": 100},
    },
    "required": ["day"],
}


async def create(api: Api, stage: Stage) -> None:
    await stage.worker("w-1", ["ping"])
    definition = {"run": {"ping": {"to": "example.org"}}, "parameters": PARAMETERS}
    made = await api.post("/jobs", {"name": "ping", "definition": definition})
    assert made.status_code == 201, made.text


async def test_a_trigger_is_checked_and_gets_the_defaults(api: Api, stage: Stage) -> None:
    await create(api, stage)
    shown = (await api.get("/jobs/ping")).json()
    assert shown["parameters"]["properties"] == PARAMETERS["properties"]
    assert (await api.get("/jobs/ping/parameters")).json() == {"handler": "ping", "parameters": shown["parameters"]}

    bad = await api.post("/jobs/ping:trigger", {"params": {"limit": 0, "dya": "2026-01-31"}})
    assert bad.status_code == 422
    assert {error["path"] for error in bad.json()["errors"]} == {"limit", "day", "dya"}
    assert bad.json()["hint"] == "parameters: day (date), limit (whole number)"

    made = await api.post("/jobs/ping:trigger", {"params": {"day": "2026-01-31"}})
    assert made.json()["params"] == {"day": "2026-01-31", "limit": 100}


async def test_a_fire_gets_the_defaults_too(api: Api, stage: Stage) -> None:
    await create(api, stage)
    changes = {"definition": {"schedule": {"every": "1m"}, "params": {"day": "2026-01-31"}}}
    changed = await api.ask("PATCH", "/jobs/ping", changes, headers={"If-Match": '"v1"'})
    assert changed.status_code == 200, changed.text
    stage.elapse("2m")
    await stage.fire()
    worker = await stage.worker("w-2", ["ping"])
    leased = await worker.lease()
    assert leased is not None
    assert json.loads(leased.params or "") == {"day": "2026-01-31", "limit": 100}


async def test_a_schedule_without_a_needed_value_is_refused_with_the_field(api: Api, stage: Stage) -> None:
    await create(api, stage)
    definition = {"run": {"ping": {"to": "example.org"}}, "parameters": PARAMETERS, "schedule": {"every": "1m"}}
    refused = await api.post("/jobs:validate", {"name": "other", "definition": definition})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["path"] == "params.day"


async def test_an_option_of_a_kind_is_refused_with_the_field_at_fault(api: Api) -> None:
    for options, path in (
        ({"url": "https://example.org", "headers": {"A": 1}}, "run.http.headers[...]"),
        ({"url": "https://example.org", "heders": {}}, "run.http.heders"),
        ({}, "run.http.url"),
    ):
        refused = await api.post("/jobs", {"name": "ping", "definition": {"run": {"http": options}}})
        assert (refused.status_code, refused.json()["code"]) == (422, "FOL-1058")
        assert [error["path"] for error in refused.json()["errors"]] == [path]


@pytest.mark.parametrize(
    ("run", "path", "hint"),
    [
        ({"http": {"url": "https://example.org/${params.dya}"}}, "run.http.url", "did you mean day?"),
        ({"http": {"url": "https://example.org", "body": {"json": ["${params.other.id}"]}}}, "run.http.body", "add it"),
        (
            {"http": {"url": "https://example.org", "poll": {"url": "/jobs/${params.id}", "until": "$.done == true"}}},
            "run.http.poll.url",
            "add it",
        ),
        ({"sql": {"connection": "a", "query": "delete from t where day < :dya"}}, "run.sql.query", "did you mean day?"),
        ({"sql": {"connection": "a", "statements": ["select 1", "select :x"]}}, "run.sql.statements[1]", "add it"),
        ({"shell": {"argv": ["ls", "${params.dya}"], "params_as": "argv"}}, "run.shell.argv[1]", "did you mean day?"),
    ],
)
async def test_a_name_that_no_run_can_have_is_refused_when_the_job_is_saved(
    api: Api, run: dict[str, Any], path: str, hint: str
) -> None:
    definition = {"run": run, "parameters": PARAMETERS}
    refused = await api.post("/jobs:validate", {"name": "new", "definition": definition})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["path"] == path
    assert "the job has no parameter" in refused.json()["detail"]
    assert refused.json()["hint"].startswith(hint)
    assert (await api.post("/jobs", {"name": "new", "definition": definition})).status_code == 422
    open_to_all = {"run": run, "parameters": {**PARAMETERS, "additionalProperties": True}}
    assert (await api.post("/jobs:validate", {"name": "new", "definition": open_to_all})).status_code == 200


async def warnings_of(api: Api, run: dict[str, Any], *, language: str = "en", **fields: Any) -> dict[str, str]:
    body = {"name": "new", "definition": {"run": run, **fields}}
    answer = await api.ask("POST", "/jobs:validate", body, headers={"Accept-Language": language})
    assert answer.status_code == 200, answer.text
    return {warning["code"]: warning["message"] for warning in answer.json()["warnings"]}


async def test_what_works_but_perhaps_not_as_meant_is_a_warning(api: Api) -> None:
    await api.stage.worker("w-1", ["http"])
    optional: dict[str, Any] = {"parameters": {"properties": {"day": {"type": "string"}}}}
    by_day = {"http": {"url": "https://example.org/${params.day}?again=${params.day}"}}
    assert await warnings_of(api, by_day, **optional) == {
        "FOL-1140": "run.http.url names the parameter day, which a run may lack: such a run is rejected."
    }
    assert await warnings_of(api, by_day, **optional, params={"day": "today"}) == {}

    waits = {"http": {"url": "https://example.org", "callback": True}}
    assert await warnings_of(api, waits) == {
        "FOL-1141": "A run waits up to 24 h for the other system, because the job does not say how long."
    }
    assert "24 小时" in (await warnings_of(api, waits, language="zh"))["FOL-1141"]
    assert await warnings_of(api, waits, timeout="2h") == {}
    assert await warnings_of(api, {"http": {"url": "https://example.org", "callback": {"within": "1d"}}}) == {}

    secret = {"http": {"url": "http://example.org", "headers": {"Authorization": "Bearer ${secret:TOKEN}"}}}
    assert set(await warnings_of(api, secret)) == {"FOL-1142"}
    secret["http"]["url"] = "http://127.0.0.1:8080"
    assert await warnings_of(api, secret) == {}
