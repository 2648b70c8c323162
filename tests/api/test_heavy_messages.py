"""SEC-32: what one worker's message holds keeps nobody else waiting, and only what is the worker's own is read."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from structlog.testing import capture_logs

from foliot.api.worker_protocol import PREFIX, worker_routes
from foliot.app.server import Server
from foliot.domain import payload
from foliot.domain.verdict import REPORTED, Cause
from foliot.operations import worker_reports
from foliot.operations.worker_messages import REPORTS_WEIGHT_MAX
from foliot.ports.worker_link import Report
from tests.api.asking import Api, opened_api
from tests.api.calling import Call
from tests.api.loop_meter import loop_metered
from tests.api.stage import Stage
from tests.api.test_worker_tokens import ask, lease, register, server, settle_in

__all__ = ["server"]

STOPS_S = 0.050
MIB = 1024 * 1024
DENSE = json.dumps("[" + ",".join(["[]"] * 21_000) + "]")
SMALL_DENSE = json.dumps("[" + ",".join(["[]"] * 230) + "]")


@pytest.fixture
async def api(stage: Stage, server: Server) -> AsyncIterator[Api]:
    """The API with the worker protocol of the server."""
    async with opened_api(stage, plain_routes=lambda known: worker_routes(server.workers, known.worker)) as api:
        yield api


def reports(count: int, result: str, session: str = "z" * 32) -> bytes:
    one = '{"run_id":%d,"lease_id":"%d","cause":"succeeded","result":%s}'
    return b'{"session":"%s","reports":[%s]}' % (
        session.encode(),
        ",".join(one % (at, at, result) for at in range(count)).encode(),
    )


async def sent(api: Api, path: str, body: bytes) -> tuple[Call, float, str]:
    """The answer to a message, and the longest step of the loop meanwhile."""
    pieces = tuple(body[at : at + MIB] for at in range(0, len(body), MIB))
    with loop_metered() as meter:
        call = await Call(api.app, "POST", f"{PREFIX}/{path}", pieces, token=api.token).made()
    return call, meter.longest_s, meter.what


@pytest.mark.parametrize(("count", "result"), [(64, DENSE), (10_000, SMALL_DENSE)], ids=["large", "many"])
async def test_heavy_reports_are_not_read_and_the_loop_goes_on(api: Api, count: int, result: str) -> None:
    worker = await api.with_scopes("worker", group="billing")
    call, longest_s, what = await sent(worker, "complete", reports(count, result))
    assert (call.status, call.code) == (422, "FOL-1087")
    assert json.loads(call.body)["hint"] == "send fewer at once"
    assert longest_s < STOPS_S, what


@pytest.mark.parametrize("is_own", [False, True], ids=["unknown session", "own session, others' leases"])
async def test_of_leases_that_are_not_its_own_nothing_is_read(
    api: Api, monkeypatch: pytest.MonkeyPatch, is_own: bool
) -> None:
    worker = await api.with_scopes("worker", group="billing")
    assert (await register(worker)).status_code == 200
    read: list[str] = []
    monkeypatch.setattr(worker_reports, "check_json_text", lambda text, **_: read.append(text))
    body = reports(5, DENSE, session="a" * 32 if is_own else "z" * 32)
    call, longest_s, what = await sent(worker, "complete", body)
    assert (call.status, json.loads(call.body)) == (200, ["fenced"] * 5)
    assert read == []
    assert longest_s < STOPS_S, what


async def test_a_heavy_result_of_an_own_run_is_read_beside_the_loop(api: Api, server: Server) -> None:
    await settle_in(api, "default")
    worker = await api.with_scopes("worker", group="billing")
    await register(worker)
    (run,) = (await lease(worker, server)).runs
    said = {"run_id": run.run_id, "lease_id": run.lease_id, "cause": "succeeded", "result": json.loads(DENSE)}
    body = json.dumps({"session": "a" * 32, "reports": [said]}).encode()
    call, longest_s, what = await sent(worker, "complete", body)
    assert (call.status, json.loads(call.body)) == (200, ["recorded"])
    assert longest_s < STOPS_S, what
    again, _, _ = await sent(worker, "complete", body.replace(b'"a', b'"z', 1))
    assert json.loads(again.body) == ["already"], "the lease was of the same token"


async def test_a_spooled_report_of_a_session_that_is_over_counts(api: Api, server: Server) -> None:
    await settle_in(api, "default")
    worker = await api.with_scopes("worker", group="billing")
    await register(worker)
    (run,) = (await lease(worker, server)).runs
    said = {"run_id": run.run_id, "lease_id": run.lease_id, "cause": "succeeded", "result": "1"}
    stranger = await api.with_scopes("worker", group="billing")
    assert (await ask(stranger, "complete", session="z" * 32, reports=[said])).json() == ["fenced"]
    assert (await ask(worker, "complete", session="z" * 32, reports=[said])).json() == ["recorded"]


@pytest.mark.parametrize("cause", sorted(set(Cause) - REPORTED))
async def test_what_only_the_server_finds_no_worker_reports(api: Api, server: Server, cause: Cause) -> None:
    await settle_in(api, "default", "pay")
    worker = await api.with_scopes("worker", group="billing")
    await register(worker)
    first, second = (await lease(worker, server)).runs
    said: list[dict[str, Any]] = [
        {"run_id": first.run_id, "lease_id": first.lease_id, "cause": cause},
        {"run_id": second.run_id, "lease_id": second.lease_id, "cause": "succeeded"},
    ]
    answer = await ask(worker, "complete", session="a" * 32, reports=said)
    assert answer.json() == ["fenced", "recorded"]
    said[0]["cause"] = "succeeded"
    assert (await ask(worker, "complete", session="a" * 32, reports=said[:1])).json() == ["recorded"]


async def register_slots(api: Api, slots: int) -> None:
    hello = {"session": "a" * 32, "name": "w", "group": "billing", "slots": slots, "handlers": []}
    assert (await ask(api, "register", **hello)).status_code == 200


def beat(held: int, said: str) -> bytes:
    one = '{"run_id":%d,"lease_id":"%d"%s}'
    leases = ",".join(one % (at, at, said) for at in range(held)).encode()
    return b'{"session":"%s","beat_no":1,"settled":0,"held":[%s]}' % (b"a" * 32, leases)


@pytest.mark.parametrize(
    ("held", "said"),
    [(80_000, ',"checkpoint":"["'), (2000, f',"checkpoint":{SMALL_DENSE}'), (60, f',"checkpoint":{DENSE}')],
    ids=["many", "some", "large"],
)
async def test_no_beat_stops_the_loop_and_it_writes_few_lines(api: Api, held: int, said: str) -> None:
    worker = await api.with_scopes("worker", group="billing")
    await register_slots(worker, 100_000)
    with capture_logs() as lines:
        call, longest_s, what = await sent(worker, "heartbeat", beat(held, said))
    assert call.status == 200
    assert len(lines) < 100
    assert longest_s < STOPS_S, what


async def test_a_beat_names_no_more_leases_than_its_slots_can_have_had(api: Api) -> None:
    worker = await api.with_scopes("worker", group="billing")
    await register_slots(worker, 8)
    call, _, _ = await sent(worker, "heartbeat", beat(20_017, ""))
    assert (call.status, call.code) == (422, "FOL-1087")
    call, _, _ = await sent(worker, "heartbeat", beat(20_016, ""))
    assert call.status == 200


async def test_a_lease_that_is_named_many_times_is_one(api: Api) -> None:
    worker = await api.with_scopes("worker", group="billing")
    await register_slots(worker, 8)
    held = [{"run_id": 1, "lease_id": "x"}] * 100
    answer = await ask(worker, "heartbeat", session="a" * 32, beat_no=1, settled=0, held=held)
    assert answer.json()["invalid"] == ["x"]


@pytest.mark.parametrize("field", ["handlers", "labels"])
async def test_a_field_that_stands_there_twice_is_measured_too(api: Api, field: str) -> None:
    worker = await api.with_scopes("worker", group="billing")
    heavy = {
        "handlers": b'[{"name":"h","parameters":{"a":[%s1]}}]' % (b"[]," * (2 * MIB)),
        "labels": b"{%s}" % b",".join(b'"%d":"1"' % at for at in range(400_000)),
    }[field]
    plain = {"handlers": b"[]", "labels": b"{}"}
    fields = b",".join(b'"%s":%s' % (name.encode(), value) for name, value in plain.items())
    body = b'{"session":"s","name":"w","group":"billing","slots":1,"%s":%s,%s}' % (field.encode(), heavy, fields)
    call, longest_s, what = await sent(worker, "register", body)
    assert (call.status, call.code) == (422, "FOL-1087")
    assert "unknown or repeated fields" in json.loads(call.body)["detail"]
    assert longest_s < STOPS_S, what


BAD_JOB = json.dumps("{")
HEAVY_JOB = json.dumps(json.dumps({"x": [[]] * 20_000, "schedule": {"cron": "0 0 1 1 *"}}))
OTHERS_JOB = json.dumps(json.dumps({"run": {"python": "a:b"}, "schedule": {"cron": "0 0 1 1 *"}, "group": "pay"}))


def hello_with(jobs: int = 0, document: str = "", handlers: int = 0, schema: str = "") -> bytes:
    job = '{"namespace":"default","name":"j%d","document":%s}'
    offer = '{"name":"python:j:h%d","parameters":%s}'
    declared = ",".join(job % (at, document) for at in range(jobs))
    offers = ",".join(offer % (at, schema) for at in range(handlers))
    hello = '{"session":"%s","name":"w","group":"billing","slots":1,"handlers":[%s],"jobs":[%s]}'
    return (hello % ("a" * 32, offers, declared)).encode()


@pytest.mark.parametrize(
    ("count", "document"), [(20_000, BAD_JOB), (20, HEAVY_JOB), (2000, OTHERS_JOB)], ids=["bad", "heavy", "not its own"]
)
async def test_no_declared_jobs_stop_the_loop_and_they_write_few_lines(api: Api, count: int, document: str) -> None:
    worker = await api.with_scopes("worker", group="billing")
    with capture_logs() as lines:
        call, longest_s, what = await sent(worker, "register", hello_with(count, document))
    assert call.status == 200
    assert len(json.loads(call.body)["refused"]) == count
    (told,) = [line for line in lines if line["event"] == "job.refused"]
    assert told["jobs"] == count
    assert longest_s < STOPS_S, what


async def test_no_schemas_of_handlers_stop_the_loop(api: Api) -> None:
    worker = await api.with_scopes("worker", group="billing")
    schema = '{"type":"object","properties":{"a":{"enum":[1,2,3,4,5,6,7,8,9,10]}}}'
    call, longest_s, what = await sent(worker, "register", hello_with(handlers=4000, schema=schema))
    assert call.status == 200
    assert longest_s < STOPS_S, what


async def test_the_schemas_of_a_session_are_bounded_together(api: Api) -> None:
    worker = await api.with_scopes("worker", group="billing")
    schema = json.dumps({"description": "x" * 60_000})
    call, _, _ = await sent(worker, "register", hello_with(handlers=75, schema=schema))
    assert (call.status, call.code) == (422, "FOL-1087")
    assert json.loads(call.body)["detail"] == "The worker's message has schemas beyond 4194304 bytes."
    call, _, _ = await sent(worker, "register", hello_with(handlers=65, schema=schema))
    assert call.status == 200


def test_the_weight_of_one_report_is_below_what_a_message_may_weigh() -> None:
    worst = "[" * payload.RESULT_BYTES_MAX
    report = Report(run_id=1, lease_id="l", cause=Cause.ERROR, result=worst, checkpoint=worst, error="x" * MIB)
    assert worker_reports.weight_of_report(report) < REPORTS_WEIGHT_MAX
