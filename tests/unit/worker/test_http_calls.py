"""Jobs that call a URL: what is sent, which answer is a success, what is kept of it."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import Iterator
from typing import Any

import pytest

from foliot.ports.secrets import Destination
from tests.servers.web_site import Seen, Visit, WebSite
from tests.unit.worker.http_calls import calling


@pytest.fixture(scope="module")
def site() -> Iterator[WebSite]:
    site = WebSite()
    yield site
    site.close()


def last(site: WebSite) -> Seen:
    return site.log.seen[-1]


async def test_a_request_is_filled_with_parameters_and_facts_of_its_run(site: WebSite) -> None:
    options = {
        "url": f"{site.url}/echo?job=${{job.name}}",
        "method": "PUT",
        "headers": {"X-Order": "no ${params.order.id}", "accept": "text/x-${run.id}"},
        "query": {"q": "${params.text}", "n": [1, "${params.order.id}"], "none": None, "tags": "${params.tags}"},
        "body": {"json": {"id": "${params.order.id}", "all": "${params.order}", "note": "at ${run.due}", "$${": 1}},
    }
    params = {"order": {"id": 5, "new": True}, "text": "a&b=c/é", "tags": ["x", "y"]}
    async with calling() as worker:
        ended = await worker.call(options, params)

    answer = ended.result["body"]
    assert ended.result["status"] == 200
    assert answer["method"] == "PUT"
    assert answer["target"] == "/echo?job=settle&q=a%26b%3Dc%2F%C3%A9&n=1&n=5&tags=x&tags=y"
    assert answer["headers"]["x-order"] == "no 5"
    assert answer["headers"]["accept"] == "text/x-r-7"
    assert answer["headers"]["content-type"] == "application/json"
    assert json.loads(answer["body"]) == {
        "id": 5, "all": {"id": 5, "new": True}, "note": "at 2025-10-09T08:53:20Z", "$${": 1,
    }  # fmt: skip


async def test_a_path_takes_a_value_as_one_segment(site: WebSite) -> None:
    site.pages["/orders/a%2Fb%3F%23%20c"] = lambda visit: visit.answer(200, b"found")
    async with calling() as worker:
        ended = await worker.call({"url": f"{site.url}/orders/${{params.id}}"}, {"id": "a/b?# c"})

    assert ended.result["body"] == "found"


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("..", "segment . or .."),
        (".", "segment . or .."),
        ("", "empty"),
        (None, "not text"),
        ([1], "not text"),
        ({"a": 1}, "not text"),
    ],
)
async def test_a_path_takes_nothing_that_leads_elsewhere(site: WebSite, value: Any, why: str) -> None:
    before = len(site.log.seen)
    async with calling() as worker:
        ended = await worker.call({"url": f"{site.url}/orders/${{params.id}}"}, {"id": value})

    assert ended.error.startswith("rejected: HttpUnfit: run.http.url")
    assert why in ended.error
    assert len(site.log.seen) == before


async def test_a_form_and_a_text_are_sent_as_they_are_written(site: WebSite) -> None:
    async with calling() as worker:
        form = {"a": "${params.a}", "b": True, "c": None, "d": [1, 2]}
        await worker.call({"url": f"{site.url}/echo", "body": {"form": form}}, {"a": "x&y=z\n"})
        sent = last(site)
        assert (sent.method, sent.body) == ("POST", b"a=x%26y%3Dz%0A&b=true&d=1&d=2")
        assert sent.headers["content-type"] == "application/x-www-form-urlencoded"

        await worker.call({"url": f"{site.url}/echo", "body": {"text": "hello ${params.a}\nü"}}, {"a": "${run.id}"})
        assert last(site).body.decode() == "hello ${run.id}\nü"
        assert last(site).headers["content-type"] == "text/plain; charset=utf-8"

        await worker.call({"url": f"{site.url}/echo", "body": {"json": None}, "headers": {"Content-Type": "x/y"}})
        assert (last(site).body, last(site).headers["content-type"]) == (b"null", "x/y")


async def test_each_request_says_whose_it_is_and_repeats_its_key(site: WebSite) -> None:
    options = {"url": f"{site.url}/echo"}
    async with calling() as worker:
        for attempt in (1, 2):
            await worker.call(options, attempt=attempt, lease_id=f"lease-{attempt}", fence=attempt + 10, job="结算")
        await worker.call(options, run_id=8)
    first, second, other = (seen.headers for seen in site.log.seen[-3:])

    assert first["foliot-run"] == "r-7"
    assert first["foliot-job"] == "shop/%E7%BB%93%E7%AE%97"
    assert first["foliot-due"] == "2025-10-09T08:53:20Z"
    assert (first["foliot-attempt"], second["foliot-attempt"]) == ("1", "2")
    assert (first["foliot-fence"], second["foliot-fence"]) == ("11", "12")
    assert first["idempotency-key"] == second["idempotency-key"] != other["idempotency-key"]
    assert first["user-agent"].startswith("foliot/")
    version, trace, span, flags = first["traceparent"].split("-")
    assert (version, len(trace), len(span), flags) == ("00", 32, 16, "01")
    assert first["traceparent"] != second["traceparent"]
    assert "lease-1" not in str(first)


async def test_what_the_job_proves_itself_by_comes_from_secrets(site: WebSite) -> None:
    secrets = {"TOKEN": "t0ken-canary", "PASSWORD": "pass:canary"}
    url = f"{site.url}/echo"
    async with calling(secrets) as worker:
        await worker.call({"url": url, "auth": {"bearer": "${secret:TOKEN}"}})
        assert last(site).headers["authorization"] == "Bearer t0ken-canary"

        await worker.call({"url": url, "auth": {"basic": {"user": "anne", "password": "${secret:PASSWORD}"}}})
        assert last(site).headers["authorization"] == "Basic YW5uZTpwYXNzOmNhbmFyeQ=="

        body = {"json": {"a": 1}}
        await worker.call({"url": f"{url}?x=1", "body": body, "auth": {"hmac": {"key": "${secret:TOKEN}"}}})
        signed = last(site)
        text = b"1760000001\nPOST\n/echo?x=1\n" + signed.body
        proof = hmac.new(b"t0ken-canary", text, hashlib.sha256).hexdigest()
        assert signed.headers["foliot-signature"] == f"t=1760000001,v1={proof}"

        how = {"key": "${secret:TOKEN}", "over": "body", "header": "X-Hub-Signature-256"}
        await worker.call({"url": url, "body": body, "auth": {"hmac": how}})
        proof = hmac.new(b"t0ken-canary", last(site).body, hashlib.sha256).hexdigest()
        assert last(site).headers["x-hub-signature-256"] == f"sha256={proof}"
    port = int(site.url.rpartition(":")[2])
    assert set(worker.secrets.asked) == {("shop", Destination("127.0.0.1", port, is_encrypted=False))}


async def test_a_parameter_cannot_name_a_secret(site: WebSite) -> None:
    options = {"url": f"{site.url}/echo", "headers": {"X-A": "${params.a}", "X-B": "${secret:TOKEN}"}}
    async with calling({"TOKEN": "${params.a} t0ken-canary"}) as worker:
        await worker.call(options, {"a": "${secret:TOKEN}"})

    assert last(site).headers["x-a"] == "${secret:TOKEN}"
    assert last(site).headers["x-b"] == "${params.a} t0ken-canary"


def tells_all(visit: Visit) -> None:
    """A server that repeats every secret it got, in pieces too."""
    seen = visit.seen
    told = {"got": seen.headers, "target": seen.target, "body": seen.body.decode(), "quoted": 'a"b-canary'}
    visit.answer(int(seen.headers["x-status"]), told, x_request_id=seen.headers["authorization"])


@pytest.mark.parametrize("status", ["200", "500"])
async def test_a_secret_is_in_no_log_no_error_and_no_result(site: WebSite, status: str) -> None:
    site.pages["/tells"] = tells_all
    secrets = {"A": "canary-in-header", "B": "canary/in path", "C": 'a"b-canary', "D": "canary-in-body"}
    options = {
        "url": f"{site.url}/tells?token=${{secret:B}}",
        "headers": {"X-Status": status, "Authorization": "Bearer ${secret:A}", "X-C": "${secret:C}"},
        "query": {"again": "${secret:B}"},
        "body": {"json": {"key": "${secret:D}"}},
    }
    async with calling(secrets) as worker:
        ended = await worker.call(options)

    assert last(site).query == "token=canary%2Fin%20path&again=canary%2Fin%20path"
    shown = ended.everything()
    assert "canary-in" not in shown
    assert "b-canary" not in shown
    assert "/tells?token=***&again=" in shown
    assert ended.outcome.cause == ("succeeded" if status == "200" else "error")


async def test_an_encoded_secret_of_a_url_is_hidden_too(site: WebSite) -> None:
    site.pages["/tells"] = lambda visit: visit.answer(200, {"you": visit.seen.target})
    async with calling({"B": "canary/in path"}) as worker:
        ended = await worker.call({"url": f"{site.url}/tells?key=${{secret:B}}"})

    assert "canary" not in ended.everything()


@pytest.mark.parametrize("status", [200, 500])
async def test_a_long_secret_is_not_shown_in_half_where_the_answer_is_cut(site: WebSite, status: int) -> None:
    secret = "".join(f"canary-{number}-" for number in range(2_000))
    body = f"x{secret}".encode()
    site.pages["/long"] = lambda visit: visit.answer(status, body, content_type="text/plain")
    options = {"url": f"{site.url}/long", "capture": 100, "headers": {"X-Key": "${secret:TOKEN}"}}
    async with calling({"TOKEN": secret[:7_900]}) as worker:
        ended = await worker.call(options)
    assert "canary" not in ended.everything()
    assert ended.outcome.cause == ("succeeded" if status == 200 else "error")


async def test_the_status_and_checks_of_the_answer_decide(site: WebSite) -> None:
    site.pages["/state"] = lambda visit: visit.answer(202, {"state": "done", "n": [1, {"x": None}]})
    url = f"{site.url}/state"
    fine: list[Any] = [
        202, "202", "2xx", "200,202", [500, "2xx"], {"json": '$.state == "done"'},
        {"status": 202, "json": "$.n[1].x exists"},
        {"json": ['$.state in ["done"]', "$.n[0] >= 1", "$.m missing", '$["state"] != "x"', "$.n[1].x == null"]},
    ]  # fmt: skip
    bad: list[Any] = [200, "3xx", [200, 204], {"json": '$.state == "failed"'}, {"json": "$.n[0] > 1"}]
    async with calling() as worker:
        for expect in fine:
            assert (await worker.call({"url": url, "expect": expect})).outcome.cause == "succeeded", expect
        for expect in bad:
            ended = await worker.call({"url": url, "expect": expect})
            assert ended.outcome.cause == "error", expect
            assert "HttpFailed" in ended.names
            assert '"state": "done"' in ended.log.replace("\\", "")


async def test_an_error_is_named_after_its_status(site: WebSite) -> None:
    async with calling() as worker:
        for status, names in {
            404: {"HttpStatus404", "HttpStatus4xx", "HttpStatusError", "HttpFailed"},
            503: {"HttpStatus503", "HttpStatus5xx", "HttpStatusError", "HttpTransient", "HttpFailed"},
            429: {"HttpStatus429", "HttpStatus4xx", "HttpTransient"},
        }.items():
            site.pages["/status"] = lambda visit, status=status: visit.answer(status, b"no")  # type: ignore[misc]
            ended = await worker.call({"url": f"{site.url}/status"})
            assert names <= set(ended.names)
            assert ended.error == (
                f"error: HttpStatus{status}: GET {site.url}/status answered {status}; 2xx was expected."
            )
        assert "HttpTransient" not in (await worker.call({"url": f"{site.url}/none"})).names


async def test_the_log_says_what_was_asked_and_answered(site: WebSite) -> None:
    async with calling() as worker:
        ended = await worker.call({"url": f"{site.url}/ok"})

    request, answer = ended.log.splitlines()
    assert request == f"INFO  request  method=GET url={site.url}/ok"
    assert answer.startswith("INFO  answer  status=200 bytes=12 ms=")


async def test_so_much_of_the_answer_is_kept_as_the_job_says(site: WebSite) -> None:
    site.pages["/long"] = lambda visit: visit.answer(200, b"x" * 100_000, content_type="text/plain", set_cookie="a=b")
    site.pages["/odd"] = lambda visit: visit.answer(200, b"\x00\x01\xff" * 16_000, content_type="text/plain")
    site.pages["/deep"] = lambda visit: visit.answer(200, b"[" * 5000, content_type="application/json")
    async with calling() as worker:
        cut = (await worker.call({"url": f"{site.url}/long", "capture": 10})).result
        assert cut == {"status": 200, "headers": {"content-type": "text/plain"}, "body": "x" * 10, "truncated": True}
        none = (await worker.call({"url": f"{site.url}/long", "capture": 0, "capture_headers": ["Set-Cookie"]})).result
        assert none == {"status": 200, "headers": {}, "body": None, "truncated": True}
        odd = (await worker.call({"url": f"{site.url}/odd", "capture": 49152})).result
        assert odd["truncated"]
        assert odd["body"].startswith("�\x01�")
        deep = (await worker.call({"url": f"{site.url}/deep"})).result
        assert deep["body"] == "[" * 5000
        packed = (await worker.call({"url": f"{site.url}/packed"})).result
        assert packed["body"] == {"packed": True}


async def test_one_pool_serves_many_calls_at_once(site: WebSite) -> None:
    async with calling(connections_per_host=4, keep_alive_s=60) as worker:
        before = site.log.connections
        calls = [worker.call({"url": f"{site.url}/ok"}) for _ in range(200)]
        ends = await asyncio.gather(*calls)

    assert all(ended.result["body"] == {"ok": True} for ended in ends)
    assert site.log.connections - before <= 4
