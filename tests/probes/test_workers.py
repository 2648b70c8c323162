"""What one worker's token can do to others, and what an orderly stop does to runs (SEC-25)."""

import json
import signal
import threading
import urllib.error
import urllib.request
from pathlib import Path

from tests.eventually import eventually
from tests.probes.scene import V1, WORKER, Quiet, Up, plain_environment, serving, started

ONCE = """
from foliot import job

@job(group="stopping", on_lost="fail")
def once() -> None: ...
"""


def test_a_worker_token_does_nothing_in_the_session_of_another(up: Up) -> None:
    owner, other = up.token("owner", "worker"), up.token("other", "worker")
    assert up.job("held", group="held").status_code == 201
    run = up.trigger("held")
    assert up.register(owner, "a", "held", "python:far:held").status_code == 200
    (leased,) = up.lease(owner, "a")
    lease = {"run_id": leased["run_id"], "lease_id": leased["lease_id"]}
    lie = {**lease, "attempt": 1, "offset": 0, "text": "lies"}

    assert up.worker(other, "complete", "a", reports=[{**lease, "cause": "succeeded"}]).json() == ["fenced"]
    up.worker(other, "logs", "a", chunks=[lie])
    assert up.worker(other, "heartbeat", "a", beat_no=2**40, settled=2**40, held=[]).json() == {"alive": False}
    assert up.worker(other, "lease", "a", request_no=9, free=1, settled=9, wait_us=0).json().get("dead")
    assert up.worker(other, "leave", "a").status_code == 404
    assert up.register(other, "a", "held").status_code == 403
    assert up.run(run)["state"] == "RUNNING"
    assert up.ask("GET", f"{V1}/runs/{run}/logs").text == ""
    nodes = up.ask("GET", f"{V1}/nodes").text
    assert "w-a" in nodes
    assert "a" * 32 not in nodes, "who reads the list does not learn the session"

    beat = up.worker(owner, "heartbeat", "a", beat_no=1, settled=1, held=[lease]).json()
    assert beat["alive"]
    assert up.worker(owner, "complete", "a", reports=[{**lease, "cause": "succeeded"}]).json() == ["recorded"]
    assert up.run(run)["state"] == "SUCCEEDED"
    assert up.worker(owner, "leave", "a").status_code == 200


def test_code_declares_no_more_jobs_than_a_namespace_may_have(up: Up) -> None:
    worker = up.token("many", "worker")
    jobs = [{"namespace": "many", "name": f"j{n}", "document": "{}"} for n in range(20_001)]
    refused = up.register(worker, "m", "many", jobs=jobs)
    assert 400 <= refused.status_code < 500
    assert "jobs" in refused.json()["detail"]


def test_code_declares_jobs_where_its_token_is_for_and_the_journal_tells(up: Up) -> None:
    toys = up.token("toys", "worker", namespace="toys", group="mine")

    def declared(namespace: str, name: str, group: str) -> dict[str, str]:
        document = json.dumps({"run": {"python": "far:x"}, "group": group})
        return {"namespace": namespace, "name": name, "document": document}

    jobs = [declared("toys", "mine", "mine"), declared("bank", "theirs", "mine"), declared("toys", "away", "billing")]
    said = up.register(toys, "c", "mine", jobs=jobs).json()
    assert sorted(why.partition(":")[0] for why in said.get("refused", [])) == ["away", "theirs"]
    names = [
        [job["name"] for job in up.ask("GET", f"{V1}/jobs?namespace={namespace}").json()["items"]]
        for namespace in ("toys", "bank")
    ]
    assert names == [["mine"], []]
    events = up.ask("GET", f"{V1}/journal").json()["items"]
    assert any(event["kind"].startswith("job.") and "mine" in json.dumps(event) for event in events)


class Swallowed:
    """A way to the server on which the answer with a lease never arrives."""

    def __init__(self, up: Up) -> None:
        self.has_lease = threading.Event()
        self.is_over = threading.Event()
        self._url = up.began["url"]
        way = self

        class Way(Quiet):
            def do_POST(self) -> None:  # noqa: N802  the name is the library's
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, answer = way.passed_on(self.path, dict(self.headers), body)
                if self.path == f"{WORKER}/lease" and json.loads(answer).get("runs"):
                    way.has_lease.set()
                    way.is_over.wait(60)
                    return
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

        self.handler = Way

    def passed_on(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        kept = {name: value for name, value in headers.items() if name.lower() in ("authorization", "content-type")}
        try:
            with urllib.request.urlopen(urllib.request.Request(self._url + path, body, kept), timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()


def test_a_run_in_the_last_poll_of_a_worker_that_stops_is_given_back_and_its_spool_is_private(up: Up) -> None:
    """At most once: a run that the worker never saw was never started, and another worker may have it."""
    (up.folder / "stopping.py").write_text(ONCE)
    (up.folder / "w.token").write_text(up.token("stops", "worker"))
    way = Swallowed(up)
    with serving(way.handler) as url:
        options = ("--server", url, "--token-file", "w.token", "--group", "stopping")
        with started(up.folder, "worker", "stopping.py", *options) as worker:
            eventually(lambda: up.ask("GET", f"{V1}/jobs/once").status_code == 200, what="the job is declared")
            run = up.trigger("once")
            assert way.has_lease.wait(60)
            assert up.run(run)["state"] == "RUNNING"
            spools = [
                place for place in Path(plain_environment(up.folder)["TMPDIR"]).iterdir() if "spool" in place.name
            ]
            worker.send_signal(signal.SIGTERM)
            worker.wait(60)
        way.is_over.set()
    assert up.run(run)["state"] == "PENDING"
    other = up.token("next", "worker")
    up.register(other, "g", "stopping", "python:stopping:once")
    (again,) = up.lease(other, "g")
    assert up.run(run)["state"] == "RUNNING"
    report = {"run_id": again["run_id"], "lease_id": again["lease_id"], "cause": "succeeded"}
    assert up.worker(other, "complete", "g", reports=[report]).json() == ["recorded"]
    assert (up.run(run)["state"], up.run(run)["kind"]) == ("SUCCEEDED", None)
    assert spools == [], "nobody else can guess or make the folder of its results"
