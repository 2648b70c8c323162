"""What the jobs of a worker may reach: tricks with URLs, names that change address, the worker's lists (SEC-11)."""

import ipaddress
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from foliot.domain.egress import Address
from foliot.domain.errors import BadField
from foliot.domain.verdict import Cause
from foliot.ports.handler import BadHandlerSetting
from foliot.worker.handlers.http.kind import HttpHandlers
from foliot.worker.handlers.settings import set_up
from tests.servers.web_site import WebSite
from tests.unit.worker.http_calls import CanarySecrets, HttpWorker, calling

NAMES = "foliot.worker.handlers.http.names"


@pytest.fixture(scope="module")
def site() -> Iterator[WebSite]:
    site = WebSite()
    yield site
    site.close()


@pytest.fixture
def resolve(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Names that a test answers for, each with one list of addresses after another; the look-ups it saw."""

    def answer(**answers: list[list[str]]) -> list[str]:
        asked: list[str] = []

        def looked_up(host: str) -> tuple[Address, ...]:
            asked.append(host)
            known = answers[host.replace(".", "_")]
            found = known.pop(0) if len(known) > 1 else known[0]
            return tuple(map(ipaddress.ip_address, found))

        monkeypatch.setattr(f"{NAMES}.looked_up", looked_up)
        monkeypatch.setattr(f"{NAMES}.KEPT_S", 0.0)
        return asked

    return answer


REFUSED_AS_WRITTEN = [
    "ftp://{to}/", "file:///etc/passwd", "gopher://{to}/", "dict://{to}/", "javascript:alert(1)", "data:text/html,x",
    "//{to}/", "/etc/passwd", "{to}", "http:/{to}/", "http:{to}", "http:///{to}/", "https//{to}/",
    "http://user@{to}/", "http://user:pass@{to}/", "http://example.org@{to}/", "http://example.org:80@{to}/",
    "http://{to}\\@example.org/", "http://example.org\\@{to}/", "http://example.org#@{to}/",
    "http://{to} .example.org/",
    "http://\t{to}/", "http://{to}\n/", "http://{to}/\r\nHost: evil", "http://example.org/\x00", "http://{to}/#part",
    "http://2130706433:{port}/", "http://0x7f000001:{port}/", "http://0x7f.0.0.1:{port}/", "http://0177.0.0.1:{port}/",
    "http://017700000001:{port}/", "http://127.1:{port}/", "http://127.0.1:{port}/", "http://0:{port}/",
    "http://127.0.0.1.:0/", "http://127.000.000.001:{port}/", "http://127.0.0.0x1:{port}/", "http://1.2.3.4.5/",
    "http://①②⑦.⓪.⓪.①:{port}/", "http://１２７.0.0.1:{port}/", "http://127。0。0。1:{port}/", "http://lоcalhost:{port}/",
    "http://[::1%25lo]:{port}/", "http://[fe80::1%eth0]/", "http://[::1/", "http://::1:{port}/", "http://[127.0.0.1]:{port}/",
    "http://[::ffff:127.0.0.1:{port}/", "http://%31%32%37.0.0.1:{port}/", "http://127.0.0.1%00.example.org/",
    "http://{to}:99999/", "http://example.org:0/", "http://example.org:-1/", "http://ex_ample..org/", "http://-a.org/",
    "http://" + "a" * 64 + ".org/", "http:// /", "http://", "https://?x", "http://example.org/../../admin",
    "http://example.org/%2e%2E/admin", "http://example.org/a/./b", "${{params.url}}", "http://${{params.host}}/",
    "http://example.org${{params.host}}/", "http://example.org:${{params.port}}/", "${{params.scheme}}://example.org/",
    "http://${{secret:HOST}}/",
]  # fmt: skip


@pytest.mark.parametrize("trick", REFUSED_AS_WRITTEN)
def test_a_url_that_can_be_read_in_two_ways_is_refused_when_the_job_is_saved(site: WebSite, trick: str) -> None:
    url = trick.format(to=f"127.0.0.1:{site.port}", port=site.port)
    with pytest.raises(BadField, match=r"run\.http\.url"):
        HttpHandlers().validate({"url": url})


REFUSED_AS_ADDRESSES = [
    "127.0.0.1", "127.1.2.3", "127.255.255.255", "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.0.1", "172.16.0.1",
    "172.31.255.254", "192.168.1.1", "100.64.0.1", "100.100.100.200", "169.254.1.1", "169.254.169.254", "168.63.129.16",
    "192.0.0.192", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.2.3", "240.0.0.1",
    "255.255.255.255", "[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
    "[::ffff:8.8.8.8]",
    "[::127.0.0.1]", "[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::8.8.8.8]", "[64:ff9b:1::a00:1]",
    "[2002:7f00:1::]", "[2002:a00:1::1]", "[2001:0:4136:e378:8000:63bf:3fff:fdd2]", "[fc00::1]", "[fd00:ec2::254]",
    "[fd12:3456::1]", "[fe80::1]", "[fec0::1]", "[ff02::1]", "[2001:db8::1]", "[100::1]", "[3fff::1]", "[5f00::1]",
    "[2606:4700::5efe:7f00:1]",
]  # fmt: skip


@pytest.mark.parametrize("host", REFUSED_AS_ADDRESSES)
async def test_an_address_that_is_not_public_is_refused_before_anything_is_sent(host: str) -> None:
    async with calling(allow=[]) as worker:
        ended = await worker.call({"url": f"http://{host}:1/"})

    assert ended.outcome.cause is Cause.REJECTED, ended
    assert ended.error.startswith("rejected: AddressRefused: This worker does not call http://")


@pytest.mark.parametrize("host", REFUSED_AS_ADDRESSES)
async def test_a_name_with_such_an_address_is_refused_too(host: str, resolve: Callable[..., list[str]]) -> None:
    resolve(trick_test=[[host.strip("[]")]])
    async with calling(allow=[]) as worker:
        ended = await worker.call({"url": "http://trick.test:1/"})

    assert ended.error.startswith("rejected: AddressRefused: This worker does not call http://trick.test:1: it is ")


async def test_localhost_is_refused_by_its_address() -> None:
    async with calling(allow=[]) as worker:
        for url in ("http://localhost:1/", "http://LOCALHOST.:1/"):
            assert "it is a loopback address" in (await worker.call({"url": url})).error


async def test_a_name_that_changes_its_address_is_connected_where_it_was_checked(
    site: WebSite, resolve: Callable[..., list[str]]
) -> None:
    """The second site stands for a service inside: it listens on the same port of an address that is not allowed."""
    victim = WebSite(host="127.0.0.2", port=site.port)
    asked = resolve(rebind_test=[["127.0.0.1"], ["127.0.0.2"], ["127.0.0.2", "127.0.0.1"]])
    url = f"http://rebind.test:{site.port}/ok"
    async with calling(allow=["127.0.0.1"]) as worker:
        first = await worker.call({"url": url})
        assert first.result["status"] == 200
        assert asked == ["rebind.test"], "it is looked up once"
        assert site.requests("/ok")[-1].headers["host"] == f"rebind.test:{site.port}"

        second = await worker.call({"url": url})
        assert "it is a loopback address" in second.error

        third = await worker.call({"url": url})
        assert third.result["status"] == 200, "of two addresses the allowed one is taken"
    assert victim.log.seen == []
    victim.close()


async def test_a_kept_connection_of_one_namespace_is_no_way_in_for_another(
    site: WebSite, resolve: Callable[..., list[str]]
) -> None:
    resolve(inside_test=[["127.0.0.1"]])
    url = f"http://inside.test:{site.port}/ok"
    async with calling(allow=[], namespaces={"billing": {"allow": ["inside.test"]}}) as worker:
        assert (await worker.call({"url": url}, namespace="billing")).result["status"] == 200
        assert "AddressRefused" in (await worker.call({"url": url}, namespace="shop")).error
        assert (await worker.call({"url": url}, namespace="billing")).result["status"] == 200


async def test_the_next_address_is_tried_while_nothing_was_sent(
    site: WebSite, resolve: Callable[..., list[str]]
) -> None:
    resolve(two_test=[["127.0.0.9", "127.0.0.1"]])  # nobody listens at the first
    async with calling() as worker:
        assert (await worker.call({"url": f"http://two.test:{site.port}/ok"})).result["status"] == 200


@pytest.mark.parametrize(
    ("told", "reached", "refused"),
    [
        ({"allow": ["loopback"]}, ["127.0.0.1", "127.0.0.5"], ["10.0.0.1", "169.254.169.254"]),
        ({"allow": ["private"]}, ["10.1.2.3", "192.168.0.1", "fd00::1"], ["127.0.0.1", "100.100.100.200"]),
        ({"allow": ["10.1.0.0/16", "fd00::/8"]}, ["10.1.2.3", "fd00::1", "8.8.8.8"], ["10.2.0.1", "fe80::1"]),
        ({"allow": ["10.1.2.3"], "only_allowed": True}, ["10.1.2.3"], ["8.8.8.8", "10.1.2.4"]),
        ({"allow": ["10.0.0.0/8"], "deny": ["10.1.0.0/16"]}, ["10.2.0.1"], ["10.1.0.1"]),
        ({"allow": ["private"], "deny": ["private"]}, ["8.8.8.8"], ["10.0.0.1"]),
        ({"allow": [], "deny": ["8.8.0.0/16"]}, ["9.9.9.9"], ["8.8.8.8"]),
        ({"allow": ["trick.test"]}, ["10.1.2.3", "127.0.0.1"], ["169.254.169.254", "224.0.0.1", "0.0.0.0"]),
        ({"allow": ["*.test"]}, ["10.1.2.3"], ["169.254.169.254"]),
        ({"allow": [".test"], "only_allowed": True}, ["10.1.2.3", "8.8.8.8"], ["169.254.169.254"]),
        ({"allow": ["trick.test"], "deny": ["10.0.0.0/8"]}, ["192.168.0.1"], ["10.1.2.3"]),
        ({"allow": [], "deny": [".test"]}, [], ["8.8.8.8"]),
        ({"allow": [], "ports": [443]}, [], ["8.8.8.8"]),
        ({"allow": ["64:ff9b::/96"]}, ["64:ff9b::8.8.8.8"], ["64:ff9b::127.0.0.1", "::ffff:8.8.8.8"]),
        ({"allow": ["64:ff9b::/96"], "deny": ["8.8.8.8"]}, [], ["64:ff9b::8.8.8.8"]),
        ({"allow": [], "namespaces": {"shop": {"allow": ["private"]}}}, ["10.0.0.1"], ["127.0.0.1"]),
        ({"allow": ["private"], "namespaces": {"shop": {"deny": ["10.0.0.0/8"]}}}, ["192.168.0.1"], ["10.0.0.1"]),
        ({"allow": [], "namespaces": {"shop": {"allow": [".example.org"], "only_allowed": True}}}, [], ["8.8.8.8"]),
        ({"allow": [], "namespaces": {"other": {"allow": ["private"]}}}, [], ["10.0.0.1"]),
    ],
)  # fmt: skip
async def test_the_lists_of_the_worker_decide(
    told: dict[str, Any], reached: list[str], refused: list[str], resolve: Callable[..., list[str]]
) -> None:
    for address, is_refused in [*((one, False) for one in reached), *((one, True) for one in refused)]:
        resolve(trick_test=[[address]])
        worker = HttpWorkerWithoutNet(told)
        assert await worker.refuses("http://trick.test:1/") is is_refused, address
        await worker.worker.kind.close()


class HttpWorkerWithoutNet:
    """A worker that is asked where it would connect to, and does not."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.worker = HttpWorker(CanarySecrets(), told)

    async def refuses(self, url: str) -> bool:
        caller = self.worker.kind.caller()

        async def nowhere(*_: Any) -> Any:
            raise ConnectionAbortedError

        caller._exchanged = nowhere  # type: ignore[method-assign,assignment]
        ended = await self.worker.call({"url": url})
        return "AddressRefused" in ended.error


@pytest.mark.parametrize("entry", ["10.0.0.0/33", "http://example.org", "a b", "1.2.3", "", "exa$mple", ".."])
def test_a_list_that_cannot_be_read_is_refused_when_the_worker_starts(entry: str) -> None:
    for told in ({"allow": [entry]}, {"deny": [entry]}, {"namespaces": {"shop": {"deny": [entry]}}}):
        kind = HttpHandlers()
        set_up(kind, told)
        with pytest.raises(BadHandlerSetting, match=r"an entry is not a network") as error:
            kind.offers()
        assert entry == "" or f'"{entry}"' not in str(error.value)
