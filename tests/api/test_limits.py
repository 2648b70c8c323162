"""Named limits over HTTP: whose they are, and who may change them (SEC-05)."""

import pytest

from tests.api.asking import Api


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
    assert (made.status_code, made.json()) == (200, {"name": "db", "namespace": None, "max": 4, "used": 0})
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
    assert seen["jobs"] == [{"job": "ours", "namespace": "ours"}, {"job": "theirs", "namespace": "theirs"}]
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
