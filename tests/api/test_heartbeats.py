"""Checks of jobs outside of Foliot over HTTP: what users see and may do, and what a line of cron can send."""

from typing import Any

from foliot.ports.store.journal import EventFilter
from tests.api.asking import Api

BACKUP: dict[str, Any] = {"every": "1d", "grace": "30m", "owner": "ops", "description": "the dump of the shop"}
NEW = {"If-None-Match": "*"}


async def made(api: Api, name: str = "backup", namespace: str | None = None, **fields: Any) -> dict[str, Any]:
    body = {"name": name, "check": {**BACKUP, **fields}}
    answer = await api.ask("POST", "/checks", body, namespace=namespace)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_a_check_is_made_pinged_and_read(api: Api) -> None:
    fresh = await made(api)
    assert (fresh["state"], fresh["version"], fresh["check"]) == ("NEW", 1, BACKUP)
    assert fresh["in_words"] == "Nothing was heard of it yet, so nobody waits for it."
    pinger = await api.with_scopes("ping")
    for kind, state in (("start", "RUNNING"), ("ok", "UP"), ("fail", "DOWN")):
        heard = await pinger.ask("POST", "/checks/backup:ping", kind=kind)
        assert (heard.status_code, heard.json()["state"]) == (200, state)
    said = {"text": "no space left", "exit_code": 28}
    assert (await pinger.ask("POST", "/checks/backup:ping", said, kind="fail")).json()["state"] == "DOWN"
    found = (await api.get("/checks/backup")).json()
    assert (found["state"], found["trouble"], found["exit_code"], found["pings"]) == ("DOWN", "failed", 28, 4)
    assert found["in_words"].endswith("with exit code 28: no space left.")
    assert found["down_since"] is not None
    pings = (await api.get("/checks/backup/pings", limit=2)).json()
    assert [(one["number"], one["kind"], one["text"]) for one in pings["items"]] == [
        (4, "fail", "no space left"),
        (3, "fail", ""),
    ]
    rest = (await api.get("/checks/backup/pings", cursor=pings["next_cursor"])).json()
    assert [one["kind"] for one in rest["items"]] == ["ok", "start"]


async def test_a_ping_is_ok_when_it_says_nothing_else(api: Api) -> None:
    await made(api)
    pinger = await api.with_scopes("ping")
    assert (await pinger.ask("POST", "/checks/backup:ping", content=b"")).json()["state"] == "UP"
    refused = await pinger.ask("POST", "/checks/backup:ping", kind="maybe")
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "kind")


async def test_a_repeated_ping_with_its_key_is_one_ping(api: Api) -> None:
    await made(api)
    key = {"Idempotency-Key": "night-7"}
    first = await api.ask("POST", "/checks/backup:ping", headers=key)
    again = await api.ask("POST", "/checks/backup:ping", headers=key)
    assert (first.json(), again.headers["Idempotent-Replayed"]) == (again.json(), "true")
    assert (await api.get("/checks/backup")).json()["pings"] == 1


async def test_a_token_for_pings_pings_and_reads_nothing(api: Api) -> None:
    await made(api, namespace="shop")
    pinger = await api.with_scopes("ping", namespace="shop")
    assert (await pinger.ask("POST", "/checks/backup:ping")).json()["namespace"] == "shop"
    for path in ("/checks", "/checks/backup", "/checks/backup/pings"):
        assert (await pinger.get(path)).status_code == 403
    assert (await pinger.ask("POST", "/checks/backup:pause")).status_code == 403
    elsewhere = await pinger.ask("POST", "/checks/backup:ping", namespace="default")
    missing = await pinger.ask("POST", "/checks/backap:ping")
    assert (elsewhere.status_code, elsewhere.json()["code"]) == (404, "FOL-2060")
    assert (missing.status_code, missing.json().get("nearest")) == (404, None)
    reader = await api.with_scopes("read", "write")
    assert (await reader.ask("POST", "/checks/backup:ping", namespace="shop")).status_code == 403
    of_group = await api.with_scopes("ping", "write", group="etl")
    assert (await of_group.ask("POST", "/checks/backup:ping", namespace="shop")).status_code == 403
    assert (await of_group.ask("POST", "/checks", {"name": "x", "check": BACKUP})).status_code == 403


async def test_a_change_is_made_from_what_was_read(api: Api) -> None:
    assert (await made(api))["version"] == 1
    taken = await api.ask("POST", "/checks", {"name": "backup", "check": BACKUP})
    assert (taken.status_code, taken.json()["code"]) == (409, "FOL-3131")
    read = await api.get("/checks/backup")
    assert read.headers["ETag"] == '"v1"'
    hourly = {"check": {"every": "1h", "to": ["nobody"]}}
    assert (await api.ask("PUT", "/checks/backup", hourly)).status_code == 428
    saved = await api.ask("PUT", "/checks/backup", hourly, headers={"If-Match": '"v1"'})
    assert (saved.status_code, saved.headers["ETag"]) == (200, '"v2"')
    assert [one["code"] for one in saved.json()["warnings"]] == ["FOL-1391"]
    stale = await api.ask("PUT", "/checks/backup", {"check": BACKUP}, headers={"If-Match": '"v1"'})
    assert (stale.status_code, stale.json()["code"], stale.json()["current"]["version"]) == (412, "FOL-3130", 2)
    assert {one["path"] for one in stale.json()["changes"]} == {"every", "to", "grace", "owner", "description"}
    same = await api.ask("PUT", "/checks/backup", hourly, headers={"If-Match": '"v2"'})
    assert same.json()["version"] == 2
    assert (await api.ask("PUT", "/checks/other", {"check": BACKUP}, headers=NEW)).status_code == 201
    refused = await api.ask("POST", "/checks", {"name": "odd", "check": {"every": "1s"}})
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "every")


async def test_a_list_is_narrowed_by_namespace_state_and_text(api: Api) -> None:
    await made(api, "backup", "shop")
    await made(api, "report", "shop", owner="data", description="")
    await made(api, "backup", "other")
    assert (await api.ask("POST", "/checks/report:ping", namespace="shop", kind="fail")).status_code == 200

    async def names(**query: Any) -> list[tuple[str, str]]:
        return [(one["namespace"], one["name"]) for one in (await api.get("/checks", **query)).json()["items"]]

    assert await names() == [("other", "backup"), ("shop", "backup"), ("shop", "report")]
    assert await names(namespace="shop", state="down,late") == [("shop", "report")]
    assert await names(q="DUMP") == [("other", "backup"), ("shop", "backup")]
    limited = await api.with_scopes("read", namespace="shop")
    assert [one["name"] for one in (await limited.get("/checks")).json()["items"]] == ["backup", "report"]
    assert (await limited.get("/checks", namespace="other")).json()["items"] == []
    near = await limited.get("/checks/backap")
    assert (near.status_code, near.json()["nearest"]) == (404, "backup")


async def test_a_check_is_paused_resumed_and_taken_away(api: Api) -> None:
    await made(api)
    await api.ask("POST", "/checks/backup:ping", kind="fail")
    held = await api.ask("POST", "/checks/backup:pause", {"reason": "the shop moves"})
    assert (held.json()["state"], held.json()["reason"]) == ("PAUSED", "the shop moves")
    assert (await api.ask("POST", "/checks/backup:ping")).json()["state"] == "PAUSED"
    assert (await api.ask("POST", "/checks/backup:resume")).json()["state"] == "UP"
    assert (await api.ask("DELETE", "/checks/backup")).status_code == 204
    assert (await api.ask("DELETE", "/checks/backup")).status_code == 404
    assert (await api.ask("POST", "/checks/backup:resume")).status_code == 404
    told = await api.stage.store.journal.newest(EventFilter(subject="backup"), limit=10)
    kinds = [one.kind for one in told.items]
    assert kinds == ["check.removed", "check.resumed", "check.paused", "check.failed", "check.saved"]


async def test_checks_of_a_file_are_saved_once(api: Api) -> None:
    wanted = {"checks": {"backup": BACKUP, "sync": {"every": "10m"}}}
    looked = (await api.ask("POST", "/alerts:apply", {**wanted, "dry_run": True})).json()
    assert [(one["sort"], one["name"], one["change"]) for one in looked["items"]] == [
        ("check", "backup", "created"),
        ("check", "sync", "created"),
    ]
    assert (await api.get("/checks")).json()["items"] == []
    for change, version in (("created", 1), ("same", 1)):
        done = (await api.ask("POST", "/alerts:apply", wanted)).json()["items"]
        assert {(one["change"], one["version"]) for one in done} == {(change, version)}
    bad = {"checks": {"backup": {"every": "1s"}}}
    refused = await api.ask("POST", "/alerts:apply", bad)
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "checks.backup.every")
