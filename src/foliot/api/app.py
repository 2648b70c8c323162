"""The API as one app: public routes, plain routes (the worker protocol), their rights, their limits."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import structlog
from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import BaseRoute, Match

from foliot import __version__
from foliot.api.auth.authenticator import Authenticator
from foliot.api.auth.rights import Right, rights_of
from foliot.api.auth.throttle import Throttle
from foliot.api.console import console_router
from foliot.api.docs_page import HEADERS as DOCS_HEADERS
from foliot.api.docs_page import docs_page
from foliot.api.errors import BadRequest, NoSuchPage, problem_response, trace_id_of
from foliot.api.gate import AT_ONCE_MAX, BODY_WITHIN_S, Gate
from foliot.api.limits import RequestLimits
from foliot.api.openapi import TITLE, openapi_of
from foliot.api.replica_answers import ReplicaAnswers
from foliot.api.request_parts import PREFIX, READS, Reader
from foliot.api.route import FoliotRoute
from foliot.api.routes import (
    alert_previews,
    alert_rules,
    alerts,
    anomalies,
    backfills,
    calendars,
    callbacks,
    channels,
    checkup,
    cluster,
    drills,
    events,
    failovers,
    handlers,
    heartbeats,
    job_bulk,
    job_details,
    jobs,
    limits,
    locks,
    logs,
    overview,
    probes,
    reports,
    runs,
    settings,
    skips,
    stats,
    tokens,
    views,
)
from foliot.domain.access import Scope
from foliot.domain.errors import FoliotError
from foliot.operations.replica_reads import ReplicaReads
from foliot.operations.services import Services
from foliot.operations.side_thread import in_side_thread
from foliot.operations.watch import LOOK_EVERY_S, ChangeWatch
from foliot.ports.store.errors import DataRefused

log = structlog.get_logger("foliot.api")

CLIENT_GONE: Final = 499  # the usual status for it, which no client ever sees
RESOURCES: Final = (
    jobs, job_bulk, job_details, skips, runs, logs, backfills, calendars, limits, locks, alerts, alert_rules,
    alert_previews, heartbeats, channels, cluster, drills, failovers, checkup,
    overview, settings, stats, anomalies, reports,
    handlers, events, tokens, views, callbacks, probes,
)  # fmt: skip


def build_api(
    services: Services,
    *,
    plain_routes: Callable[[Authenticator], Sequence[BaseRoute]] = lambda _: (),
    render_metrics: Callable[[str], tuple[bytes, str]] = lambda _accept: (b"", "text/plain"),
    wants_no_traffic: Callable[[], str] = str,
    secure_cookies: bool = False,
    insecure_http: bool = False,
    at_once_max: int = AT_ONCE_MAX,
    body_within_s: float = BODY_WITHIN_S,
    tell_others: Callable[[], None] = lambda: None,
    look_every_s: float = LOOK_EVERY_S,
    replica: ReplicaReads | None = None,
) -> FastAPI:
    """Make the whole app. `plain_routes` (named `worker.*`) get the authenticator and need the `worker` right.

    `render_metrics`: from an `Accept` header to the page of metrics and its type.
    `tell_others` is called after a user's change: consoles at other servers should show it, too.
    """
    app = _bare_app()
    app.state.services = services
    app.state.refused = Counter[str]()  # requests that were refused for their number or size, by reason
    app.state.authenticator = Authenticator(services, app.state.refused)
    app.state.replica = None if replica is None else ReplicaAnswers(replica, app.state.authenticator)
    app.state.gate = Gate(
        app.state.authenticator, app.state.refused, at_once_max=at_once_max, body_within_s=body_within_s
    )
    app.state.store_look = probes.StoreLook(services)
    app.state.throttle = Throttle(services.clock)
    app.state.watch = ChangeWatch(services, every_s=look_every_s)
    app.state.render_metrics = render_metrics
    app.state.wants_no_traffic = wants_no_traffic
    app.state.secure_cookies = secure_cookies
    app.state.insecure_http = insecure_http
    _add_routes(app, plain_routes(app.state.authenticator))
    _add_error_handlers(app)
    app.openapi = lambda: openapi_of(app)  # type: ignore[method-assign]

    def changed() -> None:
        app.state.watch.hint()
        tell_others()

    app.add_middleware(RequestLimits, chance=services.chance, changed=changed)
    return app


def _bare_app() -> FastAPI:
    """Return an app without the framework's own pages: Foliot serves its own, with a token."""
    return FastAPI(
        title=TITLE,
        version=__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        separate_input_output_schemas=False,
    )


def _add_routes(app: FastAPI, plain_routes: Sequence[BaseRoute]) -> None:
    """Take over routes one by one, not as included routers: each is listed with its right, no other is served."""
    routes = app.router.routes
    # The framework tries one route after the other, and most requests are calls of workers.
    routes.extend(plain_routes)
    for resource in RESOURCES:
        routes.extend(resource.router.routes)
    routes.extend(_about().routes)
    routes.extend(console_router().routes)
    declared: dict[str, Right] = {route.name: Scope.WORKER for route in plain_routes if hasattr(route, "name")}
    app.state.rights = rights_of(routes, declared)


def _add_error_handlers(app: FastAPI) -> None:
    app.add_exception_handler(FoliotError, _refused)
    app.add_exception_handler(DataRefused, _not_kept)
    app.add_exception_handler(HTTPException, _unknown)
    app.add_exception_handler(ClientDisconnect, _hung_up)


def _about() -> APIRouter:
    """Return the routes about the API itself: its description for programs and for people, with a token (SEC-30)."""
    router = APIRouter(route_class=FoliotRoute, include_in_schema=False)

    @router.get(f"{PREFIX}/openapi.json", responses=READS)
    async def openapi_json(who: Reader, request: Request) -> Response:
        document = await in_side_thread(request.app.openapi)  # making it takes a third of a second, the first time
        return JSONResponse(document)

    @router.get("/api/docs", responses=READS)
    async def docs(who: Reader, request: Request) -> Response:
        rights = {key: str(right) for key, right in request.app.state.rights.items()}
        document = await in_side_thread(request.app.openapi)
        return HTMLResponse(docs_page(document, rights), headers=DOCS_HEADERS)

    return router


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, FoliotError)
    return problem_response(request, error)


async def _not_kept(request: Request, error: Exception) -> Response:
    """The store refused data that no check before it refused. Its words name tables, so they go into the log alone."""
    log.warning("api.data_refused", path=request.url.path, trace_id=trace_id_of(request), why=str(error))
    hint = "remove characters such as NUL from it, or make its numbers smaller"
    return problem_response(request, BadRequest("The store cannot take what was sent.", hint=hint))


async def _hung_up(request: Request, error: Exception) -> Response:
    """The client left before its request was complete. Nobody reads this answer, and nothing is wrong here."""
    del request, error
    return Response(status_code=CLIENT_GONE)


async def _unknown(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = error.status_code
    if status not in (404, 405):
        return problem_response(request, BadRequest(f"{error.detail}."), status=status)
    answer = problem_response(request, NoSuchPage(request.method, request.url.path), status=status)
    answer.headers.update(error.headers or {})
    if status == 405:
        methods = sorted(_methods_of(request))
        answer.headers["Allow"] = ", ".join(methods)
    return answer


def _methods_of(request: Request) -> set[str]:
    """Return every method that an address serves. Each is a route of its own, and the framework looks only at one."""
    found: set[str] = set()
    for route in request.app.router.routes:
        match, _ = route.matches(request.scope)
        if match is not Match.NONE:
            found |= getattr(route, "methods", None) or set()
    return found
