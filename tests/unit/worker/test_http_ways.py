"""Ways to a server: TLS by names of the worker's settings, and the worker's own proxy."""

import ipaddress
import ssl
from pathlib import Path
from typing import Any

import pytest

from foliot.ports.handler import BadHandlerSetting
from foliot.worker.handlers.http.kind import HttpHandlers
from foliot.worker.handlers.settings import set_up
from tests.servers.certificates import Authority
from tests.servers.web_site import Visit, WebSite
from tests.unit.worker.http_calls import calling


@pytest.fixture
def every_name_is_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    here = ipaddress.ip_address("127.0.0.1")
    monkeypatch.setattr("foliot.worker.handlers.http.names.looked_up", lambda _host: (here,))


class Secure:
    """A site for `inside.test` with a certificate, and the authority that signed it."""

    def __init__(self, folder: Path, *, asks_for_a_certificate: bool = False) -> None:
        self.authority = Authority.new("authority")
        self.trust = self.authority.own(folder / "authority.pem")
        self.files = self.authority.sign(folder, "site", host="inside.test")
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self.files.certificate, self.files.key)
        if asks_for_a_certificate:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self.trust)
        self.site = WebSite(tls=context)

    def url(self, host: str = "inside.test") -> str:
        return f"https://{host}:{self.site.port}/echo"


@pytest.mark.usefixtures("every_name_is_this_machine")
async def test_a_certificate_is_checked_by_the_name_of_the_url_and_not_by_the_address(tmp_path: Path) -> None:
    secure = Secure(tmp_path)
    tls = {"inside": {"ca_file": secure.trust}, "blind": {"verify": False}}
    async with calling(tls=tls) as worker:
        fine = await worker.call({"url": secure.url(), "tls": "inside"})
        assert fine.result["body"]["headers"]["host"] == f"inside.test:{secure.site.port}"

        unknown = await worker.call({"url": secure.url()})
        assert "its certificate is not trusted. Nothing was sent." in unknown.error

        # The connection of the first call is still kept; whoever expects another name must not get it.
        other = await worker.call({"url": secure.url("other.test"), "tls": "inside"})
        assert "its certificate is not trusted. Nothing was sent." in other.error
        assert len(secure.site.log.seen) == 1

        blind = await worker.call({"url": secure.url("other.test"), "tls": "blind"})
        assert blind.result["status"] == 200

        missing = await worker.call({"url": secure.url(), "tls": "elsewhere"})
        assert missing.error.startswith("rejected: HttpUnfit: run.http.tls cannot be used in this run")
    secure.site.close()


@pytest.mark.usefixtures("every_name_is_this_machine")
async def test_a_client_certificate_comes_from_the_settings(tmp_path: Path) -> None:
    secure = Secure(tmp_path, asks_for_a_certificate=True)
    own = {"client_certificate": str(secure.files.certificate), "client_key": str(secure.files.key)}
    tls = {"bare": {"ca_file": secure.trust}, "mutual": {"ca_file": secure.trust, **own}}
    async with calling(tls=tls) as worker:
        assert (await worker.call({"url": secure.url(), "tls": "mutual"})).result["status"] == 200
        assert (await worker.call({"url": secure.url(), "tls": "bare"})).outcome.cause == "error"
    assert len(secure.site.log.seen) == 1
    secure.site.close()


@pytest.mark.parametrize(
    ("tls", "key"),
    [
        ({"ca_file": "missing.pem"}, "tls.a.ca_file"),
        ({"client_certificate": "missing.pem"}, "tls.a.client_certificate"),
        ({"client_key": "missing.pem"}, "tls.a.client_key"),
    ],
)
def test_files_that_cannot_be_read_are_refused_when_the_worker_starts(tls: dict[str, Any], key: str) -> None:
    kind = HttpHandlers()
    set_up(kind, {"tls": {"a": tls}})
    with pytest.raises(BadHandlerSetting, match=f"handlers.http.{key}"):
        kind.offers()


async def test_a_proxy_gets_the_request_and_looks_the_name_up_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[str] = []
    monkeypatch.setattr("foliot.worker.handlers.http.names.looked_up", looked_up.append)

    def forwards(visit: Visit) -> None:
        visit.answer(200, {"target": visit.seen.target, "host": visit.seen.headers["host"]})

    proxy = WebSite()
    proxy.pages["http://far.test/orders"] = forwards
    async with calling(proxy=f"http://anne:pw@127.0.0.1:{proxy.port}", no_proxy=["127.0.0.1"]) as worker:
        ended = await worker.call({"url": "http://far.test/orders?id=5"})
        assert ended.result["body"] == {"target": "http://far.test/orders?id=5", "host": "far.test"}
        assert proxy.log.seen[-1].headers["proxy-authorization"].startswith("Basic ")
        assert looked_up == []

        refused = await worker.call({"url": "http://10.0.0.1/"})
        assert "it is a private address" in refused.error

        direct = await worker.call({"url": f"{proxy.url}/echo"})
        assert direct.result["body"]["target"] == "/echo"
    proxy.close()


async def test_a_proxy_that_is_not_there_is_said_without_its_password() -> None:
    async with calling(proxy="http://anne:s3cret-canary@127.0.0.1:1") as worker:
        ended = await worker.call({"url": "http://far.test/"})

    assert "the proxy could not be reached. Nothing was sent." in ended.error
    assert "s3cret-canary" not in ended.everything()


async def test_the_lists_of_the_worker_decide_about_names_behind_a_proxy_too() -> None:
    proxy = WebSite()
    for url in ("http://near.test/", "http://app.localhost/"):
        proxy.pages[url] = lambda visit: visit.answer(200, "fine")
    by_proxy = f"http://127.0.0.1:{proxy.port}"
    async with calling(proxy=by_proxy, allow=["near.test"], only_allowed=True) as worker:
        assert (await worker.call({"url": "http://near.test/"})).result["status"] == 200
        far = await worker.call({"url": "http://far.test/"})
        assert "it is not among what the worker's settings allow" in far.error
    async with calling(proxy=by_proxy, allow=[]) as worker:
        for host in ("localhost", "app.localhost", "LOCALHOST."):
            here = await worker.call({"url": f"http://{host}/"})
            assert "it is a loopback address" in here.error, host
    assert len(proxy.log.seen) == 1
    async with calling(proxy=by_proxy, allow=["app.localhost"]) as worker:
        assert (await worker.call({"url": "http://app.localhost/"})).result["status"] == 200
    proxy.close()
