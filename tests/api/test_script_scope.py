"""SEC-14: to define a job that executes text is a right of its own, on every way to a definition."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from foliot.api.worker_protocol import worker_routes
from foliot.app.server import Server
from foliot.app.settings import ServerSettings
from foliot.domain.access import Principal, Scope, ScriptDenied
from foliot.domain.handler import SCRIPT_KINDS
from tests.api.asking import Api, opened_api
from tests.api.stage import Stage
from tests.api.test_worker_tokens import ask

SQL: dict[str, Any] = {"run": {"sql": {"connection": "reports", "query": "select 1"}}}
PYTHON: dict[str, Any] = {"run": {"python": "billing:settle"}}
AT_1 = {"If-Match": '"v1"'}
WAYS: dict[str, tuple[str, str, Any, dict[str, str]]] = {
    "create": ("POST", "/jobs", {"name": "new", "definition": SQL}, {}),
    "put": ("PUT", "/jobs/report", {"definition": {**SQL, "owner": "ops"}}, AT_1),
    "patch": ("PATCH", "/jobs/report", {"definition": {"owner": "ops"}}, AT_1),
    "patch another to sql": ("PATCH", "/jobs/settle", {"definition": {"run": {"python": None, **SQL["run"]}}}, AT_1),
    "clone": ("POST", "/jobs/report:clone", {"name": "copy"}, {}),
    "rollback": ("POST", "/jobs/was_sql:rollback", {"to": 1}, {}),
}
FREE: dict[str, tuple[str, str, Any, dict[str, str]]] = {
    "trigger": ("POST", "/jobs/report:trigger", {}, {}),
    "pause": ("POST", "/jobs/report:pause", {}, {}),
    "delete": ("DELETE", "/jobs/report", None, AT_1),
}


@pytest.fixture
async def api(stage: Stage) -> AsyncIterator[Api]:
    """The API with the worker protocol of a server, and three jobs."""
    settings = ServerSettings(store_url=stage.url, node_name="s1")
    server = Server(settings, stage.store, clock=stage.clock, chance=stage.chance)
    async with opened_api(stage, plain_routes=lambda known: worker_routes(server.workers, known.worker)) as api:
        await stage.worker("w-1", ["sql:reports"])
        for name, definition in (("report", SQL), ("was_sql", SQL), ("settle", PYTHON)):
            made = await api.post("/jobs", {"name": name, "definition": definition})
            assert made.status_code == 201, made.text
        changed = await api.ask("PUT", "/jobs/was_sql", {"definition": PYTHON}, headers=AT_1)
        assert changed.status_code == 200, changed.text
        yield api


@pytest.mark.parametrize(
    "scopes", [("write",), ("write", "run"), ("script",), ("write", "script"), ("admin",)], ids=str
)
async def test_each_way_to_a_definition_asks_for_it(api: Api, scopes: tuple[str, ...]) -> None:
    asker = await api.with_scopes(*scopes)
    may = {scope for one in scopes for scope in Principal(name="x", scopes=frozenset({Scope(one)})).may}
    for way, (method, path, body, headers) in WAYS.items():
        answer = await asker.ask(method, path, body, headers=headers)
        if {Scope.WRITE, Scope.SCRIPT} <= may:
            assert answer.status_code in (200, 201), (way, answer.text)
        else:
            wanted = "FOL-4034" if Scope.WRITE in may else "FOL-4001"
            assert (answer.status_code, answer.json()["code"]) == (403, wanted), (way, answer.text)


async def test_what_a_save_refuses_is_refused_before_it(api: Api) -> None:
    asked = {"name": "new", "definition": SQL}
    refused = await (await api.with_scopes("write")).post("/jobs:validate", asked)
    assert (refused.status_code, refused.json()["code"]) == (403, "FOL-4034")
    for scopes in (("write", "script"), ("read",)):  # who only reads asks for somebody else
        answer = await (await api.with_scopes(*scopes)).post("/jobs:validate", asked)
        assert answer.status_code == 200, (scopes, answer.text)


async def test_what_defines_nothing_needs_the_usual_right_alone(api: Api) -> None:
    asker = await api.with_scopes("write", "run")
    for way, (method, path, body, headers) in FREE.items():
        answer = await asker.ask(method, path, body, headers=headers)
        assert answer.status_code < 300, (way, answer.text)
    assert (await asker.ask("PATCH", "/jobs/settle", {"definition": {"owner": "ops"}}, headers=AT_1)).status_code == 200


async def test_the_refusal_names_the_scope_and_how_to_get_it(api: Api) -> None:
    refused = (await (await api.with_scopes("write")).post("/jobs", {"name": "new", "definition": SQL})).json()
    assert refused["detail"] == "A sql job executes text: to define one, this token needs the scope script."
    assert refused["hint"] == "foliot token create NAME --scope write --scope script"


async def test_a_worker_declares_them_when_its_token_may(api: Api) -> None:
    jobs = [
        {"namespace": "toys", "name": name, "document": json.dumps(document)}
        for name, document in (("nightly", SQL), ("settle", PYTHON))
    ]
    hello = {"group": "default", "slots": 8, "handlers": [{"name": "sql:reports"}], "jobs": jobs}
    plain = await api.with_scopes("worker")
    refused = (await ask(plain, "register", session="a" * 32, name="w-a", **hello)).json()["refused"]
    assert len(refused) == 1
    assert refused[0].startswith("nightly: A sql job executes text")
    assert "--scope worker --scope script" in refused[0]
    assert [job["name"] for job in (await api.get("/jobs", namespace="toys")).json()["items"]] == ["settle"]
    trusted = await api.with_scopes("worker", "script")
    assert "refused" not in (await ask(trusted, "register", session="b" * 32, name="w-b", **hello)).json()
    assert len((await api.get("/jobs", namespace="toys")).json()["items"]) == 2
    assert (await trusted.get("/jobs")).status_code == 403  # it reads nothing for that


@pytest.mark.parametrize("kind", sorted(SCRIPT_KINDS))
def test_shell_and_sql_are_the_kinds(kind: str) -> None:
    writer = Principal(name="x", scopes=frozenset({Scope.WRITE}))
    with pytest.raises(ScriptDenied):
        writer.demand_script(kind)
    for harmless in ("python", "http", "grpc"):
        writer.demand_script(harmless)
