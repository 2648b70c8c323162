"""Backfills: previewed, confirmed, paced, idempotent by instant, out of the schedule's way."""

import asyncio

import pytest

from foliot.domain.instants import SECOND
from foliot.domain.verdict import Cause
from foliot.engine.backfills import BackfillAdvance
from foliot.engine.journal import NodeNotes, OldNotes
from foliot.engine.pulse import Tide
from foliot.operations import backfill
from foliot.ports.store.actor import Actor
from foliot.ports.store.journal import EventFilter
from tests.api.asking import Api
from tests.api.stage import Stage

HOUR = {"from": "2026-03-02T06:03:00Z", "to": "2026-03-02T06:09:00Z"}
EVERY = {"every": "1m"}


async def prepared(api: Api, stage: Stage, **document: object) -> None:
    """A job whose last minutes were left out: it was paused."""
    await api.create_job("tick", schedule=EVERY, **document)
    await api.post("/jobs/tick:pause")
    stage.elapse("8m")
    await api.post("/jobs/tick:resume")


async def lead(stage: Stage) -> int:
    term = await stage.store.nodes.campaign("leader", ttl_us=3600 * SECOND)
    assert term is not None
    return term.number


async def start(api: Api, **order: object) -> dict[str, object]:
    body = {"job": "tick", **HOUR, **order}
    preview = (await api.post("/backfills:preview", body)).json()
    answer = await api.post("/backfills", {**body, "token": preview["token"]})
    assert answer.status_code == 201, answer.text
    found: dict[str, object] = answer.json()
    return found


async def test_a_preview_tells_the_exact_instants(api: Api, stage: Stage) -> None:
    await prepared(api, stage)
    seen = (await api.post("/backfills:preview", {"job": "tick", **HOUR})).json()
    assert (seen["count"], seen["first"], seen["last"]) == (6, "2026-03-02T06:03:00Z", "2026-03-02T06:08:00Z")
    assert seen["parallel"] == 1  # a serial job runs one at a time
    newest = (await api.post("/backfills:preview", {"job": "tick", **HOUR, "newest_first": True})).json()
    assert newest["instants"] == seen["instants"][::-1]
    assert (await api.get("/runs", job="tick")).json()["items"] == []


async def test_what_changed_since_the_preview_is_not_started(api: Api, stage: Stage) -> None:
    await prepared(api, stage)
    token = (await api.post("/backfills:preview", {"job": "tick", **HOUR})).json()["token"]
    changed = await api.post("/backfills", {"job": "tick", **HOUR, "to": "2026-03-02T06:05:00Z", "token": token})
    assert (changed.status_code, changed.json()["code"]) == (409, "FOL-3014")
    assert (await api.get("/backfills")).json()["items"] == []


async def test_runs_are_made_a_few_at_a_time_until_all_are_done(api: Api, stage: Stage) -> None:
    await prepared(api, stage, overlap="allow")
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    duty = BackfillAdvance(stage.services.store.backfills, on_made=lambda: stage.woken.append("made"))
    backfill = await start(api, parallel=2, reason="network was down")
    number = backfill["id"]
    assert (backfill["inserted"], len(backfill["live"])) == (2, 2)  # type: ignore[arg-type]
    term = await lead(stage)
    assert await duty.advance(term) is None  # nothing ended: nothing to do
    for _ in range(6):
        run = await worker.lease()
        assert run is not None
        assert run.due_at <= stage.clock.at
        live = (await api.get("/runs", job="tick", state="pending,running")).json()["items"]
        assert len(live) <= 2
        await worker.end(Cause.SUCCEEDED, after_us=SECOND)
        await duty.advance(term)
    done = (await api.get(f"/backfills/{number}")).json()
    assert (done["state"], done["inserted"], done["succeeded"], done["failed"]) == ("DONE", 6, 6, 0)
    runs = (await api.get("/runs", job="tick")).json()["items"]
    assert {run["origin"] for run in runs} == {"backfill"}
    assert sorted(run["due_at"] for run in runs) == [f"2026-03-02T06:0{minute}:00Z" for minute in range(3, 9)]
    nothing = (await api.post("/backfills:preview", {"job": "tick", **HOUR})).json()
    assert nothing["count"] == 0
    everything = (await api.post("/backfills:preview", {"job": "tick", **HOUR, "only": "all"})).json()
    assert everything["count"] == 6


async def test_two_backfills_of_the_same_missing_instants_run_each_once(api: Api, stage: Stage) -> None:
    await prepared(api, stage, overlap="allow")
    body = {"job": "tick", **HOUR, "parallel": 10}
    token = (await api.post("/backfills:preview", body)).json()["token"]
    await stage.services.store.backfills.advance(limit=1)
    first = await api.post("/backfills", {**body, "token": token})
    again = await api.post("/backfills", {**body, "token": token})
    assert (first.status_code, again.status_code) == (201, 409)
    assert len((await api.get("/runs", job="tick")).json()["items"]) == 6


async def test_failed_ones_are_run_again_under_a_key_of_their_own(api: Api, stage: Stage) -> None:
    await prepared(api, stage, overlap="allow")
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    await start(api, parallel=10)
    for n in range(6):
        await worker.lease()
        await worker.end(Cause.ERROR if n < 2 else Cause.SUCCEEDED, after_us=SECOND, error="ValueError: boom")
    await stage.services.store.backfills.advance(limit=10)
    again = (await api.post("/backfills:preview", {"job": "tick", **HOUR, "only": "failed"})).json()
    assert again["count"] == 2
    await start(api, only="failed")
    await worker.lease()
    await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    await stage.services.store.backfills.advance(limit=10)
    left = (await api.post("/backfills:preview", {"job": "tick", **HOUR, "only": "failed"})).json()
    assert left["count"] <= 1


async def test_a_backfill_is_paused_goes_on_and_ends(api: Api, stage: Stage) -> None:
    await prepared(api, stage, overlap="allow")
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    number = (await start(api, parallel=1))["id"]
    assert (await api.post(f"/backfills/{number}:pause")).json()["state"] == "PAUSED"
    await worker.lease()
    await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    assert await stage.services.store.backfills.advance(limit=10) == 0
    assert (await api.post(f"/backfills/{number}:resume")).json()["state"] == "ACTIVE"
    assert await stage.services.store.backfills.advance(limit=10) == 1
    ended = (await api.ask("DELETE", f"/backfills/{number}")).json()
    assert ended["state"] == "CANCELLED"
    assert (await api.post(f"/backfills/{number}:resume")).json()["state"] == "CANCELLED"  # over is over
    assert (await api.get("/backfills/999")).status_code == 404


async def test_a_preview_looks_at_a_bounded_number_of_instants(
    api: Api, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    await prepared(api, stage, overlap="allow")
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    await start(api, parallel=10)
    for n in range(6):
        await worker.lease()
        await worker.end(Cause.ERROR if n == 4 else Cause.SUCCEEDED, after_us=SECOND, error="ValueError: boom")
    monkeypatch.setattr(backfill, "LOOKED_AT_MAX", 4)
    much = await api.post("/backfills:preview", {"job": "tick", **HOUR})  # no instant is missing, but all are looked at
    assert (much.status_code, much.json()["errors"][0]["path"]) == (422, "to")
    assert (await api.post("/backfills:preview", {"job": "tick", **HOUR, "to": "2026-03-02T06:07:00Z"})).is_success
    monkeypatch.setattr(backfill, "LOOKED_AT_MAX", 1)
    years = {"from": "1999-01-01T00:00:00Z", "to": HOUR["to"], "only": "failed"}  # of which one minute failed
    failed = (await api.post("/backfills:preview", {"job": "tick", **years})).json()
    assert (failed["count"], failed["first"]) == (1, "2026-03-02T06:07:00Z")
    monkeypatch.setattr(backfill, "TAKEN_MAX", 6)
    assert (await api.post("/backfills:preview", {"job": "tick", **years})).status_code == 422


async def test_only_instants_of_the_schedule_are_run_again(api: Api, stage: Stage) -> None:
    await prepared(api, stage, overlap="allow")
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    await start(api, parallel=10)
    for _ in range(6):
        await worker.lease()
        await worker.end(Cause.ERROR, after_us=SECOND, error="ValueError: boom")
    document = {"run": {"python": "jobs:tick"}, "schedule": {"cron": "*/2 * * * *"}}
    await api.ask("PUT", "/jobs/tick", {"definition": document}, headers={"If-Match": '"v1"'})
    failed = (await api.post("/backfills:preview", {"job": "tick", **HOUR, "only": "failed"})).json()
    assert failed["instants"] == [f"2026-03-02T06:0{minute}:00Z" for minute in (4, 6, 8)]


async def test_others_have_their_turn_while_a_long_range_is_looked_at(
    api: Api, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    await api.create_job("tick", schedule={"every": "1s"})
    turns, real = 0, stage.clock.wait

    async def wait(wake: asyncio.Event, *, for_s: float) -> bool:
        nonlocal turns
        turns += 1
        return await real(wake, for_s=for_s)

    monkeypatch.setattr(stage.clock, "wait", wait)
    seen = await api.post(
        "/backfills:preview", {"job": "tick", **HOUR, "from": "2026-03-02T04:00:00Z", "to": "2026-03-02T06:00:00Z"}
    )
    assert seen.json()["count"] == 7200
    assert turns >= 7200 // 200


async def test_what_makes_no_sense_is_refused(api: Api, stage: Stage) -> None:
    await prepared(api, stage)
    await api.create_job("greet")
    for body, field in (
        ({"job": "tick", "from": HOUR["to"], "to": HOUR["from"]}, "to"),
        ({"job": "tick", "from": HOUR["from"], "to": "2030-01-01T00:00:00Z"}, "to"),
        ({"job": "greet", **HOUR}, "job"),
        ({"job": "tick", "from": "1990-01-01T00:00:00Z", "to": HOUR["to"]}, "to"),
        ({"job": "tick", "from": "yesterday", "to": HOUR["to"]}, "from"),
    ):
        answer = await api.post("/backfills:preview", body)
        assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, field), body


async def test_a_deleted_jobs_backfill_ends(api: Api, stage: Stage) -> None:
    await prepared(api, stage, overlap="allow")
    number = (await start(api, parallel=1))["id"]
    await api.ask("DELETE", "/jobs/tick", headers={"If-Match": '"v1"'})
    for run in (await api.get("/runs")).json()["items"]:
        await api.post(f"/runs/{run['id']}:cancel")
    await stage.services.store.backfills.advance(limit=10)
    assert (await api.get(f"/backfills/{number}")).json()["state"] == "DONE"


@pytest.mark.parametrize("overlap", ["skip", "queue"])
async def test_a_backfill_run_is_not_in_the_schedules_way(api: Api, stage: Stage, overlap: str) -> None:
    """Backfill runs are not open: a fire under `overlap=skip` is not left out for one (design 2)."""
    await prepared(api, stage, overlap=overlap)
    await start(api)
    stage.clock.at = stage.moment("14:11:00.005")
    await stage.fire()
    fires = (await api.get("/jobs/tick/fires", from_="2026-03-02T06:11:00Z", to="2026-03-02T06:11:01Z")).json()
    assert [fire["decision"] for fire in fires["past"]] == ["CREATED"]


async def test_the_journal_tells_of_nodes_and_old_notes_go(api: Api, stage: Stage) -> None:
    await stage.worker("w-1", [])
    tide = Tide(stage.clock)
    tide.learn(await stage.store.firing.pulse(), seen_at=stage.clock.monotonic())
    chronicling = NodeNotes(stage.services.store.lookups, stage.services.store.journal, tide=tide)
    await stage.store.nodes.campaign("leader", ttl_us=5 * SECOND)
    for _ in range(2):
        await chronicling.chronicle(1)
    await stage.store.nodes.drain(stage.workers["w-1"].session, by=stage_actor())
    await chronicling.chronicle(1)
    notes = (await api.get("/journal", topic="nodes")).json()["items"]
    assert [note["kind"] for note in notes] == ["node.draining", "node.joined"]
    (node,) = (await api.get("/nodes")).json()["items"]
    assert {note["data"]["id"] for note in notes} == {node["id"]}
    assert stage.workers["w-1"].session not in str(notes), "its session id is no one else's business"
    store = stage.services.store
    clearing = OldNotes(store.lookups, store.journal, store.replies, store.failovers)
    stage.elapse("91d")
    await clearing.clear(1)
    assert await stage.services.store.journal.newest_id() in (0, 1, 2, 3)

    assert (await stage.services.store.journal.newest(EventFilter(), limit=10)).items == []


async def test_what_an_ended_term_could_not_note_the_next_term_notes(api: Api, stage: Stage) -> None:
    """A server wins the next term again, after a round under the old one whose notes did not land."""
    await stage.store.nodes.campaign("leader", ttl_us=5 * SECOND)
    await stage.worker("w-1", [])
    stage.elapse("1m")
    next_term = await stage.store.nodes.campaign("leader", ttl_us=5 * SECOND)
    assert next_term is not None
    assert next_term.number == 2
    tide = Tide(stage.clock)
    tide.learn(await stage.store.firing.pulse(), seen_at=stage.clock.monotonic())
    chronicling = NodeNotes(stage.services.store.lookups, stage.services.store.journal, tide=tide)
    await chronicling.chronicle(1)
    assert (await api.get("/journal", topic="nodes")).json()["items"] == []
    await chronicling.chronicle(2)
    kinds = [event["kind"] for event in (await api.get("/journal", topic="nodes")).json()["items"]]
    assert kinds == ["node.joined"]


def stage_actor() -> Actor:

    return Actor(name="ops", reason="kernel update")


async def test_the_namespace_of_a_backfill_stands_in_the_address_or_in_the_body(api: Api, stage: Stage) -> None:
    definition = {"run": {"python": "m:f"}, "schedule": {"every": "1m"}}
    await api.ask("POST", "/jobs", {"name": "tick", "definition": definition}, namespace="toys")
    stage.elapse("10m")
    body = {"job": "tick", **HOUR}
    assert (await api.post("/backfills:preview", body)).status_code == 404
    for said in ({}, {"namespace": "toys"}):
        seen = await api.ask("POST", "/backfills:preview", {**body, **said}, namespace="toys")
        assert seen.status_code == 200, seen.text
    twice = await api.ask("POST", "/backfills:preview", {**body, "namespace": "pay"}, namespace="toys")
    assert (twice.status_code, twice.json()["errors"][0]["path"]) == (422, "namespace")
