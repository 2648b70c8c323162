"""Options of a job that calls a URL, as people write them."""

from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

Method: TypeAlias = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
Scalar: TypeAlias = str | int | float | bool | None
Duration: TypeAlias = str | float
Statuses: TypeAlias = int | str
Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=100)]

KEPT_BYTES: Final = 16 * 1024
KEPT_BYTES_MAX: Final = 48 * 1024  # of the 64 KiB that a result may have
KEPT_HEADERS: Final = ("content-type", "date", "etag", "location", "retry-after", "x-request-id")


class HttpBody(Struct, forbid_unknown_fields=True, frozen=True):
    """What is sent: exactly one of these."""

    json: Any = UNSET
    form: dict[str, Scalar | list[Scalar]] | UnsetType = UNSET
    text: str | UnsetType = UNSET


class BasicAuth(Struct, forbid_unknown_fields=True, frozen=True):
    """User and password (RFC 7617)."""

    user: str
    password: str


class HmacAuth(Struct, forbid_unknown_fields=True, frozen=True):
    """A signature of the request by a shared key."""

    key: str
    header: Name = "Foliot-Signature"
    algorithm: Literal["sha256", "sha512"] = "sha256"
    over: Literal["request", "body"] = "request"


class HttpAuth(Struct, forbid_unknown_fields=True, frozen=True):
    """How the request proves whose it is: exactly one of these."""

    basic: BasicAuth | None = None
    bearer: str | None = None
    hmac: HmacAuth | None = None


class HttpTimes(Struct, forbid_unknown_fields=True, frozen=True):
    """How long each step may take."""

    connect: Duration = "10s"  # look up the name and connect
    read: Duration = "5m"  # without a byte of the answer
    total: Duration = "1h"  # all of it


class HttpExpect(Struct, forbid_unknown_fields=True, frozen=True):
    """Which answers are a success."""

    status: Statuses | list[Statuses] = "2xx"
    json: str | list[str] = msgspec.field(default_factory=list)


class HttpCallback(Struct, forbid_unknown_fields=True, frozen=True):
    """The system says by a callback that the work is done."""

    within: Duration = "1d"  # how long the run waits for it
    result: Literal["all", "none"] = "all"  # none: what the system sends as the result is not kept


class HttpPoll(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """The worker asks the system again and again whether the work is done."""

    until: str | list[str]  # checks on the answer that all hold when it is
    url: str | None = None  # or `at`; neither: the header Location of the first answer
    at: str | None = None  # the path of the URL in the first answer: $.status_url
    every: Duration = "10s"
    within: Duration = "1d"
    failed: str | list[str] = msgspec.field(default_factory=list)  # checks: when one holds, the work has failed
    progress: str | None = None  # the path of a number
    total: str | None = None
    result: str | None = None  # the path of the result; None: the whole answer


class HttpCancel(Struct, forbid_unknown_fields=True, frozen=True):
    """What is called once when the run is asked to stop, or its time is over."""

    url: str | None = None  # or `at`; neither: the header Location of the first answer
    at: str | None = None
    method: Method = "DELETE"


class HttpOptions(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """`run: {http: {...}}`: one request, and which answer is a success."""

    url: str
    method: Method | None = None  # None: POST with a body, GET without
    headers: dict[str, str] = {}
    query: dict[str, Scalar | list[Scalar]] = {}
    body: HttpBody | None = None
    auth: HttpAuth | None = None
    expect: Statuses | list[Statuses] | HttpExpect = "2xx"
    timeout: Duration | HttpTimes = msgspec.field(default_factory=HttpTimes)
    redirects: Annotated[int, Meta(ge=0, le=10)] = 0
    tls: Name | None = None  # a name in the worker's settings
    accepted: Statuses | list[Statuses] = 202  # answers after which the run waits for the end of the work
    callback: bool | HttpCallback = False
    poll: HttpPoll | None = None
    cancel: HttpCancel | None = None
    capture: Annotated[int, Meta(ge=0, le=KEPT_BYTES_MAX)] = KEPT_BYTES
    capture_headers: Annotated[list[Name], Meta(max_length=50)] = msgspec.field(default_factory=lambda: [*KEPT_HEADERS])


MEANINGS: Final = {
    "url": "What is called; ${params.day} and ${secret:NAME} are filled in.",
    "method": "Without it: POST with a body, GET without.",
    "headers": "Headers of the request.",
    "query": "What stands behind the question mark.",
    "body": "What is sent: json, form or text.",
    "auth": "How the request proves whose it is: basic, bearer or hmac.",
    "expect": "Which answers are a success: a status, or status and json checks.",
    "timeout": "How long it may take: all of it, or connect, read and total.",
    "redirects": "How many redirects are followed.",
    "tls": "The name of TLS settings that the worker has.",
    "accepted": "Answers after which the run waits for the end of the work.",
    "callback": "The other system calls back when the work is done.",
    "poll": "The worker asks again and again whether the work is done.",
    "cancel": "What is called when the run is asked to stop.",
    "capture": "How many bytes of the answer the result keeps.",
    "capture_headers": "Which headers of the answer the result keeps.",
}
"""For people who look at the options of the kind; `foliot handler show http` lists them."""
