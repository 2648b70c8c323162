"""One casing of states: whatever says where a thing stands in its life is written in capitals, in every answer."""

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import parse_qsl

import pytest

from foliot.api.app import build_api
from foliot.api.openapi import openapi_of
from foliot.domain.fire import CursorState
from foliot.domain.health import Health
from foliot.domain.instants import SECOND
from foliot.domain.run import DERIVED, RunState
from foliot.domain.verdict import Cause
from foliot.operations.services import Services
from foliot.operations.watch import ChangeWatch
from foliot.ports.store.backfills import BackfillState
from tests.api.asking import Api
from tests.api.stage import Stage
from tests.api.test_events import listening, told

STATE_FIELDS = frozenset({"state", "shown", "health", "decision", "run_state"})
STATES = frozenset(word.upper() for word in (*RunState, *DERIVED, *CursorState, *BackfillState, *Health)) | {
    "LIVE", "DRAINING", "CREATED", "SKIPPED", "PLANNED",
}  # fmt: skip
OTHER_FIELDS = frozenset({"cause", "reason", "verdict", "what", "outcome", "kind", "only", "hold", "level", "change",
                          "trouble"})  # fmt: skip
"""Fields whose words are no states, though some are spelt like one: a skip's reason `paused`, a cause `cancelled`."""

SCHEMAS = openapi_of(build_api(cast("Services", SimpleNamespace(clock=None, chance=None))))["components"]["schemas"]


def words_of(schema: Mapping[str, Any]) -> list[str]:
    """The words a field may hold, also one that may be null or a list."""
    found = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())]
    parts = [*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())]
    for below in parts:
        found += words_of(below)
    return [word for word in found if isinstance(word, str)]


FILTERS = frozenset({"JobFilterIn"})
"""What is asked, not what is answered: a filter takes several states in any case, as the query of a list does."""

FIELDS = [
    pytest.param(name, schema, id=f"{model}.{name}")
    for model, said in SCHEMAS.items()
    if model not in FILTERS
    for name, schema in said.get("properties", {}).items()
    if name in STATE_FIELDS or (STATES.intersection(map(str.upper, words_of(schema))) and name not in OTHER_FIELDS)
]


@pytest.mark.parametrize(("name", "schema"), FIELDS)
def test_the_document_lists_every_state_in_capitals(name: str, schema: Mapping[str, Any]) -> None:
    words = words_of(schema)
    assert words, f"{name} is a state: the document says which there are"
    assert [word for word in words if word != word.upper()] == []


def said_in(answer: Any, field: str = "") -> Iterator[tuple[str, str]]:
    """Every text of an answer with its field; keys of mappings count as texts of the field above."""
    if isinstance(answer, str):
        yield field, answer
    elif isinstance(answer, Mapping):
        for key, below in answer.items():
            yield f"key of {field}", str(key)
            yield from said_in(below, key)
    elif isinstance(answer, list):
        for below in answer:
            yield from said_in(below, field)


def in_small_letters(answer: Any) -> set[tuple[str, str]]:
    """The states of an answer that are not in capitals."""
    return {
        (field, text)
        for field, text in said_in(answer)
        if text != text.upper()
        and (field in STATE_FIELDS or (text.upper() in STATES and field not in OTHER_FIELDS and "key of" not in field))
    }


PATHS = (
    "/jobs", "/jobs/tick", "/jobs/tick/fires", "/jobs/tick/stats", "/jobs/tick/why?since=2026-03-01T00:00:00Z",
    "/jobs/still", "/jobs/once", "/runs", "/runs?shards=true", "/runs/{ok}", "/runs/{ok}/result", "/runs/{ok}/attempts",
    "/runs/{ok}/timeline", "/runs/{bad}/timeline", "/runs/{bad}/attempts", "/runs/{gone}", "/runs/{gone}/timeline",
    "/runs/{gone}/why", "/runs/{many}/shards", "/runs/{waits}", "/nodes", "/nodes/w-1", "/cluster", "/backfills",
    "/journal", "/search?q=tick",
)  # fmt: skip


async def test_real_answers_hold_no_state_in_small_letters(api: Api, stage: Stage) -> None:
    """Runs, jobs, nodes and backfills in every state, read by every route that tells of them."""
    watch = ChangeWatch(stage.services)
    async with listening(watch) as listener:
        runs, answers = await a_life(api, stage)
        await told(listener, 10)
    for path in PATHS:
        where, _, query = path.format(**runs).partition("?")
        answer = await api.get(where, **dict(parse_qsl(query)))
        assert answer.status_code == 200, path
        answers[path] = answer.json()
    answers["events"] = [{"kind": change.kind, **change.data} for change in listener.heard]
    assert {path: found for path, answer in answers.items() if (found := in_small_letters(answer))} == {}
    seen = {text for answer in answers.values() for field, text in said_in(answer) if field in STATE_FIELDS}
    assert seen >= {"PENDING", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED", "ACTIVE", "PAUSED", "DONE", "ONLINE",
                    "LIVE", "DRAINING", "CREATED", "SKIPPED", "PLANNED"}  # fmt: skip


async def a_life(api: Api, stage: Stage) -> tuple[dict[str, str], dict[str, Any]]:
    """Let much happen; the runs by what became of them, and what was answered meanwhile."""
    answers: dict[str, Any] = {}
    await api.create_job("tick", schedule={"every": "1m"}, overlap="skip")
    await api.create_job("still", schedule={"every": "1m"})
    await api.create_job("once", schedule={"at": "2026-03-02T06:03:00Z"}, run={"python": "jobs:nobody"})
    await api.create_job("many", shards=2, run={"python": "jobs:nobody"})
    await api.create_job("hand")
    answers["pause"] = (await api.post("/jobs/still:pause", {"reason": "a test"})).json()
    stage.elapse("3m")
    await stage.fire()
    worker = await stage.worker("w-1", ["python:jobs:tick", "python:jobs:hand"])
    await stage.worker("w-2", ["python:jobs:hand"])
    answers["drain"] = (await api.post("/nodes/w-2:drain")).json()
    runs: dict[str, str] = {}
    await worker.lease()
    await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    runs["ok"] = (await api.get("/runs", job="tick", state="succeeded")).json()["items"][0]["id"]
    runs["bad"] = (await api.post("/jobs/hand:trigger")).json()["id"]
    await worker.lease()
    await worker.end(Cause.ERROR, after_us=SECOND, error="ValueError: no")
    runs["gone"] = (await api.post("/jobs/hand:trigger")).json()["id"]
    answers["cancel"] = (await api.post("/runs:cancel", {"ids": [runs["gone"]]})).json()
    runs["many"] = (await api.post("/jobs/many:trigger")).json()["id"]
    runs["waits"] = (await api.post("/jobs/hand:trigger")).json()["id"]
    await worker.lease()
    past = {"job": "tick", "from": "2026-03-02T05:00:00Z", "to": "2026-03-02T05:03:00Z"}
    preview = (await api.post("/backfills:preview", past)).json()
    answers["backfill"] = (await api.post("/backfills", {**past, "token": preview["token"]})).json()
    answers["retry"] = (await api.post(f"/runs/{runs['gone']}:retry")).json()
    return runs, answers
