"""Servers with a certificate: only what a known authority has signed is spoken to; renewed in place (SEC-27)."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from foliot.app.http import OpenToOthers, check_reach
from foliot.app.server_process import serve
from foliot.app.settings import TEST_TIMING, BadSetting, ServerSettings, TlsFiles
from foliot.app.tls import Certificate
from foliot.client.awaited.foliot import AsyncFoliot
from foliot.client.endpoint import Endpoint, UnreadableAccess
from foliot.client.errors import ServerAway
from foliot.client.trust import trusting
from foliot.client.worker_http import HttpWorkerLink
from foliot.domain.errors import FoliotError
from foliot.ports.worker_link import Beat, HandlerOffer, Hello
from tests.app.test_all_in_one import connect
from tests.eventually import soon
from tests.servers.certificates import Authority
from tests.sql.world import migrate

BEAT = Beat(session="f" * 32, beat_no=1, settled=0, held=())
TOKEN = "a-token-of-this-test-0123456789-abcdefghijklmnop"


@asynccontextmanager
async def served(folder: Path, tls: TlsFiles | None, *, behind_proxy: bool = False) -> AsyncIterator[str]:
    """A whole server on SQLite with this certificate; its URL."""
    url = f"sqlite:///{folder / 'foliot.db'}"
    await migrate(url)
    settings = ServerSettings(
        store_url=url, node_name="s1", port=0, tls=tls, behind_proxy=behind_proxy, timing=TEST_TIMING
    )
    stop, urls = asyncio.Event(), list[str]()

    def started(where: str, _token: str | None) -> None:
        connect(where)  # who is told of it may ask at once
        urls.append(where)

    task = asyncio.create_task(serve(settings, stop, bootstrap_token=TOKEN, started=started))
    try:
        await soon(lambda: bool(urls) or task.done(), within_s=60, what="it listens")
        yield urls[0]
    finally:
        stop.set()
        await task


async def finds_the_end(client: AsyncFoliot) -> bool:
    """Whether the doctor sees that the certificate of a day ends soon."""
    findings = (await client.cluster.doctor())["findings"]
    (found,) = [one for one in findings if one["check"] == "business.certificates"] or [None]
    return found is not None and (found["level"], found["subject"]) == ("CRITICAL", "s1")


async def test_people_and_workers_speak_to_a_server_with_a_certificate(tmp_path: Path) -> None:
    authority = Authority.new("an authority")
    ca_file = authority.own(tmp_path / "ca.pem")
    async with served(tmp_path, authority.sign(tmp_path, "foliot")) as url:
        assert url.startswith("https://127.0.0.1:")
        async with AsyncFoliot(url, TOKEN, ca_file=ca_file) as client:
            assert list(await client.jobs.list()) == []
            await soon(lambda: finds_the_end(client), within_s=60, what="a beat says when the certificate ends")
            levels = {one["check"]: one["level"] for one in (await client.cluster.doctor())["findings"]}
            assert (levels["business.encryption"], levels["database.schema"]) == ("OK", "OK")
        link = HttpWorkerLink.to(Endpoint.of(url, TOKEN, ca_file=ca_file))
        try:
            hello = Hello(
                session="f" * 32, name="w1", group="default", slots=1, handlers=(HandlerOffer(name="python:a:b"),)
            )
            await link.register(hello)
            answer = await asyncio.to_thread(link.beat, BEAT)
            assert answer.alive
        finally:
            await link.close()


@pytest.mark.parametrize("way", ["certificate", "proxy", "this machine"])
async def test_a_cookie_that_others_could_read_on_the_way_is_for_tls_alone(tmp_path: Path, way: str) -> None:
    """SEC-08: a browser sends it by https only, unless there is nothing but this machine."""
    authority = Authority.new("an authority")
    trust = trusting(authority.own(tmp_path / "ca.pem"))
    tls = authority.sign(tmp_path, "foliot") if way == "certificate" else None
    async with (
        served(tmp_path, tls, behind_proxy=way == "proxy") as url,
        httpx2.AsyncClient(base_url=f"{url}/api/v1", verify=trust, timeout=60) as http,
    ):
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        code = (await http.post("/login-codes", headers=bearer)).json()["code"]
        login = await http.post("/login", json={"code": code, "cookie": True})
        sent = {"Cookie": f"foliot_session={login.json()['token']}", "X-Foliot-Csrf": "1"}
        http.cookies.clear()
        logout = await http.post("/logout", headers=sent)
        for answer in (login, logout):
            attributes = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")}
            assert {"httponly", "samesite=lax", "path=/"} <= attributes
            assert ("secure" in attributes) is (way != "this machine")


@pytest.mark.parametrize("wrong", ["authority", "host"])
async def test_a_certificate_that_proves_nothing_is_refused(tmp_path: Path, wrong: str) -> None:
    authority = Authority.new("an authority")
    files = authority.sign(tmp_path, "foliot", host="127.0.0.1" if wrong == "authority" else "192.0.2.1")
    ca_file = (Authority.new("another") if wrong == "authority" else authority).own(tmp_path / "ca.pem")
    async with served(tmp_path, files) as url:
        async with AsyncFoliot(url, TOKEN, ca_file=ca_file, timeout="30s") as client:
            with pytest.raises(FoliotError, match="The certificate of https://"):
                await client.jobs.list()
        link = HttpWorkerLink.to(Endpoint.of(url, TOKEN, ca_file=ca_file))
        with pytest.raises(ServerAway, match=r"(?i)certificate"):
            await asyncio.to_thread(link.beat, BEAT)


def test_a_certificate_is_taken_again_when_its_files_change(tmp_path: Path) -> None:
    authority = Authority.new("an authority")
    files = authority.sign(tmp_path, "first")
    certificate = Certificate(files)
    trust = trusting(authority.own(tmp_path / "ca.pem"))
    assert shown(certificate, trust) == "first"
    assert not certificate.renew()
    authority.sign(tmp_path, "second")
    assert certificate.renew()
    assert shown(certificate, trust) == "second"
    key = files.key.read_bytes()
    authority.sign(tmp_path, "third")
    files.key.write_bytes(key)
    assert not certificate.renew(), "a certificate whose key is still to come"
    assert shown(certificate, trust) == "second", "what cannot be used is left where it is"
    files.key.write_text("half a key")
    assert not certificate.renew()
    assert shown(certificate, trust) == "second"


def shown(certificate: Certificate, trust: ssl.SSLContext) -> str:
    """Whom a client sees: a handshake in memory."""
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trust.wrap_bio(to_client, to_server, server_hostname="127.0.0.1")
    server = certificate.context.wrap_bio(to_server, to_client, server_side=True)
    for _ in range(4):
        for side in (client, server):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    found = client.getpeercert()
    assert found is not None
    return str(dict(pair[0] for pair in found["subject"])["commonName"])  # type: ignore[misc]


def test_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    authority = Authority.new("an authority")
    mine = authority.sign(tmp_path, "mine")
    (tmp_path / "other").mkdir()
    other = authority.sign(tmp_path / "other", "other")
    with pytest.raises(BadSetting, match="they do not belong together"):
        Certificate(TlsFiles(certificate=mine.certificate, key=other.key))
    with pytest.raises(BadSetting, match="No such file"):
        Certificate(TlsFiles(certificate=tmp_path / "nothing", key=mine.key))


def test_a_file_without_certificates_is_no_authority(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("not a certificate")
    with pytest.raises(UnreadableAccess, match="it holds no certificate"):
        trusting(str(tmp_path / "ca.pem"))
    with pytest.raises(UnreadableAccess, match="No such file"):
        trusting(str(tmp_path / "nothing"))


def test_a_certificate_lets_a_server_listen_beyond_this_machine() -> None:
    """SEC-02."""
    check_reach("0.0.0.0", is_protected=True)
    with pytest.raises(OpenToOthers, match="not encrypted"):
        check_reach("0.0.0.0", is_protected=False)


# -------------------------------------------------------------------------------------------------- what goes wrong


async def test_a_client_says_what_is_wrong_with_the_way_to_a_server(tmp_path: Path) -> None:
    """An authority nobody named, a name that is not in the certificate, `http://` to a port that speaks TLS."""
    authority = Authority.new("an authority")
    ca_file = authority.own(tmp_path / "ca.pem")
    async with served(tmp_path, authority.sign(tmp_path, "foliot")) as url:
        for asked, known, code, told in (
            (url, None, "FOL-5035", "--ca-file FILE"),
            (url.replace("127.0.0.1", "localhost"), ca_file, "FOL-5035", "is for another name"),
            (url.replace("https:", "http:"), None, "FOL-5036", f"use {url}"),
        ):
            async with AsyncFoliot(asked, TOKEN, ca_file=known, timeout="5s") as client:
                with pytest.raises(ServerAway) as refused:
                    await client.jobs.list()
            assert (refused.value.code, told in str(refused.value)) == (code, True), str(refused.value)
            link = HttpWorkerLink.to(Endpoint.of(asked, TOKEN, ca_file=known))
            try:
                with pytest.raises(ServerAway) as unheard:
                    await link.register(Hello(session="f" * 32, name="w", group="default", slots=1, handlers=()))
            finally:
                await link.close()
            assert unheard.value.code == code, str(unheard.value)


async def test_https_to_a_port_without_tls_is_told(tmp_path: Path) -> None:
    async with served(tmp_path, None) as url:
        client = AsyncFoliot(url.replace("http:", "https:"), TOKEN, timeout="5s")
        with pytest.raises(ServerAway) as refused:
            await client.jobs.list()
        await client.close()
    assert (refused.value.code, refused.value.hint) == ("FOL-5036", f"use {url}")
