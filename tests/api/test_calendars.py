"""Calendars over the API: saved, used, changed under way, refused."""

from tests.api.asking import Api
from tests.api.stage import Stage

NEVER = {"only": ["2020-01-01"]}


async def put(api: Api, name: str, calendar: object) -> dict[str, object]:
    answer = await api.ask("PUT", f"/calendars/{name}", {"calendar": calendar, "reason": "新年"})
    assert answer.status_code == 200, answer.text
    found: dict[str, object] = answer.json()
    return found


async def test_a_calendar_lives_and_goes(api: Api) -> None:
    made = await put(api, "ours", {"country": "CN", "exclude": ["2026-12-31"]})
    assert (made["version"], made["reason"], made["users"]) == (1, "新年", [])
    assert [row["name"] for row in (await api.get("/calendars")).json()["items"]] == ["ours"]
    assert (await api.get("/calendars/ours", version=1)).json()["calendar"] == made["calendar"]
    misspelt = await api.get("/calendars/our")
    assert (misspelt.status_code, misspelt.json()["code"]) == (404, "FOL-2010")
    assert "ours" in misspelt.json()["hint"]
    assert (await api.ask("DELETE", "/calendars/ours")).status_code == 204
    assert (await api.get("/calendars/ours")).status_code == 404


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
