"""SEC-25: a worker's token is for its namespace and group, in everything a worker may ask."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import msgspec
import pytest

from foliot.api.app import build_api
from foliot.api.worker_protocol import PREFIX, worker_routes
from foliot.app.server import Server
from foliot.app.settings import ServerSettings
from foliot.operations.tokens import rotate_token
from foliot.ports.worker_link import Leased
from tests.api.asking import Api, opened_api
from tests.api.stage import ROOT, Stage
from tests.eventually import soon

SETTLE = {"run": {"python": "billing:settle"}, "group": "billing", "params": {"dsn": "canary"}}
HANDLERS = [{"name": "python:billing:settle"}]


@pytest.fixture
def server(stage: Stage) -> Server:
    """A server whose duties the test steps."""
    return Server(
        ServerSettings(store_url=stage.url, node_name="s1"), stage.store, clock=stage.clock, chance=stage.chance
    )


@pytest.fixture
async def api(stage: Stage, server: Server) -> AsyncIterator[Api]:
    """The API with the worker protocol of the server."""
    async with opened_api(stage, plain_routes=lambda known: worker_routes(server.workers, known.worker)) as api:
        yield api


async def ask(api: Api, path: str, **said: Any) -> httpx2.Response:
    return await api.ask("POST", f"{PREFIX}/{path}", said)


async def register(api: Api, session: str = "a", *jobs: dict[str, Any], group: str = "billing") -> httpx2.Response:
    declared = [
        {"namespace": job.pop("namespace"), "name": job.pop("name"), "document": msgspec.json.encode(job).decode()}
        for job in jobs
    ]
    hello = {"session": session * 32, "name": f"w-{session}", "group": group, "slots": 8, "handlers": HANDLERS}
    return await ask(api, "register", **hello, jobs=declared)


async def lease(api: Api, server: Server, session: str = "a", *, request_no: int = 1) -> Leased:
    """What a poll gets after one look of the server."""
    poll = {"session": session * 32, "request_no": request_no, "free": 8, "settled": 0, "wait_us": 0}
    asked = asyncio.create_task(ask(api, "lease", **poll))
    await soon(lambda: asked.done() or server.leasing._parked, within_s=30, what="the poll is parked")
    await server.pulsing.step()
    await server.leasing.step()
    answer = await asked
    assert answer.status_code == 200, answer.text
    return msgspec.json.decode(answer.content, type=Leased)


async def settle_in(api: Api, *namespaces: str) -> None:
    """A job `settle` in each of them, and a run of it."""
    for namespace in namespaces:
        made = await api.ask("POST", "/jobs", {"name": "settle", "definition": SETTLE}, namespace=namespace)
        assert made.status_code == 201, made.text
        run = await api.ask("POST", "/jobs/settle:trigger", {}, namespace=namespace)
        assert run.status_code in (200, 201, 202), run.text


def code_of(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def test_a_token_of_a_group_registers_for_no_other(api: Api) -> None:
    toys = await api.with_scopes("worker", group="toys")
    refused = await register(toys)
    assert code_of(refused) == (403, "FOL-4007")
    assert refused.json()["detail"] == "This worker's token is for group toys, not for group billing."
    assert "--for-group billing" in refused.json()["hint"]
    chinese = await toys.ask(
        "POST", f"{PREFIX}/register", msgspec.json.decode(refused.request.content), headers={"Accept-Language": "zh-CN"}
    )
    assert chinese.json()["detail"] == "此工作节点的令牌只用于分组 toys，不能用于分组 billing。"
    assert (await api.get("/nodes")).json()["items"] == []
    assert (await register(toys, group="toys")).status_code == 200
    usual = await api.with_scopes("worker", group="default")
    assert code_of(await register(usual, "b")) == (403, "FOL-4007")
    assert (await register(usual, "b", group="default")).status_code == 200


async def test_a_token_of_a_namespace_leases_there_alone(api: Api, server: Server) -> None:
    await settle_in(api, "pay", "toys")
    toys = await api.with_scopes("worker", namespace="toys")
    assert (await register(toys)).status_code == 200
    assert [(run.namespace, run.job) for run in (await lease(toys, server)).runs] == [("toys", "settle")]
    everywhere = await api.with_scopes("worker")
    assert (await register(everywhere, "b")).status_code == 200
    assert [run.namespace for run in (await lease(everywhere, server, "b")).runs] == ["pay"], "as ever"


async def test_what_a_worker_says_of_its_namespace_does_not_count(api: Api, server: Server) -> None:
    await settle_in(api, "pay")
    toys = await api.with_scopes("worker", namespace="toys")
    hello = {"session": "a" * 32, "name": "w", "group": "billing", "slots": 8, "handlers": HANDLERS}
    assert (await ask(toys, "register", **hello, namespace="pay")).status_code == 200
    assert (await lease(toys, server)).runs == ()


async def test_another_server_knows_what_a_session_is_for(api: Api, stage: Stage) -> None:
    await settle_in(api, "pay", "toys")
    toys = await api.with_scopes("worker", namespace="toys")
    await register(toys)
    settings = ServerSettings(store_url=stage.url, node_name="s2")
    other = Server(settings, stage.store, clock=stage.clock, chance=stage.chance)
    app = build_api(stage.services, plain_routes=lambda known: worker_routes(other.workers, known.worker))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://foliot") as http:
        leased = await lease(Api(stage, app, http, toys.token), other)
    assert [run.namespace for run in leased.runs] == ["toys"]


async def test_code_of_one_group_cannot_change_a_limit_of_the_namespace(api: Api) -> None:
    place = {"concurrency": {"db": 4}}
    made = await api.ask("POST", "/jobs", {"name": "first", "definition": {**SETTLE, "place": place}}, namespace="toys")
    assert made.status_code == 201, made.text
    toys = await api.with_scopes("worker", namespace="toys", group="billing")
    wider = {**SETTLE, "place": {"concurrency": {"db": 100}}}
    answer = await register(toys, "a", {"namespace": "toys", "name": "mine", **wider})
    (refused,) = answer.json()["refused"]
    assert refused.startswith("mine: The limit db is of namespace toys and lets 4 runs through;")


async def test_code_declares_jobs_of_its_tokens_namespace_and_group_alone(api: Api) -> None:
    toys = await api.with_scopes("worker", namespace="toys", group="billing")
    answer = await register(
        toys,
        "a",
        {"namespace": "toys", "name": "mine", **SETTLE},
        {"namespace": "pay", "name": "theirs", **SETTLE},
        {"namespace": "toys", "name": "elsewhere", **SETTLE, "group": "other"},
    )
    theirs, elsewhere = answer.json()["refused"]
    assert theirs.startswith(
        "theirs: This worker's token is for namespace toys, not for namespace pay. (another token: "
    )
    assert elsewhere.startswith("elsewhere: This worker's token is for group billing, not for group other.")
    assert [job["name"] for job in (await api.get("/jobs", namespace="toys")).json()["items"]] == ["mine"]
    assert (await api.get("/jobs", namespace="pay")).json()["items"] == []


async def test_code_does_not_take_a_job_from_another_group(api: Api) -> None:
    anybody = await api.with_scopes("worker")
    await register(anybody, "a", {"namespace": "toys", "name": "settle", **SETTLE})
    mine = await api.with_scopes("worker", namespace="toys", group="mine")
    moved = {"namespace": "toys", "name": "settle", "run": {"python": "evil:steal"}, "group": "mine"}
    (refused,) = (await register(mine, "b", moved, group="mine")).json()["refused"]
    assert "This worker's token is for group mine, not for group billing." in refused
    assert (await api.get("/jobs/settle", namespace="toys")).json()["version"] == 1


async def test_code_does_not_replace_what_was_changed_by_hand(api: Api) -> None:
    worker = await api.with_scopes("worker")
    in_code = {"namespace": "default", "name": "settle", **SETTLE}
    assert "refused" not in (await register(worker, "a", dict(in_code))).json()
    by_hand = {"definition": {"timeout": "5m"}}
    changed = await api.ask("PATCH", "/jobs/settle", by_hand, headers={"If-Match": '"v1"'})
    assert changed.status_code == 200, changed.text
    (refused,) = (await register(worker, "b", {**in_code, "timeout": "1m"})).json()["refused"]
    assert refused.startswith("settle: settle was last changed by hand (api), which counts over code")
    assert (await api.get("/jobs/settle")).json()["version"] == 2
    assert "refused" not in (await register(worker, "c", {**in_code, "timeout": "5m"})).json(), "they agree"
    assert "refused" not in (await register(worker, "d", {**in_code, "timeout": "9m"})).json(), "code leads again"
    assert (await api.get("/jobs/settle")).json()["version"] == 3


async def test_a_session_goes_on_with_the_token_that_took_the_firsts_place(
    api: Api, server: Server, stage: Stage
) -> None:
    await settle_in(api, "pay", "toys")
    first = await api.with_scopes("worker", namespace="pay", group="billing")
    await register(first)
    (mine,) = [one for one in (await api.get("/tokens")).json()["items"] if one["name"].startswith("worker-")]
    rotated = first.as_token((await rotate_token(stage.services, ROOT, mine["name"], grace_us=0)).secret)
    beat = {"session": "a" * 32, "settled": 0, "held": []}
    assert (await ask(first, "heartbeat", beat_no=1, **beat)).status_code == 401
    assert (await ask(rotated, "heartbeat", beat_no=2, **beat)).json()["alive"]
    assert (await register(rotated)).status_code == 200, "its code changed"
    assert [run.namespace for run in (await lease(rotated, server)).runs] == ["pay"], "and it is for the same"


async def test_a_session_stays_in_its_group(api: Api, server: Server) -> None:
    await settle_in(api, "pay")
    worker = await api.with_scopes("worker", namespace="pay")
    for group in ("toys", "billing"):
        assert (await register(worker, group=group)).status_code == 200
    assert (await lease(worker, server)).runs == (), "it began in another"


async def test_a_session_that_is_over_is_over_for_a_limited_token_too(api: Api, server: Server, stage: Stage) -> None:
    pay = await api.with_scopes("worker", namespace="pay")
    await register(pay)
    assert (await ask(pay, "leave", session="a" * 32)).status_code == 200
    assert (await lease(pay, server)).dead
    beat = await ask(pay, "heartbeat", session="a" * 32, beat_no=1, settled=0, held=[])
    assert not beat.json()["alive"], "it registers anew"


async def test_who_may_not_run_a_job_has_no_say_in_what_it_takes_and_does_not_count_for_it(api: Api) -> None:
    await settle_in(api, "pay")
    toys = await api.with_scopes("worker", namespace="toys")
    nothing = {"type": "object", "properties": {}, "additionalProperties": False}
    offers = [{"name": "python:billing:settle", "parameters": nothing}]
    hello = {"session": "a" * 32, "name": "w", "group": "billing", "slots": 8, "handlers": offers}
    assert (await ask(toys, "register", **hello)).status_code == 200
    run = await api.ask("POST", "/jobs/settle:trigger", {"params": {"day": "today"}}, namespace="pay")
    assert run.status_code == 201, run.text
    assert (await api.ask("GET", "/jobs/settle/parameters", namespace="pay")).json()["parameters"] is None
    told = (await api.get(f"/runs/{run.json()['id']}/why")).json()
    assert told["verdict"] == "held_nobody", told
