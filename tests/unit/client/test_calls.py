"""The calls: what is sent, and what comes back."""

from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

import pytest

from foliot import Foliot
from foliot.client.errors import RunNotFinished, RunNotSucceeded, ServerAway
from foliot.domain.errors import JobNotFound
from tests.unit.client.answering import Answer, Answering, refusing_url
from tests.unit.client.conftest import Connect, FastMachine

PENDING = {"id": "r-8k2f", "job": "greet", "namespace": "default", "state": "PENDING", "attempt": 0}
RUNNING = PENDING | {"state": "RUNNING", "attempt": 1, "due_at": "2026-01-31T17:00:00Z"}
SUCCEEDED = RUNNING | {"state": "SUCCEEDED", "result": {"said": "hello"}}
FAILED = RUNNING | {"state": "FAILED", "kind": "error", "error": "ValueError: no."}


def test_trigger(server: Answering, connect: Connect) -> None:
    server.say(Answer(201, PENDING))
    run = connect(server.url).jobs.trigger("greet", {"name": "Foliot"}, key="greet-7", reason="because", delay="90s")
    (asked,) = server.asked
    assert (asked.method, asked.path, asked.query) == ("POST", "/api/v1/jobs/greet:trigger", {"namespace": "default"})
    assert asked.headers["authorization"] == "Bearer t0ken"
    assert asked.body == {"key": "greet-7", "params": {"name": "Foliot"}, "delay": "1m30s", "reason": "because"}
    assert (run.id, run.job, run.state, run.is_final, run.due_at) == ("r-8k2f", "greet", "PENDING", False, None)


def test_trigger_with_everything(server: Answering, connect: Connect) -> None:
    server.say(Answer(200, RUNNING))
    berlin = datetime(2026, 1, 31, 18, tzinfo=UTC).astimezone()
    run = connect(server.url, namespace="prod").jobs.trigger(
        "结算/x", at=berlin, overlap="allow", priority=9, key="退款 7"
    )
    (asked,) = server.asked
    assert asked.path == "/api/v1/jobs/%E7%BB%93%E7%AE%97%2Fx:trigger"
    assert asked.query == {"namespace": "prod"}
    assert asked.body == {
        "key": "退款 7", "params": {}, "at": "2026-01-31T18:00:00Z", "overlap": "allow", "priority": 9,
    }  # fmt: skip
    assert run.due_at == datetime(2026, 1, 31, 17, tzinfo=UTC)


def test_without_a_key_each_trigger_has_its_own(server: Answering, connect: Connect) -> None:
    server.say(Answer(201, PENDING))
    client = connect(server.url)
    client.jobs.trigger("greet")
    client.jobs.trigger("greet")
    keys = [asked.body["key"] for asked in server.asked]
    assert len(set(keys)) == 2
    assert all(len(key) == 32 for key in keys)
    assert keys == [asked.headers["idempotency-key"] for asked in server.asked]


def test_jobs(server: Answering, connect: Connect) -> None:
    tick = {"name": "tick", "namespace": "default", "state": "active", "version": 3}
    client = connect(server.url)
    server.say(Answer(200, {"items": [tick], "next_cursor": "c2"}))
    page = client.jobs.list(limit=1)
    assert ([job.name for job in page], page.next_cursor) == (["tick"], "c2")
    server.say(Answer(200, tick))
    job = client.jobs.get("tick")
    assert (job.name, job.state, job.version, job.namespace) == ("tick", "ACTIVE", 3, "default")
    client.jobs.pause("tick", until=datetime(2026, 2, 1, tzinfo=UTC), reason="moving")
    client.jobs.resume("tick", catch_up=True)
    assert [(asked.method, asked.path, asked.body) for asked in server.asked] == [
        ("GET", "/api/v1/jobs", None),
        ("GET", "/api/v1/jobs/tick", None),
        ("POST", "/api/v1/jobs/tick:pause", {"until": "2026-02-01T00:00:00Z", "reason": "moving"}),
        ("POST", "/api/v1/jobs/tick:resume", {"catch_up": True}),
    ]
    assert server.asked[0].query == {"namespace": "default", "limit": "1"}


def test_runs(server: Answering, connect: Connect) -> None:
    client = connect(server.url)
    server.say(Answer(200, {"items": [RUNNING, SUCCEEDED]}))
    page = client.runs.list(job="greet", state=["RUNNING", "SUCCEEDED"], since="2026-01-31T00:00:00Z", cursor="c1")
    assert [run.state for run in page] == ["RUNNING", "SUCCEEDED"]
    assert server.asked[0].query == {
        "namespace": "default", "job": "greet", "state": "RUNNING,SUCCEEDED", "since": "2026-01-31T00:00:00Z",
        "limit": "50", "cursor": "c1",
    }  # fmt: skip
    server.say(Answer(200, RUNNING))
    run = client.runs.get("r-8k2f")
    assert run.refresh().id == "r-8k2f"
    assert run.cancel(reason="enough").state == "RUNNING"
    assert (server.asked[-1].path, server.asked[-1].body) == ("/api/v1/runs/r-8k2f:cancel", {"reason": "enough"})


def test_wait_returns_the_run_once_it_is_over(server: Answering, connect: Connect, machine: FastMachine) -> None:
    client = connect(server.url)
    server.say(Answer(201, PENDING), Answer(200, PENDING), Answer(200, RUNNING), Answer(200, SUCCEEDED))
    run = client.jobs.trigger("greet").wait("1m")
    assert run.result == {"said": "hello"}
    assert machine.pauses == sorted(machine.pauses), "asking gets rarer"
    assert float(server.asked[1].query["wait"]) == pytest.approx(20)


def test_wait_gives_up_in_time(server: Answering, connect: Connect, machine: FastMachine) -> None:
    server.say(Answer(200, RUNNING))
    with pytest.raises(RunNotFinished, match=r"greet r-8k2f is still RUNNING after 5s"):
        connect(server.url).runs.wait("r-8k2f", timedelta(seconds=5))
    assert machine.now == pytest.approx(1005)


@pytest.mark.parametrize(
    ("raw", "error", "said"),
    [
        (FAILED, RunNotSucceeded, "greet r-8k2f failed (error): ValueError: no."),
        (RUNNING | {"state": "CANCELLED"}, RunNotSucceeded, "greet r-8k2f cancelled."),
        (RUNNING, RunNotFinished, "greet r-8k2f is RUNNING and has no result yet."),
    ],
)
def test_a_result_that_did_not_come_is_not_taken_for_none(
    server: Answering, connect: Connect, raw: Any, error: type[Exception], said: str
) -> None:
    server.say(Answer(200, raw))
    run = connect(server.url).runs.get("r-8k2f")
    with pytest.raises(error) as refused:
        _ = run.result
    assert getattr(refused.value, "sentence") == said  # noqa: B009


def test_a_refusal_is_an_error_of_the_family(server: Answering, connect: Connect) -> None:
    server.say(
        Answer(
            404,
            {"code": "FOL-2001", "detail": 'No job "gret" in namespace "default".', "hint": "did you mean greet?"},
            {"content-type": "application/problem+json"},
        )
    )  # fmt: skip
    with pytest.raises(JobNotFound) as refused:
        connect(server.url).jobs.trigger("gret")
    assert str(refused.value) == 'No job "gret" in namespace "default". (did you mean greet?)'


def test_logs(server: Answering, connect: Connect) -> None:
    server.say(
        Answer(
            200,
            text="14:02:20.011  INFO  tick  i=0\n14:02:21.013  INFO  tick  i=1\n",
            headers={"content-type": "text/plain"},
        )
    )
    lines = connect(server.url).runs.logs("r-8k2f", attempt=2)
    assert list(lines) == ["14:02:20.011  INFO  tick  i=0", "14:02:21.013  INFO  tick  i=1"]
    assert (server.asked[0].path, server.asked[0].query) == ("/api/v1/runs/r-8k2f/logs", {"attempt": "2"})


def test_following_a_log_goes_on_where_the_stream_broke(server: Answering, connect: Connect) -> None:
    events = {"content-type": "text/event-stream"}
    server.say(
        Answer(200, text="id: 10\ndata: one\n\n: still here\n\nid: 20\ndata: two\n\n", headers=events, breaks_off=True),
        Answer(503, {"code": "FOL-5001", "detail": "The store is away."}),
        Answer(200, text="id: 30\ndata: three\n\n", headers=events),
        Answer(200, text="id: 40\ndata: four\n\nevent: end\ndata:\n\n", headers=events),
    )
    assert list(connect(server.url).runs.logs("r-8k2f", follow=True)) == ["one", "two", "three", "four"]
    assert [asked.headers.get("last-event-id") for asked in server.asked] == [None, "20", "20", "30"]
    assert server.asked[0].query == {"follow": "1"}


def test_following_a_run_that_is_not_there(server: Answering, connect: Connect) -> None:
    server.say(Answer(404, {"code": "FOL-2003", "detail": 'No run "r-1".'}))
    with pytest.raises(Exception, match='No run "r-1"'):
        list(connect(server.url).runs.logs("r-1", follow=True))


def test_following_events_goes_on_where_the_stream_broke(server: Answering, machine: FastMachine) -> None:
    events = {"content-type": "text/event-stream"}
    server.say(
        Answer(200, text='event: hello\ndata:\n\nid: 7\nevent: job\ndata: {"subject":"tick"}\n\n', headers=events),
        Answer(503, {"code": "FOL-5001", "detail": "The store is away."}),
        Answer(
            200, text='id: 8\nevent: reset\ndata:\n\nid: 9\nevent: run\ndata: {"subject":"r-1"}\n\n', headers=events
        ),
    )
    with Foliot(server.url, "t0ken", machine=machine) as client:
        found = list(islice(client.events.follow(["jobs", "runs"]), 3))
    assert [(event.id, event.kind, event.data) for event in found] == [
        ("7", "job", {"subject": "tick"}),
        ("8", "reset", {}),
        ("9", "run", {"subject": "r-1"}),
    ]
    assert [asked.headers.get("last-event-id") for asked in server.asked] == [None, "7", "7"]
    assert server.asked[0].query == {"topics": "jobs,runs"}


def test_following_events_gives_up_when_no_server_answers(machine: FastMachine) -> None:
    with Foliot(refusing_url(), "t0ken", machine=machine) as client, pytest.raises(ServerAway):
        next(client.events.follow("jobs"))


def test_a_change_names_the_version_that_was_seen(server: Answering, connect: Connect) -> None:
    server.say(Answer(200, {"name": "tick", "version": 4}))
    jobs = connect(server.url).jobs
    jobs.put("tick", {"run": {}}, if_version=3)
    jobs.put("tick", {"run": {}})
    jobs.delete("tick", if_version=4, reason="gone")
    seen = [(asked.headers.get("if-match"), asked.headers.get("if-none-match")) for asked in server.asked]
    assert seen == [('"v3"', None), (None, "*"), ('"v4"', None)]
    assert server.asked[-1].query == {"namespace": "default", "reason": "gone"}
