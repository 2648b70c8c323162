"""`shards: each_worker` over the API: kept and shown, `why` of the run and of a shard, its worker in the list."""

from foliot.domain.instants import SECOND
from foliot.domain.run import parse_run_id
from foliot.domain.verdict import Cause
from foliot.operations.why import why_run
from foliot.words.language import Language
from foliot.words.why import sentence
from tests.api.asking import Api
from tests.api.stage import ROOT, TIMES, Stage
from tests.conformance.building import PERSON


async def test_a_broadcast_says_whom_it_is_for_and_who_did_not_get_it(api: Api, stage: Stage) -> None:
    assert (await api.create_job("tick", shards="each_worker")).status_code == 201
    assert (await api.get("/jobs/tick")).json()["definition"]["shards"] == "each_worker"
    run = (await api.post("/jobs/tick:trigger")).json()["id"]

    async def told(one: str = run) -> str:
        return str((await api.get(f"/runs/{one}/why")).json()["sentence"])

    async def in_chinese(one: str) -> str:
        explanation, _ = await why_run(stage.services, ROOT, parse_run_id(one))
        return sentence(explanation, tz="UTC", language=Language.CHINESE)

    alone = await told()
    assert "no worker is online" in alone
    assert alone.endswith("; it is cut when a worker asks for runs: one shard for each live worker that fits.")
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    other = await stage.worker("w-2", ["python:jobs:tick"])
    assert "fits, now w-1 (0 of 8 slots), w-2 (0 of 8 slots)." in await told()
    assert "每个合适的在线工作节点一个分片" in await in_chinese(run)
    await stage.assign()
    shards = (await api.get(f"/runs/{run}/shards")).json()["items"]
    assert [(shard["shard"], shard["node"], shard["state"]) for shard in shards] == [
        (0, "w-1", "PENDING"),
        (1, "w-2", "PENDING"),
    ]
    assert (await told(shards[0]["id"])).endswith("; this shard is for w-1 alone.")
    assert "；该分片只属于 w-1" in await in_chinese(shards[0]["id"])
    await worker.lease()
    await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    await stage.store.nodes.drain(other.session, by=PERSON)
    term = await stage.store.nodes.campaign("leader", ttl_us=15_000_000)
    assert term is not None
    assert await stage.store.runs.end_orphans(limit=10, term=term.number) == 1
    lost = (await api.get(f"/runs/{shards[1]['id']}")).json()
    assert (lost["state"], lost["kind"], lost["node"]) == ("FAILED", "lost", "w-2")
    assert lost["error"] == "Its worker w-2 drains, and this shard was for no other."
    assert (await told(shards[1]["id"])).endswith(
        "lost: w-2 drained, was gone or could not execute it any more before the shard was done, "
        "and it was for no other worker."
    )
    assert "1 of 2 shards failed" in await told()
    assert (await api.get(f"/runs/{run}")).json()["error"] == "1 of 2 shards failed."
    journal = (await api.get("/journal", subject=run)).json()["items"]
    assert [(event["kind"], event["data"]["workers"]) for event in journal] == [
        ("run.shards_lost", ["w-2"]),
        ("run.cut", ["w-1", "w-2"]),
    ]
    again = (await api.post(f"/runs/{run}:retry")).json()["id"]
    await stage.assign()
    assert [shard["node"] for shard in (await api.get(f"/runs/{again}/shards")).json()["items"]] == ["w-1"]


async def test_failed_shards_go_to_the_workers_of_the_same_names(api: Api, stage: Stage) -> None:
    await api.create_job("tick", shards="each_worker")
    workers = [await stage.worker(name, ["python:jobs:tick"]) for name in ("w-1", "w-2", "w-3")]
    run = (await api.post("/jobs/tick:trigger")).json()["id"]
    await stage.assign()
    for worker, cause in zip(workers, (Cause.SUCCEEDED, Cause.ERROR, Cause.ERROR), strict=True):
        await worker.lease()
        await worker.end(cause, after_us=SECOND)
    for worker in workers[1:]:
        await stage.store.nodes.drain(worker.session, by=PERSON)
    refused = await api.post(f"/runs/{run}:retry", {"failed_shards": True})
    assert (refused.status_code, refused.json()["code"]) == (409, "FOL-3081")
    assert "failed is live and fits now: w-2, w-3." in refused.text
    assert await stage.store.nodes.undrain(workers[1].session)
    wish = {"failed_shards": True, "reason": "the disk is back"}
    again = (await api.post(f"/runs/{run}:retry", wish, headers={"Idempotency-Key": "once"})).json()
    assert again["reason"] == "the disk is back; left out: w-3"
    assert (await api.post(f"/runs/{run}:retry", wish, headers={"Idempotency-Key": "once"})).json()["id"] == again["id"]
    shards = (await api.get(f"/runs/{again['id']}/shards")).json()
    assert [(shard["shard"], shard["state"]) for shard in shards["items"]] == [(0, "SUCCEEDED"), (1, "PENDING")]
    noted = (await api.get("/journal", subject=run)).json()["items"][0]
    assert (noted["kind"], noted["data"]["run"]) == ("run.retried", again["id"])
    assert noted["data"]["reason"] == "the disk is back; left out: w-3"
    assert (await workers[0].lease()) is None
    await workers[1].lease()
    await workers[1].end(Cause.SUCCEEDED, after_us=SECOND)
    assert (await api.get(f"/runs/{again['id']}")).json()["state"] == "SUCCEEDED"


async def test_why_counts_a_worker_whose_beats_are_late(api: Api, stage: Stage) -> None:
    await api.create_job("tick", shards="each_worker")
    run = (await api.post("/jobs/tick:trigger")).json()["id"]
    await stage.worker("w-1", ["python:jobs:tick"])
    other = await stage.worker("w-2", ["python:jobs:tick"])
    stage.clock.at += TIMES.ttl_us + SECOND
    await other.beat()
    told = (await api.get(f"/runs/{run}/why")).json()["sentence"]
    assert "fits, now w-1 (0 of 8 slots), w-2 (0 of 8 slots)." in told
    await stage.assign()
    shards = (await api.get(f"/runs/{run}/shards")).json()["items"]
    assert [shard["node"] for shard in shards] == ["w-1", "w-2"]


async def test_a_broadcast_takes_no_route(api: Api) -> None:
    answer = await api.create_job("tick", shards="each_worker", place={"route": "round"})
    assert answer.status_code == 422
    assert "nobody is chosen where each worker gets a shard" in answer.text
