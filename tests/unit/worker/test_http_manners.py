"""Servers with bad manners: what a run that calls them ends with, and that the connection is closed (SEC-12)."""

import asyncio
import json
import socket
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from typing import Any

import pytest

from foliot.domain.verdict import Cause
from foliot.sdk.ctx import Ctx
from foliot.sdk.invocation import Outcome, invoke_async
from foliot.testing.inline_port import InlinePort
from tests.eventually import soon
from tests.servers.web_site import Visit, WebSite
from tests.unit.worker.http_calls import HttpWorker, a_run, calling


@pytest.fixture(scope="module")
def site() -> Iterator[WebSite]:
    site = WebSite()
    yield site
    site.close()


UNKNOWN = "What the server did is not known."


@pytest.mark.parametrize(
    ("path", "timeout", "error"),
    [
        ("/hang", {"read": "200ms"}, "HttpReadTimeout: GET {url} was sent, and nothing came for 0.2 s. " + UNKNOWN),
        ("/hang", "200ms", "HttpReadTimeout: GET {url} was sent, and time was over after 0.2 s. " + UNKNOWN),
        ("/dribble", {"read": "200ms"}, "HttpReadTimeout: GET {url} was sent, and nothing came for 0.2 s. " + UNKNOWN),
        (
            "/endless",
            "60s",
            "HttpAnswerUnfit: The answer to GET {url} is not as expected: it has more than 1048576 bytes.",
        ),
        (
            "/bomb",
            "60s",
            "HttpAnswerUnfit: The answer to GET {url} is not as expected: it has more than 1048576 bytes.",
        ),
        ("/close-early", "60s", "HttpNoAnswer: GET {url} was sent, and the answer broke off. " + UNKNOWN),
        (
            "/close-at-once",
            "60s",
            "HttpNoAnswer: GET {url} was sent, and the server closed the connection without an answer. " + UNKNOWN,
        ),
        ("/garbage", "60s", "HttpNoAnswer: GET {url} was sent, and the answer is not HTTP. " + UNKNOWN),
    ],
)
async def test_every_wait_and_every_count_has_an_end(site: WebSite, path: str, timeout: object, error: str) -> None:
    url = f"{site.url}{path}"
    async with calling(answer_bytes_max=1024 * 1024, keep_alive_s=60) as worker:
        await worker.call({"url": f"{site.url}/ok"})  # its connection is used again: no time goes by before the request
        ended = await worker.call({"url": url, "timeout": timeout})

    assert ended.outcome.cause is Cause.ERROR
    assert ended.outcome.error == error.format(url=url)
    assert "HttpFailed" in ended.names
    if path in ("/hang", "/dribble", "/endless"):
        await soon(lambda: path in site.log.gone, within_s=60, what="the connection is closed")
    site.log.gone.clear()


async def test_a_bomb_is_not_unpacked_beyond_its_limit(site: WebSite) -> None:
    """64 MiB of zeros come as 64 KiB; a job that keeps 10 bytes of it reads no more than it may."""
    async with calling() as worker:
        ended = await worker.call({"url": f"{site.url}/bomb", "capture": 10})

    assert "it has more than 16777216 bytes" in ended.error


async def test_a_run_that_is_cancelled_closes_its_connection(site: WebSite) -> None:
    site.log.gone.clear()
    site.log.seen.clear()
    for path in ("/hang", "/dribble"):
        async with calling() as worker:
            call = asyncio.create_task(worker.call({"url": f"{site.url}{path}"}))
            await soon(partial(site.requests, path), within_s=60)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await soon(partial(site.log.gone.count, path), within_s=60)


async def test_nothing_is_sent_again_when_a_kept_connection_breaks(site: WebSite) -> None:
    """aiohttp would repeat a PUT; whether that is right is for the job's own retries to say."""

    def breaks(visit: Visit) -> bool:
        is_again = len(visit.site.requests("/put")) > 1
        if not is_again:
            visit.answer(200, b"first")
        return is_again

    site.pages["/put"] = breaks
    async with calling(keep_alive_s=60) as worker:
        options = {"url": f"{site.url}/put", "method": "PUT", "body": {"text": "x"}}
        assert (await worker.call(options)).result["body"] == "first"
        ended = await worker.call(options)

    first, second = site.requests("/put")
    assert first.client == second.client, "the connection was to be used again"
    assert ended.error.startswith("error: HttpNoAnswer")


async def test_a_failure_of_the_server_is_an_error_and_the_next_attempt_may_succeed(site: WebSite) -> None:
    async with calling() as worker:
        first, second = [await worker.call({"url": f"{site.url}/fails-once"}, attempt=n) for n in (1, 2)]

    assert first.names[0] == "HttpStatus500"
    assert second.result["body"] == {"calls": 2}
    keys = {seen.headers["idempotency-key"] for seen in site.requests("/fails-once")}
    assert len(keys) == 1


async def test_what_cannot_be_reached_was_not_sent() -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens there
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        async with calling() as worker:
            ended = await worker.call({"url": url})
            assert ended.outcome.error == (
                f"HttpNotReached: {url} could not be reached: connection refused. Nothing was sent."
            )
            assert "HttpTransient" in ended.names
            unknown = await worker.call({"url": "http://nobody.invalid/"})
            assert "its name is not known. Nothing was sent." in unknown.error


async def test_a_name_that_is_looked_up_for_too_long_holds_nobody(
    monkeypatch: pytest.MonkeyPatch, site: WebSite
) -> None:
    release = asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(host: str) -> tuple[()]:
        asyncio.run_coroutine_threadsafe(release.wait(), loop).result()
        raise OSError(host)

    monkeypatch.setattr("foliot.worker.handlers.http.names.looked_up", slow)
    async with calling(dns_threads=1) as worker:
        waiting = asyncio.create_task(worker.call({"url": "http://slow.test/"}))
        late = await worker.call({"url": "http://slow.test/", "timeout": {"connect": "50ms"}})
        assert late.names[:2] == ["HttpConnectTimeout", "HttpNotReached"]
        assert (await worker.call({"url": f"{site.url}/ok"})).result["status"] == 200
        release.set()
        assert "its name is not known" in (await waiting).error


async def redirected(worker: HttpWorker, site: WebSite, to: str, status: int = 302, **options: Any) -> Outcome:
    site.pages["/from"] = lambda visit: visit.answer(status, b"", location=to)
    return (await worker.call({"url": f"{site.url}/from", "redirects": 3, **options})).outcome


async def test_redirects_are_followed_only_when_the_job_says_so(site: WebSite) -> None:
    site.pages["/from"] = lambda visit: visit.answer(302, b"", location="/echo")
    async with calling() as worker:
        refused = await worker.call({"url": f"{site.url}/from"})
        assert refused.error.startswith("error: HttpStatus302")
        followed = await worker.call(
            {"url": f"{site.url}/from", "redirects": 1, "method": "POST", "body": {"text": "x"}}
        )
        assert (followed.result["body"]["method"], followed.result["body"]["body"]) == ("GET", "")
        kept = await redirected(worker, site, "/echo", 307, body={"text": "x"})
        assert json.loads(str(kept.result))["body"]["method"] == "POST"
        circle = await redirected(worker, site, "/from")
        assert "HttpStatus302" in str(circle.error)


async def test_no_credentials_follow_a_redirect_to_another_server(site: WebSite) -> None:
    other = WebSite()
    secret: dict[str, Any] = {
        "headers": {"Authorization": "Bearer ${secret:TOKEN}", "X-Key": "${secret:TOKEN}", "Accept": "a/b"}
    }
    async with calling({"TOKEN": "t0ken-canary"}) as worker:
        await redirected(worker, site, f"{other.url}/echo", **secret)
        (arrived,) = other.requests("/echo")
        assert "t0ken-canary" not in str(arrived)
        assert arrived.headers["accept"] == "a/b"
        assert arrived.headers["foliot-run"] == "r-7"

        body = await redirected(worker, site, f"{other.url}/echo", 307, body={"text": "${secret:TOKEN}"})
        assert "redirects the body of the request to another server" in str(body.error)
        assert len(other.requests("/echo")) == 1
    other.close()


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "//127.0.0.2/", "http://[::ffff:127.0.0.1]/",
        "file:///etc/passwd", "gopher://127.0.0.1/", "http://user:pw@example.org/", "http://0x7f000001/", "http://2130706433/",
        "http://ex ample.org/", "\\\\evil\\share",
    ],
)  # fmt: skip
async def test_where_a_redirect_leads_is_checked_again(site: WebSite, location: str) -> None:
    async with calling(allow=["127.0.0.1"]) as worker:
        outcome = await redirected(worker, site, location)

    assert outcome.cause is Cause.ERROR, "a request was sent, so the run is not rejected"
    assert "HttpAnswerUnfit" in str(outcome.error)
    assert f"{site.url}/from is not as expected: it redirects to " in str(outcome.error)


async def test_a_run_in_a_thread_of_its_own_has_its_own_connections(site: WebSite) -> None:
    """Connections belong to one loop, and that of such a run ends with it."""
    async with calling() as worker:
        handler = worker.kind.handler_of(a_run({"url": f"{site.url}/ok"}, isolation="thread"))
        assert handler is not None
        outcome = await invoke_async(handler, None, Ctx(handler.run, InlinePort()))

        assert outcome.cause is Cause.SUCCEEDED
        assert worker.kind._shared is None
