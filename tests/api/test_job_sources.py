"""Sources of jobs over the API: who is refused, what the journal has, what `why` says, in both languages."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import httpx2
import msgspec
import pytest

from foliot.api.worker_protocol import worker_routes
from foliot.app.server import Server
from foliot.app.settings import ServerSettings
from foliot.domain.sources import Source
from foliot.ports.store.journal import EventFilter
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.words.retirement import retired
from tests.api.asking import Api, opened_api
from tests.api.stage import Stage
from tests.api.test_worker_tokens import ask


@pytest.fixture
async def api(stage: Stage) -> AsyncIterator[Api]:
    """The API with the worker protocol of a server."""
    settings = ServerSettings(store_url=stage.url, node_name="s1")
    server = Server(settings, stage.store, clock=stage.clock, chance=stage.chance)
    async with opened_api(stage, plain_routes=lambda known: worker_routes(server.workers, known.worker)) as api:
        yield api


async def load(worker: Api, session: str, *names: str, module: str = "billing", **hello: Any) -> httpx2.Response:
    """A worker registers with code that declares these jobs."""
    jobs = [
        {"namespace": "default", "name": name, "document": document(module, name), "module": module} for name in names
    ]
    said = {"session": session * 32, "name": f"w-{session}", "group": "default", "slots": 1, "handlers": []}
    answer = await ask(worker, "register", **said, jobs=jobs, modules=[module], **hello)
    assert answer.status_code == 200, answer.text
    return answer


def document(module: str, name: str) -> str:
    return msgspec.json.encode({"run": {"python": f"{module}:{name}"}, "schedule": {"every": "1h"}}).decode()


async def told(stage: Stage) -> list[tuple[str, str]]:
    page = await stage.services.store.journal.newest(EventFilter(), limit=100)
    return [(event.kind, event.subject) for event in reversed(page.items) if event.kind.startswith("job.")]


async def retire(stage: Stage) -> None:
    """What the leader does, twice looked at."""
    term = await stage.store.nodes.campaign("leader", ttl_us=SESSION_TTL_US)
    assert term is not None
    source = Source(None, None, "billing")
    await stage.store.code.mark(source, after=0, limit=100, term=term.number)
    await stage.store.code.retire(
        source, after=0, limit=100, plans=stage.services.plans, words=retired, term=term.number
    )


async def test_a_second_module_is_refused_while_workers_of_the_first_live(api: Api, stage: Stage) -> None:
    worker = await api.with_scopes("worker")
    await load(worker, "a", "settle")
    refused = (await load(worker, "b", "settle", "pay", module="invoices")).json()
    assert refused["again_after_us"] == stage.services.times.ttl_us
    assert [why.partition(":")[0] for why in refused["refused"]] == ["settle"]
    assert 'Module invoices declares "settle", and so does module billing, whose workers live' in refused["refused"][0]
    assert "foliot worker --take-over" in refused["refused"][0]
    assert (await api.get("/jobs/settle")).json()["module"] == "billing"
    left = await ask(worker, "leave", session="a" * 32, settled=0)
    assert left.status_code < 300, left.text
    taken = (await load(worker, "b", "settle", "pay", module="invoices")).json()
    assert "refused" not in taken
    assert "again_after_us" not in taken
    assert await told(stage) == [("job.created", "settle"), ("job.created", "pay"), ("job.taken_over", "settle")]
    event = (await stage.services.store.journal.newest(EventFilter(subject="settle"), limit=1)).items[0]
    assert (event.data["taken_from"], event.data["module"], event.data["worker"]) == ("billing", "invoices", "w-b")


async def test_a_worker_takes_over_at_once_when_it_says_so(api: Api, stage: Stage) -> None:
    worker = await api.with_scopes("worker")
    await load(worker, "a", "settle")
    assert "refused" not in (await load(worker, "b", "settle", module="invoices", takes_over=True)).json()
    assert (await api.get("/jobs/settle")).json()["module"] == "invoices"
    assert ("job.taken_over", "settle") in await told(stage)


async def test_a_retired_job_says_so_everywhere(api: Api, stage: Stage) -> None:
    worker = await api.with_scopes("worker")
    await load(worker, "a", "settle", "other")
    stage.elapse("2h")
    await load(worker, "a", "settles", "other")
    await retire(stage)
    job = (await api.get("/jobs/settle")).json()
    assert (job["state"], job["module"], job["renamed_to"]) == ("PAUSED", "billing", "settles")
    assert job["retired_at"] is not None
    assert job["pause_reason"].startswith("no longer declared by billing since ")
    listed = (await api.get("/jobs", state="retired")).json()["items"]
    assert [one["name"] for one in listed] == ["settle"]
    assert len((await api.get("/jobs", state="paused")).json()["items"]) == 1
    chinese = partial(api.get, headers={"Accept-Language": "zh-CN"})
    assert "不再声明它；其中最接近的名称是 settles" in (await chinese("/jobs/settle")).json()["pause_reason"]
    (why,) = (await api.get("/jobs/settle/why", since=moment(stage, "1m"))).json()["items"]
    assert "settle is retired: no longer declared by billing since" in why["sentence"]
    assert "foliot job delete settle" in why["hint"]
    (why,) = (await chinese("/jobs/settle/why", since=moment(stage, "1m"))).json()["items"]
    assert "settle 已退役：billing 自" in why["sentence"]
    await load(worker, "a", "settle", "other")
    job = (await api.get("/jobs/settle")).json()
    assert (job["state"], job["retired_at"], job["pause_reason"]) == ("ACTIVE", None, "")
    assert await told(stage) == [
        ("job.created", "settle"),
        ("job.created", "other"),
        ("job.created", "settles"),
        ("job.retired", "settle"),
        ("job.declared_again", "settle"),
    ]


async def test_a_token_that_may_not_declare_a_job_neither_keeps_nor_retires_it(api: Api, stage: Stage) -> None:
    worker = await api.with_scopes("worker")
    await load(worker, "a", "settle", "other")
    elsewhere = await api.with_scopes("worker", namespace="toys")
    refused = (await load(elsewhere, "c", "settle")).json()["refused"]
    assert "FOL" not in refused[0]
    await load(worker, "a", "other")
    await retire(stage)
    assert (await api.get("/jobs/settle")).json()["retired_at"] is not None, "the foreign worker does not keep it"


def moment(stage: Stage, ago: str) -> str:
    from foliot.domain.instants import isoformat, parse_duration

    return isoformat(stage.clock.at - parse_duration(ago))
