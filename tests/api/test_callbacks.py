"""Callbacks over HTTP: a system that a run waits for proves who it is, and ends the run at any server (SEC-29)."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from foliot.api.app import build_api
from foliot.api.auth.strangers import WRONG_MAX
from foliot.domain.callbacks import BODY_BYTES_MAX, key_of, signature_of
from foliot.domain.instants import SECOND
from foliot.domain.run import format_run_id
from foliot.domain.verdict import Cause, judge
from foliot.operations.callbacks import open_callback
from foliot.ports.worker_link import Beat, CallbackAsked, HeldLease, LeasedRun
from tests.api.asking import Api
from tests.api.stage import TIMES, Stage, StageWorker

DONE = {"state": "SUCCEEDED", "result": {"rows": 7}}


@dataclass
class Waiting:
    """A run that waits for a callback, and the system that is to call."""

    api: Api
    worker: StageWorker
    run: LeasedRun
    path: str
    token: str

    @property
    def run_id(self) -> str:
        return format_run_id(self.run.run_id)

    async def call(self, said: Any, *, at: Api | None = None, token: str | None = None) -> httpx2.Response:
        """Call with the token itself."""
        return await (at or self.api).as_token(token or self.token).post(self.path, said)

    async def signed(
        self, said: Any, *, stamp: str | None = None, key: str = "", flip: bool = False
    ) -> httpx2.Response:
        """Call with a signature, as good as it gets unless told otherwise."""
        body = json.dumps(said).encode()
        stamp = stamp or f"{self.api.stage.clock.at / SECOND:.6f}"
        signature = signature_of(key or key_of(self.token), stamp, body)
        if flip:
            body = body.replace(b"7", b"8")
        headers = {"Foliot-Signature": f"t={stamp},v1={signature}", "Content-Type": "application/json"}
        return await self.api.as_token(None).ask("POST", self.path, content=body, headers=headers)

    async def shown(self) -> dict[str, Any]:
        found: dict[str, Any] = (await self.api.get(f"/runs/{self.run_id}")).json()
        return found

    async def beat(self) -> None:
        """The worker says that the run waits."""
        self.worker.beat_no += 1
        held = HeldLease(
            run_id=self.run.run_id,
            lease_id=self.run.lease_id,
            started_us_ago=2 * SECOND,
            waits_for="callback",
            waits_us_ago=SECOND,
        )
        beat = Beat(session=self.worker.session, beat_no=self.worker.beat_no, settled=99, held=(held,))
        await self.api.stage.store.nodes.beat(beat, ttl_us=TIMES.ttl_us, judge=judge)


@pytest.fixture
async def waiting(api: Api, stage: Stage) -> Waiting:
    await api.create_job("tick")
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    await api.post("/jobs/tick:trigger", {})
    run = await worker.lease()
    assert run is not None
    asked = CallbackAsked(session=worker.session, run_id=run.run_id, lease_id=run.lease_id)
    address = await open_callback(stage.services, asked, public_url="")
    return Waiting(api, worker, run, address.url, address.token)


@pytest.fixture
async def second(stage: Stage) -> AsyncIterator[Api]:
    """Another server on the same store."""
    other = Stage(stage.url)
    other.clock = stage.clock
    await other.open()
    app = build_api(other.services)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://other") as http:
        yield Api(other, app, http, None)
    await other.close()


async def test_a_callback_at_another_server_ends_the_run_and_repeats_get_the_same_answer(
    waiting: Waiting, second: Api
) -> None:
    first = await waiting.call(DONE, at=second)
    assert (first.status_code, first.json()) == (200, {"run": waiting.run_id, "state": "SUCCEEDED"})
    again = await waiting.call(DONE)
    assert (again.status_code, again.json()) == (first.status_code, first.json())
    other = await waiting.call({"state": "failed", "error": "no"}, at=second)
    assert (other.status_code, other.json()["code"]) == (409, "FOL-3033")
    shown = await waiting.shown()
    assert (shown["state"], shown["result"], shown["ended_by_callback"]) == ("SUCCEEDED", {"rows": 7}, True)
    events = (await waiting.api.get("/journal", subject=waiting.run_id)).json()["items"]
    assert "run.ended_by_callback" in [event["kind"] for event in events]
    why = (await waiting.api.get(f"/runs/{waiting.run_id}/why")).json()["sentence"]
    assert "ended by a callback" in why


async def test_while_it_waits_everybody_is_told_so_and_how_far_the_work_is(waiting: Waiting) -> None:
    await waiting.beat()
    told = await waiting.signed({"state": "progress", "progress": {"done": 3, "total": 10, "note": "packing"}})
    assert told.status_code == 200, told.text
    shown = await waiting.shown()
    assert (shown["state"], shown["waits"]["what"]) == ("RUNNING", "callback")
    assert (shown["progress"]["done"], shown["progress"]["note"]) == (3, "packing")
    why = await waiting.api.get(f"/runs/{waiting.run_id}/why")
    assert "for a callback" in why.json()["sentence"]


async def test_a_signature_proves_as_much_as_the_token(waiting: Waiting) -> None:
    assert (await waiting.signed(DONE)).status_code == 200
    assert (await waiting.shown())["state"] == "SUCCEEDED"


async def test_what_is_forged_or_unknown_is_not_there_and_probes_become_slow(waiting: Waiting) -> None:
    clock = waiting.api.stage.clock
    answers = [
        await waiting.signed(DONE, flip=True),
        await waiting.signed(DONE, key=key_of("another")),
        await waiting.call(DONE, token="another"),
        await waiting.api.as_token(None).post(waiting.path, DONE),
        await waiting.api.as_token(waiting.token).post(waiting.path[:-4] + "0000", DONE),
        await waiting.api.as_token(waiting.token).ask(
            "POST", waiting.path, DONE, headers={"Foliot-Signature": "t=1,v1=nonsense"}
        ),
    ]
    told = {(answer.status_code, answer.json()["detail"]) for answer in answers}
    assert told == {(404, "There is no such callback, or the token or the signature is wrong.")}
    waits = clock.waits
    for _ in range(WRONG_MAX):
        await waiting.call(DONE, token="another")
    assert clock.waits > waits
    assert (await waiting.shown())["state"] == "RUNNING"
    assert (await waiting.call(DONE)).status_code == 200  # the right token is not locked out


async def test_a_signed_message_counts_for_five_minutes_and_once(waiting: Waiting) -> None:
    clock = waiting.api.stage.clock
    progress = {"state": "progress", "progress": {"done": 1}}
    sent = f"{clock.at / SECOND:.3f}"
    assert (await waiting.signed(progress, stamp=sent)).status_code == 200
    replayed = await waiting.signed(progress, stamp=sent)
    assert (replayed.status_code, replayed.json()["code"]) == (409, "FOL-3034")
    for off_s in (-301, 301):
        stale = await waiting.signed(DONE, stamp=str(clock.at // SECOND + off_s))
        assert (stale.status_code, stale.json()["code"]) == (422, "FOL-1150")
    assert (await waiting.signed(DONE, stamp=str(clock.at // SECOND - 290))).status_code == 200


async def test_after_the_lease_is_over_a_callback_is_told_so(waiting: Waiting) -> None:
    await waiting.worker.end(Cause.TIMEOUT, after_us=SECOND, error="Timeout: too long")
    late = await waiting.call(DONE)
    assert (late.status_code, late.json()["code"]) == (410, "FOL-3032")
    assert (await waiting.call({"state": "progress", "progress": {"done": 1}})).status_code == 410
    assert (await waiting.shown())["state"] == "FAILED"


async def test_a_run_that_somebody_cancels_may_still_be_ended_by_its_callback(waiting: Waiting) -> None:
    await waiting.api.post(f"/runs/{waiting.run_id}:cancel")
    assert (await waiting.call({"state": "failed", "error": "stopped, as asked"})).status_code == 200
    assert (await waiting.shown())["state"] == "CANCELLED"


async def test_a_failure_names_its_reason_and_a_secret_in_it_is_hidden(waiting: Waiting) -> None:
    said = {"state": "failed", "error": "no answer from postgresql://app:hunter2@db/app"}
    assert (await waiting.call(said)).status_code == 200
    shown = await waiting.shown()
    assert (shown["state"], shown["error_type"]) == ("FAILED", "CallbackFailed")
    assert "hunter2" not in shown["error"]


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"state": "done"}, 422),
        ({"state": "progress"}, 422),
        ({"state": "progress", "progress": {"done": -1}}, 422),
        ({"state": "succeeded", "results": 1}, 422),
        ([], 422),
        ({"state": "succeeded", "result": "x" * BODY_BYTES_MAX}, 413),
    ],
)
async def test_a_message_that_cannot_be_taken_changes_nothing(waiting: Waiting, said: Any, status: int) -> None:
    assert (await waiting.call(said)).status_code == status
    assert (await waiting.shown())["state"] == "RUNNING"


async def test_a_result_that_is_too_large_does_not_lose_the_end(waiting: Waiting) -> None:
    assert (await waiting.call({"state": "succeeded", "result": "x" * 100_000})).status_code == 200
    shown = await waiting.shown()
    assert (shown["state"], shown["result"]) == ("SUCCEEDED", None)
    assert "not kept" in shown["error"]


async def test_what_another_system_says_steers_no_terminal_and_holds_no_password_of_an_address(
    waiting: Waiting,
) -> None:
    said = "\x1b[2Jno connection to postgresql://app:canary@db/prod"
    shown = "\\u001b[2Jno connection to postgresql://app:***@db/prod"
    await waiting.beat()
    told = await waiting.call({"state": "PROGRESS", "progress": {"done": 1, "note": said}})
    assert told.status_code == 200
    assert (await waiting.shown())["progress"]["note"] == shown
    await waiting.call({"state": "FAILED", "error": said})
    assert shown in json.dumps(await waiting.shown()).replace("\\\\", "\\")
    assert "canary" not in json.dumps(await waiting.shown())


@pytest.mark.parametrize(
    ("callback", "kept"), [(True, {"rows": 7}), ({"result": "all"}, {"rows": 7}), ({"result": "none"}, None)]
)
async def test_a_job_may_want_nothing_of_what_the_other_system_sends(
    api: Api, stage: Stage, callback: Any, kept: Any
) -> None:
    definition = {"run": {"http": {"url": "https://example.org", "callback": callback}}}
    assert (await api.post("/jobs", {"name": "export", "definition": definition})).status_code == 201
    worker = await stage.worker("w-1", ["http"])
    await api.post("/jobs/export:trigger", {})
    run = await worker.lease()
    assert run is not None
    asked = CallbackAsked(session=worker.session, run_id=run.run_id, lease_id=run.lease_id)
    address = await open_callback(stage.services, asked, public_url="http://foliot")
    path = address.url.removeprefix("http://foliot/api/v1")
    for _ in range(2):  # the same end again is the same, also where its result is not kept
        assert (await api.as_token(address.token).post(path, DONE)).status_code == 200
    shown = (await api.get(f"/runs/{format_run_id(run.run_id)}")).json()
    assert (shown["state"], shown["result"]) == ("SUCCEEDED", kept)
