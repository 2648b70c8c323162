"""The API as one app: public routes, plain routes (the worker protocol), their rights, their limits."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import BaseRoute

from foliot import __version__
from foliot.api.asking import PREFIX, READS, Reader, Speaks
from foliot.api.auth.authenticator import Authenticator
from foliot.api.auth.rights import Open, Right, rights_of
from foliot.api.auth.throttle import Throttle
from foliot.api.docs_page import docs_page
from foliot.api.errors import BadRequest, NoSuchPage, problem_response
from foliot.api.gate import AT_ONCE_MAX, BODY_WITHIN_S, Gate
from foliot.api.limits import Limits
from foliot.api.login_page import HEADERS as LOGIN_HEADERS
from foliot.api.login_page import login_page
from foliot.api.models.common import Problem
from foliot.api.route import FoliotRoute
from foliot.api.routes import (
    backfills,
    calendars,
    cluster,
    events,
    job_details,
    jobs,
    limits,
    logs,
    probes,
    runs,
    tokens,
)
from foliot.domain.access import Scope
from foliot.domain.errors import FoliotError
from foliot.operations.people import PeopleServices
from foliot.operations.watch import Watch

CLIENT_GONE: Final = 499  # the usual word for it, which no client ever sees
TITLE: Final = "Foliot API"
DESCRIPTION: Final = "Jobs, runs, nodes: everything Foliot can do. Times are RFC 3339 in UTC, durations are seconds."


def build_api(
    services: PeopleServices,
    *,
    plain_routes: Callable[[Authenticator], Sequence[BaseRoute]] = lambda _: (),
    render_metrics: Callable[[], bytes] = lambda: b"",
    is_stopping: Callable[[], bool] = lambda: False,
    secure_cookies: bool = False,
    insecure_http: bool = False,
    at_once_max: int = AT_ONCE_MAX,
    body_within_s: float = BODY_WITHIN_S,
    observe: Callable[[str, int, float], None] | None = None,
) -> FastAPI:
    """The whole app. `plain_routes` (named `worker.*`) are given the authenticator and need the `worker` right."""
    app = FastAPI(
        title=TITLE,
        version=__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        separate_input_output_schemas=False,
    )
    app.state.services = services
    app.state.refused = Counter[str]()  # requests that were refused for their number or size, by reason
    app.state.authenticator = Authenticator(services, app.state.refused)
    app.state.gate = Gate(
        app.state.authenticator, app.state.refused, at_once_max=at_once_max, body_within_s=body_within_s
    )
    app.state.store_look = probes.StoreLook(services)
    app.state.throttle = Throttle(services.clock)
    app.state.watch = Watch(services)
    app.state.render_metrics = render_metrics
    app.state.is_stopping = is_stopping
    app.state.secure_cookies = secure_cookies
    app.state.insecure_http = insecure_http
    # Taken over one by one, not included as routers: what is served is what is listed, with its right.
    for resource in (jobs, job_details, runs, logs, backfills, calendars, limits, cluster, events, tokens, probes):
        app.router.routes.extend(resource.router.routes)
    app.router.routes.extend(_about().routes)
    plain = list(plain_routes(app.state.authenticator))
    app.router.routes.extend(plain)
    declared: dict[str, Right] = {route.name: Scope.WORKER for route in plain if hasattr(route, "name")}
    app.state.rights = rights_of(app.router.routes, declared)
    app.openapi = lambda: openapi_of(app)  # type: ignore[method-assign]
    app.add_exception_handler(FoliotError, _refused)
    app.add_exception_handler(HTTPException, _unknown)
    app.add_exception_handler(ClientDisconnect, _hung_up)
    app.add_middleware(Limits, clock=services.clock, chance=services.chance, observe=observe)
    return app


def _about() -> APIRouter:
    """The API about itself: its description for programs and for people. With a token, as everything (SEC-30)."""
    router = APIRouter(route_class=FoliotRoute, include_in_schema=False)

    @router.get(f"{PREFIX}/openapi.json", responses=READS)
    async def openapi_json(who: Reader, request: Request) -> Response:
        return JSONResponse(request.app.openapi())

    @router.get("/api/docs", responses=READS)
    async def docs(who: Reader, request: Request) -> Response:
        page = docs_page(request.app.openapi(), {key: str(right) for key, right in request.app.state.rights.items()})
        headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"}
        return HTMLResponse(page, headers=headers)

    @router.get("/login", responses=READS, dependencies=[Depends(Open())])
    async def login(language: Speaks) -> Response:
        return HTMLResponse(login_page(language), headers=LOGIN_HEADERS)

    return router


def openapi_of(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI 3.1 document of an app, with the right each operation needs."""
    if app.openapi_schema:
        return app.openapi_schema
    schema = get_openapi(
        title=TITLE, version=__version__, openapi_version="3.1.0", description=DESCRIPTION, routes=app.router.routes
    )
    schema["components"].setdefault("schemas", {}).setdefault(
        "Problem", Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    )
    schema["components"]["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
    rights: Mapping[tuple[str, str], Right] = app.state.rights
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            right = rights[method.upper(), path]
            operation["x-foliot-right"] = str(right)
            operation["security"] = [] if right == "public" else [{"bearer": []}]
            _only_problems(operation)
    app.openapi_schema = schema
    return schema


def _only_problems(operation: dict[str, Any]) -> None:
    """Errors are problem+json and nothing else."""
    for status, answer in operation["responses"].items():
        content = answer.get("content", {})
        if "application/problem+json" in content and status != "200":
            answer["content"] = {"application/problem+json": content["application/problem+json"]}


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, FoliotError)
    return problem_response(request, error)


async def _hung_up(request: Request, error: Exception) -> Response:
    """Whoever asked is gone before the question was complete: nobody reads this, and nothing is wrong here."""
    del request, error
    return Response(status_code=CLIENT_GONE)


async def _unknown(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code in (404, 405):
        answer = problem_response(request, NoSuchPage(request.method, request.url.path), status=error.status_code)
        answer.headers.update(error.headers or {})
        return answer
    return problem_response(request, BadRequest(f"{error.detail}."), status=error.status_code)
