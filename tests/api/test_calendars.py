"""Calendars over the API: saved, used, changed under way, refused."""

import threading
from typing import Any

import pytest

from foliot.domain.schedule import calendar_from_document
from foliot.operations.calendars import REPLANNED_PER_ROUND
from tests.api.asking import Api
from tests.api.stage import NS, Stage

NEVER = {"only": ["2020-01-01"]}


async def put(api: Api, name: str, calendar: object) -> dict[str, object]:
    answer = await api.ask("PUT", f"/calendars/{name}", {"calendar": calendar, "reason": "新年"})
    assert answer.status_code == 200, answer.text
    found: dict[str, object] = answer.json()
    return found


async def test_a_calendar_lives_and_goes(api: Api) -> None:
    made = await put(api, "ours", {"country": "CN", "exclude": ["2026-12-31"]})
    assert (made["version"], made["reason"], made["users"]) == (1, "新年", [])
    listed = (await api.get("/calendars")).json()["items"]
    assert [row["name"] for row in listed if row["source"] == "saved"] == ["ours"]
    assert {"weekdays", "cn-workdays"} <= {row["name"] for row in listed if row["source"] == "built-in"}
    assert (await api.get("/calendars/ours", version=1)).json()["calendar"] == made["calendar"]
    misspelt = await api.get("/calendars/our")
    assert (misspelt.status_code, misspelt.json()["code"]) == (404, "FOL-2010")
    assert "ours" in misspelt.json()["hint"]
    assert (await api.ask("DELETE", "/calendars/ours")).status_code == 204
    assert (await api.get("/calendars/ours")).status_code == 404


async def test_a_large_file_of_days_is_read_beside_the_loop(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    beside: list[bool] = []

    def reading(name: str, document: Any) -> Any:
        beside.append(threading.current_thread() is not threading.main_thread())
        return calendar_from_document(name, document)

    monkeypatch.setattr("foliot.operations.calendars.calendar_from_document", reading)
    event = "BEGIN:VEVENT\nDTSTART;VALUE=DATE:20260501\nSUMMARY:a day off\nEND:VEVENT\n"
    for events, is_beside in ((1, False), (1000, True)):
        beside.clear()
        await put(api, "ours", {"ics": f"BEGIN:VCALENDAR\n{event * events}END:VCALENDAR\n"})
        assert beside[0] is is_beside


async def test_a_built_in_calendar_is_found_with_the_days_ahead_that_stand_out(api: Api) -> None:
    found = (await api.get("/calendars/cn-workdays")).json()
    assert (found["source"], found["version"], found["calendar"]) == (
        "built-in",
        None,
        {"country": "CN"},
    )
    ahead = {day["day"]: (day["counts"], day["why"]) for day in found["ahead"]}
    assert 10 < len(ahead) <= 20
    assert ahead["2026-05-01"][0] is False
    assert ahead["2026-05-01"][1]
    assert ahead["2026-05-09"] == (True, None)  # a Saturday that is worked, for the days before
    assert (await api.get("/calendars/weekdays")).json()["ahead"] == []
    saudi = (await api.get("/calendars/sa-workdays")).json()["ahead"]  # Friday and Saturday are its weekend
    assert 0 < len(saudi) < 20
    assert not any(day["counts"] for day in saudi)
    us = (await api.get("/calendars/us-holidays")).json()["ahead"]
    assert all(day["counts"] for day in us)
    assert "2026-07-04" in {day["day"] for day in us}
    made = await put(api, "ours", {"exclude": ["2026-03-10"]})
    assert made["ahead"] == [{"day": "2026-03-10", "counts": False, "why": "excluded day"}]
    misspelt = await api.get("/calendars/cn-workday")
    assert (misspelt.status_code, misspelt.json()["hint"]) == (404, "did you mean cn-workdays?")


async def test_an_edit_of_a_calendar_holds_from_now_on_and_leaves_the_past_alone(api: Api, stage: Stage) -> None:
    await put(api, "ours", {})
    await api.create_job("tick", schedule={"every": "1h", "calendar": "ours"}, overlap="allow")
    stage.clock.at = stage.moment("15:00:00.001")
    await stage.fire()
    stage.clock.at = stage.moment("16:00:30")  # 16:00 is due and not decided when the calendar changes
    changed = await put(api, "ours", NEVER)
    assert changed["users"] == [{"namespace": "default", "job": "tick", "pinned": 2}]
    job = (await api.get("/jobs/tick")).json()
    assert (job["version"], job["updated_by"]) == (2, "calendar ours")
    assert job["definition"]["schedule"]["calendar"] == "ours@2"
    stage.clock.at = stage.moment("17:00:00.001")
    await stage.fire()
    told = [
        (await api.get("/jobs/tick/why", at=f"2026-03-02T0{hour}:00:00Z")).json()["items"][0]["verdict"]
        for hour in (7, 8, 9)
    ]
    assert told == ["held_nobody", "held_nobody", "closed"]
    future = (await api.get("/jobs/tick/why", at="2026-03-02T12:00:00Z")).json()["items"][0]
    assert future["verdict"] == "future_closed"
    assert (await api.get("/jobs/tick/fires", from_="2026-03-02T09:30:00Z")).json()["future"] == []


async def test_a_calendar_in_use_is_not_taken_away(api: Api) -> None:
    await put(api, "ours", {})
    await api.create_job("tick", schedule={"every": "1h", "calendar": "ours"})
    refused = await api.ask("DELETE", "/calendars/ours")
    assert (refused.status_code, refused.json()["code"]) == (409, "FOL-3018")


async def test_what_is_no_calendar_is_refused(api: Api) -> None:
    for name, calendar in (
        ("ours", {"countri": "CN"}),
        ("ours", {"exclude": ["soon"]}),
        ("weekdays", {}),
        ("o urs", {}),
        ("ours", {"country": "Atlantis"}),
    ):
        answer = await api.ask("PUT", f"/calendars/{name}", {"calendar": calendar})
        assert answer.status_code == 422, (name, calendar, answer.text)
    unknown = await api.create_job("tick", schedule={"every": "1h", "calendar": "nobodys"})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "FOL-2010")
    limited = await api.with_scopes("write", namespace="ours")
    assert (await limited.ask("PUT", "/calendars/x", {"calendar": {}})).status_code == 403


async def test_jobs_that_cannot_be_read_here_keep_no_other_from_the_new_calendar(api: Api, stage: Stage) -> None:
    """As in a rolling upgrade: a newer server saved what this one does not know."""
    await put(api, "ours", {})
    bad = [f"bad-{n}" for n in range(REPLANNED_PER_ROUND + 1)]
    for name in (*bad, "good"):
        await api.create_job(name, schedule={"every": "1h", "calendar": "ours"})
    document = '{"run":{"python":"m:f"},"of_the_future":1}'
    await stage._change(
        f"UPDATE job_versions SET definition = '{document}' "
        "WHERE job_id IN (SELECT id FROM jobs WHERE name LIKE 'bad-%')"
    )
    await put(api, "ours", NEVER)
    assert (await api.get("/jobs/good")).json()["version"] == 2
    assert await stage.services.store.calendars.users("ours", limit=100) == [
        *((NS, name, 1) for name in sorted(bad)),
        (NS, "good", 2),
    ]
