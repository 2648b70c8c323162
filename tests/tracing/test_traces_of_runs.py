"""Runs as a collector sees them: a real `foliot up` sends its spans by OTLP, and user code is inside of them."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.cli.conftest import Shell
from tests.eventually import eventually
from tests.tracing.receiver import Received, Receiver, receiving

JOBS = """
from foliot import Ctx, job
from opentelemetry import trace


def here() -> str:
    found = trace.get_current_span().get_span_context()
    return f"{found.trace_id:032x}-{found.span_id:016x}"


@job
def in_process() -> str:
    return here()


@job(isolation="thread")
def in_thread() -> str:
    return here()


@job
async def in_loop(ctx: Ctx) -> str:
    return here() if ctx.traceparent else "none"


@job(retries=1)
def fails() -> None:
    raise ValueError("boom")
"""
CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
UNSAMPLED = "00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
ENDED = ("SUCCEEDED", "FAILED")


class Place:
    """A running `foliot up` and the receiver of its traces."""

    def __init__(self, receiver: Receiver, access: dict[str, Any]) -> None:
        self.receiver = receiver
        self._http = httpx2.Client(base_url=access["url"], headers={"Authorization": f"Bearer {access['token']}"})

    def run(self, job: str, **headers: str) -> dict[str, Any]:
        """Trigger a job and wait for its end."""
        answer = self._http.post(f"/api/v1/jobs/{job}:trigger", json={"reason": "because"}, headers=headers)
        assert answer.status_code == 201, answer.text
        run_id = answer.json()["id"]
        (run,) = eventually(lambda: self._ended(run_id), within_s=90, what=f"{job} ends")
        return run

    def _ended(self, run_id: str) -> list[dict[str, Any]]:
        run = self._http.get(f"/api/v1/runs/{run_id}").json()
        return [run] if run["state"] in ENDED else []

    def span(self, name: str, run: dict[str, Any]) -> Received:
        def found() -> list[Received]:
            return self.receiver.named(name, run["id"])

        (span,) = eventually(found, within_s=60, what=f"{name} of {run['id']} is received")
        return span


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder: Path = tmp_path_factory.mktemp("traced")
    (folder / "jobs.py").write_text(JOBS, "utf-8")
    shell = Shell(folder=folder, config=folder / "config")
    with receiving() as receiver, (folder / "up.log").open("w") as log:
        env = {**shell.env, "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url, "OTEL_BSP_SCHEDULE_DELAY": "100",
               "OTEL_SERVICE_NAME": "shop-jobs"}  # fmt: skip
        command = [sys.executable, "-m", "foliot", "up", "--port", "0", "--no-watch"]
        up = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=log)
        try:
            access = folder / ".foliot" / "client.json"
            eventually(lambda: access.exists() or up.poll() is not None, within_s=90, what="foliot up is there")
            assert up.poll() is None, (folder / "up.log").read_text()
            eventually(lambda: len(shell("job", "list", "-q").out.split()) == 4, within_s=90, what="jobs are declared")
            yield Place(receiver, json.loads(access.read_text("utf-8")))
        finally:
            up.terminate()
            up.wait(90)


@pytest.mark.slow
@pytest.mark.parametrize("job", ["in_process", "in_thread", "in_loop"])
def test_user_code_is_inside_the_span_of_its_handler_which_is_a_child_of_the_callers(place: Place, job: str) -> None:
    run = place.run(job, traceparent=CALLER)
    trigger, fire = place.span("foliot.trigger", run), place.span("foliot.fire", run)
    attempt, handler = place.span("foliot.attempt", run), place.span("foliot.handler", run)

    spans = (trigger, fire, attempt, handler)
    assert {span.trace_id for span in spans} == {CALLER.split("-")[1]}
    assert [span.parent_id for span in spans] == [CALLER.split("-")[2], *(span.span_id for span in spans[:3])]
    assert run["result"] == f"{handler.trace_id}-{handler.span_id}", "what user code saw as current"
    assert handler.facts["foliot.job"] == job
    assert handler.resource["service.name"] == "shop-jobs"
    assert run["reason"] == "because", "the context that is kept with the run is not shown as its reason"
    assert all(span.took_ns >= 0 and not span.is_error for span in spans)


@pytest.mark.slow
def test_a_run_that_no_trace_caused_has_one_of_its_own_with_all_of_its_attempts(place: Place) -> None:
    run = place.run("fails")
    assert run["state"] == "FAILED"

    def attempts() -> list[Received]:
        found = place.receiver.named("foliot.attempt", run["id"])
        return found if len(found) == 2 else []

    both = eventually(attempts, within_s=60, what="both attempts are received")
    fire = place.span("foliot.fire", run)
    assert fire.parent_id == ""
    assert {(span.trace_id, span.parent_id) for span in both} == {(fire.trace_id, fire.span_id)}
    assert len({span.span_id for span in both}) == 2
    assert all(span.is_error and span.facts["foliot.cause"] == "error" for span in both)
    assert place.receiver.named("foliot.trigger", run["id"]) == []


@pytest.mark.slow
def test_a_caller_that_does_not_record_its_trace_decides_for_the_run_as_well(place: Place) -> None:
    quiet = place.run("in_loop", traceparent=UNSAMPLED)
    assert quiet["result"].startswith(UNSAMPLED.split("-")[1]), "its context goes on all the same"
    later = place.run("in_loop", traceparent="no-such-thing")
    place.span("foliot.handler", later)
    assert place.receiver.named("foliot.handler", quiet["id"]) == []
