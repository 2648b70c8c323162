"""Around every request: its trace id, the headers of all answers, the places it holds, and the last net for bugs."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any, Final

import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from foliot.api.errors import problem_response
from foliot.domain.errors import FoliotError
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock

Observe = Callable[[str, int, float], None]

USUAL: Final = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"))
"""Headers of every answer that has none of that name: no browser guesses what an answer is, nor keeps it."""

log = structlog.get_logger("foliot.api")


class RequestLimits:
    """An ASGI middleware around everything."""

    def __init__(self, app: ASGIApp, *, clock: Clock, chance: Chance, observe: Observe | None = None) -> None:
        self._app = app
        self._clock = clock
        self._chance = chance
        self._observe = observe

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        state["trace_id"] = self._chance.token()[:16]
        answer = _Answer(send)
        began_at = self._clock.monotonic()
        try:
            with ExitStack() as places:  # what the gate gave it; a stream keeps its place to its end
                state["places"] = places
                await self._served(scope, receive, answer)
        except FoliotError as error:
            await self._refuse(scope, receive, answer, error)
        finally:
            if self._observe is not None:
                self._observe(scope["method"], answer.status, self._clock.monotonic() - began_at)

    async def _served(self, scope: Scope, receive: Receive, answer: "_Answer") -> None:
        try:
            await self._app(scope, receive, answer)
        except Exception as error:
            if isinstance(error, FoliotError | ClientDisconnect) or answer.is_begun:
                raise
            log.exception("api.failed", path=scope["path"], trace_id=scope["state"]["trace_id"])
            raise _Failed from error

    async def _refuse(self, scope: Scope, receive: Receive, answer: "_Answer", error: FoliotError) -> None:
        if answer.is_begun:
            log.warning("api.broken_off", path=scope["path"], why=str(error))
            return
        response = problem_response(Request(scope), error)
        await response(scope, receive, answer)


class _Failed(FoliotError):
    """Something went wrong inside; the log has it under the trace id."""

    code = "FOL-0000"

    def __init__(self) -> None:
        super().__init__("Something went wrong inside Foliot.", hint="the server's log tells more, by trace_id")


class _Answer:
    """Passes the answer on and remembers that it began."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.is_begun = False
        self.status = 500

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.is_begun = True
            self.status = message["status"]
            message = {**message, "headers": _with_usual(message.get("headers", ()))}
        await self._send(message)


def _with_usual(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    given = list(headers)
    names = {name.lower() for name, _ in given}
    return given + [(name, value) for name, value in USUAL if name not in names]
