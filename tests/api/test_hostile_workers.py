"""Whatever a worker sends, the server answers it for itself: no 5xx, nothing of others changed, all of it readable."""

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any

import httpx2
import msgspec
import pytest

from foliot.api.worker_protocol import PREFIX, worker_routes
from foliot.app.server import Server
from foliot.app.settings import ServerSettings
from foliot.domain.run import format_run_id
from foliot.ports.store.actor import Actor
from foliot.ports.store.runs import TriggerRequest
from foliot.ports.worker_link import Leased, LeasedRun
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement
from tests.api.asking import Api, opened_api
from tests.api.stage import Stage
from tests.api.test_worker_tokens import HANDLERS, SETTLE, ask, lease, register, settle_in
from tests.eventually import soon

MINE, THEIRS, NEVER = "b" * 32, "a" * 32, "z" * 32
HOSTILE = (
    "null", "true", "-1", "0", "1.5", "1e308", "1e999", "NaN", "-Infinity", str(2**31), str(2**53 + 1), str(2**63),
    "9" * 400, '""', '"x"', r'"\u0000"', r'"a\u0000b"', r'"\ud800"', r'"\u001b[2J\n"', '"' + "x" * 70_000 + '"',
    '"' + "\u00e9" * 201 + '"', '"NaN"', '"{"', r'"\"\\ud800\""', r'"\"\\u0000\""', '"[1e999]"', '"{\\"a\\":NaN}"',
    '"' + "[" * 5000 + "]" * 5000 + '"', '"' + "9" * 400 + '"', '"[]"', r'"{\"done\":1.5}"', r'"{\"done\":[]}"',
    "[]", "{}", "[[]]", '{"":null}', "[" * 500 + "]" * 500, "[" * 100_000, f'"{THEIRS}"', f'"{NEVER}"', "\xff", "",
)  # fmt: skip
BAD_RESULTS = (
    "", "{", "nonsense", "NaN", '{"a":Infinity}', "1e999", "9" * 30, '"\\ud800"', '"\\u0000"', '"' + "x" * 70_000 + '"',
    "[" * 33 + "]" * 33, "[" * 3000 + "]" * 3000, '{"a":1', "\u00e9",
)  # fmt: skip
MESSAGES = 120
OTHERS = (
    Statement("SELECT * FROM nodes WHERE name = 'w-a'"),
    Statement("SELECT * FROM runs WHERE id = :run"),
    Statement("SELECT * FROM jobs WHERE namespace = 'pay'"),
    Statement("SELECT count(*) FROM run_logs WHERE run_id = :run"),
)
CHECKPOINTS = Statement("SELECT checkpoint FROM runs WHERE checkpoint IS NOT NULL ORDER BY id")
TOLD = Statement("SELECT progress FROM nodes WHERE id = :id")
SPOIL = Statement("UPDATE runs SET result = :bad, params = :bad, checkpoint = :bad, error = :bad WHERE id = :id")
SPOIL_NODE = Statement("UPDATE nodes SET progress = :progress WHERE id = :id")
_HOLE = "@@hole@@"


def messages(run: LeasedRun) -> dict[str, Any]:
    """A good message of each kind, with everything in it that may be."""
    lease_of = {"run_id": run.run_id, "lease_id": run.lease_id}
    report = {**lease_of, "cause": "succeeded", "result": "1", "error": "e", "error_type": "E", "started_us_ago": 1}
    held_lease = {**lease_of, "started_us_ago": 1, "progress": '{"done":1,"total":2,"note":"n"}', "checkpoint": "{}"}
    declared = {"namespace": "default", "name": "mine", "document": '{"run": {"python": "m:f"}, "group": "billing"}'}
    offer = {"name": "python:billing:settle", "parameters": {"type": "object"}, "code_hash": "1"}
    hello = {"session": MINE, "name": "w-b", "group": "billing", "slots": 8, "handlers": [offer], "labels": {"a": "b"}}
    return {
        "register": {**hello, "version": "1", "protocol": 1, "pid": 1, "host": "h", "jobs": [declared]},
        "lease": {"session": MINE, "request_no": 1, "free": 1, "settled": 0, "wait_us": 0, "repeat": True, "ahead": 1},
        "heartbeat": {"session": MINE, "beat_no": 1, "settled": 0, "held": [held_lease], "load": {"cpu": 0.5},
                      "draining": False, "clock_offset_us": 1},
        "complete": {"session": MINE, "reports": [{**report, "took_us": 1, "checkpoint": "{}", "job": "settle"}]},
        "logs": {"session": MINE, "chunks": [{**lease_of, "attempt": 1, "offset": 0, "text": "t"}]},
        "leave": {"session": NEVER, "settled": 1, "held": [held_lease]},
    }  # fmt: skip


def holes(message: Any, put: Any) -> Iterator[None]:
    """Put a hole where each part of a message was, one after the other."""
    parts = message.items() if isinstance(message, dict) else enumerate(message)
    for key, part in list(parts):
        put(message, key, _HOLE)
        yield
        put(message, key, part)
        if isinstance(part, dict | list):
            yield from holes(part, put)


def spoilt(message: dict[str, Any]) -> Iterator[bytes]:
    """The message with each part replaced by each hostile value, and some of these values instead of it."""
    for _ in holes(message, lambda where, key, part: where.__setitem__(key, part)):
        text = msgspec.json.encode(message).decode()
        yield from (text.replace(f'"{_HOLE}"', value).encode("latin-1", "ignore") for value in HOSTILE)
    yield from (value.encode("latin-1") for value in HOSTILE)


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


class Scene:
    """Somebody at work, session "a", and a hostile worker of another namespace with runs of its own, session "b"."""

    def __init__(self, api: Api, server: Server, hostile: Api, theirs: LeasedRun, mine: list[LeasedRun]) -> None:
        self.api = api
        self.server = server
        self.hostile = hostile
        self.theirs = theirs
        self.mine = mine
        self.used = 0

    def about_another_run(self, body: bytes) -> bytes:
        """The same message about a run that none was about: the first that counts ends a run."""
        first, run = self.mine[0], self.mine[self.used]
        self.used += 1
        body = body.replace(first.lease_id.encode(), run.lease_id.encode())
        return body.replace(f'"run_id":{first.run_id},'.encode(), f'"run_id":{run.run_id},'.encode())

    async def others(self) -> list[Any]:
        """All there is of somebody else."""

        def look(tx: Any) -> list[Any]:
            return [tuple(row) for statement in OTHERS for row in tx.rows(statement, {"run": self.theirs.run_id})]

        return await self.api.stage.store.database.read(look)

    async def send(self, path: str, body: bytes) -> httpx2.Response:
        """What a message is answered; a poll that is parked is served."""
        asked = asyncio.create_task(self.hostile.ask("POST", f"{PREFIX}/{path}", content=body))
        if path == "lease":
            parked = self.server.leasing._parked
            await soon(lambda: asked.done() or parked, within_s=30, what="the poll is parked or answered")
            await self.server.leasing.step()
        return await asked

    async def read_everything(self) -> None:
        """People can read, explain and cancel whatever came of it."""
        paths = ["/nodes", "/cluster", "/runs", "/jobs", "/journal"]
        paths += [f"/nodes/{node['id']}" for node in (await self.api.get("/nodes")).json()["items"]]
        for run in self.mine[:40]:
            shown = format_run_id(run.run_id)
            paths += [f"/runs/{shown}{part}" for part in ("", "/why", "/attempts", "/timeline", "/result")]
        pages = [await self.api.get(path) for path in paths]
        assert [(page.request.url, page.text) for page in pages if page.status_code != 200] == []
        cancelled = await self.api.post(f"/runs/{format_run_id(self.mine[-1].run_id)}:cancel")
        assert cancelled.status_code in (200, 202), cancelled.text


async def scene(api: Api, server: Server, runs: int) -> Scene:
    await settle_in(api, "pay")
    theirs = await api.with_scopes("worker", namespace="pay", group="billing")
    await register(theirs)
    (run,) = (await lease(theirs, server)).runs
    hostile = await api.with_scopes("worker", namespace="toys")
    hello = {"session": MINE, "name": "w-b", "group": "billing", "slots": 1000, "handlers": HANDLERS}
    assert (await ask(hostile, "register", **hello)).status_code == 200
    made = await api.ask("POST", "/jobs", {"name": "mine", "definition": SETTLE}, namespace="toys")
    assert made.status_code == 201, made.text
    for number in range(runs):
        by = Actor(name="root")
        await api.stage.store.runs.trigger(TriggerRequest(namespace="toys", job="mine", key=f"k{number}", by=by))
    poll = {"session": MINE, "request_no": 1, "free": 1000, "settled": 0, "wait_us": 0}
    asked = asyncio.create_task(ask(hostile, "lease", **poll))
    await soon(lambda: asked.done() or server.leasing._parked, within_s=30, what="the poll is parked")
    await server.pulsing.step()
    await server.leasing.step()
    mine = msgspec.json.decode((await asked).content, type=Leased).runs
    assert len(mine) == runs
    return Scene(api, server, hostile, run, list(mine))


@pytest.mark.parametrize("path", ["register", "lease", "heartbeat", "complete", "logs", "leave"])
async def test_a_hostile_message_is_answered_for_itself(api: Api, server: Server, path: str) -> None:
    chosen = random.Random(path)
    seen = await scene(api, server, runs=MESSAGES + 1 if path == "complete" else 2)
    before = await seen.others()
    bodies = list(spoilt(messages(seen.mine[0])[path]))
    for body in chosen.sample(bodies, min(MESSAGES, len(bodies))):
        answer = await seen.send(path, seen.about_another_run(body) if path == "complete" else body)
        is_too_old = answer.status_code == 503 and answer.json()["code"] == "FOL-5020"  # protocol 0
        assert answer.status_code < 500 or is_too_old, (body[:500], answer.text)
        assert answer.status_code == 200 or answer.json()["code"].startswith("FOL-"), (body[:500], answer.text)
    assert await seen.others() == before
    await seen.read_everything()


async def test_one_bad_report_is_replaced_by_its_error_and_the_others_are_recorded(api: Api, server: Server) -> None:
    seen = await scene(api, server, runs=len(BAD_RESULTS) + 2)
    results = ['{"ok": true}', *BAD_RESULTS, "[1]"]
    reports = [
        {"run_id": run.run_id, "lease_id": run.lease_id, "cause": "succeeded", "result": result}
        for run, result in zip(seen.mine, results, strict=True)
    ]
    answer = await ask(seen.hostile, "complete", session=MINE, reports=reports)
    assert answer.json() == ["recorded"] * len(results)
    shown = [(await api.get(f"/runs/{format_run_id(run.run_id)}")).json() for run in seen.mine]
    assert [run["state"] for run in shown] == ["SUCCEEDED"] * len(results)
    assert [run["result"] for run in shown] == [{"ok": True}, *[None] * len(BAD_RESULTS), [1]]
    for run in shown[1:-1]:
        assert run["error"].startswith("What the run returned was not kept. The result "), run
        assert run["error_type"] == "ResultRefused"
    assert [run["error"] for run in (shown[0], shown[-1])] == [None, None]


async def test_what_a_beat_says_of_its_runs_is_kept_only_if_it_can_be_read(api: Api, server: Server) -> None:
    seen = await scene(api, server, runs=3)
    good, bad, deep = ({"run_id": run.run_id, "lease_id": run.lease_id, "started_us_ago": 0} for run in seen.mine)
    good |= {"progress": '{"done":1,"total":2,"note":"half"}', "checkpoint": '{"at": 1}'}
    bad |= {"progress": '{"done":"x"}', "checkpoint": "[1]"}
    deep |= {"progress": "[" * 5000, "checkpoint": '{"a":' * 100 + "1" + "}" * 100}
    stranger = {"run_id": seen.theirs.run_id, "lease_id": "x" * 32, "progress": '{"done":9,"total":9,"note":"lie"}'}
    beat = await ask(seen.hostile, "heartbeat", session=MINE, beat_no=1, settled=1, held=[good, bad, deep, stranger])
    assert beat.json()["alive"], "it lives on"
    assert beat.json()["invalid"] == ["x" * 32]
    shown = [(await api.get(f"/runs/{format_run_id(run.run_id)}")).json() for run in (*seen.mine, seen.theirs)]
    assert [run["progress"] and run["progress"]["note"] for run in shown] == ["half", None, None, None]
    kept = await api.stage.store.database.read(lambda tx: tx.rows(CHECKPOINTS))
    assert [row[0] for row in kept] == ['{"at": 1}']
    told = await api.stage.store.database.read(lambda tx: tx.rows(TOLD, {"id": MINE}))
    assert "x" * 32 not in told[0][0]


def spoil(statement: Statement, values: dict[str, Any], tx: Tx) -> int:
    return tx.change(statement, values)


async def test_a_run_that_an_older_server_kept_bad_data_of_can_be_read_explained_and_cancelled(
    api: Api, server: Server
) -> None:
    seen = await scene(api, server, runs=len(BAD_RESULTS))
    for run, bad in zip(seen.mine, BAD_RESULTS, strict=True):
        values = {"id": run.run_id, "bad": bad.replace("\0", "")}
        await api.stage.store.database.transact(partial(spoil, SPOIL, values))
    of_the_run = msgspec.json.encode({"waiting": [], "runs": {str(seen.mine[0].run_id): "["}}).decode()
    for progress in ("[]", "{", of_the_run):
        values = {"id": MINE, "progress": progress}
        await api.stage.store.database.transact(partial(spoil, SPOIL_NODE, values))
        await seen.read_everything()
