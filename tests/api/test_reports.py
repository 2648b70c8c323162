"""Reports by the API: a day of a zone, in every form, for those who may see it."""

from foliot.domain.instants import DAY, HOUR, SECOND, isoformat
from foliot.domain.reports.period import day_at, start_of_day
from foliot.domain.statistics.figures import EndedRun, Minutes, count, rolled_up
from foliot.ports.store.statistics import Counted
from tests.api.asking import Api
from tests.api.stage import Stage

BERLIN = "Europe/Berlin"


async def ran_yesterday(api: Api, stage: Stage, *names: str) -> str:
    """Jobs that ran yesterday in Berlin, and failed; the date."""
    for name in names:
        await api.create_job(name)
    jobs = (await stage.store.statistics.judging_page(0, after_id=0, limit=9, excused_since=0)).jobs
    yesterday = day_at(BERLIN, stage.clock.at) - 1
    at = start_of_day(BERLIN, yesterday) + HOUR
    minutes: Minutes = {}
    count(minutes, [EndedRun(job.job_id, 0, "w-1", "FAILED", "error", 0, at, at, at + SECOND) for job in jobs])
    store = stage.store.statistics
    seen = await store.progress()
    assert await store.add(seen, Counted(rolled_up(minutes, now=seen.now), seen.counted_id, [], []), term=None)
    return isoformat(at + 2 * HOUR)[:10]


async def test_the_report_of_yesterday_is_the_one_that_nobody_names(api: Api, stage: Stage) -> None:
    date = await ran_yesterday(api, stage, "tick", "tock")
    found = (await api.get("/reports/daily", tz=BERLIN)).json()
    assert (found["date"], found["is_over"], found["now"]["runs"], found["now"]["failed"]) == (date, True, 2, 2)
    assert [line["job"] for line in found["failing"]] == ["tick", "tock"]
    assert found["failing"][0]["failures"] == {"error": 1}
    assert found["written"] is None
    assert (await api.get("/reports/daily", tz=BERLIN, date=date)).json()["failing"] == found["failing"]
    week = (await api.get("/reports/weekly", tz=BERLIN, date=date)).json()
    assert (week["kind"], week["now"]["runs"]) == ("weekly", 2)
    assert week["date"] <= date <= week["last_date"]


async def test_a_report_is_written_as_text_markdown_and_html_in_both_languages(api: Api, stage: Stage) -> None:
    await ran_yesterday(api, stage, "tick")
    begins = {"text": "Foliot: namespace default", "markdown": "# Foliot: namespace default", "html": "<!doctype html>"}
    for form, begin in begins.items():
        found = (await api.get("/reports/daily", tz=BERLIN, format=form, namespace="default")).json()
        assert found["written"].startswith(begin)
        assert "tick" in found["written"]
    headers = {"Accept-Language": "zh-CN"}
    chinese = await api.ask("GET", "/reports/daily", headers=headers, tz=BERLIN, format="text")
    assert "失败最多" in chinese.json()["written"]


async def test_a_token_of_another_namespace_sees_an_empty_report(api: Api, stage: Stage) -> None:
    await ran_yesterday(api, stage, "tick")
    narrow = await api.with_scopes("read", namespace="billing")
    for namespace in ("billing", "default"):
        found = (await narrow.get("/reports/daily", tz=BERLIN, namespace=namespace)).json()
        assert (found["now"]["runs"], found["nodes"], found["jobs"]) == (0, [], 0)


async def test_what_cannot_be_reported_is_refused_by_its_field(api: Api, stage: Stage) -> None:
    tomorrow = isoformat(stage.clock.at + 2 * DAY)[:10]
    for path, field, asked in (
        ("daily", "date", {"date": tomorrow}),
        ("daily", "date", {"date": "yesterday"}),
        ("daily", "tz", {"tz": "Europe/Berlim"}),
        ("daily", "format", {"format": "pdf"}),
        ("yearly", "kind", {}),
    ):
        refused = await api.get(f"/reports/{path}", **asked)
        assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, field)


async def test_a_schedule_is_saved_looked_at_and_taken_away(api: Api) -> None:
    document = {"kind": "weekly", "at": "7:30", "weekday": "tuesday", "timezone": BERLIN, "to": "mail"}
    saved = await api.ask("PUT", "/report-schedules/week", {"schedule": document}, namespace="default")
    assert saved.status_code == 200, saved.text
    found = saved.json()
    assert found["schedule"] == {"kind": "weekly", "at": "07:30", "weekday": "tue", "timezone": BERLIN, "to": ["mail"]}
    assert [one["code"] for one in found["warnings"]] == ["FOL-1391"], "the channel is not there yet"
    assert found["next_at"] is not None
    again = await api.ask("PUT", "/report-schedules/week", {"schedule": document}, namespace="default")
    assert again.json()["version"] == found["version"] == 1
    assert (await api.get("/report-schedules/week", namespace="default")).json()["next_at"] == found["next_at"]
    off = await api.ask("PUT", "/report-schedules/week", {"schedule": {**document, "on": False}}, namespace="default")
    assert (off.json()["version"], off.json()["next_at"]) == (2, None)
    listed = (await api.get("/report-schedules")).json()["items"]
    assert [(one["namespace"], one["name"]) for one in listed] == [("default", "week")]
    kinds = [event["kind"] for event in (await api.get("/journal", subject="week")).json()["items"]]
    assert kinds == ["report_schedule.saved"] * 2
    assert (await api.ask("DELETE", "/report-schedules/week", namespace="default")).status_code == 204
    missing = await api.get("/report-schedules/week", namespace="default")
    assert (missing.status_code, missing.json()["code"]) == (404, "FOL-2059")


async def test_a_report_is_sent_for_the_asking_besides_those_that_are_due(api: Api) -> None:
    await api.ask("PUT", "/channels/mail", {"channel": {"webhook": {"url": "http://127.0.0.1:9/hook"}}})
    body = {"schedule": {"to": ["mail"], "timezone": BERLIN}}
    assert (await api.ask("PUT", "/report-schedules/own", body, namespace="default")).status_code == 200
    for _ in range(2):
        sent = await api.post("/report-schedules/own:send", {"reason": "the board meets"}, namespace="default")
        assert sent.status_code == 200, sent.text
        assert (sent.json()["kind"], sent.json()["to"]) == ("daily", ["mail"])
    waiting = (await api.get("/deliveries")).json()["items"]
    assert [(one["channel"], one["kind"]) for one in waiting] == [("mail", "report")] * 2
    kept = (await api.get("/report-schedules/own", namespace="default")).json()
    assert (kept["last_at"], kept["next_at"] is not None) == (None, True), "what is due is sent all the same"
    (event, *_) = (await api.get("/journal", subject="own")).json()["items"]
    assert event["kind"] == "report_schedule.sent"
    reader = await api.with_scopes("read")
    assert (await reader.post("/report-schedules/own:send", {}, namespace="default")).status_code == 403
    missing = await api.post("/report-schedules/nobody:send", {}, namespace="default")
    assert (missing.status_code, missing.json()["code"]) == (404, "FOL-2059")


async def test_a_schedule_of_the_whole_cluster_needs_an_admin(api: Api) -> None:
    body = {"schedule": {"to": ["mail"]}}
    writer = await api.with_scopes("read", "write")
    assert (await writer.ask("PUT", "/report-schedules/all", body)).status_code == 403
    assert (await writer.ask("PUT", "/report-schedules/own", body, namespace="default")).status_code == 200
    assert (await api.ask("PUT", "/report-schedules/all", body)).status_code == 200
    narrow = await api.with_scopes("read", "write", namespace="billing")
    assert (await narrow.ask("PUT", "/report-schedules/own", body, namespace="default")).status_code == 403
    assert (await narrow.ask("PUT", "/report-schedules/own", body)).json()["namespace"] == "billing"
    assert [one["namespace"] for one in (await narrow.get("/report-schedules")).json()["items"]] == ["billing"]


async def test_a_schedule_that_says_nonsense_is_refused_by_its_field(api: Api) -> None:
    for field, wrong in (
        ("at", "25:00"),
        ("weekday", "someday"),
        ("timezone", "Mars/Olympus"),
        ("to", []),
        ("kind", "hourly"),
        ("language", "fr"),
    ):
        body = {"schedule": {"to": ["mail"], field: wrong}}
        refused = await api.ask("PUT", "/report-schedules/x", body, namespace="default")
        assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, field)
