"""Named limits over HTTP: whose they are, and who may change them (SEC-05)."""

from typing import Any

import pytest

from foliot.domain.instants import SECOND
from foliot.domain.run import parse_run_id
from foliot.domain.verdict import judge
from foliot.operations.declarations import Declaring
from foliot.operations.why import why_run
from foliot.ports.worker_link import PROTOCOL, PROTOCOL_WEIGHTS, DeclaredJob, Hello, Leaving
from foliot.words.language import Language
from foliot.words.why import sentence
from tests.api.asking import Api
from tests.api.stage import ROOT, Stage


def naming(name: str, most: int, **document: object) -> dict[str, object]:
    return {"run": {"python": "jobs:tick"}, "place": {"concurrency": {name: most}}, **document}


async def limits_seen(api: Api) -> list[tuple[str | None, str, int]]:
    items = (await api.get("/limits")).json()["items"]
    return [(one["namespace"], one["name"], one["max"]) for one in items]


async def test_one_namespace_cannot_narrow_the_limit_of_another(api: Api) -> None:
    theirs = await api.with_scopes("read", "write", namespace="theirs")
    ours = await api.with_scopes("read", "write", namespace="ours")
    assert (await theirs.post("/jobs", {"name": "a", "definition": naming("db", 8)})).status_code == 201
    assert (await ours.post("/jobs", {"name": "a", "definition": naming("db", 1)})).status_code == 201
    assert await limits_seen(theirs) == [("theirs", "db", 8)]
    assert await limits_seen(ours) == [("ours", "db", 1)]
    assert (await ours.get("/limits", namespace="theirs")).json()["items"] == []


@pytest.mark.parametrize("where", [{"namespace": "ours"}, {"namespace": "ours", "group": "billing"}, {}])
async def test_only_an_admin_changes_a_limit_of_the_cluster(api: Api, where: dict[str, str]) -> None:
    made = await api.ask("PUT", "/cluster/limits/db", {"max": 4, "reason": "small machine"})
    assert made.status_code == 200
    assert made.json() == {"name": "db", "namespace": None, "max": 4, "used": 0, "kind": "named", "rate": None,
                           "burst": None, "next_at": None, "namesakes": 0, "stuck": []}  # fmt: skip
    asker = await api.with_scopes("read", "write", **where)
    refused = await asker.post("/jobs", {"name": "a", "definition": naming("db", 9, group="billing")})
    assert (refused.status_code, refused.json()["code"]) == (403, "FOL-4011")
    assert "db: 4" in refused.json()["hint"]
    foretold = await asker.post("/jobs:validate", {"name": "a", "definition": naming("db", 9, group="billing")})
    assert (foretold.status_code, foretold.json()["code"]) == (403, "FOL-4011")
    fits = await asker.post("/jobs", {"name": "a", "definition": naming("db", 4, group="billing")})
    assert fits.status_code == 201
    assert (await asker.ask("PUT", "/cluster/limits/db", {"max": 9})).status_code == 403
    assert (await asker.ask("DELETE", "/cluster/limits/db")).status_code == 403
    assert await limits_seen(asker) == [(None, "db", 4)]
    assert (await api.ask("DELETE", "/cluster/limits/db")).json()["code"] == "FOL-3024"


async def test_a_token_of_one_group_cannot_change_what_other_groups_count_in(api: Api) -> None:
    assert (await api.post("/jobs", {"name": "a", "definition": naming("db", 4, group="reports")})).status_code == 201
    asker = await api.with_scopes("read", "write", group="billing")
    mine = {"name": "b", "definition": naming("db", 100, group="billing")}
    refused = await asker.post("/jobs", mine)
    assert (refused.status_code, refused.json()["code"]) == (403, "FOL-4011")
    foretold = await asker.post("/jobs:validate", mine)
    assert (foretold.status_code, foretold.json()["detail"]) == (403, refused.json()["detail"])
    assert (await asker.post("/jobs", {"name": "b", "definition": naming("db", 4, group="billing")})).status_code == 201
    patched = {"definition": {"place": {"concurrency": {"db": 1}}}}
    same = {"name": "b", "definition": naming("db", 4, group="billing")}
    assert (await asker.post("/jobs:validate", same)).status_code == 200
    again = await asker.ask("PATCH", "/jobs/b", patched, headers={"If-Match": '"v1"'})
    assert (again.status_code, again.json()["code"]) == (403, "FOL-4011")
    said = await api.ask("PATCH", "/jobs/b", patched, headers={"If-Match": '"v1"'})
    assert said.status_code == 200
    assert await limits_seen(api) == [("default", "db", 1)]


async def test_what_an_admin_did_to_a_limit_stands_in_the_journal(api: Api) -> None:
    await api.ask("PUT", "/cluster/limits/db", {"max": 4, "reason": "small machine"})
    assert (await api.ask("DELETE", "/cluster/limits/db")).status_code == 204
    events = (await api.get("/journal", subject="db")).json()["items"]
    assert [event["kind"] for event in events] == ["limit.removed", "limit.set"]
    assert events[1]["data"] == {"max": 4, "reason": "small machine"}
    assert (await api.ask("DELETE", "/cluster/limits/db")).json()["code"] == "FOL-2015"


async def test_a_limit_says_who_holds_it_as_far_as_the_token_sees(api: Api) -> None:
    await api.ask("PUT", "/cluster/limits/db", {"max": 4})
    for namespace in ("ours", "theirs"):
        asker = await api.with_scopes("read", "write", namespace=namespace)
        assert (await asker.post("/jobs", {"name": namespace, "definition": naming("db", 4)})).status_code == 201
    seen = (await api.get("/limits/db")).json()
    assert (seen["namespace"], seen["max"], seen["used"], seen["hidden"]) == (None, 4, 0, 0)
    assert seen["jobs"] == [
        {"job": "ours", "namespace": "ours", "takes": 1},
        {"job": "theirs", "namespace": "theirs", "takes": 1},
    ]
    ours = await api.with_scopes("read", namespace="ours")
    assert [job["job"] for job in (await ours.get("/limits/db")).json()["jobs"]] == ["ours"]
    assert (await ours.get("/limits/db", namespace="theirs")).json()["code"] == "FOL-2015"
    assert (await ours.get("/limits/nothing")).status_code == 404


async def test_a_job_that_limits_what_waits_says_how_many_do(api: Api) -> None:
    await api.create_job("tick", overlap="allow", place={"max_waiting": 3})
    await api.create_job("free", overlap="allow")
    for name in ("tick", "tick", "free"):
        await api.post(f"/jobs/{name}:trigger")
    assert (await api.get("/jobs/tick")).json()["waiting"] == 2
    assert (await api.get("/jobs/free")).json()["waiting"] is None


def taking(takes: int, most: int) -> dict[str, object]:
    return {"concurrency": {"db": most}, "takes": {"db": takes}}


async def test_a_job_whose_runs_take_more_than_there_is_is_refused(api: Api) -> None:
    refused = await api.create_job("tick", place=taking(4, 3))
    assert (refused.status_code, refused.json()["code"]) == (422, "FOL-1242")
    assert "would take 4 of the limit db, which has 3" in refused.json()["detail"]
    unnamed = await api.create_job("tick", place={"takes": {"db": 2}})
    assert "place.concurrency does not name this limit" in unnamed.text
    assert (await api.create_job("tick", place=taking(3, 3))).status_code == 201
    await api.create_job("other", place={"concurrency": {"db": 2}})
    same = {"run": {"python": "jobs:tick"}, "owner": "anne", "place": taking(3, 3)}  # another job lowered the limit
    for path, method in (("/jobs:validate", "POST"), ("/jobs/tick", "PUT")):
        body = {"name": "tick", "definition": same} if method == "POST" else {"definition": same}
        again = await api.ask(method, path, body, headers={"If-Match": '"v1"'} if method == "PUT" else {})
        assert (again.status_code, again.json()["code"]) == (422, "FOL-1242"), path


async def test_why_says_how_much_a_run_needs_and_how_much_is_free(api: Api, stage: Stage) -> None:
    await api.create_job("heavy", overlap="allow", place=taking(3, 4))
    await api.create_job("light", overlap="allow", place={"concurrency": {"db": 4}})
    worker = await stage.worker("w-1", ["python:jobs:heavy", "python:jobs:light"])
    runs = [(await api.post("/jobs/heavy:trigger")).json()["id"] for _ in range(2)]
    assert await worker.lease() is not None
    assert await worker.lease() is None  # one is free, and kept
    light = (await api.post("/jobs/light:trigger")).json()["id"]

    async def told(run: str, language: Language = Language.ENGLISH) -> str:
        explanation, _ = await why_run(stage.services, ROOT, parse_run_id(run))
        return sentence(explanation, tz="UTC", language=language)

    assert "it needs 3 of the limit db; free: 1 of 4" in await told(runs[1])
    assert "需要限额 db 的 3/4，空闲 1" in await told(runs[1], Language.CHINESE)
    assert "what is free of the limit db (1 of 4) is kept for a run that was due before" in await told(light)
    await api.create_job("other", place={"concurrency": {"db": 2}})
    assert "it needs 3 of the limit db, which has only 2: it can never start" in await told(runs[1])


async def test_no_job_takes_several_while_a_server_lives_that_does_not_know_it(api: Api, stage: Stage) -> None:
    for name, protocol in (("s-new", PROTOCOL), ("s-old", PROTOCOL_WEIGHTS - 1)):
        hello = Hello(
            session=name, name=name, group="", slots=0, handlers=(), version=f"0.{protocol}", protocol=protocol
        )
        await stage.store.nodes.register(hello, kind="server", ttl_us=15 * SECOND)
    refused = await api.create_job("tick", place=taking(3, 8))
    assert (refused.status_code, refused.json()["code"]) == (422, "FOL-1240")
    assert refused.json()["detail"].startswith("s-old (foliot 0.4) does not know place.takes")
    document = '{"run": {"python": "jobs:tick"}, "place": {"concurrency": {"db": 8}, "takes": {"db": 3}}}'
    job = DeclaredJob(namespace="default", name="declared", document=document)
    hello = Hello(session="w-1", name="w-1", group="default", slots=1, handlers=(), jobs=(job,))
    assert "does not know place.takes" in str(await Declaring(stage.services).declare(hello, ROOT))
    assert (await api.create_job("routed", place={"route": "round"})).status_code == 201, "it knows routes"
    await stage.store.nodes.leave(Leaving(session="s-old"), judge)
    assert (await api.create_job("tick", place=taking(3, 8))).status_code == 201, "it is gone"


async def levels_of_limits(api: Api) -> list[dict[str, Any]]:
    found = (await api.get("/cluster/doctor")).json()["findings"]
    return [one for one in found if one["check"] == "business.limits"]


async def test_a_limit_that_is_set_below_what_a_job_takes_says_so_and_the_doctor_finds_it(api: Api) -> None:
    shared = "/cluster/limits/db"
    await api.ask("PUT", shared, {"max": 4})
    await api.create_job("heavy", schedule={"every": "1h"}, place={"concurrency": {"db": 4}, "takes": {"db": 3}})
    await api.create_job("light", place={"concurrency": {"db": 4}})
    assert (await api.ask("PUT", shared, {"max": 3})).json()["stuck"] == []
    answer = (await api.ask("PUT", shared, {"max": 2})).json()
    assert answer["stuck"] == [{"job": "heavy", "namespace": "default", "takes": 3}]
    (found,) = await levels_of_limits(api)
    assert (found["level"], found["subject"]) == ("WARNING", "db")
    assert found["hint"] == "foliot limit set db 3, or let its jobs take less: place.takes.db"
    await api.ask("PUT", shared, {"max": 3})
    assert [one["level"] for one in await levels_of_limits(api)] == ["OK"]


async def test_a_limit_of_a_namespace_is_changed_and_a_save_leaves_it(api: Api) -> None:
    own = "/limits/db"
    missing = await api.ask("PUT", own, {"max": 3})
    assert (missing.status_code, missing.json()["code"]) == (404, "FOL-2015")
    await api.create_job("heavy", place={"concurrency": {"db": 4}, "takes": {"db": 3}})
    answer = (await api.ask("PUT", own, {"max": 2})).json()
    assert (answer["namespace"], answer["max"]) == ("default", 2)
    assert answer["stuck"] == [{"job": "heavy", "namespace": "default", "takes": 3}]
    await api.create_job("light", place={"concurrency": {"db": 2}})
    assert (await api.get(own)).json()["max"] == 2
    assert (await api.ask("PUT", own, {"max": 0})).status_code == 422
    reader, of_a_group = await api.with_scopes("read"), await api.with_scopes("write", group="etl")
    assert (await reader.ask("PUT", own, {"max": 3})).status_code == 403
    assert (await of_a_group.ask("PUT", own, {"max": 3})).status_code == 403, "jobs of every group count in it"


async def test_the_number_of_a_limit_of_a_group_goes_and_its_rate_stays(api: Api) -> None:
    where = "/cluster/limits/group/etl"
    made = (await api.ask("PUT", where, {"max": 20, "rate": "100/m"})).json()
    assert (made["max"], made["rate"]) == (20, "100/m")
    assert (await api.ask("PUT", where, {"rate": "10/m"})).json()["max"] == 20, "what is left out stays"
    assert (await api.ask("PUT", where, {"max": None, "rate": "100/m"})).json()["max"] == 20
    changed = (await api.ask("PUT", where, {"max": "none"})).json()
    assert (changed["max"], changed["rate"]) == (None, "100/m")
    assert (await api.ask("PUT", where, {"max": "many"})).status_code == 422
    assert (await api.ask("PUT", "/cluster/limits/db", {"max": "none"})).status_code == 422
