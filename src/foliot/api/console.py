"""The console: the pages that `web/` is built into, served by every server.

Files under `/assets/` have a hash of their content in their names, so a browser keeps them for ever. The page itself is
asked for anew each time: it names the files, and it carries the nonce by which its own styles are known. Nothing is
loaded from another host, and no script stands in the page.
"""

import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, Response
from starlette.exceptions import HTTPException

from foliot.api.absent_console import HEADERS as MISSING_HEADERS
from foliot.api.absent_console import missing_page
from foliot.api.auth.rights import Open
from foliot.api.login_page import HEADERS as LOGIN_HEADERS
from foliot.api.login_page import login_page
from foliot.api.request_parts import Speaks
from foliot.operations.side_thread import in_side_thread

FOLDER: Final = Path(__file__).parents[1] / "console"
PAGES: Final = (
    "/", "/jobs", "/jobs/{rest:path}", "/runs", "/runs/{rest:path}", "/nodes", "/alerts", "/alerts/{rest:path}",
    "/checks", "/reports", "/limits", "/locks", "/events", "/calendars", "/backfills", "/tokens", "/settings",
)  # fmt: skip
"""Addresses of the console. The page that they all answer with shows what the address names."""
NONCE_MARK: Final = "__NONCE__"
FOR_EVER: Final = "public, max-age=31536000, immutable"
PACKED: Final[Mapping[str, str]] = {"br": ".br", "gzip": ".gz"}
"""Encodings by preference, and how the names of packed files end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """One file of the console, as it is and packed."""

    media_type: str
    plain: bytes
    packed: Mapping[str, bytes]

    def answer(self, accepted: str) -> Response:
        """The file, packed in the best way that the browser takes."""
        headers = {"Cache-Control": FOR_EVER, "Vary": "Accept-Encoding"}
        taken = {part.partition(";")[0].strip() for part in accepted.split(",")}
        for encoding, body in self.packed.items():
            if encoding in taken:
                headers["Content-Encoding"] = encoding
                return Response(body, media_type=self.media_type, headers=headers)
        return Response(self.plain, media_type=self.media_type, headers=headers)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleFiles:
    """The built console in memory. `page` is None when it was not built."""

    page: str | None = None
    assets: Mapping[str, Asset] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> "ConsoleFiles":
        """Read all files once: they are some hundred kilobytes, and no request waits for a disk afterwards."""
        page = folder / "index.html"
        if not page.is_file():
            return cls()
        ends = tuple(PACKED.values())
        files = [file for file in sorted((folder / "assets").iterdir()) if not file.name.endswith(ends)]
        return cls(page=page.read_text("utf-8"), assets={file.name: _asset(file) for file in files})


def _asset(file: Path) -> Asset:
    packed: dict[str, bytes] = {}
    for encoding, end in PACKED.items():
        beside = file.with_name(file.name + end)
        if beside.is_file():
            packed[encoding] = beside.read_bytes()
    media_type, _ = mimetypes.guess_type(file.name)
    return Asset(media_type=media_type or "application/octet-stream", plain=file.read_bytes(), packed=packed)


def page_headers(nonce: str) -> dict[str, str]:
    """What the page may do: its own files, its own server, and styles that carry the nonce."""
    policy = (
        "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; "
        f"style-src 'self' 'nonce-{nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "Cache-Control": "no-cache",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
    }


def console_router(folder: Path = FOLDER) -> APIRouter:
    """Return the routes of the console. They take any query: the page keeps its filters there."""
    router = APIRouter(include_in_schema=False, dependencies=[Depends(Open())])
    kept: list[ConsoleFiles] = []

    async def files() -> ConsoleFiles:
        if not kept:
            kept.append(await in_side_thread(ConsoleFiles.read, folder))
        return kept[0]

    async def page(request: Request, language: Speaks) -> Response:
        found = await files()
        if found.page is None:
            return HTMLResponse(missing_page(language), headers=MISSING_HEADERS)
        return _page(request, found.page)

    for path in PAGES:
        router.add_api_route(path, page, methods=["GET"])

    @router.get("/login")
    async def login(request: Request, language: Speaks) -> Response:
        """Where a one-time link leads. Without the console a small page of its own buys the session."""
        found = await files()
        if found.page is None:
            return HTMLResponse(login_page(language), headers=LOGIN_HEADERS)
        return _page(request, found.page)

    @router.get("/assets/{name}")
    async def asset(request: Request, name: str) -> Response:
        found = (await files()).assets.get(name)
        if found is None:
            raise HTTPException(404)
        return found.answer(request.headers.get("accept-encoding", ""))

    return router


def _page(request: Request, text: str) -> Response:
    nonce: str = request.app.state.services.chance.token()
    return HTMLResponse(text.replace(NONCE_MARK, nonce), headers=page_headers(nonce))
