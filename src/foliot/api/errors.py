"""Errors as answers: one table from class to status, one form (problem+json) for all of them."""

import json
from collections.abc import Mapping
from typing import Any, Final

import structlog
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from foliot.api.language import language_of
from foliot.domain.access import BadLoginCode, NotLoggedIn, ScopeMissing, TooManyTries
from foliot.domain.alerts.channel import ChannelChanged
from foliot.domain.alerts.errors import AlertRuleChanged
from foliot.domain.callbacks import CallbackOver
from foliot.domain.errors import (
    ClusterTrouble,
    Conflict,
    Denied,
    ExecutionFailed,
    FoliotError,
    InvalidInput,
    NotFound,
    RunNotFound,
    StorageTrouble,
    VersionConflict,
)
from foliot.domain.heartbeats.errors import CheckChanged
from foliot.domain.queue_limits import QueueFull
from foliot.domain.run import BadRunId, format_run_id, parse_run_id
from foliot.domain.visible import encodable
from foliot.words.errors import tell, title_of
from foliot.words.language import Language

log = structlog.get_logger("foliot.api")


class BadRequest(InvalidInput):
    """The request is not one of this API's."""

    code = "FOL-1080"


class RequestTooLarge(InvalidInput):
    """The request has more bytes than are read."""

    code = "FOL-1081"

    def __init__(self, size: int, bytes_max: int) -> None:
        super().__init__(
            f"The request is larger than {bytes_max} bytes.", hint="send less at once", size=size, bytes_max=bytes_max
        )


class RequestTooSlow(InvalidInput):
    """The body of the request took too long to arrive."""

    code = "FOL-1086"

    def __init__(self, within_s: float) -> None:
        super().__init__(
            f"The body of the request did not arrive within {within_s:g} s.",
            hint="send it at once; this connection is closed",
            within_s=within_s,
        )


class NoSuchPage(NotFound):
    """Nothing is served at this address."""

    code = "FOL-2008"

    def __init__(self, method: str, path: str) -> None:
        super().__init__(
            f"There is no {method} {path[:200]} here.", hint="see /api/v1/openapi.json", method=method, path=path[:200]
        )


class PreconditionRequired(Conflict):
    """A change must say which version it was made from."""

    code = "FOL-3015"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"A change of {name} must say which version it was made from.",
            hint="send If-Match with the ETag of what you read",
            name=name,
        )


class StillAnswering(Conflict):
    """A request with the same Idempotency-Key is being answered."""

    code = "FOL-3016"

    def __init__(self) -> None:
        super().__init__(
            "A request with the same Idempotency-Key is being answered.", hint="try again with the same key"
        )
        self.retry_after_s = 1


class CountDiffers(Conflict):
    """A bulk action would hit another number of things than was expected."""

    code = "FOL-3017"

    def __init__(self, *, expected: int, found: int) -> None:
        super().__init__(
            f"{expected} were expected, {found} match now. Nothing was changed.",
            hint="look at the list again",
            expected=expected,
            found=found,
        )


class AnswerNotKept(Conflict):
    """The answer to this Idempotency-Key held a secret, which is given once."""

    code = "FOL-3022"

    def __init__(self) -> None:
        super().__init__(
            "This request was answered before; its answer held a secret, which is given once and kept nowhere.",
            hint="if it was lost, ask for another with a new key; a token: foliot token rotate NAME",
        )


class CsrfMissing(Denied):
    """A change made with the session cookie must carry a header that another site cannot send."""

    code = "FOL-4005"

    def __init__(self) -> None:
        super().__init__("A change with the session cookie needs the header X-Foliot-Csrf.", hint="X-Foliot-Csrf: 1")


class TooManyRequests(Denied):
    """More at once than this server serves, or than one token or address may have of it."""

    code = "FOL-4006"

    def __init__(self, reason: str, *, retry_after_s: int = 1) -> None:
        what, hint = _TOO_MANY.get(reason, _TOO_MANY["requests"])
        super().__init__(
            f"{what}; the next is welcome in {retry_after_s} s.",
            hint=hint,
            reason=reason,
            retry_after_s=retry_after_s,
        )
        self.retry_after_s = retry_after_s


_TOO_MANY: Final[Mapping[str, tuple[str, str]]] = {
    "requests": ("Too many requests at once", "send fewer at the same time"),
    "streams": ("Too many streams and waiting requests at once", "end some of them first"),
    "metrics": ("Too many requests for metrics at once", "send fewer at the same time"),
    "callbacks": ("Too many callbacks at once", "send the same message again"),
    "logins": ("Too many logins at once", "send fewer at the same time"),
    "bodies": ("Too many bytes in requests at once", "send fewer or smaller requests at the same time"),
    "worker_bodies": ("Too many bytes in messages of workers at once", "send the same message again"),
    "beats": ("Too many bytes in beats of workers at once", "send the same message again"),
    "strangers": ("Too many tokens wait to be looked up", "send the same request again"),
    "wrong_tokens": ("Too many wrong tokens from this address", "use a good token: foliot login URL"),
}


STATUSES: Final[Mapping[type[FoliotError], int]] = {
    BadRequest: 400,
    RequestTooLarge: 413,
    RequestTooSlow: 408,
    InvalidInput: 422,
    NotFound: 404,
    VersionConflict: 412,
    AlertRuleChanged: 412,
    CheckChanged: 412,
    ChannelChanged: 412,
    PreconditionRequired: 428,
    CallbackOver: 410,
    QueueFull: 429,
    Conflict: 409,
    NotLoggedIn: 401,
    BadLoginCode: 401,
    ScopeMissing: 403,
    CsrfMissing: 403,
    TooManyTries: 429,
    TooManyRequests: 429,
    Denied: 403,
    ClusterTrouble: 503,
    StorageTrouble: 503,
    ExecutionFailed: 409,
    FoliotError: 500,
}
RETRY_LATER: Final = frozenset({429, 503})
PROBLEM: Final = "application/problem+json"
PATH_MAX: Final = 200  # letters of a field's path: the client that sent it knows the rest


def status_of(error: FoliotError) -> int:
    """The status of an error: that of its nearest class in the table."""
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def problem_response(request: Request, error: FoliotError, *, status: int | None = None) -> Response:
    """The answer an error becomes."""
    error = _as_written(request, error)
    status = status or status_of(error)
    language = language_of(request)
    headers = {"Content-Language": str(language), "Cache-Control": "no-store"}
    retry_after_s = getattr(error, "retry_after_s", 1 if status in RETRY_LATER else None)
    if retry_after_s is not None:
        headers["Retry-After"] = str(retry_after_s)
    if status == 408:
        headers["Connection"] = "close"
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="foliot"'
    body = problem(error, status=status, instance=request.url.path, language=language, trace_id=trace_id_of(request))
    return _ProblemResponse(body, status_code=status, headers=headers)


class _ProblemResponse(JSONResponse):
    """A problem document: it quotes what was sent, whatever that was."""

    media_type = PROBLEM

    def render(self, content: Any) -> bytes:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return encodable(text).encode()


def _as_written(request: Request, error: FoliotError) -> FoliotError:
    """A run that is not there is called what it was called in the address, not what that means as a number."""
    written = request.path_params.get("run")
    if isinstance(error, RunNotFound) and written is not None and _is_same_run(written, error.data["id"]):
        return RunNotFound(written)
    return error


def _is_same_run(written: str, shown_id: str) -> bool:
    try:
        return format_run_id(parse_run_id(written)) == shown_id
    except BadRunId:
        return False


def problem(error: FoliotError, *, status: int, instance: str, language: Language, trace_id: str) -> dict[str, Any]:
    """The problem document (RFC 9457) of an error."""
    sentence, hint = tell(error, language)
    document: dict[str, Any] = {
        "type": f"urn:foliot:error:{error.code}",
        "title": title_of(error.code, language),
        "status": status,
        "detail": sentence,
        "instance": instance,
        "code": error.code,
        "trace_id": trace_id,
    }
    if hint:
        document["hint"] = hint
    errors = error.data.get("errors") or _errors_of(error, sentence)
    if errors:
        document["errors"] = errors
    document |= {key: error.data[key] for key in ("nearest", "current", "changes") if error.data.get(key) is not None}
    return document


def _errors_of(error: FoliotError, sentence: str) -> list[dict[str, str]]:
    path = error.data.get("path") if isinstance(error, InvalidInput) else None
    return [{"path": str(path)[:PATH_MAX], "message": sentence, "code": error.code}] if path else []


def trace_id_of(request: Request) -> str:
    """The id under which this request is found in the log."""
    return str(getattr(request.state, "trace_id", ""))
