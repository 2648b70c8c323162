"""Anomalies by the API: listed with their sentence, and beside the figures of their job."""

from foliot.domain.anomalies.anomaly import Anomaly, AnomalyKind
from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.ports.store.anomalies import ALL_JOBS
from tests.api.asking import Api
from tests.api.stage import Stage

FACTS = {"now_us": 90 * SECOND, "usual_us": 30 * SECOND, "ratio": 3.0, "runs": 4}


async def keep(stage: Stage, job_id: int, kind: AnomalyKind, **facts: float | str) -> None:
    store = stage.store.statistics
    began_at = stage.clock.at - HOUR
    anomaly = Anomaly(job_id=job_id, kind=kind, began_at=began_at, seen_at=began_at + MINUTE, facts=facts)
    seen = await store.judging_progress()
    assert await store.keep_course(seen, hour_at=began_at, after_id=ALL_JOBS, opened=[anomaly], changed=(), term=None)


async def test_anomalies_are_listed_and_stand_beside_the_figures_of_their_job(api: Api, stage: Stage) -> None:
    for name in ("tick", "tock"):
        await api.create_job(name)
    jobs = {
        job.name: job.job_id
        for job in (await stage.store.statistics.judging_page(0, after_id=0, limit=9, excused_since=0)).jobs
    }
    await keep(stage, jobs["tick"], AnomalyKind.DURATION, **FACTS)
    await keep(stage, jobs["tock"], AnomalyKind.SILENCE, hours=4, usual=1, weeks=5)
    listed = (await api.get("/anomalies", limit=1)).json()
    assert [(one["job"], one["kind"]) for one in listed["items"]] == [("tock", "silence")]
    rest = (await api.get("/anomalies", cursor=listed["next_cursor"])).json()["items"]
    assert [one["message"] for one in rest] == ["Runs take 1 m 30 s, usually 30 s: 3.0 times as long (4 runs)."]
    assert rest[0]["facts"] == FACTS
    of_job = (await api.get("/anomalies", job="tick", kind="duration", open="true")).json()["items"]
    assert of_job == rest
    assert (await api.get("/jobs/tick/stats")).json()["anomalies"] == rest
    chinese = await api.ask("GET", "/anomalies", headers={"Accept-Language": "zh-CN"})
    assert "小时内没有执行结束" in chinese.json()["items"][0]["message"]


async def test_a_token_of_another_namespace_sees_none(api: Api, stage: Stage) -> None:
    await api.create_job("tick")
    (job,) = (await stage.store.statistics.judging_page(0, after_id=0, limit=9, excused_since=0)).jobs
    await keep(stage, job.job_id, AnomalyKind.DURATION, **FACTS)
    narrow = await api.with_scopes("read", namespace="billing")
    assert (await narrow.get("/anomalies")).json()["items"] == []


async def test_a_kind_that_is_none_is_refused(api: Api) -> None:
    refused = await api.get("/anomalies", kind="speed")
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "kind")
