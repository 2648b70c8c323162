"""Parts of a request that many routes read: the token's rights, the language, a namespace, a page, times, ETags."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final

from fastapi import Depends, Header, Query, Request

from foliot.api.auth.rights import Needs
from foliot.api.errors import BadRequest, PreconditionRequired
from foliot.api.language import language_of
from foliot.api.models.common import PREFIX as PREFIX  # noqa: PLC0414  routes begin with it
from foliot.api.models.common import Problem
from foliot.domain.access import Principal, Scope
from foliot.domain.errors import BadField
from foliot.domain.instants import SECOND, Instant, Micros, parse_duration
from foliot.domain.run import RunId, parse_run_id
from foliot.domain.schedule.errors import BadTime
from foliot.domain.schedule.moments import read_instant
from foliot.domain.texts import NAME_BYTES_MAX
from foliot.operations import services as operations
from foliot.words.language import Language

LIMIT_MAX: Final = 200
_ETAG: Final = re.compile('"v([0-9]{1,9})"')


async def services_of(request: Request) -> operations.Services:
    """Return the services of the server that answers the request; over its replica while the store is away.

    A coroutine, although it awaits nothing: FastAPI would call a plain function in another thread, at every request.
    """
    services = getattr(request.state, "services", None) or request.app.state.services
    assert isinstance(services, operations.Services)
    return services


async def _language_of(request: Request) -> Language:
    """As `services_of`: in the loop."""
    return language_of(request)


Services = Annotated[operations.Services, Depends(services_of)]
Reader = Annotated[Principal, Depends(Needs(Scope.READ))]
Runner = Annotated[Principal, Depends(Needs(Scope.RUN))]
Writer = Annotated[Principal, Depends(Needs(Scope.WRITE))]
Locker = Annotated[Principal, Depends(Needs(Scope.LOCK))]
Pinger = Annotated[Principal, Depends(Needs(Scope.PING))]
Admin = Annotated[Principal, Depends(Needs(Scope.ADMIN))]
Speaks = Annotated[Language, Depends(_language_of)]

Namespace = Annotated[
    str | None,
    Query(max_length=NAME_BYTES_MAX, description="Where the name is looked up; the token's own, or default."),
]
EveryNamespace = Annotated[
    str | None, Query(max_length=NAME_BYTES_MAX, description="What the list is about; every namespace the token sees.")
]
NameFilter = Annotated[str | None, Query(max_length=NAME_BYTES_MAX)]
LabelFilter = Annotated[list[str] | None, Query(max_length=20, examples=[["team:data"]])]
NamesFilter = Annotated[
    list[str] | None,
    Query(
        max_length=100,
        description="Only these jobs: a name, or `namespace/name`; once for each.",
        examples=[["settle", "billing/refund"]],
    ),
]
IfMatch = Annotated[
    str | None, Header(alias="If-Match", max_length=100, description="The ETag of what was read.", examples=['"v3"'])
]
IfNoneMatch = Annotated[
    str | None, Header(alias="If-None-Match", max_length=100, description="`*`: a job that must not exist yet.")
]
LastEventId = Annotated[
    str | None,
    Header(alias="Last-Event-ID", max_length=100, description="Where a stream broke, to go on from there."),
]
Limit = Annotated[int, Query(ge=1, le=LIMIT_MAX, description="Items of a page.")]
Cursor = Annotated[str | None, Query(max_length=1000, description="`next_cursor` of the page before.")]
_FRACTION: Final = re.compile(r"\.\d*[1-9]")  # of a second; `.000`, as browsers write it, is none

When = Annotated[
    str | None, Query(max_length=64, description="RFC 3339; no `2h` and no `now`.", examples=["2026-03-02T06:00:00Z"])
]


def read_moment(written: str | None, field: str, *, tz: str = "UTC") -> Instant | None:
    """Return an instant that a client sent; raise `BadField` with the field's name when it is none."""
    if written is None:
        return None
    try:
        return read_instant(written, tz=tz)
    except BadTime as error:
        raise BadField(field, error.sentence.rstrip("."), hint=error.hint) from error


def read_since(written: str | None, field: str = "since") -> Instant | None:
    """Return the instant at which a list begins; of a fraction of a second, the whole second before it.

    `read_moment` rounds a fraction up to the next second. A list from there on would miss what lies in between.
    """
    instant = read_moment(written, field)
    if instant is None or written is None:
        return None
    has_fraction = _FRACTION.search(written) is not None
    return instant - SECOND if has_fraction else instant


def needed_moment(written: str, field: str, *, tz: str = "UTC") -> Instant:
    """Return an instant that must be there."""
    instant = read_moment(written, field, tz=tz)
    assert instant is not None
    return instant


def read_duration(written: str | float | None, field: str) -> Micros | None:
    """Return a duration that a client sent: `10m`, or a number of seconds."""
    if written is None:
        return None
    from foliot.domain.errors import BadDuration

    try:
        return parse_duration(written)
    except BadDuration as error:
        raise BadField(field, error.sentence.rstrip("."), hint=error.hint) from error


def read_words(written: str | None, field: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """Words joined by commas, all of them known, in capitals or not: `failed,running`."""
    if not written:
        return ()
    by_letters = {word.casefold(): word for word in known}
    words = [word.strip() for word in written.split(",")]
    for word in words:
        if word.casefold() not in by_letters:
            raise BadField(field, f'"{word[:50]}" is not one of {", ".join(known)}')
    return tuple(by_letters[word.casefold()] for word in words)


def read_names(written: list[str] | None, *, home: str) -> tuple[tuple[str, str], ...]:
    """Jobs as (namespace, name): `settle` of the namespace that is asked about, or `billing/settle`."""
    names: list[tuple[str, str]] = []
    for text in written or ():
        namespace, found, name = text.rpartition("/")
        names.append((namespace if found else home, name))
    return tuple(names)


def read_labels(written: list[str] | None) -> Mapping[str, str]:
    """Labels as `team:data` or `team=data`, several with commas or one by one."""
    labels: dict[str, str] = {}
    texts = ",".join(written).split(",") if written else []
    for text in texts:
        separator = ":" if ":" in text else "="
        key, found, value = text.partition(separator)
        if not found or not key:
            raise BadField("label", f'"{text[:100]}" is not key:value')
        labels[key] = value
    return labels


def run_id_of(written: str) -> RunId:
    """The number behind a run id; `BadRunId` for anything else."""
    return parse_run_id(written[:40])


def etag(version: int) -> str:
    """The ETag of a job's version."""
    return f'"v{version}"'


def expected_version(if_match: str | None, name: str, *, if_none_match: str | None = None) -> int:
    """Return the version in `If-Match`, which the client read before; 0 with `If-None-Match: *`, for a new job."""
    if if_none_match is not None and if_none_match.strip() == "*":
        return 0
    if if_match is None:
        raise PreconditionRequired(name)
    tag = if_match.strip().removeprefix("W/")
    matched = _ETAG.fullmatch(tag)
    if matched is None:
        raise BadRequest("If-Match is not an ETag of a job.", hint='it looks like "v3"')
    return int(matched[1])


_DESCRIPTIONS: Final[Mapping[int, str]] = {
    400: "The request cannot be read.",
    401: "No token, or one that is not good.",
    403: "The token may not do this.",
    404: "What was named does not exist.",
    408: "The body took too long to arrive; the connection is closed.",
    409: "It conflicts with what is there.",
    410: "What it is about is over.",
    412: "It was changed meanwhile; `current` and `changes` say how.",
    413: "The request is too large.",
    422: "A value is not allowed.",
    428: "If-Match is missing.",
    429: "Too many requests; see Retry-After.",
    503: "The store does not answer; see Retry-After.",
}
_READS: Final = (400, 401, 403, 404, 422, 429, 503)
_WRITES: Final = (400, 401, 403, 404, 408, 409, 412, 413, 422, 428, 429, 503)


def problems(*, write: bool = False, more: tuple[int, ...] = ()) -> dict[int | str, dict[str, Any]]:
    """The errors a route may answer with, for its description."""
    statuses = sorted({*(_WRITES if write else _READS), *more})
    return {
        status: {
            "model": Problem,
            "description": _DESCRIPTIONS[status],
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status in statuses
    }


READS: Final = problems()
WRITES: Final = problems(write=True)
