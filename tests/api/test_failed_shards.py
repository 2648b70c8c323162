"""`:retry` with `failed_shards`: what is refused, what the journal says."""

from foliot.domain.instants import SECOND
from foliot.domain.verdict import Cause
from tests.api.asking import Api
from tests.api.stage import Stage


async def test_failed_shards_are_run_again_alone(api: Api, stage: Stage) -> None:
    await api.create_job("tick", shards=3)
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    run = (await api.post("/jobs/tick:trigger")).json()["id"]
    early = await api.post(f"/runs/{run}:retry", {"failed_shards": True})
    assert (early.status_code, early.json()["code"]) == (409, "FOL-3012")
    for cause in (Cause.SUCCEEDED, Cause.ERROR, Cause.SUCCEEDED):
        await worker.lease()
        await worker.end(cause, after_us=SECOND)
    other = await api.post(f"/runs/{run}:retry", {"failed_shards": True, "version": "latest"})
    assert (other.status_code, other.json()["code"]) == (422, "FOL-1225")
    again = (await api.post(f"/runs/{run}:retry", {"failed_shards": True, "reason": "the disk is back"})).json()
    shards = (await api.get(f"/runs/{again['id']}/shards")).json()
    assert shards["counts"] == {"SUCCEEDED": 2, "PENDING": 1}
    kept = next(shard for shard in shards["items"] if shard["state"] == "SUCCEEDED")
    assert (await api.get(f"/runs/{kept['id']}")).json()["reason"] == f"kept from {run}"
    assert (await api.get(f"/runs/{kept['id']}/why")).status_code == 200
    noted = (await api.get("/journal", subject=run)).json()["items"][0]
    assert (noted["kind"], noted["data"]["failed_shards"], noted["data"]["run"]) == ("run.retried", 1, again["id"])
    await worker.lease()
    await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    assert (await api.get(f"/runs/{again['id']}")).json()["state"] == "SUCCEEDED"
    none = await api.post(f"/runs/{again['id']}:retry", {"failed_shards": True})
    assert (none.status_code, none.json()["code"]) == (409, "FOL-3080")


async def test_the_slowest_of_all_shards_is_named_on_the_first_page(api: Api, stage: Stage) -> None:
    await api.create_job("tick", shards=3)
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    run = (await api.post("/jobs/tick:trigger")).json()["id"]
    slowest = []
    for seconds in (2, 1, 3):
        await worker.lease()
        await worker.end(Cause.SUCCEEDED, after_us=seconds * SECOND)
        page = (await api.get(f"/runs/{run}/shards", limit=1)).json()
        slowest.append(None if page["slowest"] is None else page["slowest"]["duration_s"])
    assert slowest == [None, 2, 3], "one that began is not the slowest of several"
