"""SEC-25: a session is for the token that began it, or one that took its place; for others it does not exist."""

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from foliot.api.worker_protocol import worker_routes
from foliot.app.server import Server
from foliot.app.settings import ServerSettings
from foliot.operations.tokens import rotate_token
from foliot.ports.store.journal import EventFilter
from foliot.ports.worker_link import LeasedRun
from foliot.store.sql.kernel.statement import Statement
from tests.api.asking import Api, opened_api
from tests.api.stage import ROOT, Stage
from tests.api.test_worker_tokens import ask, code_of, lease, register, settle_in

NEVER = "z" * 32
NODES = Statement("SELECT * FROM nodes WHERE id = :id")
RUNS = Statement("SELECT * FROM runs ORDER BY id")
ALL: list[tuple[str, dict[str, Any]]] = [
    ("lease", {"request_no": 9, "free": 1, "settled": 0, "wait_us": 0}),
    ("heartbeat", {"beat_no": 2**53, "settled": 2**53, "held": []}),
    ("leave", {}),
]
OTHERS: list[dict[str, str]] = [{}, {"namespace": "toys"}, {"group": "toys"}, {"namespace": "pay", "group": "billing"}]


@pytest.fixture
def server(stage: Stage) -> Server:
    """A server whose duties the test steps."""
    settings = ServerSettings(store_url=stage.url, node_name="s1")
    return Server(settings, stage.store, clock=stage.clock, chance=stage.chance)


@pytest.fixture
async def api(stage: Stage, server: Server) -> AsyncIterator[Api]:
    """The API with the worker protocol of the server."""
    async with opened_api(stage, plain_routes=lambda known: worker_routes(server.workers, known.worker)) as api:
        yield api


async def at_work(api: Api, server: Server) -> tuple[Api, LeasedRun]:
    """A worker with a token for a namespace and a group, session "a", and the run it holds."""
    await settle_in(api, "pay")
    owner = await api.with_scopes("worker", namespace="pay", group="billing")
    assert (await register(owner)).status_code == 200
    (run,) = (await lease(owner, server)).runs
    return owner, run


async def held(stage: Stage, session: str = "a" * 32) -> list[Any]:
    """All the store knows of a session and of every run."""

    def look(tx: Any) -> list[Any]:
        return [tuple(row) for statement in (NODES, RUNS) for row in tx.rows(statement, {"id": session})]

    return await stage.store.database.read(look)


async def report(api: Api, run: LeasedRun, session: str) -> httpx2.Response:
    said = {"run_id": run.run_id, "lease_id": run.lease_id, "cause": "succeeded", "result": '"x"'}
    return await ask(api, "complete", session=session * 32, reports=[said])


async def write(api: Api, run: LeasedRun, session: str, text: str) -> httpx2.Response:
    chunk = {"run_id": run.run_id, "lease_id": run.lease_id, "attempt": 1, "offset": 0, "text": text}
    return await ask(api, "logs", session=session * 32, chunks=[chunk])


async def log_of(stage: Stage, run: LeasedRun) -> str:
    return "".join(chunk.text for chunk in await stage.store.lookups.logs(run.run_id))


@pytest.mark.parametrize(("path", "said"), ALL, ids=[path for path, _ in ALL])
@pytest.mark.parametrize("limits", OTHERS, ids=str)
async def test_anothers_session_is_answered_like_one_that_never_was(
    api: Api, server: Server, stage: Stage, path: str, said: dict[str, Any], limits: dict[str, str]
) -> None:
    await at_work(api, server)
    before = await held(stage)
    intern = await api.with_scopes("worker", **limits)
    of_none = await ask(intern, path, session=NEVER, **said)
    of_another = await ask(intern, path, session="a" * 32, **said)
    assert of_another.status_code == of_none.status_code
    if path == "leave":
        assert code_of(of_another) == code_of(of_none) == (404, "FOL-2011")
    else:
        assert of_another.content == of_none.content
        assert of_another.json() in ({"alive": False}, {"request_no": 9, "dead": True})
    assert await held(stage) == before, "nothing happened to it"
    assert server.workers.foreign_calls.count == 1


@pytest.mark.parametrize("limits", OTHERS, ids=str)
@pytest.mark.parametrize("spoken_in", ["a", "b", "z"], ids=["theirs", "its own", "none"])
async def test_nobody_ends_or_writes_what_another_token_holds(
    api: Api, server: Server, stage: Stage, limits: dict[str, str], spoken_in: str
) -> None:
    """Not even who knows the lease id."""
    owner, run = await at_work(api, server)
    intern = await api.with_scopes("worker", **limits)
    await register(intern, "b", group=limits.get("group", "billing"))
    before = await held(stage)
    assert (await report(intern, run, spoken_in)).json() == ["fenced"]
    assert server.workers.fenced == 1
    failed = {"run_id": run.run_id, "lease_id": run.lease_id, "cause": "error", "error": "x", "error_type": "Evil"}
    assert (await ask(intern, "complete", session=spoken_in * 32, reports=[failed])).json() == ["fenced"]
    await write(intern, run, spoken_in, "lies")
    assert (await held(stage), await log_of(stage, run)) == (before, "")
    await write(owner, run, "a", "truth")
    assert (await report(owner, run, "a")).json() == ["recorded"]
    assert await log_of(stage, run) == "truth"
    assert (await report(intern, run, spoken_in)).json() == ["fenced"], "it is not told that it is recorded"


async def test_nobody_registers_in_anothers_session(api: Api, server: Server, stage: Stage) -> None:
    await at_work(api, server)
    before = await held(stage)
    for limits in OTHERS:
        intern = await api.with_scopes("worker", **limits)
        assert code_of(await register(intern, group=limits.get("group", "billing"))) == (403, "FOL-4008")
    chinese = await intern.ask(
        "POST",
        "/api/worker/v1/register",
        {"session": "a" * 32, "name": "w", "group": "billing", "slots": 1, "handlers": []},
        headers={"Accept-Language": "zh-CN"},
    )
    assert chinese.json()["detail"] == "此会话由另一个令牌建立，此工作节点的令牌不能用于此会话。"
    assert await held(stage) == before


async def test_of_two_tokens_that_register_one_session_at_once_one_has_it(api: Api, stage: Stage) -> None:
    """Each looked before the other wrote: what is written decides."""
    first, second = await api.with_scopes("worker"), await api.with_scopes("worker")
    hello_of = stage.store.nodes.hello_of

    async def not_yet(session: str) -> None:
        del session

    stage.store.nodes.hello_of = not_yet  # type: ignore[method-assign]
    assert (await register(first)).status_code == 200
    before = await held(stage)
    assert code_of(await register(second)) == (403, "FOL-4008")
    stage.store.nodes.hello_of = hello_of  # type: ignore[method-assign]
    assert await held(stage) == before


@pytest.mark.parametrize(("path", "said"), ALL, ids=[path for path, _ in ALL])
async def test_a_servers_session_is_no_workers(api: Api, stage: Stage, path: str, said: dict[str, Any]) -> None:
    """A beat or a goodbye in its name would take a server out of the cluster, or the leadership from it."""
    session = await stage.server("s-2")
    before = await held(stage, session)
    worker = await api.with_scopes("worker")
    answer = await ask(worker, path, session=session, **said)
    assert answer.json().get("alive") is False or answer.json().get("dead") or answer.status_code == 404
    taken = await ask(worker, "register", session=session, name="w", group="default", slots=1, handlers=[])
    assert code_of(taken) == (403, "FOL-4008")
    assert await held(stage, session) == before


@pytest.mark.parametrize("is_rotated", [False, True])
async def test_a_worker_that_was_restarted_reports_for_its_last_session(
    api: Api, server: Server, stage: Stage, is_rotated: bool
) -> None:
    """What it kept on disk goes out under the same lease ids, from another session, perhaps with the next token."""
    owner, run = await at_work(api, server)
    if is_rotated:
        (mine,) = [one for one in (await api.get("/tokens")).json()["items"] if one["name"].startswith("worker-")]
        for _ in range(2):
            owner = owner.as_token((await rotate_token(stage.services, ROOT, mine["name"], grace_us=0)).secret)
    await write(owner, run, "b", "before it knows that it is registered")
    assert (await register(owner, "b")).status_code == 200
    assert (await report(owner, run, "b")).json() == ["recorded"]
    assert (await report(owner, run, "b")).json() == ["already"]
    assert await log_of(stage, run) == "before it knows that it is registered"


async def test_a_session_that_began_before_owners_were_recorded_is_its_first_users(
    api: Api, server: Server, stage: Stage
) -> None:
    owner, run = await at_work(api, server)
    await stage._change("UPDATE nodes SET owner = NULL")
    server.leasing.lanes.forget("a" * 32)
    toys = await api.with_scopes("worker", namespace="toys")
    beat = {"session": "a" * 32, "settled": 1, "held": [{"run_id": run.run_id, "lease_id": run.lease_id}]}
    assert not (await ask(toys, "heartbeat", beat_no=1, **beat)).json()["alive"], "it is not for its namespace"
    assert (await ask(owner, "heartbeat", beat_no=2, **beat)).json()["alive"]
    same_limits = await api.with_scopes("worker", namespace="pay", group="billing")
    assert not (await ask(same_limits, "heartbeat", beat_no=3, **beat)).json()["alive"]
    assert (await report(owner, run, "a")).json() == ["recorded"]


async def test_who_tries_is_counted_and_noted_once(api: Api, server: Server, stage: Stage) -> None:
    await at_work(api, server)
    intern = await api.with_scopes("worker")
    for number in range(3):
        await ask(intern, "heartbeat", session="a" * 32, beat_no=number, settled=0, held=[])
    assert b"foliot_foreign_sessions_total 3.0" in server.metrics.render()
    events = (await stage.services.store.journal.newest(EventFilter(), limit=100)).items
    (event,) = [event for event in events if event.kind == "session.foreign"]
    assert (event.subject, event.by.startswith("worker-")) == ("w-a", True)


async def test_readers_see_nodes_and_not_their_sessions(api: Api, server: Server, stage: Stage) -> None:
    await at_work(api, server)
    reader = await api.with_scopes("read")
    seen = await reader.get("/nodes")
    (node,) = seen.json()["items"]
    one = await reader.get(f"/nodes/{node['id']}")
    assert one.json()["name"] == "w-a"
    assert (await reader.get(f"/nodes/{'a' * 32}")).status_code == 404
    run = one.json()["runs"][0]["id"]
    pages = [seen, one, *[await reader.get(f"/runs/{run}{part}") for part in ("", "/attempts", "/timeline", "/why")]]
    pages += [await reader.get(path) for path in ("/cluster", "/journal", "/runs")]
    assert [page.status_code for page in pages] == [200] * len(pages)
    assert not [page.request.url for page in pages if "a" * 32 in page.text]
    drained = await api.post(f"/nodes/{node['id']}:drain")
    assert (drained.status_code, drained.json()["state"]) == (200, "DRAINING")
