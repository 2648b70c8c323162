"""What every route of the public API does before and after its own work.

Bodies are read strictly (one JSON value, bounded depth, no NaN, no key twice), query parameters must be known, errors
become problem+json, and a POST with an Idempotency-Key is answered once.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable, Coroutine
from difflib import get_close_matches
from typing import Any, Final

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from foliot.api.auth.authenticator import Authenticator
from foliot.api.auth.rights import Open
from foliot.api.errors import (
    AnswerNotKept,
    BadRequest,
    StillAnswering,
    problem_response,
)
from foliot.api.limits import BODY_MAX
from foliot.domain.access import Principal
from foliot.domain.errors import FoliotError, InvalidInput
from foliot.domain.instants import DAY, MINUTE, Micros
from foliot.domain.payload import parse_json
from foliot.operations.people import PeopleServices
from foliot.ports.replies import Claimed, KeyReused, Replayed, Reply, StillRunning

DEPTH_MAX: Final = 40
KEY_LENGTH_MAX: Final = 200
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

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        inner = super().get_route_handler()
        known = {field.alias for field in _query_fields(self.dependant)}
        is_public = any(isinstance(needed.call, Open) for needed in self.dependant.dependencies)

        async def handler(request: Request) -> Response:
            try:
                _check_query(request, known)
                await _read_body(request)
                if request.method == "POST" and "idempotency-key" in request.headers and not is_public:
                    return await _once(request, inner)
                return await inner(request)
            except RequestValidationError as invalid:
                return problem_response(request, _bad_body(invalid))
            except FoliotError as error:
                return problem_response(request, error)

        return handler


def _query_fields(dependant: Any) -> list[Any]:
    fields = list(dependant.query_params)
    for below in dependant.dependencies:
        fields += _query_fields(below)
    return fields


def _check_query(request: Request, known: set[str]) -> None:
    for name in request.query_params:
        if name not in known:
            close = get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"known here: {', '.join(sorted(known)) or 'none'}"
            raise BadRequest(f'"{_shown(name)}" is not a parameter of this address.', hint=hint, path=f"query.{name}")
    for name, value in request.query_params.multi_items():
        if "\0" in value:
            raise BadRequest(f'"{_shown(name)}" holds the character NUL.', path=f"query.{name}")


async def _read_body(request: Request) -> None:
    """Decode the body strictly, once; the framework then takes what is there."""
    body = await request.body()
    if not body:
        return
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not (media == "application/json" or (media.startswith("application/") and media.endswith("+json"))):
        raise BadRequest("The body is not JSON.", hint="send Content-Type: application/json")
    try:
        request._json = parse_json(body, bytes_max=BODY_MAX, depth_max=DEPTH_MAX, what="The body")  # noqa: SLF001
    except InvalidInput as error:
        raise BadRequest(error.sentence, hint=error.hint) from error


def _bad_body(invalid: RequestValidationError) -> BadBody:
    errors = []
    for found in invalid.errors()[:20]:
        place = ".".join(str(part) for part in found["loc"] if part != "body") or "the body"
        message = "is not known here" if found["type"] == "extra_forbidden" else str(found["msg"])
        errors.append({"path": place[:200], "message": message, "code": BadBody.code})
    first = errors[0]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return BadBody(f"{_shown(first['path'])}: {first['message']}{more}.", errors=errors)


# --------------------------------------------------------------------------------------------------------------- once


def request_key(request: Request, who: Principal) -> str | None:
    """What a request and its repeats have in common, and no other request; None when it came without a key.

    A remembered answer is not all: it is missing when the store was away at the wrong moment. So that what was done
    then is found again, work that must not be done twice is stored under this key.
    """
    key = request.headers.get("idempotency-key")
    return None if key is None else _hash(who.token_id, request.url.path, key)


async def _once(request: Request, inner: Handler) -> Response:
    """Answer the first request with this key; give its repeats the same answer."""
    key = request.headers["idempotency-key"]
    if not 0 < len(key) <= KEY_LENGTH_MAX:
        raise BadRequest(f"An Idempotency-Key has 1 to {KEY_LENGTH_MAX} characters.")
    services: PeopleServices = request.app.state.services
    authenticator: Authenticator = request.app.state.authenticator
    who = await authenticator.principal(request)
    key_hash = request_key(request, who)
    assert key_hash is not None
    request_hash = _hash(request.url.query, (await request.body()).decode("utf-8", "replace"))
    found = await services.replies.claim(
        key_hash, request_hash, services.chance.token(), keep_us=KEEP_US, give_up_us=GIVE_UP_US
    )
    match found:
        case Claimed(claim=claim):
            return await _answered(request, inner, services, key_hash, claim)
        case Replayed(reply=reply):
            return Response(reply.body, status_code=reply.status, headers={**reply.headers, REPLAYED: "true"})
        case StillRunning():
            raise StillAnswering
        case _:
            raise KeyReused


async def _answered(request: Request, inner: Handler, services: PeopleServices, key_hash: str, claim: str) -> Response:
    try:
        response = await inner(request)
    except RequestValidationError as invalid:
        response = problem_response(request, _bad_body(invalid))
    except FoliotError as error:
        response = problem_response(request, error)
    except BaseException:
        await services.replies.release(key_hash, claim)
        raise
    body = getattr(response, "body", None)
    if response.status_code >= 400 or not isinstance(body, bytes):  # nothing was done, so it may be asked for again
        await services.replies.release(key_hash, claim)
        return response
    await services.replies.keep(key_hash, claim, _kept(request, response))
    return response


def _kept(request: Request, response: Response) -> Reply:
    """What repeats are answered: the same, unless that is a secret, which no store keeps (SEC-07)."""
    if response.status_code < 400 and "no-store" in response.headers.get("cache-control", ""):
        response = problem_response(request, AnswerNotKept())
    headers = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
    return Reply(status=response.status_code, headers=headers, body=bytes(response.body).decode())


def _hash(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _shown(text: str) -> str:
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text[:100])
