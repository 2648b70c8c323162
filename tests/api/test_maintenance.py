"""Maintenance through the API: who may begin it, what is said of it, and that everything else is served."""

import pytest

from foliot.domain.verdict import judge
from foliot.ports.worker_link import PROTOCOL, Hello, Leaving
from tests.api.asking import Api
from tests.api.stage import TIMES, Stage

ON = "/cluster:maintenance"


async def test_it_is_begun_shown_everywhere_and_ended(api: Api, stage: Stage) -> None:
    await api.create_job("tick", schedule={"every": "10s"}, overlap="allow")
    begun = (await api.post(ON, {"on": True, "lasts": "30m", "reason": "database upgrade"})).json()["maintenance"]
    assert (begun["since"], begun["until"]) == ("2026-03-02T06:02:11Z", "2026-03-02T06:32:11Z")
    assert (begun["by"], begun["reason"]) == ("root", "database upgrade")
    assert (await api.get("/cluster")).json()["maintenance"] == begun
    stage.elapse("1m")
    await stage.fire()
    run = (await api.post("/jobs/tick:trigger")).json()
    assert (run["state"], (await api.get(f"/runs/{run['id']}")).json()["hold"]) == ("PENDING", "maintenance")
    assert await stage.run_ids() == [run["id"]], "an admin triggered it; the schedule made none"
    checks = {one["check"]: one for one in (await api.get("/cluster/doctor")).json()["findings"]}
    assert (checks["business.overdue"]["level"], checks["business.queue"]["level"]) == ("NOTICE", "NOTICE")
    assert "foliot cluster maintenance off" in checks["business.overdue"]["hint"]
    stage.woken.clear()
    assert (await api.post(ON, {"on": False})).json() == {"maintenance": None, "ended": begun}
    assert stage.woken == ["cursors", "runs"], "servers decide and lease at once"
    assert (await api.get("/cluster")).json()["maintenance"] is None
    await stage.fire()
    assert len(await stage.run_ids()) == 7, "six instants passed"
    events = (await api.get("/journal", topic="cluster")).json()["items"][:2]
    assert [event["kind"] for event in events] == ["maintenance.off", "maintenance.on"]
    assert events[1]["data"] == {"until": "2026-03-02T06:32:11Z", "reason": "database upgrade"}
    assert (await api.post(ON, {"on": False})).json() == {"maintenance": None, "ended": None}


@pytest.mark.parametrize(
    ("body", "code"),
    [({}, "FOL-1085"), ({"on": True, "lasts": "soon"}, "FOL-1058"), ({"on": True, "lasts": 0}, "FOL-1058")],
)
async def test_what_cannot_be_is_refused(api: Api, body: dict[str, object], code: str) -> None:
    refused = await api.post(ON, body)
    assert (refused.status_code, refused.json()["code"]) == (422, code)
    assert (await api.get("/cluster")).json()["maintenance"] is None


async def test_a_server_that_would_go_on_deciding_keeps_it_from_beginning(api: Api, stage: Stage) -> None:
    for name, protocol in (("s-new", PROTOCOL), ("s-old", 1)):
        hello = Hello(
            session=name, name=name, group="", slots=0, handlers=(), version=f"0.{protocol}", protocol=protocol
        )
        await stage.store.nodes.register(hello, kind="server", ttl_us=TIMES.ttl_us)
    refused = await api.post(ON, {"on": True})
    assert (refused.status_code, refused.json()["code"]) == (409, "FOL-3056")
    assert refused.json()["detail"] == "s-old (foliot 0.1) does not know maintenance and would go on deciding."
    await stage.store.nodes.leave(Leaving(session="s-old"), judge)
    assert (await api.post(ON, {"on": True})).status_code == 200, "it is gone"


async def test_an_old_server_that_comes_later_is_named_wherever_people_look(api: Api, stage: Stage) -> None:
    assert (await api.post(ON, {"on": True})).status_code == 200
    old = Hello(session="s-old", name="s-old", group="", slots=0, handlers=(), version="0.1", protocol=1)
    await stage.store.nodes.register(old, kind="server", ttl_us=TIMES.ttl_us)
    said = "s-old (foliot 0.1) does not know maintenance and goes on deciding."
    troubles = {one["code"]: one["message"] for one in (await api.get("/cluster")).json()["troubles"]}
    assert troubles["FOL-5081"] == said
    found = (await api.get("/cluster/doctor")).json()["findings"]
    levels = [one["level"] for one in found if one["check"] == "business.overdue"]
    assert "WARNING" in levels
    await api.post(ON, {"on": False})
    assert "FOL-5081" not in [one["code"] for one in (await api.get("/cluster")).json()["troubles"]]
