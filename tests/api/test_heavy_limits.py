"""SEC-32 at the very limit: the longest beat and the largest parameters take the loop a few milliseconds at a time."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from foliot.api.outlines import taken_apart
from foliot.api.worker_protocol import worker_routes
from foliot.app.server import Server
from tests.api.asking import Api, opened_api
from tests.api.calling import Call
from tests.api.loop_meter import loop_metered
from tests.api.stage import Stage
from tests.api.test_heavy_messages import beat, register_slots, sent
from tests.api.test_worker_tokens import server

__all__ = ["server"]

STOPS_S = 0.025


@pytest.fixture
async def api(stage: Stage, server: Server) -> AsyncIterator[Api]:
    """The API with the worker protocol of the server."""
    async with opened_api(stage, plain_routes=lambda known: worker_routes(server.workers, known.worker)) as api:
        yield api


async def test_a_beat_with_as_many_leases_as_there_can_be(api: Api) -> None:
    worker = await api.with_scopes("worker", group="billing")
    await register_slots(worker, 100_000)
    call, longest_s, what = await sent(worker, "heartbeat", beat(199_000, ""))
    assert call.status == 200
    assert len(json.loads(call.body)["invalid"]) == 199_000
    assert longest_s < STOPS_S, what


def test_a_long_list_of_leases_is_cut_between_two_of_them_only() -> None:
    texts = ['},{"run_id', '},{"', '"},{"a', "},{", ""]
    leases = [{"run_id": n, "lease_id": "x" * 30, "checkpoint": texts[n % 5]} for n in range(30_000)]
    for separators in ((",", ":"), (", ", ": ")):
        whole = json.dumps({"held": leases, "beat_no": 7}, separators=separators).encode()
        rest, parts = taken_apart(whole)
        assert json.loads(rest) == {"held": [], "beat_no": 7}
        assert [lease for part in parts for lease in json.loads(part)] == leases
        assert (len(parts) > 5) is (separators == (",", ":"))
    assert taken_apart(b'{"held":[{"run_id":1}]}') == (b'{"held":[{"run_id":1}]}', [])


PARAMS: dict[str, dict[str, Any]] = {
    "long text": {"note": "x" * 60_000},
    "many numbers": {"all": list(range(10_000))},
    "many names": {f"name-{number}": number for number in range(3000)},
    "many lists": {"all": [[]] * 20_000},
}


@pytest.mark.parametrize("params", PARAMS.values(), ids=PARAMS.keys())
async def test_a_trigger_with_the_largest_parameters(api: Api, stage: Stage, params: dict[str, Any]) -> None:
    await api.create_job("tick", overlap="allow")
    await stage.worker("w-1", {"python:jobs:tick": {"type": "object", "additionalProperties": {}}})
    body = json.dumps({"params": params}, separators=(",", ":")).encode()
    assert 30_000 < len(body) < 64_000
    call = Call(api.app, "POST", "/api/v1/jobs/tick:trigger", (body,), token=api.token)
    with loop_metered() as meter:
        made = await call.made()
    assert made.status == 201, made.body
    assert meter.longest_s < STOPS_S, meter.what
