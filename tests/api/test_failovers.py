"""Failovers over HTTP: what failed, who sees it, and the policies that say when it needs a person."""

import pytest

from foliot.domain.failover import Affected, Detected, FailoverEnd, FailoverType
from foliot.domain.instants import SECOND
from tests.api.asking import Api
from tests.api.stage import Stage

CRASH = Detected(
    key="session:secret",
    type=FailoverType.WORKER_CRASH,
    subject="w-1",
    began_at=100 * SECOND,
    detected_at=117 * SECOND,
    evidence={"silent_us": 17 * SECOND},
    affected=Affected(runs=2, run_ids=(1, 2), jobs=("pay",)),
)
DEADLOCK = Detected(
    key="deadlock:c",
    type=FailoverType.LOCK_DEADLOCK,
    subject="till",
    namespace="ours",
    evidence={"cycle": "r-1 (pay) waits for till, held by r-2 (bill)"},
)


@pytest.fixture
async def failed(stage: Stage) -> None:
    store = stage.store.failovers
    await store.detect([CRASH])
    await store.detect([DEADLOCK])
    (crash, _) = await store.open(limit=10)
    await store.end([FailoverEnd(id=crash.id, done={"returned": 2, "lost": 0}, ended_at=118 * SECOND)])


@pytest.mark.usefixtures("failed")
async def test_a_failure_says_when_what_and_how_it_ended(api: Api) -> None:
    deadlock, crash = (await api.get("/failovers")).json()["items"]
    assert (crash["type"], crash["subject"], crash["outcome"]) == ("worker_crash", "w-1", "recovered")
    assert (crash["detection"], crash["evidence"]) == ("no beat for 17 s", {"silent_s": 17.0})
    assert (crash["affected"]["runs"], crash["affected"]["jobs"]) == (2, ["pay"])
    assert (crash["done"], crash["lasted_s"]) == ({"returned": 2, "lost": 0}, 18.0)
    assert (deadlock["detection"], deadlock["outcome"]) == (DEADLOCK.evidence["cycle"], None)
    assert (await api.get(f"/failovers/{crash['id']}")).json() == crash
    assert "secret" not in str(crash), "its session is no one else's business"
    chinese = (await api.get(f"/failovers/{crash['id']}", headers={"Accept-Language": "zh-CN"})).json()
    assert "没有心跳" in chinese["detection"]


@pytest.mark.usefixtures("failed")
async def test_a_list_can_be_narrowed_and_a_tenant_sees_its_own(api: Api) -> None:
    async def subjects(asker: Api, **which: str) -> list[str]:
        return [one["subject"] for one in (await asker.get("/failovers", **which)).json()["items"]]

    assert await subjects(api, type="worker_crash,run_timeout") == ["w-1"]
    assert await subjects(api, open="1") == ["till"]
    assert await subjects(api, since="1970-01-01T00:02:00Z") == ["till"]
    ours = await api.with_scopes("read", namespace="ours")
    theirs = await api.with_scopes("read", namespace="theirs")
    assert (await subjects(ours), await subjects(theirs)) == (["till"], [])
    assert (await theirs.get("/failovers", namespace="ours")).json()["items"] == []
    (deadlock,) = (await ours.get("/failovers")).json()["items"]
    hidden = await theirs.get(f"/failovers/{deadlock['id']}")
    assert (hidden.status_code, hidden.json()["code"]) == (404, "FOL-2021")
    refused = await api.get("/failovers", type="flood")
    assert refused.status_code == 422


async def test_an_admin_sets_a_policy_and_the_journal_has_it(api: Api) -> None:
    found = (await api.get("/cluster/policy")).json()
    before = {one["type"]: one for one in found["items"]}
    assert before.keys() == {str(type_) for type_ in FailoverType}
    assert all(one["version"] == 0 and one["detection"] for one in before.values())
    assert (found["times"]["failure_threshold"], found["servers"]["standby_count"]) == (3, 0)
    wanted = {"timeout": "45s", "level": "critical", "channel": "night-shift", "reason": "quiet nights"}
    kept = (await api.ask("PUT", "/cluster/policy/worker_crash", wanted)).json()
    assert (kept["timeout_s"], kept["level"], kept["channel"], kept["version"]) == (45.0, "critical", "night-shift", 1)
    again = await api.ask("PUT", "/cluster/policy/worker_crash", {"channel": "-", "version": 1})
    assert (again.json()["channel"], again.json()["timeout_s"]) == (None, 45.0)
    (second, first) = (await api.get("/journal", subject="worker_crash")).json()["items"]
    assert (first["kind"], first["data"]["reason"]) == ("policy.set", "quiet nights")
    assert first["data"]["level"] == "high -> critical"
    assert second["data"] == {"version": 2, "channel": "night-shift -> "}


@pytest.mark.parametrize(
    ("type_", "body", "status", "code"),
    [
        ("worker_crash", {"timeout": "1s"}, 422, "FOL-1176"),
        ("worker_crash", {"attempts": 3}, 422, "FOL-1175"),
        ("run_timeout", {"attempts": 0}, 422, "FOL-1177"),
        ("run_timeout", {"level": "loud"}, 422, "FOL-1177"),
        ("run_timeout", {"timeout": "soon"}, 422, "FOL-1058"),
        ("run_timeout", {"level": "low", "version": 7}, 409, "FOL-3055"),
        ("flood", {"level": "low"}, 422, "FOL-1058"),
    ],
)
async def test_a_policy_that_cannot_be_is_refused_with_the_next_step(
    api: Api, type_: str, body: dict[str, object], status: int, code: str
) -> None:
    refused = await api.ask("PUT", f"/cluster/policy/{type_}", body)
    assert (refused.status_code, refused.json()["code"]) == (status, code)


async def test_only_an_admin_sets_a_policy(api: Api) -> None:
    reader = await api.with_scopes("read", "write")
    assert (await reader.get("/cluster/policy")).status_code == 200
    assert (await reader.ask("PUT", "/cluster/policy/worker_crash", {"level": "low"})).status_code == 403
