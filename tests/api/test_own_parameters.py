"""A job of another kind than python says its own parameters: shown, checked and filled in as a function's are."""

import json

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
