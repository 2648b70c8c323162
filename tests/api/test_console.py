"""The console as servers serve it: hashed files that browsers keep, a page under a strict policy, sessions by token."""

import gzip
import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI

from foliot.api.absent_console import COMMAND
from foliot.api.app import build_api
from foliot.api.console import PAGES, ConsoleFiles, console_router
from tests.api.asking import Api
from tests.api.stage import Stage

PAGE = '<meta name="foliot-nonce" content="__NONCE__"><script type="module" src="/assets/index-a1.js"></script>'


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A folder as the build leaves it."""
    assets = tmp_path / "console" / "assets"
    assets.mkdir(parents=True)
    (assets.parent / "index.html").write_text(PAGE)
    (assets / "index-a1.js").write_bytes(b"let a = 1;")
    (assets / "index-a1.js.gz").write_bytes(gzip.compress(b"let a = 1;"))
    (assets / "index-a1.js.br").write_bytes(b"as brotli")
    (assets / "mark-b2.svg").write_bytes(b"<svg/>")
    return assets.parent


@pytest.fixture
async def console(stage: Stage, built: Path) -> AsyncIterator[httpx2.AsyncClient]:
    app = FastAPI()
    app.state.services = stage.services
    app.router.routes.extend(console_router(built).routes)
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://console") as client:
        yield client


async def test_every_address_of_the_console_answers_with_its_page_whatever_the_query(
    console: httpx2.AsyncClient,
) -> None:
    for path in (*PAGES, "/login"):
        address = path.replace("{rest:path}", "default/结算")
        answer = await console.get(address, params={"state": "failed", "q": "x"})
        assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-cache"), address


async def test_the_page_names_its_own_styles_by_a_nonce_and_allows_no_script_in_it(console: httpx2.AsyncClient) -> None:
    answer = await console.get("/")
    policy = answer.headers["content-security-policy"]
    nonce = re.search(r'content="([0-9a-f]+)"', answer.text)
    assert nonce is not None
    assert f"style-src 'self' 'nonce-{nonce[1]}'" in policy
    assert "script-src 'self';" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    again = await console.get("/")
    assert again.text != answer.text, "a nonce serves one page"


async def test_a_file_is_kept_for_ever_and_packed_as_the_browser_takes_it(console: httpx2.AsyncClient) -> None:
    async def asked(accepted: str) -> tuple[str | None, bytes]:
        async with console.stream("GET", "/assets/index-a1.js", headers={"Accept-Encoding": accepted}) as answer:
            assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
            assert answer.headers["vary"] == "Accept-Encoding"
            assert answer.headers["content-type"].startswith("text/javascript")
            return answer.headers.get("content-encoding"), b"".join([part async for part in answer.aiter_raw()])

    assert await asked("gzip, deflate, br;q=0.9") == ("br", b"as brotli")
    encoding, body = await asked("gzip")
    assert (encoding, gzip.decompress(body)) == ("gzip", b"let a = 1;")
    assert await asked("identity") == (None, b"let a = 1;")
    svg = await console.get("/assets/mark-b2.svg")
    assert (svg.headers["content-type"], svg.content) == ("image/svg+xml", b"<svg/>")


async def test_nothing_outside_of_the_folder_is_served(console: httpx2.AsyncClient) -> None:
    for name in ("index.html", "..%2Findex.html", "%2e%2e/index.html", "index-a1.js.gz", "none.js"):
        assert (await console.get(f"/assets/{name}")).status_code == 404, name


async def test_a_server_without_the_console_says_so_and_how_to_build_it(stage: Stage, tmp_path: Path) -> None:
    assert ConsoleFiles.read(tmp_path / "nowhere").page is None
    app = FastAPI()
    app.state.services = stage.services
    app.router.routes.extend(console_router(tmp_path / "nowhere").routes)
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://console") as client:
        answer = await client.get("/")
        assert f"<code>{COMMAND}</code>" in answer.text
        chinese = await client.get("/", headers={"Accept-Language": "zh-CN"})
        assert 'lang="zh-CN"' in chinese.text
        assert COMMAND in chinese.text
        assert 'id="say"' in (await client.get("/login")).text, "the small page of a login link"
        assert (await client.get("/assets/index-a1.js")).status_code == 404


async def test_the_whole_api_has_the_console(stage: Stage) -> None:
    paths = {path for _, path in build_api(stage.services).state.rights}
    assert {*PAGES, "/login", "/assets/{name}"} <= paths


def test_every_page_of_the_console_has_an_address_that_servers_answer() -> None:
    router = (Path(__file__).parents[2] / "web" / "src" / "router.tsx").read_text()
    pages = set(re.findall(r'path: "([^"]+)"', router)) - {"/login"}
    assert len(pages) > 15
    served = re.compile("|".join(re.escape(path).replace(r"\{rest:path\}", ".+") for path in PAGES))
    assert [page for page in pages if served.fullmatch(page) is None] == []


# ------------------------------------------------------------------------------------------------------------ sessions


async def test_a_token_becomes_the_session_of_a_browser(api: Api) -> None:
    started = await api.post("/session")
    assert started.status_code == 200
    assert started.headers["cache-control"] == "no-store"
    cookie = started.headers["set-cookie"]
    assert re.search(r"foliot_session=\S+; HttpOnly; Max-Age=\d+; Path=/; SameSite=lax", cookie)
    api._http.cookies.clear()
    sent = {"Cookie": cookie.partition(";")[0]}
    by_cookie = await api.as_token(None).ask("GET", "/whoami", headers=sent)
    assert by_cookie.json() == started.json()


async def test_no_session_begins_without_a_good_token(api: Api) -> None:
    assert (await api.as_token(None).post("/session")).status_code == 401
    refused = await api.as_token("fol_wrong").post("/session")
    assert refused.status_code == 401
    assert "set-cookie" not in refused.headers
