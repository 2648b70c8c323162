"""What every route does: strict bodies, known parameters, one answer per key, bounds, languages, a true description."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from foliot.api.bodies import BODY_MAX
from foliot.api.console import PAGES
from foliot.api.errors import STATUSES, status_of
from foliot.domain.errors import FoliotError, JobNotFound, VersionConflict
from foliot.ports.store.errors import OutcomeUnknown, StoreBusy, StoreUnavailable
from tests.api.asking import Api
from tests.api.stage import Stage

JOB = {"name": "tick", "definition": {"run": {"python": "m:f"}}}


# --------------------------------------------------------------------------------------------------------------- bodies


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 422),
        (b"not json", 400),
        (b"[1, 2]", 422),
        (b'"text"', 422),
        (b"null", 422),
        (b'{"name": "a", "name": "b"}', 400),
        (b'{"name": NaN}', 400),
        (b'{"name": 1e999}', 400),
        (b'{"name": 99999999999999999999999}', 400),
        (b"[" * 100_000, 400),
        (b'{"a":' * 50 + b"1" + b"}" * 50, 400),
        (b'{"name": "\xff"}', 400),
        (b'{"name": "\\u0000", "definition": {}}', 422),
        (b'{"name": "\\ud800", "definition": {}}', 400),
        (b'{"name": "x", "definition": {"run": {"python": "m:f"}}, "namespace": "y"}', 422),
        (b'{"name": "x", "definition": {"run": {"python": "m:f"}}, "state": "done"}', 422),
        (b'{"name": "x", "definition": {"run": {"python": "m:f"}, "fence": 3}}', 422),
        (b'{"name": "x", "definition": {"run": {"python": "m:f"}, "cursor": {}}}', 422),
        (b'{"name": 3, "definition": {}}', 422),
    ],
)
async def test_a_body_that_is_not_right_is_refused_in_words(api: Api, body: bytes, status: int) -> None:
    answer = await api.ask("POST", "/jobs", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == status, answer.text
    problem = answer.json()
    assert problem["detail"]
    assert problem["trace_id"]
    assert problem["instance"] == "/api/v1/jobs"


async def test_a_body_must_say_it_is_json(api: Api) -> None:
    sent = json.dumps(JOB).encode()
    for media in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        answer = await api.ask("POST", "/jobs", content=sent, headers={"Content-Type": media})
        assert answer.status_code == 400, media


async def test_a_large_body_is_not_read(api: Api) -> None:
    sent = b'{"name": "' + b"x" * BODY_MAX + b'"}'
    answer = await api.ask("POST", "/jobs", content=sent, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (413, "FOL-1081")

    async def pieces() -> Any:
        for _ in range(40):
            yield b"x" * 65536

    streamed = await api._http.post(
        "/api/v1/jobs",
        content=pieces(),
        headers={"Content-Type": "application/json", "Authorization": f"Bearer {api.token}"},
    )
    assert streamed.status_code == 413


async def test_an_unknown_parameter_is_refused_with_the_nearest(api: Api) -> None:
    answer = await api.get("/jobs", onwer="x")
    assert (answer.status_code, answer.json()["hint"]) == (400, "did you mean owner?")
    assert (await api.get("/jobs", q="a\0b")).status_code == 400


@pytest.mark.parametrize(
    "hostile", ["x'; DROP TABLE jobs; --", "%", "_", "\\", '" OR 1=1', "{now}", ":name", "\u202e", "𝕏" * 40]
)
async def test_filters_are_data(api: Api, hostile: str) -> None:
    await api.create_job("tick")
    for path, field in (
        ("/jobs", "q"), ("/jobs", "owner"), ("/jobs", "group"), ("/search", "q"), ("/runs", "node"),
        ("/journal", "subject"), ("/jobs", "namespace"), ("/runs", "namespace"),
    ):  # fmt: skip
        answer = await api.get(path, **{field: hostile})
        assert answer.status_code == 200, (path, field, answer.text)
        assert answer.json()["items"] == [], (path, field)
    assert len((await api.get("/jobs")).json()["items"]) == 1


async def test_what_is_not_there_is_told_as_a_problem(api: Api) -> None:
    answer = await api.get("/jobz")
    assert (answer.status_code, answer.json()["code"]) == (404, "FOL-2008")
    wrong = await api.ask("PUT", "/jobs")
    assert (wrong.status_code, wrong.json()["code"]) == (405, "FOL-2008")
    assert "GET" in wrong.headers["allow"]


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("zh-CN", "zh-CN"), ("zh", "zh-CN"), ("en;q=0.5, zh;q=0.9", "zh-CN"), ("en-GB, zh;q=0.1", "en"),
        ("fr, de", "en"), ("", "en"), ("*", "en"), ("zh;q=banana", "en"), ("," * 1000, "en"),
    ],
)  # fmt: skip
async def test_the_language_is_the_readers(api: Api, header: str, language: str) -> None:
    answer = await api.ask("GET", "/jobs/none", headers={"Accept-Language": header})
    assert answer.headers["content-language"] == language


# ----------------------------------------------------------------------------------------------------------------- once


async def test_a_repeated_post_gets_the_first_answer(api: Api) -> None:
    key = {"Idempotency-Key": "k-1"}
    first = await api.ask("POST", "/jobs", JOB, headers=key)
    again = await api.ask("POST", "/jobs", JOB, headers=key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert ("idempotent-replayed" in first.headers, again.headers["idempotent-replayed"]) == (False, "true")
    assert again.headers["etag"] == '"v1"'
    other = await api.ask("POST", "/jobs", {**JOB, "name": "other"}, headers=key)
    assert (other.status_code, other.json()["code"]) == (422, "FOL-1082")
    elsewhere = await api.ask("POST", "/jobs/tick:pause", {}, headers=key)
    assert elsewhere.status_code == 200  # a key belongs to one address
    somebody = await (await api.with_scopes("write")).ask("POST", "/jobs", JOB, headers=key)
    assert somebody.status_code == 409  # and to one asker


async def test_a_refusal_is_not_kept(api: Api) -> None:
    """It did nothing, and what it was about may be there by now."""
    key = {"Idempotency-Key": "k"}
    for body in ({"name": "!"}, JOB):
        answer = await api.ask("POST", "/jobs", body, headers=key)
    assert answer.status_code == 201
    assert (await api.post("/jobs/later:trigger", headers=key)).status_code == 404
    await api.create_job("later")
    assert (await api.post("/jobs/later:trigger", headers=key)).status_code == 201


async def test_a_request_under_way_is_told_to_its_repeat(api: Api, stage: Stage) -> None:
    claimed = asyncio.Event()
    release = asyncio.Event()
    real = stage.store.jobs.save

    async def slow(*args: Any, **kwargs: Any) -> Any:
        claimed.set()
        await release.wait()
        return await real(*args, **kwargs)

    object.__setattr__(stage.store.jobs, "save", slow)
    key = {"Idempotency-Key": "k"}
    first = asyncio.create_task(api.ask("POST", "/jobs", JOB, headers=key))
    await asyncio.wait_for(claimed.wait(), 30)
    second = await api.ask("POST", "/jobs", JOB, headers=key)
    assert (second.status_code, second.json()["code"], second.headers["retry-after"]) == (409, "FOL-3016", "1")
    release.set()
    assert (await first).status_code == 201


async def test_a_key_is_kept_for_a_day(api: Api, stage: Stage) -> None:
    key = {"Idempotency-Key": "k"}
    await api.ask("POST", "/jobs", JOB, headers=key)
    stage.elapse("23h")
    assert "idempotent-replayed" in (await api.ask("POST", "/jobs", JOB, headers=key)).headers
    stage.elapse("2h")
    assert (await api.ask("POST", "/jobs", JOB, headers=key)).status_code == 409


@pytest.mark.parametrize("path", ["/tokens", "/tokens/machine:rotate", "/login-codes"])
async def test_a_secret_is_in_one_answer_and_nowhere_else(api: Api, stage: Stage, tmp_path: Path, path: str) -> None:
    """SEC-07: not even for a repeat, which is told so and does nothing."""
    await api.post("/tokens", {"name": "machine", "scopes": ["read"]})
    key, body = {"Idempotency-Key": "k"}, {"name": "new", "scopes": ["read"]} if path == "/tokens" else {}
    first = await api.ask("POST", path, body, headers=key)
    assert first.is_success, first.text
    before = (await api.get("/tokens", all=True)).json()
    secret = first.json().get("token") or first.json()["code"]
    again = await api.ask("POST", path, body, headers=key)
    assert (again.status_code, again.json()["code"]) == (409, "FOL-3022")
    assert (again.headers["idempotent-replayed"], "retry-after" in again.headers) == ("true", False)
    assert (await api.get("/tokens", all=True)).json() == before
    stored = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"FOL-3022" in stored
    assert secret.encode() not in stored


async def test_a_store_that_is_away_is_503_and_the_key_stays_free(api: Api, stage: Stage) -> None:
    real = stage.store.jobs.save

    async def away(*args: Any, **kwargs: Any) -> Any:
        raise StoreUnavailable("The store does not answer.", hint="is it running?")

    object.__setattr__(stage.store.jobs, "save", away)
    key = {"Idempotency-Key": "k"}
    answer = await api.ask("POST", "/jobs", JOB, headers=key)
    assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (503, "FOL-5001", "1")
    object.__setattr__(stage.store.jobs, "save", real)
    assert (await api.ask("POST", "/jobs", JOB, headers=key)).status_code == 201


async def test_a_bug_is_told_without_its_insides(api: Api, stage: Stage) -> None:
    async def broken(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("secret detail of the inside")

    object.__setattr__(stage.store.jobs, "save", broken)
    answer = await api.ask("POST", "/jobs", JOB)
    assert answer.status_code == 500
    assert "secret detail" not in answer.text
    assert answer.json()["trace_id"]


# --------------------------------------------------------------------------------------------------------- description


async def test_probes_need_no_token_and_tell_the_truth(api: Api, stage: Stage) -> None:
    nobody = api.as_token(None)
    assert (await nobody.get("/healthz")).text == "ok\n"
    assert (await nobody.get("/readyz")).text == "ready\n"

    async def away() -> int:
        raise StoreUnavailable("gone")

    object.__setattr__(stage.services.store.lookups, "now", away)
    assert (await nobody.get("/readyz")).status_code == 503
    assert (await nobody.get("/healthz")).status_code == 200


async def test_descriptions_and_metrics_need_a_token(api: Api) -> None:
    nobody = api.as_token(None)
    for path in ("/api/v1/openapi.json", "/api/docs", "/metrics"):
        assert (await nobody.get(path)).status_code == 401
        assert (await api.get(path)).status_code == 200
    page = await api.get("/api/docs")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "http://" not in page.text.replace("http://www.w3.org", "")
    assert "<script" not in page.text


async def test_the_published_list_is_what_is_served(api: Api) -> None:
    """SEC-30: one inventory, made from the code."""
    schema = (await api.get("/api/v1/openapi.json")).json()
    assert schema["openapi"] == "3.1.0"
    published = {(method.upper(), path) for path, methods in schema["paths"].items() for method in methods}
    served = set(api.app.state.rights)
    assert served - published == {
        ("GET", "/api/v1/openapi.json"),
        ("GET", "/api/docs"),
        ("GET", "/login"),
        ("GET", "/assets/{name}"),
        *(("GET", path) for path in PAGES),
    }
    assert published <= served
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], (method, path)
            assert operation["description"], (method, path)
            assert operation["x-foliot-right"] == str(api.app.state.rights[method.upper(), path])


def test_every_branch_of_the_family_has_a_status() -> None:
    assert set(FoliotError.__subclasses__()) <= set(STATUSES) | {type(None)} or {
        kind.__name__ for kind in FoliotError.__subclasses__() if kind not in STATUSES
    } == {"_Failed"}
    assert status_of(JobNotFound("x")) == 404
    assert status_of(VersionConflict("x", expected=1, found=2)) == 412
    assert [status_of(error("x")) for error in (StoreBusy, StoreUnavailable, OutcomeUnknown)] == [503, 503, 503]


async def test_a_head_of_nothing_breaks_nothing(api: Api) -> None:
    assert (await api.ask("HEAD", "/healthz")).status_code in (200, 405)
    assert isinstance(await api.ask("OPTIONS", "/jobs"), httpx2.Response)


@pytest.mark.parametrize("huge", [1.7976931348623157e308, 1e300, "1e400s", "9" * 400, "9" * 400 + "s"])
async def test_a_duration_beyond_all_bounds_is_refused(api: Api, huge: Any) -> None:
    answer = await api.post("/tokens", {"name": "x", "scopes": ["read"], "expires": huge})
    assert answer.status_code == 422
