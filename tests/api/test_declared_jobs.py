"""Jobs that a worker's code declares: within its token's namespace and group, so many, and told in the journal."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from foliot.api.worker_protocol import worker_routes
from foliot.app.server import Server
from foliot.app.settings import ServerSettings
from foliot.operations import declarations
from foliot.ports.store.journal import Event, EventFilter
from tests.api.asking import Api, opened_api
from tests.api.stage import Stage
from tests.api.test_worker_tokens import SETTLE, ask, register


@pytest.fixture
async def api(stage: Stage) -> AsyncIterator[Api]:
    """The API with the worker protocol of a server."""
    settings = ServerSettings(store_url=stage.url, node_name="s1")
    server = Server(settings, stage.store, clock=stage.clock, chance=stage.chance)
    async with opened_api(stage, plain_routes=lambda known: worker_routes(server.workers, known.worker)) as api:
        yield api


def declared(*names: str, namespace: str = "toys", **document: Any) -> list[dict[str, Any]]:
    return [{"namespace": namespace, "name": name, **SETTLE, **document} for name in names]


async def names_in(api: Api, namespace: str) -> list[str]:
    return sorted(job["name"] for job in (await api.get("/jobs", namespace=namespace)).json()["items"])


async def told_of_jobs(stage: Stage) -> list[Event]:
    page = await stage.services.store.journal.newest(EventFilter(), limit=100)
    return [event for event in reversed(page.items) if event.kind.startswith("job.")]


async def test_code_declares_so_many_jobs_of_a_namespace_and_no_more(
    api: Api, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(declarations, "DECLARED_MAX", 3)
    worker = await api.with_scopes("worker")
    by_hand = await api.ask("POST", "/jobs", {"name": "by_hand", "definition": SETTLE}, namespace="toys")
    assert by_hand.status_code == 201
    assert "refused" not in (await register(worker, "a", *declared("a", "b"))).json()
    refused = (await register(worker, "b", *declared("c", "d", "a", "c"))).json()["refused"]
    assert [why.split(":")[0] for why in refused] == ["d"], "those that are there go on"
    assert "Code has declared 3 jobs in namespace toys already, which is the most." in refused[0]
    assert await names_in(api, "toys") == ["a", "b", "by_hand", "c"]
    assert "refused" not in (await register(worker, "c", *declared("d", namespace="pay"))).json(), "of each namespace"
    await stage.store.jobs.delete("toys", "a", plans=stage.services.plans)
    assert "refused" not in (await register(worker, "d", *declared("d"))).json()


async def test_what_code_declares_stands_in_the_journal_with_its_token(api: Api, stage: Stage) -> None:
    worker = await api.with_scopes("worker", namespace="toys", group="billing")
    await register(worker, "a", *declared("a"))
    await register(worker, "b", *declared("a"))
    await register(worker, "c", *declared("a", timeout="1m"), *declared("b", group="other"))
    events = await told_of_jobs(stage)
    assert [(event.kind, event.subject, event.namespace) for event in events] == [
        ("job.created", "a", "toys"),
        ("job.changed", "a", "toys"),
    ]
    assert {event.by[:7] for event in events} == {"worker-"}
    assert [event.data["worker"] for event in events] == ["w-a", "w-c"]


BAD = ("", "[]", "null", "3", "{", "[" * 5000, '{"run":1}', '{"run":{"python":"m:f"},"params":{"a":NaN}}',
       '{"run":{"python":"m:f"},"params":' + '{"a":' * 40 + "1" + "}" * 41, "x" * 300_000)  # fmt: skip


@pytest.mark.parametrize("document", BAD, ids=range(len(BAD)))
async def test_a_definition_that_cannot_be_read_is_refused_and_the_others_are_saved(api: Api, document: str) -> None:
    worker = await api.with_scopes("worker")
    jobs = [
        {"namespace": "toys", "name": "bad", "document": document},
        {"namespace": "toys", "name": "a/b\0", "document": "{}"},
        {"namespace": "to ys", "name": "c", "document": "{}"},
        {"namespace": "toys", "name": "good", "document": '{"run":{"python":"m:f"}}'},
    ]
    hello = {"session": "a" * 32, "name": "w" * 200, "group": "default", "slots": 1, "handlers": []}
    answer = await ask(worker, "register", **hello, jobs=jobs)
    if len(document) > 256 * 1024:
        assert (answer.status_code, answer.json()["code"]) == (422, "FOL-1040")
        return
    assert answer.status_code == 200, answer.text
    assert [why.split(":")[0] for why in answer.json()["refused"]] == ["bad", "a/b\0", "c"]
    assert await names_in(api, "toys") == ["good"]
