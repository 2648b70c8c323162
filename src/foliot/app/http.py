"""The HTTP face of a server: the API for people and programs, and the worker protocol, as one app."""

from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from foliot.api.worker_protocol import worker_routes
from foliot.app.server import Server


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What a fresh server hands out: a token for programs of this user, and a login code for a person."""

    local_token: str
    login_code: str | None = None


async def open_http(
    server: Server, *, first_use: bool = False, bootstrap_token: str | None = None
) -> tuple[ASGIApp, Access]:
    """Everything a server answers over HTTP."""

    async def authorise(request: Request, right: str) -> None:
        return None

    async def healthz(request: Request) -> Response:
        return PlainTextResponse("ok\n")

    app = Starlette(routes=[*worker_routes(server.workers, authorise), Route("/healthz", healthz)])
    return app, Access(local_token="")
