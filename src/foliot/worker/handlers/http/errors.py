"""What can go wrong when a job calls a URL. A retry policy names these classes, each by itself or by a class above it.

    HttpFailed                whatever went wrong
    ├── HttpTransient         what another try may mend
    │   ├── HttpNotReached    no connection: nothing was sent
    │   ├── HttpNoAnswer      sent, and no whole answer came: what the server did is not known
    │   └── HttpTimeout       one of the two, because time was over
    ├── HttpStatusError       an answer with a status that was not expected
    │   └── HttpStatus4xx, HttpStatus5xx, each with its statuses: HttpStatus404, HttpStatus503
    └── HttpAnswerUnfit       an answer that a check refuses, or that is too large

`HttpStatus408`, `425`, `429`, `500`, `502`, `503` and `504` are `HttpTransient` as well.
"""

from functools import lru_cache
from typing import Final

from foliot.domain.errors import ExecutionFailed, InvalidInput
from foliot.ports.handler import Unfit

TRANSIENT: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


class HttpFailed(ExecutionFailed):
    """A call of a URL went wrong."""


class HttpTransient(HttpFailed):
    """A failure that another try may mend."""


class HttpTimeout(HttpTransient):
    """The time for a step of the call was over."""


class HttpNotReached(HttpTransient):
    """No connection to the server: nothing was sent."""

    code = "FOL-6030"

    def __init__(self, origin: str, why: str) -> None:
        super().__init__(
            f"{origin} could not be reached: {why}. Nothing was sent.",
            hint="see whether the server runs, and whether the worker may reach it",
            origin=origin,
            why=why,
        )


class HttpNoAnswer(HttpTransient):
    """The request was sent, and no whole answer came."""

    code = "FOL-6031"

    def __init__(self, request: str, why: str) -> None:
        super().__init__(
            f"{request} was sent, and {why}. What the server did is not known.",
            hint="ask the server by the Idempotency-Key of the run",
            request=request,
            why=why,
        )


class HttpConnectTimeout(HttpNotReached, HttpTimeout):
    """The time to connect was over."""


class HttpReadTimeout(HttpNoAnswer, HttpTimeout):
    """The time to answer was over."""


class HttpStatusError(HttpFailed):
    """The server answered with a status that was not expected."""

    code = "FOL-6032"

    def __init__(self, request: str, *, answer: int, expected: str) -> None:
        super().__init__(
            f"{request} answered {answer}; {expected} was expected.",
            hint="the log of the run shows what the server answered",
            request=request,
            answer=answer,
            expected=expected,
        )


class HttpStatus4xx(HttpStatusError):
    """The server refused the request."""


class HttpStatus5xx(HttpStatusError):
    """The server failed."""


class HttpAnswerUnfit(HttpFailed):
    """A check refuses the answer, or there is more of it than is read."""

    code = "FOL-6033"

    def __init__(self, request: str, why: str) -> None:
        super().__init__(
            f"The answer to {request} is not as expected: {why}.",
            hint="the log of the run shows what the server answered",
            request=request,
            why=why,
        )


class HttpUnfit(InvalidInput, Unfit):
    """An option of the job cannot be used in this run: nothing was sent."""

    code = "FOL-1120"

    def __init__(self, path: str, why: str) -> None:
        super().__init__(
            f"{path} cannot be used in this run: {why}.",
            hint="change the job, the parameters of the run, or the settings of the worker",
            path=path,
            why=why,
        )


class AddressRefused(InvalidInput, Unfit):
    """A worker does not let its jobs reach this address (SEC-11)."""

    code = "FOL-1121"

    def __init__(self, origin: str, why: str) -> None:
        super().__init__(
            f"This worker does not call {origin}: {why}.",
            hint="whoever runs the worker can allow it: handlers.http.allow",
            origin=origin,
            why=why,
        )


@lru_cache(maxsize=1000)
def status_error(status: int) -> type[HttpStatusError]:
    """The error of one status: `HttpStatus503`, made when it is first met."""
    bases: list[type[HttpFailed]] = [{4: HttpStatus4xx, 5: HttpStatus5xx}.get(status // 100, HttpStatusError)]
    if status in TRANSIENT:
        bases.append(HttpTransient)
    about = {"__doc__": f"The server answered {status}.", "__module__": __name__}
    return type(f"HttpStatus{status}", tuple(bases), about)
