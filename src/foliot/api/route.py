"""What every route of the public API does before and after its own work.

The server knows the token and gives the request a place before it reads anything else (SEC-32). It reads bodies
strictly (one JSON value, bounded depth, no NaN, no key twice), refuses unknown query parameters, turns errors into
problem+json, and answers a POST with an Idempotency-Key once. While the store is away it asks a replica, if it has one.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from difflib import get_close_matches
from typing import Any, Final

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from foliot.api.auth.authenticator import Authenticator
from foliot.api.auth.rights import Needs, Open, calls_of
from foliot.api.bodies import BODY_MAX, KIB, OPEN_BODY_WITHIN_S, read_body
from foliot.api.errors import (
    AnswerNotKept,
    BadRequest,
    StillAnswering,
    problem_response,
)
from foliot.api.gate import Gate, GateKind
from foliot.api.replica_answers import ReplicaAnswers
from foliot.domain.access import Principal
from foliot.domain.errors import FoliotError, InvalidInput
from foliot.domain.instants import DAY, MINUTE, Micros
from foliot.domain.payload import parse_json
from foliot.domain.texts import KEY_BYTES_MAX
from foliot.operations.services import Services
from foliot.operations.side_thread import in_side_thread
from foliot.ports.store.replies import Claimed, KeyReused, Replayed, Reply, StillRunning

DEPTH_MAX: Final = 40
QUERY_BYTES_MAX: Final = 16 * KIB
FIELDS_MAX: Final = 100  # of a body: no model has as many, and each unknown one costs an error of its own
SIDE_THREAD_FROM: Final = 16 * KIB  # a longer body is parsed in the side thread: parsing these takes some milliseconds
KEEP_US: Final[Micros] = DAY
GIVE_UP_US: Final[Micros] = MINUTE
REPLAYED: Final = "Idempotent-Replayed"
KEPT_HEADERS: Final = ("content-type", "etag", "location", "content-language")

Handler = Callable[[Request], Awaitable[Response]]


class BadBody(InvalidInput):
    """A body or parameter that does not fit what the route takes."""

    code = "FOL-1085"


class FoliotRoute(APIRoute):
    """An APIRoute with Foliot's manners."""

    def __init__(self, *given: Any, **how: Any) -> None:
        super().__init__(*given, **how)
        self.operation_id = self.name  # by which generated clients call: the name of the function

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        inner = super().get_route_handler()
        known = {field.alias for field in _query_fields(self.dependant)}
        entry = _Entry(self, known)

        async def ask(request: Request) -> Response:
            await entry.pass_through(request)
            _check_path(request)
            _check_query(request, known)
            await entry.read_body(request)
            if request.method == "POST" and "idempotency-key" in request.headers and entry.needs is not None:
                return await _once(request, inner)
            return await inner(request)

        async def handler(request: Request) -> Response:
            try:
                _check_length(request)
                replica: ReplicaAnswers | None = request.app.state.replica
                if replica is not None and entry.only_reads(request):
                    return await replica.answer(request, ask)
                return await ask(request)
            except RequestValidationError as invalid:
                return problem_response(request, _bad_body(invalid))
            except FoliotError as error:
                return problem_response(request, error)

        return handler


class _Entry:
    """How requests get into a route: by which right, counted as what, with how much of a body."""

    def __init__(self, route: APIRoute, known: set[str]) -> None:
        calls = list(calls_of(route.dependant))
        self.needs = next((call for call in calls if isinstance(call, Needs)), None)  # None: anybody may ask
        self._open = next((call for call in calls if isinstance(call, Open)), Open())
        self._takes_body = route.body_field is not None
        self._is_probe = "probes" in route.tags
        self._streams = route.path.endswith("/events")
        self._may_wait = known & {"follow", "wait"}

    async def pass_through(self, request: Request) -> None:
        """Let the request in, or refuse it before anything of it was read but its head."""
        gate: Gate = request.app.state.gate
        if self.needs is not None:
            await gate.let_in(request, self._kind(request))
            await self.needs(request)
        elif self._takes_body:
            gate.let_anybody_in(request, self._open.counts_as)

    def only_reads(self, request: Request) -> bool:
        """Whether a replica may answer: somebody with a token reads, and does not wait for a change."""
        return self.needs is not None and request.method == "GET" and self._kind(request) is not GateKind.STREAMS

    def _kind(self, request: Request) -> GateKind:
        if self._is_probe:
            return GateKind.METRICS
        waits = self._streams or any(name in request.query_params for name in self._may_wait)
        return GateKind.STREAMS if waits else GateKind.REQUESTS

    async def read_body(self, request: Request) -> None:
        """Read and decode the body, once; the framework then takes what is there."""
        if self.needs is None and not self._takes_body:
            return  # a probe takes no body
        gate: Gate = request.app.state.gate

        def take(size: int) -> None:
            gate.take(request, GateKind.BODIES, request.state.share, size)

        bytes_max = BODY_MAX
        within_s = gate.body_within_s
        if self.needs is None:  # anybody may send it, so it is small and quick
            bytes_max = self._open.bytes_max
            within_s = min(OPEN_BODY_WITHIN_S, within_s)
        body = await read_body(request, take=take, bytes_max=bytes_max, within_s=within_s)
        request._body = body  # noqa: SLF001
        if body:
            request._json = await _decoded(request, body)  # noqa: SLF001


def _query_fields(dependant: Any) -> list[Any]:
    fields = list(dependant.query_params)
    for below in dependant.dependencies:
        fields += _query_fields(below)
    return fields


def _check_length(request: Request) -> None:
    if len(request.scope["query_string"]) > QUERY_BYTES_MAX:
        raise BadRequest(
            f"The query of the address is longer than {QUERY_BYTES_MAX} bytes.", hint="ask for less at once"
        )


def _check_path(request: Request) -> None:
    if "\0" in request.scope["path"]:
        raise BadRequest("The address holds the character NUL, which no name has.", hint="leave out %00")


def _check_query(request: Request, known: set[str]) -> None:
    for name in request.query_params:
        if name not in known:
            raise _unknown_parameter(name, known)
    for name, value in request.query_params.multi_items():
        if "\0" in value:
            raise BadRequest(f'"{_shown(name)}" holds the character NUL.', path=f"query.{name}")


def _unknown_parameter(name: str, known: set[str]) -> BadRequest:
    names = ", ".join(sorted(known)) or "none"
    hint = f"known here: {names}"
    close = get_close_matches(name[:100], known, 1)
    if close:
        hint = f"did you mean {close[0]}?"
    sentence = f'"{_shown(name)}" is not a parameter of this address.'
    return BadRequest(sentence, hint=hint, path=f"query.{name[:100]}")


async def _decoded(request: Request, body: bytes) -> Any:
    """Return the value of a JSON body."""
    if not _is_json(request.headers.get("content-type", "")):
        raise BadRequest("The body is not JSON.", hint="send Content-Type: application/json")
    try:
        if len(body) > SIDE_THREAD_FROM:
            value = await in_side_thread(_parsed, body)
        else:
            value = _parsed(body)
    except InvalidInput as error:
        raise BadRequest(error.sentence, hint=error.hint) from error
    if isinstance(value, dict) and len(value) > FIELDS_MAX:
        raise BadBody(f"The body has {len(value)} fields, more than anything here takes.")
    return value


def _is_json(content_type: str) -> bool:
    media = content_type.partition(";")[0].strip().lower()
    if media == "application/json":
        return True
    return media.startswith("application/") and media.endswith("+json")


def _parsed(body: bytes) -> Any:
    return parse_json(body, bytes_max=BODY_MAX, depth_max=DEPTH_MAX, what="The body")


def _bad_body(invalid: RequestValidationError) -> BadBody:
    errors = [_field_error(found) for found in invalid.errors()[:20]]
    first = errors[0]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return BadBody(f"{_shown(first['path'])}: {first['message']}{more}.", errors=errors)


def _field_error(found: Mapping[str, Any]) -> dict[str, str]:
    place = ".".join(str(part) for part in found["loc"] if part != "body") or "the body"
    message = str(found["msg"])
    if found["type"] == "extra_forbidden":
        message = "is not known here"
    return {"path": place[:200], "message": message, "code": BadBody.code}


# --------------------------------------------------------------------------------------------------------------- once


def request_key(request: Request, who: Principal) -> str | None:
    """Return the key that a request shares with its repeats, and with no other request; None without the header.

    The store also keeps work that must not be done twice under this key. The kept answer is not enough: it is missing
    when the store was away just when the server wanted to keep it.
    """
    key = request.headers.get("idempotency-key")
    return None if key is None else _hash(who.token_id, request.url.path, key)


async def _once(request: Request, inner: Handler) -> Response:
    """Answer the first request with this key; give its repeats the same answer."""
    key = request.headers["idempotency-key"]
    if not 0 < len(key) <= KEY_BYTES_MAX:
        raise BadRequest(f"An Idempotency-Key has 1 to {KEY_BYTES_MAX} characters.")
    services: Services = request.app.state.services
    authenticator: Authenticator = request.app.state.authenticator
    who = await authenticator.principal(request)
    key_hash = request_key(request, who)
    assert key_hash is not None
    body = await request.body()
    request_hash = _hash(request.url.query, body.decode("utf-8", "replace"))
    found = await services.store.replies.claim(
        key_hash, request_hash, services.chance.token(), keep_us=KEEP_US, give_up_us=GIVE_UP_US
    )
    match found:
        case Claimed(claim=claim):
            return await _answered(request, inner, services, key_hash, claim)
        case Replayed(reply=reply):
            headers = {**reply.headers, REPLAYED: "true"}
            return Response(reply.body, status_code=reply.status, headers=headers)
        case StillRunning():
            raise StillAnswering
        case _:
            raise KeyReused


async def _answered(request: Request, inner: Handler, services: Services, key_hash: str, claim: str) -> Response:
    try:
        response = await inner(request)
    except RequestValidationError as invalid:
        response = problem_response(request, _bad_body(invalid))
    except FoliotError as error:
        response = problem_response(request, error)
    except BaseException:
        await services.store.replies.release(key_hash, claim)
        raise
    body = getattr(response, "body", None)
    if response.status_code >= 400 or not isinstance(body, bytes):  # nothing was done: the client may send it again
        await services.store.replies.release(key_hash, claim)
        return response
    await services.store.replies.keep(key_hash, claim, _kept(request, response))
    return response


def _kept(request: Request, response: Response) -> Reply:
    """Return the answer for repeats: the same, unless it holds a secret, which no store keeps (SEC-07)."""
    is_secret = "no-store" in response.headers.get("cache-control", "")
    if response.status_code < 400 and is_secret:
        response = problem_response(request, AnswerNotKept())
    headers = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
    text = bytes(response.body).decode()
    return Reply(status=response.status_code, headers=headers, body=text)


def _hash(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _shown(text: str) -> str:
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text[:100])
