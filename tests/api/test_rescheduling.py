"""Schedules that a store clock sent ahead: seen by `why` and by the cluster's troubles, set right by one command."""

import pytest

from tests.api.asking import Api
from tests.api.stage import START, Stage

HOURLY = {"every": "1h"}


async def sent_ahead(stage: Stage) -> None:
    """The store's clock is five years ahead for a while, and servers fire."""
    stage.clock.at = stage.moment("2031-03-03 14:02")
    await stage.fire()
    stage.clock.at = START


async def test_a_job_that_stands_ahead_is_told_and_set_right(api: Api, stage: Stage) -> None:
    await api.create_job("settle", schedule=HOURLY)
    await sent_ahead(stage)
    (told,) = (await api.get("/jobs/settle/why", since="2026-03-02T00:00:00Z")).json()["items"]
    assert told["verdict"] == "ahead"
    assert told["sentence"] == (
        "settle: its next fire is set to 2031-03-03 07:00:00 UTC, though its schedule has one at 07:00:00 UTC;"
        " this happens when the store's clock was ahead."
    )
    assert told["hint"] == "foliot job reschedule settle"

    planned = (await api.get("/jobs/settle/fires", limit=1)).json()["future"]
    assert [fire["due_at"] for fire in planned] == ["2031-03-03T07:00:00Z"], "nothing is promised before"

    looked = (await api.post("/jobs/settle:reschedule", {"dry_run": True})).json()
    assert (looked["changed"], looked["dry_run"]) == (True, True)
    assert (await api.get("/jobs/settle")).json()["next_due_at"] == "2031-03-03T07:00:00Z"

    done = (await api.post("/jobs/settle:reschedule", {"reason": "the clock was wrong"})).json()
    assert (done["before"]["next_due_at"], done["after"]["next_due_at"]) == (
        "2031-03-03T07:00:00Z",
        "2026-03-02T07:00:00Z",
    )
    assert (done["cancelled"], done["instants"] > 40_000) == (1, True)
    assert (done["job"]["next_at"], done["dry_run"]) == ("2026-03-02T07:00:00Z", False)
    assert not (await api.post("/jobs/settle:reschedule")).json()["changed"]
    (noted,) = [
        event
        for event in (await api.get("/journal", subject="settle")).json()["items"]
        if event["kind"] == "job.rescheduled"
    ]
    assert noted["data"] == {
        "reason": "the clock was wrong",
        "before": "2031-03-03T07:00:00Z",
        "after": "2026-03-02T07:00:00Z",
        "instants": done["instants"],
        "cancelled": 1,
    }
    stage.clock.at = stage.moment("15:00:00.005")
    await stage.fire()
    fires = (await api.get("/jobs/settle/fires", **{"from": "2026-03-02T06:30:00Z"})).json()["past"]
    assert [(fire["due_at"], fire["decision"]) for fire in fires] == [("2026-03-02T07:00:00Z", "CREATED")]


async def test_all_that_stand_ahead_are_set_right_page_by_page(api: Api, stage: Stage) -> None:
    for name in ("a", "b", "c"):
        await api.create_job(name, schedule=HOURLY)
    await sent_ahead(stage)
    await api.create_job("right", schedule=HOURLY)
    await api.create_job("bare")
    looked = (await api.post("/jobs:reschedule", {"dry_run": True})).json()
    assert ([one["name"] for one in looked["items"]], looked["after"]) == (["a", "b", "c"], None)
    first = (await api.post("/jobs:reschedule", {"limit": 2})).json()
    assert [one["name"] for one in first["items"]] == ["a", "b"]
    rest = (await api.post("/jobs:reschedule", {"after": first["after"]})).json()
    assert ([one["name"] for one in rest["items"]], rest["after"]) == (["c"], None)
    assert (await api.post("/jobs:reschedule")).json()["items"] == []


async def test_a_token_sets_right_what_is_in_its_reach(api: Api, stage: Stage) -> None:
    await api.create_job("bill", schedule=HOURLY, group="billing")
    await api.create_job("report", schedule=HOURLY, group="reports")
    await sent_ahead(stage)
    reader = await api.with_scopes("read")
    assert (await reader.post("/jobs/bill:reschedule")).status_code == 403
    assert (await reader.post("/jobs:reschedule")).status_code == 403
    writer = await api.with_scopes("read", "write", group="billing")
    assert (await writer.post("/jobs/report:reschedule")).status_code == 403
    assert [one["name"] for one in (await writer.post("/jobs:reschedule")).json()["items"]] == ["bill"]
    assert (await api.get("/jobs/report")).json()["next_due_at"] == "2031-03-03T07:00:00Z"


async def test_the_cluster_names_jobs_that_stand_ahead(api: Api, stage: Stage) -> None:
    await api.create_job("yearly", schedule={"cron": "0 0 1 1 *"})
    assert (await codes(api)).count("FOL-5006") == 0
    await api.create_job("settle", schedule=HOURLY)
    await sent_ahead(stage)
    assert (await codes(api)).count("FOL-5006") == 1
    await api.post("/jobs:reschedule")
    assert (await codes(api)).count("FOL-5006") == 0


async def codes(api: Api) -> list[str]:
    return [trouble["code"] for trouble in (await api.get("/cluster")).json()["troubles"]]


@pytest.mark.parametrize("body", [{"limit": 0}, {"limit": 5000}, {"after": -1}, {"after": 2**40}])
async def test_a_stretch_that_cannot_be_looked_at_is_refused(api: Api, body: dict[str, int]) -> None:
    answer = await api.post("/jobs:reschedule", body)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, next(iter(body)))


async def test_a_job_that_is_not_there_is_not_set_right(api: Api) -> None:
    answer = await api.post("/jobs/nobody:reschedule")
    assert (answer.status_code, answer.json()["code"]) == (404, "FOL-2001")
