"""The route of a job over the API: it is checked, kept and shown, and `why` says for whom a run is meant."""

from foliot.domain.instants import SECOND
from foliot.domain.run import parse_run_id
from foliot.domain.verdict import Cause, judge
from foliot.operations.why import why_run
from foliot.ports.worker_link import Beat
from foliot.words.language import Language
from foliot.words.why import sentence
from tests.api.asking import Api
from tests.api.stage import ROOT, Stage
from tests.conformance.test_statistics_store import read


async def test_a_route_is_kept_and_shown_as_it_was_written(api: Api) -> None:
    by_key = {"name": "consistent_hash", "by": "customer"}
    for name, route in (("turns", "round"), ("keys", by_key)):
        answer = await api.create_job(name, place={"route": route})
        assert answer.status_code == 201
        assert (await api.get(f"/jobs/{name}")).json()["definition"]["place"] == {"route": route}


async def test_a_word_that_is_no_route_is_refused_with_all_there_are(api: Api) -> None:
    answer = await api.create_job("tick", place={"route": "rond"})
    told = answer.json()
    assert (answer.status_code, told["code"]) == (422, "FOL-1230")
    assert 'There is no route "rond".' in str(told)
    assert "did you mean round?" in str(told)
    assert "least_load" in str(told)
    chinese = await api.ask(
        "POST", "/jobs", {"name": "tick", "definition": {"run": {"python": "jobs:tick"}, "place": {"route": "rond"}}},
        headers={"Accept-Language": "zh"},
    )  # fmt: skip
    assert "没有名为“rond”的路由" in chinese.text
    wrong = await api.create_job("tick", place={"route": {"name": "round", "by": "customer"}})
    assert wrong.status_code == 422
    assert "the route round goes by no parameter" in wrong.text


async def test_why_says_for_whom_a_run_is_meant_and_between_whom_its_route_chooses(api: Api, stage: Stage) -> None:
    await api.create_job("tick", place={"route": "first"})
    for name in ("w-1", "w-2"):
        await stage.worker(name, ["python:jobs:tick"])
    run = (await api.post("/jobs/tick:trigger")).json()["id"]

    async def told() -> str:
        return str((await api.get(f"/runs/{run}/why")).json()["sentence"])

    among = "it chooses among w-1 (0 of 8 slots), w-2 (0 of 8 slots)."
    assert (await told()).endswith(f"; its route first is asked when a worker asks for runs; {among}")
    await stage.assign()
    said = await told()
    assert "; its route first means it for w-1 until " in said
    assert said.endswith(f"; {among}")
    explanation, _ = await why_run(stage.services, ROOT, parse_run_id(run))
    assert "；路由 first 将它分给 w-1" in sentence(explanation, tz="UTC", language=Language.CHINESE)
    await api.post("/jobs/tick:trigger")
    await stage.assign()
    assert "it chooses among w-1 (0 of 8 slots, 1 waiting), w-2 (0 of 8 slots)." in await told()
    explanation, _ = await why_run(stage.services, ROOT, parse_run_id(run))
    assert "w-1（8 个槽位占用 0，1 个等待）" in sentence(explanation, tz="UTC", language=Language.CHINESE)


async def test_wishes_are_kept_and_shown_and_why_names_them_with_their_scores(api: Api, stage: Stage) -> None:
    place = {"prefer": {"disk": {"value": "ssd", "weight": 5}}, "avoid": {"spot": "yes"}, "spread": "zone"}
    answer = await api.create_job("tick", place=place)
    assert answer.status_code == 201
    assert (await api.get("/jobs/tick")).json()["definition"]["place"] == place
    await stage.worker("w-1", ["python:jobs:tick"], labels={"zone": "e", "spot": "yes"})
    await stage.worker("w-2", ["python:jobs:tick"], labels={"zone": "w", "disk": "ssd"})
    run = (await api.post("/jobs/tick:trigger")).json()["id"]
    await stage.assign()
    said = str((await api.get(f"/runs/{run}/why")).json()["sentence"])
    assert "; its route any means it for w-2 until 06:02:41 (the wishes of the job leave no other); " in said
    assert said.endswith(
        "it chooses among w-1 (0 of 8 slots, to be avoided, zone=e with 0 runs of the job), "
        "w-2 (0 of 8 slots, score 0.12, preferred by 5, zone=w with 1 run of the job); the job prefers disk=ssd (5); "
        "the job avoids spot=yes; its runs are spread over zone."
    )
    explanation, _ = await why_run(stage.services, ROOT, parse_run_id(run))
    told = sentence(explanation, tz="UTC", language=Language.CHINESE)
    assert "；任务偏好 disk=ssd (5)；任务避开 spot=yes；其执行按 zone 分散" in told


async def test_wishes_that_contradict_each_other_are_refused(api: Api) -> None:
    answer = await api.create_job("tick", place={"prefer": {"zone": "e"}, "spread": "zone"})
    assert answer.status_code == 422
    assert "place.spread: place.prefer names one value of this label" in answer.text
    chinese = await api.ask(
        "POST", "/jobs",
        {"name": "tick", "definition": {"run": {"python": "jobs:tick"},
                                        "place": {"prefer": {"zone": "e"}, "spread": "zone"}}},
        headers={"Accept-Language": "zh"},
    )  # fmt: skip
    assert "place.prefer 已限定该标签的值" in chinese.text


async def test_why_shows_the_pace_of_each_worker_where_the_route_goes_by_it(api: Api, stage: Stage) -> None:
    await api.create_job("tick", place={"route": "fastest"})
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    await stage.worker("w-2", ["python:jobs:tick"])
    await api.post("/jobs/tick:trigger")
    await stage.assign()
    await worker.lease()
    await worker.end(Cause.SUCCEEDED, after_us=2 * SECOND)
    statistics = stage.store.statistics
    assert await statistics.add(await statistics.progress(), await read(statistics), term=None)
    run = (await api.post("/jobs/tick:trigger")).json()["id"]
    told = str((await api.get(f"/runs/{run}/why")).json()["sentence"])
    assert told.endswith("it chooses among w-1 (0 of 8 slots, score 2, 2.0 s a run), w-2 (0 of 8 slots).")
    explanation, _ = await why_run(stage.services, ROOT, parse_run_id(run))
    assert "每次执行 2.0 秒" in sentence(explanation, tz="UTC", language=Language.CHINESE)


async def test_why_names_each_candidate_with_what_the_route_compares_for_programs_too(api: Api, stage: Stage) -> None:
    await api.create_job("plain")
    await api.create_job("tick", place={"route": "least_running"})
    for name in ("w-1", "w-2"):
        await stage.worker(name, ["python:jobs:tick"], weight=2 if name == "w-2" else 1)
    run = (await api.post("/jobs/tick:trigger")).json()["id"]

    async def candidates(run: str) -> list[tuple[str, float | None, bool]]:
        told = (await api.get(f"/runs/{run}/why")).json()["candidates"]
        (listed,) = (await api.get("/runs:why", ids=run)).json()["items"]
        assert listed["candidates"] == told
        return [(one["node"], one["score"], one["chosen"]) for one in told]

    assert await candidates(run) == [("w-1", 1, False), ("w-2", 0.5, False)], "nobody asked its route"
    await stage.assign()
    assert await candidates(run) == [("w-1", 1, False), ("w-2", 0.5, True)]
    assert await candidates((await api.post("/jobs/plain:trigger")).json()["id"]) == []
    await stage.workers["w-2"].lease()
    assert await candidates(run) == [], "it is there"


async def test_why_says_by_which_key_a_run_goes_where_it_goes(api: Api, stage: Stage) -> None:
    await api.create_job("tick", place={"route": {"name": "sticky", "by": "film"}}, params={"film": "stalker"})
    for name in ("w-1", "w-2"):
        await stage.worker(name, ["python:jobs:tick"])
    runs = [
        (await api.post("/jobs/tick:trigger", {"params": params})).json()["id"] for params in ({"film": "solaris"}, {})
    ]
    await stage.assign()
    told = [str((await api.get(f"/runs/{run}/why")).json()["sentence"]) for run in runs]
    assert [film in said for said, film in zip(told, ("(its key solaris)", "(its key stalker)"), strict=True)] == [
        True,
        True,
    ], told


async def test_why_names_the_workers_that_get_less_work_and_the_reason(api: Api, stage: Stage) -> None:
    await api.create_job("routed", place={"route": "first"})
    await api.create_job("plain")
    offers = ["python:jobs:routed", "python:jobs:plain"]
    short = await stage.worker("w-1", offers)
    for number in (1, 2, 3):
        stage.elapse("5s")
        beat = Beat(session=short.session, beat_no=number, settled=0, held=(), load={"cpu": 0.2, "memory": 0.97})
        await stage.store.nodes.beat(beat, ttl_us=15 * SECOND, judge=judge)
    await stage.worker("w-2", offers)

    async def told(job: str, **how: str) -> str:
        run = (await api.post(f"/jobs/{job}:trigger")).json()["id"]
        return str((await api.get(f"/runs/{run}/why", headers=how)).json()["sentence"])

    assert "; these get runs for a part of their slots: w-1 (its memory is short)" in await told("plain")
    routed = await told("routed")
    assert "w-1 (0 of 8 slots, load 0.53, WARNING: its memory is short), w-2 (0 of 8 slots)." in routed
    assert "只有部分槽位可得到执行：w-1（内存不足）" in await told("plain", **{"Accept-Language": "zh"})
