"""Tokens and rights: every route declares one, every scope × route is tried, nothing is seen beyond a namespace."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from fastapi import APIRouter, FastAPI
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from foliot.api.app import build_api
from foliot.api.auth.rights import PUBLIC, UndeclaredRight, rights_of
from foliot.api.console import PAGES
from foliot.domain.access import (
    IMPLIED,
    BadToken,
    Grant,
    Principal,
    Scope,
    check_secret,
    login_code,
    parse_scopes,
    plain_code,
)
from foliot.domain.errors import FoliotError
from foliot.operations.tokens import bootstrap, create_token, hash_of, log_out, make_login_code, redeem_login_code
from foliot.ports.store.tokens import TokenRecord
from tests.api.asking import Api
from tests.api.stage import ROOT, Stage

VALUES = {"name": "tick", "run": "r-1", "version": "1", "number": "1", "callback": "c0ffee", "kind": "http",
          "claim": "c0ffee", "type": "worker_crash"}  # fmt: skip
BODIES: Mapping[str, Any] = {
    "POST /api/v1/jobs": {"name": "new", "definition": {"run": {"python": "m:f"}}},
    "POST /api/v1/jobs:validate": {"definition": {"run": {"python": "m:f"}}},
    "PUT /api/v1/jobs/{name}": {"definition": {"run": {"python": "m:f"}}},
    "PATCH /api/v1/jobs/{name}": {"definition": {"owner": "x"}},
    "POST /api/v1/jobs/{name}:clone": {"name": "other"},
    "POST /api/v1/jobs/{name}:rollback": {"to": 1},
    "POST /api/v1/jobs:pause": {"jobs": []},
    "POST /api/v1/jobs:resume": {"jobs": []},
    "POST /api/v1/jobs:trigger": {"jobs": []},
    "POST /api/v1/jobs:delete": {"jobs": []},
    "POST /api/v1/runs:cancel": {"ids": []},
    "POST /api/v1/runs:retry": {"ids": []},
    "POST /api/v1/backfills:preview": {"job": "tick", "from": "2026-03-01T00:00:00Z", "to": "2026-03-01T01:00:00Z"},
    "POST /api/v1/backfills": {
        "job": "tick", "from": "2026-03-01T00:00:00Z", "to": "2026-03-01T01:00:00Z", "token": "x",
    },
    "POST /api/v1/tokens": {"name": "t", "scopes": ["read"]},
    "POST /api/v1/cron:explain": {"expression": "0 2 * * *"},
    "POST /api/v1/login": {"code": "wrong"},
    "POST /api/v1/callbacks/{callback}": {"state": "succeeded"},
    "PUT /api/v1/cluster/limits/{name}": {"max": 4},
    "POST /api/v1/locks/{name}:release": {"token": "1"},
    "POST /api/v1/checks": {"name": "c", "check": {"every": "1d"}},
    "POST /api/v1/drills": {"type": "crash", "on": "w-1"},
    "POST /api/v1/drills:preview": {"type": "crash", "on": "w-1"},
}  # fmt: skip
STREAMS = ("/api/v1/events",)


def routes(api: Api) -> list[tuple[str, str, Any]]:
    return [(method, path, right) for (method, path), right in sorted(api.app.state.rights.items())]


async def knock(api: Api, method: str, path: str) -> int:
    body = BODIES.get(f"{method} {path}", {} if method in ("POST", "PUT", "PATCH") else None)
    filled = re.sub(r"\{(\w+)\}", lambda found: VALUES[found[1]], path)
    query: dict[str, Any] = {"q": "tick"} if path.endswith("/search") else {}
    query |= {"before": 1, "after": 1} if path.endswith("/diff") else {}
    query |= {"at": "2026-03-02T06:00:00Z"} if path == "/api/v1/jobs/{name}/why" else {}
    query |= {"namespace": "default"} if "/report-schedules/" in path else {}
    api._http.cookies.clear()  # one that began a session would let the next one in
    return (await api.ask(method, filled, body, **query)).status_code


# ------------------------------------------------------------------------------------------------------ declared rights


async def test_every_route_declares_its_right(api: Api) -> None:
    declared = routes(api)
    assert len(declared) > 50
    assert {right for _, _, right in declared} == {
        Scope.READ,
        Scope.RUN,
        Scope.WRITE,
        Scope.ADMIN,
        Scope.LOCK,
        Scope.PING,
        PUBLIC,
    }
    assert {path for _, path, right in declared if right == PUBLIC} == {
        "/healthz", "/readyz", "/api/v1/login", "/api/v1/callbacks/{callback}", "/login", "/assets/{name}", *PAGES,
    }  # fmt: skip


def test_a_route_without_a_right_is_an_error_at_start_up() -> None:
    router = APIRouter()

    @router.get("/secret")
    async def secret() -> str:
        return "open to all"

    with pytest.raises(UndeclaredRight, match="/secret declares 0 rights"):
        rights_of(router.routes, {})
    with pytest.raises(UndeclaredRight):
        rights_of([Route("/plain", PlainTextResponse("x"), name="plain")], {})
    with pytest.raises(UndeclaredRight):
        rights_of([Mount("/app", FastAPI())], {})


async def test_a_server_with_such_a_route_does_not_start(stage: Stage) -> None:
    with pytest.raises(UndeclaredRight):
        build_api(stage.services, plain_routes=lambda _: [Mount("/hidden", FastAPI())])


async def test_each_scope_on_each_route(api: Api) -> None:
    """The table is made from the routes: 401 without a token, 403 without the scope, and with it neither."""
    await api.create_job("tick", schedule={"every": "1m"})
    await api.post("/jobs/tick:trigger")
    tokens = {scope: await api.with_scopes(scope) for scope in Scope}
    nobody = api.as_token(None)
    wrong: list[str] = []
    for method, path, right in routes(api):
        if path in STREAMS:
            continue
        if right == PUBLIC:
            assert await knock(nobody, method, path) != 403, path
            continue
        if await knock(nobody, method, path) != 401:
            wrong.append(f"nobody may {method} {path}")
        for scope, asker in tokens.items():
            if path.endswith("/logout") and right in IMPLIED[scope]:
                continue  # it would end the token that the other rows need
            status = await knock(asker, method, path)
            may = right in IMPLIED[scope]
            if (status in (401, 403)) == may:
                wrong.append(f"{scope}: {method} {path} needs {right}, answered {status}")
    assert wrong == []


async def test_what_a_token_lacks_is_said(api: Api) -> None:
    await api.create_job("tick", group="billing")
    answer = await (await api.with_scopes("read")).post("/jobs/tick:trigger")
    assert (answer.status_code, answer.json()["code"]) == (403, "FOL-4001")
    assert answer.json()["detail"] == "This token has the scope read, but this needs the scope run."
    assert answer.json()["hint"] == "foliot token create NAME --scope run"
    limited = await api.with_scopes("run", group="reports")
    answer = await limited.post("/jobs/tick:trigger")
    assert (
        answer.json()["detail"]
        == "This token has the scopes read and run, but this needs the scope run on group billing."
    )


# --------------------------------------------------------------------------------------------------------------- tokens


async def test_a_revoked_token_is_refused_by_the_next_call(api: Api) -> None:
    made = (await api.post("/tokens", {"name": "ci", "scopes": ["read"], "expires": "90d"})).json()
    ci = api.as_token(made["token"])
    assert (await ci.get("/whoami")).json() == {"name": "ci", "scopes": ["read"], "namespace": None, "group": None}
    assert (await api.ask("DELETE", "/tokens/ci")).status_code == 200
    answer = await ci.get("/whoami")
    assert (answer.status_code, answer.json()["code"]) == (401, "FOL-4002")
    assert answer.headers["www-authenticate"].startswith("Bearer")


async def test_a_token_expires(api: Api, stage: Stage) -> None:
    made = (await api.post("/tokens", {"name": "ci", "scopes": ["read"], "expires": "1h"})).json()
    stage.elapse("59m")
    assert (await api.as_token(made["token"]).get("/whoami")).status_code == 200
    stage.elapse("2m")
    assert (await api.as_token(made["token"]).get("/whoami")).status_code == 401


async def test_rotation_gives_the_old_secret_a_time_of_grace(api: Api, stage: Stage) -> None:
    old = (await api.post("/tokens", {"name": "ci", "scopes": ["read"]})).json()["token"]
    new = (await api.post("/tokens/ci:rotate", {"grace": "24h"})).json()["token"]
    assert old != new
    assert [(await api.as_token(secret).get("/whoami")).status_code for secret in (old, new)] == [200, 200]
    stage.elapse("25h")
    assert [(await api.as_token(secret).get("/whoami")).status_code for secret in (old, new)] == [401, 200]


async def test_revoking_a_rotated_token_ends_both_secrets(api: Api) -> None:
    old = (await api.post("/tokens", {"name": "ci", "scopes": ["read"]})).json()["token"]
    new = (await api.post("/tokens/ci:rotate", {"grace": "24h"})).json()["token"]
    assert (await api.ask("DELETE", "/tokens/ci")).status_code == 200
    assert [(await api.as_token(secret).get("/whoami")).status_code for secret in (old, new)] == [401, 401]
    assert (await api.ask("DELETE", "/tokens/ci")).json()["code"] == "FOL-2006"


async def test_revoking_one_secret_by_its_id_leaves_the_other(api: Api) -> None:
    made = (await api.post("/tokens", {"name": "ci", "scopes": ["read"]})).json()
    new = (await api.post("/tokens/ci:rotate", {"grace": "24h"})).json()["token"]
    assert (await api.ask("DELETE", f"/tokens/{made['record']['id']}")).status_code == 200
    secrets = (made["token"], new)
    assert [(await api.as_token(secret).get("/whoami")).status_code for secret in secrets] == [401, 200]


@pytest.mark.parametrize("kind", ["namespace", "group"])
@pytest.mark.parametrize("written", ["", "a b", "a/b", "*", "a\u202eb", "-a"])
async def test_what_a_token_is_limited_to_is_a_name(api: Api, kind: str, written: str) -> None:
    refused = await api.post("/tokens", {"name": "ci", "scopes": ["read"], kind: written})
    assert refused.status_code in (400, 422)
    assert refused.json()["code"] in ("FOL-1056", "FOL-1085"), refused.json()


async def test_the_limit_of_a_token_is_kept_in_the_one_form_of_a_name(api: Api) -> None:
    made = await api.post("/tokens", {"name": "ci", "scopes": ["read"], "group": "cafe\u0301"})
    assert made.json()["record"]["group"] == "caf\u00e9"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"}, 200),
        ({"X-Forwarded-Proto": "http", "X-Forwarded-For": "203.0.113.7"}, 403),
        ({"X-Forwarded-Proto": "http, https", "X-Forwarded-For": "203.0.113.7, 10.0.0.1"}, 403),
        ({"X-Forwarded-Proto": "http", "X-Forwarded-For": "unknown"}, 403),
        ({"X-Forwarded-Proto": "http", "X-Forwarded-For": "127.0.0.1"}, 200),
        ({"X-Forwarded-Proto": "http", "X-Forwarded-For": "[::1]"}, 200),
    ],
)
async def test_a_token_that_a_proxy_took_over_plain_http_is_refused(
    api: Api, headers: dict[str, str], status: int
) -> None:
    """SEC-27, as far as a server can see it."""
    answer = await api.ask("GET", "/whoami", headers=headers)
    assert answer.status_code == status
    if status == 403:
        assert answer.json()["code"] == "FOL-4020"
    login = await api.as_token(None).ask("POST", "/login", {"code": "7Q4M-2XKD-9TRA"}, headers=headers)
    assert (login.json()["code"] == "FOL-4020") == (status == 403)
    api.app.state.insecure_http = True
    assert (await api.ask("GET", "/whoami", headers=headers)).status_code == 200, "it was asked for"


async def test_the_secret_is_nowhere_in_the_store_and_shown_once(api: Api, stage: Stage) -> None:
    made = (await api.post("/tokens", {"name": "ci", "scopes": ["read"]})).json()
    secret = made["token"]
    assert secret.startswith("fol_")
    listed = await api.get("/tokens")
    assert "hash" not in listed.text
    assert secret not in listed.text
    await stage.store.close()
    from pathlib import Path

    database = Path(stage.url.removeprefix("sqlite:///"))
    files = [database, *database.parent.glob("foliot.db-*")]
    assert all(secret.encode() not in file.read_bytes() for file in files)
    await stage.open()


@pytest.mark.parametrize(
    "trick",
    [
        lambda token: token[:-1],
        lambda token: token + "x",
        lambda token: token.upper(),
        lambda token: token + " ",
        lambda token: " " + token,
        lambda token: token + "\t",
        lambda token: token.removeprefix("fol_"),
        lambda token: token + "," + token,
        lambda token: f'"{token}"',
        lambda _: "*",
        lambda _: "%",
        lambda _: "null",
    ],
)
async def test_nearly_the_token_is_not_the_token(api: Api, trick: Any) -> None:
    assert api.token is not None
    answer = await api.ask("GET", "/whoami", headers={"Authorization": f"Bearer {trick(api.token)}"})
    assert answer.status_code == 401


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic abc", "token", "Bearer  x", "bearer x y"])
async def test_what_is_not_a_bearer_token_is_refused(api: Api, header: str) -> None:
    assert (await api.ask("GET", "/whoami", headers={"Authorization": header})).status_code == 401


async def test_a_token_takes_only_known_scopes_and_sane_lifetimes(api: Api) -> None:
    for body in (
        {"name": "x", "scopes": ["Read"]},
        {"name": "x", "scopes": ["read "]},
        {"name": "x", "scopes": []},
        {"name": "x", "scopes": ["read"], "expires": "10y"},
        {"name": "x", "scopes": ["read"], "expires": "400d"},
        {"name": "x", "scopes": ["read"], "expires": 0},
        {"name": "x", "scopes": ["admin"], "namespace": "billing"},
        {"name": "x y", "scopes": ["read"]},
        {"name": "x", "scopes": ["read"], "hash": "0" * 64},
        {"name": "x", "scopes": ["read"], "created_by": "me"},
    ):
        assert (await api.post("/tokens", body)).status_code == 422, body
    assert parse_scopes(["read", "worker"]) == {Scope.READ, Scope.WORKER}


async def test_a_worker_token_opens_nothing_for_people(api: Api) -> None:
    worker = await api.with_scopes("worker")
    assert (await worker.get("/jobs")).status_code == 403
    assert (await worker.get("/whoami")).status_code == 403


# ------------------------------------------------------------------------------------------------- the first way in


@pytest.mark.parametrize(
    "known",
    ["", "   ", "default_token", "changeme", "CHANGEME", '"secret"', "a" * 64, "short-but-random-9f3c1a2b", "x" * 600],
)
async def test_known_and_weak_first_tokens_are_refused(stage: Stage, known: str) -> None:
    with pytest.raises(BadToken):
        await bootstrap(stage.services, given=known)
    assert await stage.services.store.tokens.list() == []


async def test_the_first_token_works_and_a_second_start_makes_none(stage: Stage) -> None:
    given = "8f14e45fceea167a5a36dedd4bea2543"
    assert await bootstrap(stage.services, given=f"{given}\n") == given
    assert await bootstrap(stage.services) is None
    app = Api(stage, build_api(stage.services), None, given)  # type: ignore[arg-type]
    assert app.token == given
    (record,) = await stage.services.store.tokens.list()
    assert record.scopes == {Scope.ADMIN, Scope.WORKER}


async def test_a_fresh_first_token_is_random(stage: Stage) -> None:
    made = await bootstrap(stage.services)
    assert made is not None
    assert check_secret(made) == made


async def test_a_login_code_buys_one_token(api: Api, stage: Stage) -> None:
    made = (await api.post("/login-codes")).json()
    code = made["code"]
    assert re.fullmatch(r"[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]{4}", code)
    assert made["path"] == f"/login#{code}"
    nobody = api.as_token(None)
    bought = await nobody.post("/login", {"code": code.lower().replace("-", " ")})
    assert bought.status_code == 200
    assert (await api.as_token(bought.json()["token"]).get("/jobs")).status_code == 200
    again = await nobody.post("/login", {"code": code})
    assert (again.status_code, again.json()["code"]) == (401, "FOL-4003")
    late = (await api.post("/login-codes")).json()["code"]
    stage.elapse("16m")
    assert (await nobody.post("/login", {"code": late})).status_code == 401


async def test_codes_cannot_be_guessed_for_long(api: Api, stage: Stage) -> None:
    nobody = api.as_token(None)
    statuses = [(await nobody.post("/login", {"code": f"AAAA-BBBB-CC{i:02}"})).status_code for i in range(12)]
    assert statuses == [401] * 10 + [429] * 2
    refused = await nobody.post("/login", {"code": "x"})
    assert int(refused.headers["retry-after"]) >= 1
    stage.elapse("61s")
    assert (await nobody.post("/login", {"code": "x"})).status_code == 401


async def test_a_cookie_is_for_reading_and_for_writes_with_the_header(api: Api) -> None:
    code = (await api.post("/login-codes")).json()["code"]
    answer = await api.as_token(None).post("/login", {"code": code, "cookie": True})
    cookie = answer.headers["set-cookie"]
    assert "httponly" in cookie.lower()
    assert "samesite=lax" in cookie.lower()
    api._http.cookies.clear()
    asker, sent = api.as_token(None), {"Cookie": f"foliot_session={answer.json()['token']}"}
    assert (await asker.ask("GET", "/jobs", headers=sent)).status_code == 200
    body = {"name": "x", "definition": {"run": {"python": "m:f"}}}
    refused = await asker.ask("POST", "/jobs", body, headers=sent)
    assert (refused.status_code, refused.json()["code"]) == (403, "FOL-4005")
    assert (await asker.ask("POST", "/jobs", body, headers={**sent, "X-Foliot-Csrf": "1"})).status_code == 201
    assert (await asker.ask("POST", "/logout", {}, headers={**sent, "X-Foliot-Csrf": "1"})).status_code == 204
    assert (await asker.ask("GET", "/jobs", headers=sent)).status_code == 401


async def test_a_browser_that_logs_out_forgets_the_token_it_was_given_and_the_token_goes_on(api: Api) -> None:
    token = (await api.post("/tokens", {"name": "mine", "scopes": ["admin"]})).json()["token"]
    assert (await api.as_token(token).post("/session", {})).status_code == 200
    api._http.cookies.clear()
    sent = {"Cookie": f"foliot_session={token}", "X-Foliot-Csrf": "1"}
    gone = await api.as_token(None).ask("POST", "/logout", {}, headers=sent)
    assert gone.status_code == 204
    assert 'foliot_session="";' in gone.headers["set-cookie"]
    assert (await api.as_token(token).get("/whoami")).status_code == 200
    assert (await api.as_token(token).post("/logout", {})).status_code == 204  # a program that logs out ends it
    assert (await api.as_token(token).get("/whoami")).status_code == 401


async def test_who_logs_out_ends_the_session_however_many_tokens_are_newer(
    api: Api, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (await api.post("/login-codes")).json()["code"]
    session = (await api.as_token(None).post("/login", {"code": code, "cookie": True})).json()["token"]
    api._http.cookies.clear()
    sent = {"Cookie": f"foliot_session={session}", "X-Foliot-Csrf": "1"}
    asker = api.as_token(None)

    async def only_newer_ones(*, include_gone: bool = False) -> list[TokenRecord]:
        return []

    monkeypatch.setattr(stage.store.tokens, "list", only_newer_ones)
    assert (await asker.ask("POST", "/logout", {}, headers=sent)).status_code == 204
    assert (await asker.ask("GET", "/jobs", headers=sent)).status_code == 401


async def test_who_logs_out_with_a_token_that_is_revoked_meanwhile_is_logged_out(stage: Stage) -> None:
    issued = await create_token(stage.services, ROOT, "mine", Grant(scopes=frozenset({Scope.ADMIN})))
    namesake = await create_token(stage.services, ROOT, issued.record.id, Grant(scopes=frozenset({Scope.ADMIN})))
    who = replace(ROOT, name="mine", token_id=issued.record.id)
    await stage.store.tokens.revoke(issued.record.id)
    await log_out(stage.services, who, by_cookie=True)
    await log_out(stage.services, replace(who, token_id="t-gone"), by_cookie=False)
    assert (await stage.store.tokens.find(hash_of(namesake.secret)))[0] is not None


def test_codes_are_written_in_letters_nobody_misreads() -> None:
    code = login_code("f" * 32)
    assert not set(code) & set("01ILOU")
    assert plain_code(f" {code.lower()} ") == code.replace("-", "")


async def test_operations_refuse_by_themselves(stage: Stage) -> None:
    """The API is not the only edge: what a principal may not do, no edge can do for it."""
    reader = Principal(name="reader", scopes=frozenset({Scope.READ}))
    with pytest.raises(FoliotError):
        await create_token(stage.services, reader, "x", Grant(scopes=frozenset({Scope.READ})))
    with pytest.raises(FoliotError):
        await make_login_code(stage.services, reader)
    code, _ = await make_login_code(stage.services, ROOT)
    assert (await redeem_login_code(stage.services, code)).record.scopes == {Scope.ADMIN}
