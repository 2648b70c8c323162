"""Handlers and payloads that misbehave: each fails in words, by its right kind, and costs nobody else (F19, F20)."""

import json
import os
from collections.abc import Mapping
from typing import Any

import httpx2
import pytest

from foliot.domain.payload import PARAMS_BYTES_MAX
from tests.cluster.api import Api, people_of
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import Size
from tests.cluster.troubles import GIGABYTE, forked_pids
from tests.eventually import soon

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

ENGINES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.services)]
BOTH = "tests.cluster.workload tests.cluster.troubles"

OUTCOMES = {
    "hangs": ("FAILED", "timeout"),
    "hangs_in_the_loop": ("FAILED", "timeout"),
    "spins_in_c": ("FAILED", "timeout"),
    "ignores_sigterm": ("FAILED", "timeout"),
    "forks_and_forks": ("FAILED", "timeout"),
    "kills_itself": ("FAILED", "error"),
    "crashes": ("FAILED", "error"),
    "takes_a_gigabyte": ("SUCCEEDED", None),
}
STOPPED_WITHIN_S = 40.0  # timeout and grace are at most nine


@pytest.mark.parametrize(
    ("recorded_url", "size"),
    [
        ("sqlite", "short"),
        *(pytest.param(store, "full", marks=pytest.mark.matrix) for store in ("sqlite", "postgresql")),
    ],
    indirect=True,
)
async def test_f19_handlers_that_misbehave_cost_nobody_else(cluster: Cluster, size: Size) -> None:
    cluster.start_server("s1")
    cluster.start_worker("w1", slots=16, jobs=BOTH)
    cluster.start_worker("w2", jobs="tests.cluster.troubles", options=("--group", "fragile"))
    for job in ("holds_the_interpreter", "hangs"):
        await cluster.declared(job)
    await cluster.wait_for_runs(10)
    cluster.note("holds the interpreter", node="w2")
    await cluster.trigger("holds_the_interpreter", 1)
    each = 5 if size == "full" else 2
    for job in OUTCOMES:
        await cluster.trigger(job, 1 if job in ("takes_a_gigabyte", "forks_and_forks") else each)

    async def over() -> bool:
        cluster.check_processes()
        return await cluster.count("state IN ('PENDING', 'RUNNING') AND triggered_by IS NOT NULL") == 0

    await soon(over, within_s=180, what="every handler was stopped")
    for job, outcome in OUTCOMES.items():
        for run in await cluster.runs(job):
            assert (run["state"], run["kind"]) == outcome, (job, run["state"], run["kind"], run["error"])
            assert run["ended_at"] - run["started_at"] < STOPPED_WITHIN_S * 1_000_000, job
            assert (run["attempt"], run["deaths"]) == (1, 0), job
    (gigabyte,) = await cluster.runs("takes_a_gigabyte")
    assert json.loads(gigabyte["result"]) == GIGABYTE
    assert len(forked_pids(cluster.journals)) > 100, "the bomb went off"
    await soon(lambda: not alive(forked_pids(cluster.journals)), within_s=60, what="everything forked is gone")
    (poison,) = await cluster.runs("holds_the_interpreter")
    assert (poison["state"], poison["kind"], poison["deaths"]) == ("FAILED", "poison", 1)
    others = [run for run in await cluster.runs("each_second") if run["leased_at"] is not None]
    waited_s = max((run["leased_at"] - run["due_at"]) / 1_000_000 for run in others)
    cluster.figures["others_waited_s"] = round(waited_s, 2)
    await cluster.judged("F19")
    assert await cluster.count("name = 'w1' AND beat_no > 0", of="nodes") == 1, (
        "the worker of all the others was never taken for dead"
    )
    assert waited_s < (10 if size == "full" else 30), "the others went on"


def alive(pids: list[int]) -> list[int]:
    return [pid for pid in pids if os.path.exists(f"/proc/{pid}/exe")]  # noqa: PTH110  a link, followed or not


# ------------------------------------------------------------------------------------------------------------ payloads

CANARY = "canary-7f3a91c4"
TALKATIVE = ("--log-level", "debug")  # a secret must not come out however much is written down
ROOM = PARAMS_BYTES_MAX - len('{"value":""}')

REFUSED = {  # by the API, before anything is queued
    "one byte too many": json.dumps({"params": {"value": "x" * (ROOM + 1)}}).encode(),
    "no UTF-8": b'{"params": {"value": "\xff\xfe"}}',
    "deep": b'{"params": {"value": ' + b"[" * 100 + b"]" * 100 + b"}}",
    "very deep": b'{"params": {"value": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
    "not a number": b'{"params": {"value": NaN}}',
    "infinite": b'{"params": {"value": 1e999}}',
    "huge": b'{"params": {"value": ' + b"9" * 400 + b"}}",
    "beyond 64 bits": b'{"params": {"value": 18446744073709551616}}',
    "half a character": b'{"params": {"value": "\\ud800"}}',
    "NUL": b'{"params": {"value": "\\u0000"}}',
    "no object": b'{"params": [1, 2]}',
    "unknown field": b'{"params": {"value": 1}, "surprise": 1}',
    "unknown parameter": b'{"params": {"valu": 1}}',
    "cut short": b'{"params": {"value": "' + CANARY.encode(),
}
UNFIT = {  # by the worker: what came past the API, and what it alone knows its handler does not take
    "no JSON": "{not json",
    "not a number": '{"value": NaN}',
    "very deep": '{"value": ' + "[" * 10_000 + "]" * 10_000 + "}",
    "no object": "[1, 2]",
    "text": f'"{CANARY}"',
    "unknown parameter": '{"valu": "' + CANARY + '"}',
}
UNKEPT = ("nan", "huge", "deep", "large", "bytes", "object", "half")  # returned, and nothing a store can keep
RAISED = ("raises", "raises_much", "raises_badly")


@pytest.mark.usefixtures("size")  # there is only one
@pytest.mark.parametrize("recorded_url", ENGINES, indirect=True)
async def test_f20_payloads_of_every_kind(cluster: Cluster) -> None:
    cluster.start_server("s1", options=TALKATIVE)
    worker = cluster.start_worker("w1", jobs="tests.cluster.workload tests.cluster.payloads", options=TALKATIVE)
    async with people_of(cluster) as api:
        await api.is_up()
        await cluster.declared("echo")
        await everything_fit_arrives(api)
        for what, content in REFUSED.items():
            answer = await api.ask("POST", "/api/v1/jobs/echo:trigger", content=content)
            assert answer.status_code in (400, 413, 422), (what, answer.status_code, answer.text[:300])
            assert answer.json()["code"].startswith("FOL-1"), (what, answer.json())
        for what, params in UNFIT.items():
            run = await api.ended(await cluster.trigger_raw("echo", params))
            assert (run["state"], run["kind"]) == ("FAILED", "rejected"), (what, run)
        for kind in (*UNKEPT, *RAISED):
            triggered = await api.trigger("gives", {"kind": kind, "secret": CANARY})
            run = await api.ended(triggered.json()["id"])
            assert (run["state"], run["kind"], run["result"]) == (
                ("SUCCEEDED", None, None) if kind in UNKEPT else ("FAILED", "error", None)
            ), (kind, str(run)[:1000])
            assert run["error"], (kind, str(run)[:1000])
        await nobody_has_its_handler(api)
        assert worker.is_alive
        fine = await api.ended((await api.trigger("echo", {"value": CANARY})).json()["id"])
        assert (fine["state"], fine["result"]) == ("SUCCEEDED", CANARY)
    assert await cluster.count("name = 'w1' AND beat_no > 0", of="nodes") == 1
    await cluster.judged("F20", at_least=1)
    for name in ("s1", "w1"):
        said = cluster.processes[name].log.read_text("utf-8", "replace")
        assert said, f"{name} wrote a log"
        assert CANARY not in said, [line for line in said.splitlines() if CANARY in line][:3]


async def everything_fit_arrives(api: Api) -> None:
    """Nothing at all, and exactly as much as is allowed."""
    values: list[Mapping[str, Any]] = [{}, {"value": "x" * ROOM}, {"value": 2**63 - 1}, {"value": "𝄞 \u2028 é"}]
    for params in values:
        triggered = await api.trigger("echo", params)
        assert triggered.status_code == 201, triggered.text[:300]
        run = await api.ended(triggered.json()["id"])
        assert (run["state"], run["result"]) == ("SUCCEEDED", params.get("value")), str(run)[:300]


async def nobody_has_its_handler(api: Api) -> None:
    """A run that nobody can execute waits, says why, and can be cancelled."""
    definition = {"run": {"python": "nowhere:nothing"}}
    made = await api.ask("POST", "/api/v1/jobs", {"name": "nobodys", "definition": definition})
    assert made.status_code == 201, made.text
    run = (await api.trigger("nobodys", {"secret": CANARY})).json()["id"]
    why = await api.get(f"/api/v1/runs/{run}/why")
    assert "nowhere:nothing" in why.text, why.text
    cancelled: httpx2.Response = await api.ask("POST", f"/api/v1/runs/{run}:cancel", {})
    assert cancelled.json()["state"] == "CANCELLED", cancelled.text
