"""Two namespaces: what belongs to one does not exist for the other, on any route, by any name (SEC-05)."""

import re
from typing import Any

import pytest

from foliot.api.console import PAGES
from foliot.ports.worker_link import HandlerOffer, Hello, KindOffer
from tests.api.asking import Api
from tests.api.stage import TIMES, Stage
from tests.api.test_access import BODIES, STREAMS, routes

CANARY = "canary-9f3c1a2b"  # in everything of theirs that a name does not tell
THEIR_JOB = "their-job"
NO_NAMESPACE = re.compile(
    r"/(runs/|tokens|cluster|nodes|handlers|cron|login|backfills[/:]|whoami|openapi|docs|metrics)"
)


async def prepared(api: Api, stage: Stage) -> dict[str, str]:
    """A foreign namespace with everything in it, each thing marked."""
    document = {
        "run": {"python": f"m:{CANARY}"},
        "schedule": {"every": "1m"},
        "description": CANARY,
        "owner": CANARY,
        "tags": {"team": CANARY},
    }
    made = await api.ask("POST", "/jobs", {"name": THEIR_JOB, "definition": document}, namespace="theirs")
    assert made.status_code == 201, made.text
    run = (await api.ask("POST", f"/jobs/{THEIR_JOB}:trigger", {"reason": CANARY}, namespace="theirs")).json()["id"]
    stage.elapse("10m")
    order = {
        "job": THEIR_JOB,
        "reason": CANARY,
        "namespace": "theirs",
        "from": "2026-03-02T06:03:00Z",
        "to": "2026-03-02T06:08:00Z",
    }
    preview = (await api.post("/backfills:preview", {**order, "only": "all"})).json()
    backfill = await api.post("/backfills", {**order, "only": "all", "token": preview["token"]})
    assert backfill.status_code == 201, backfill.text
    number = str(backfill.json()["id"])
    hello = Hello(
        session="f" * 32,
        name="their-worker",
        group="default",
        slots=1,
        namespace="theirs",
        handlers=(HandlerOffer(name="theirs"),),
        kinds=(KindOffer(kind="theirs", version=CANARY, options={"description": CANARY}),),
    )
    await stage.store.nodes.register(hello, kind="worker", ttl_us=TIMES.ttl_us)
    values = {"name": THEIR_JOB, "run": run, "version": "1", "number": number, "callback": "c-" + "0" * 32}
    return {**values, "kind": "theirs", "claim": "0" * 32, "type": "worker_crash"}


async def test_nothing_of_another_namespace_is_seen_or_touched(api: Api, stage: Stage) -> None:
    theirs = await prepared(api, stage)
    ours = await api.with_scopes("read", "run", "write", namespace="ours")
    leaks: list[str] = []
    for method, path, _right in routes(api):
        if path in (*STREAMS, *PAGES) or path.endswith(("/logout", "/login")):
            continue
        for values in (theirs, dict.fromkeys(theirs, "*"), dict.fromkeys(theirs, "~"), {**theirs, "run": "r-2"}):
            filled = re.sub(r"\{(\w+)\}", lambda found, known=values: known[found[1]], path)  # type: ignore[misc]
            for namespace in ("theirs", None, "*"):
                answer = await ours.ask(method, filled, body_for(method, path, theirs), **query_for(path, namespace))
                if CANARY in answer.text:
                    leaks.append(f"{method} {filled} ({namespace}): {answer.text[:200]}")
                if answer.status_code < 300 and "{" in path:
                    leaks.append(f"{method} {filled} ({namespace}) answered {answer.status_code}")
    assert leaks == []
    job = (await api.get(f"/jobs/{THEIR_JOB}", namespace="theirs")).json()
    assert (job["version"], job["state"]) == (1, "ACTIVE")
    assert (await api.get(f"/runs/{theirs['run']}")).json()["state"] == "PENDING"


def body_for(method: str, path: str, theirs: dict[str, str]) -> Any:
    if method in ("GET", "DELETE"):
        return None
    body = dict(BODIES.get(f"{method} {path}", {}))
    if "backfills" in path and body:
        body |= {"job": theirs["name"], "namespace": "theirs"}
    if path.endswith((":cancel", ":retry")) and "ids" in body:
        body["ids"] = [theirs["run"]]
    return body


def query_for(path: str, namespace: str | None) -> dict[str, Any]:
    query: dict[str, Any] = {}
    if namespace is not None and not NO_NAMESPACE.search(path):
        query["namespace"] = namespace
    if path.endswith("/search"):
        query["q"] = "canary"
    if path.endswith("/diff"):
        query |= {"before": 1, "after": 1}
    if path.endswith("/{name}/why"):
        query["at"] = "2026-03-02T06:03:00Z"
    return query


async def test_our_own_namespace_is_all_there_is(api: Api, stage: Stage) -> None:
    await prepared(api, stage)
    ours = await api.with_scopes("read", "run", "write", namespace="ours")
    assert (await ours.create_job("mine")).json()["namespace"] == "ours"
    assert [job["name"] for job in (await ours.get("/jobs")).json()["items"]] == ["mine"]
    assert (await ours.get("/jobs", namespace="theirs")).json()["items"] == []
    assert (await ours.get("/runs")).json()["items"] == []
    assert {event["namespace"] for event in (await ours.get("/journal")).json()["items"]} == {"ours"}
    assert (await ours.get("/journal", namespace="theirs")).json()["items"] == []
    assert (await ours.get("/backfills")).json()["items"] == []
    assert (await ours.get("/search", q="canary")).json()["items"] == []
    denied = await ours.ask(
        "POST", "/jobs", {"name": "x", "definition": {"run": {"python": "m:f"}}}, namespace="theirs"
    )
    assert denied.status_code == 403
    for path in ("/cluster", "/nodes", "/tokens"):
        assert (await ours.get(path)).status_code == 403


async def test_a_token_of_a_group_acts_on_its_jobs_only(api: Api) -> None:
    await api.create_job("bill", group="billing")
    await api.create_job("report", group="reports")
    asker = await api.with_scopes("read", "run", "write", group="billing")
    assert (await asker.post("/jobs/bill:trigger")).status_code == 201
    assert (await asker.post("/jobs/report:trigger")).status_code == 403
    assert (await asker.post("/jobs/report:pause")).status_code == 403
    assert (await asker.get("/jobs/report")).status_code == 200  # reading is not limited to a group
    moved = {"definition": {"run": {"python": "jobs:report"}, "group": "billing"}}
    grab = await asker.ask("PUT", "/jobs/report", moved, headers={"If-Match": '"v1"'})
    assert grab.status_code == 403  # a job of another group cannot be pulled into one's own
    push = {"definition": {"run": {"python": "jobs:bill"}, "group": "reports"}}
    assert (await asker.ask("PUT", "/jobs/bill", push, headers={"If-Match": '"v1"'})).status_code == 403
    run = (await api.post("/jobs/report:trigger")).json()["id"]
    assert (await asker.post(f"/runs/{run}:cancel")).status_code == 403


async def test_what_workers_of_another_namespace_offer_is_not_told_by_a_validation(api: Api, stage: Stage) -> None:
    await stage.worker("w-1", ["python:m:secret"])
    ours = await api.with_scopes("read", "write", namespace="ours")
    told = await ours.ask("POST", "/jobs:validate", {"definition": {"run": {"python": "m:secret"}}}, namespace="theirs")
    assert (told.status_code, told.json()["code"]) == (403, "FOL-4001")


@pytest.mark.parametrize(
    ("group", "labels", "has_a_say"),
    [("billing", {"zone": "north"}, True), ("other", {"zone": "north"}, False), ("billing", {}, False)],
)
async def test_only_workers_that_may_run_a_job_say_what_it_takes(
    api: Api, stage: Stage, group: str, labels: dict[str, str], *, has_a_say: bool
) -> None:
    """SEC-25: the schema of another refuses no parameters here, and is not shown."""
    definition = {"run": {"python": "m:f"}, "group": "billing", "place": {"require": {"zone": "north"}}}
    await api.post("/jobs", {"name": "settle", "definition": definition})
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    await stage.worker("w-1", {"python:m:f": schema}, group=group, labels=labels)
    shown = (await api.get("/jobs/settle/parameters")).json()
    assert (shown["parameters"] is not None) is has_a_say
    triggered = await api.post("/jobs/settle:trigger", {"params": {"day": 1}})
    assert triggered.status_code == (422 if has_a_say else 201)
    seen = (await api.post("/jobs:validate", {"definition": definition})).json()
    assert seen["is_offered"] is has_a_say
