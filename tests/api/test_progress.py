"""How far a run is, from its worker's beat to whoever asks."""

import json

from foliot.domain.instants import SECOND
from foliot.domain.verdict import Cause, judge
from foliot.ports.worker_link import Beat, HeldLease
from tests.api.asking import Api
from tests.api.stage import TIMES, Stage, StageWorker


async def _tell(worker: StageWorker, progress: object, *, started_us_ago: int) -> None:
    worker.beat_no += 1
    held = tuple(
        HeldLease(
            run_id=run.run_id, lease_id=run.lease_id, started_us_ago=started_us_ago, progress=json.dumps(progress)
        )
        for run in worker.held
    )
    beat = Beat(session=worker.session, beat_no=worker.beat_no, settled=worker.request_no, held=held)
    await worker.stage.store.nodes.beat(beat, ttl_us=TIMES.ttl_us, judge=judge)


async def test_a_running_run_says_how_far_it_is(api: Api, stage: Stage) -> None:
    await api.create_job("tick")
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    run = (await api.post("/jobs/tick:trigger", {})).json()["id"]
    assert (await api.get(f"/runs/{run}")).json()["progress"] is None
    await worker.lease()
    assert (await api.get(f"/runs/{run}")).json()["progress"] is None
    await _tell(worker, {"done": 0, "total": 10, "note": ""}, started_us_ago=0)
    first = (await api.get(f"/runs/{run}")).json()["progress"]
    assert (first["done"], first["total"], first["rate_per_s"], first["left_s"]) == (0, 10, None, None)
    stage.elapse("3s")
    await _tell(worker, {"done": 6, "total": 10, "note": "acct 7 – 账户"}, started_us_ago=3 * SECOND)
    told = (await api.get(f"/runs/{run}")).json()["progress"]
    assert (told["done"], told["total"], told["note"]) == (6, 10, "acct 7 – 账户")
    assert 1.5 < told["rate_per_s"] <= 2.0
    assert 2.0 <= told["left_s"] < 3.0
    assert (await api.get("/runs")).json()["items"][0]["progress"] is None  # a list does not ask every worker
    await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    assert (await api.get(f"/runs/{run}")).json()["progress"] is None


async def test_progress_without_an_end_has_a_pace_and_no_time_left(api: Api, stage: Stage) -> None:
    await api.create_job("tick")
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    run = (await api.post("/jobs/tick:trigger", {})).json()["id"]
    await worker.lease()
    await _tell(worker, {"done": 1, "total": None, "note": ""}, started_us_ago=0)
    stage.elapse("10s")
    await _tell(worker, {"done": 50, "total": None, "note": ""}, started_us_ago=10 * SECOND)
    told = (await api.get(f"/runs/{run}")).json()["progress"]
    assert (told["total"], told["left_s"]) == (None, None)
    assert 4.0 < told["rate_per_s"] <= 5.0
