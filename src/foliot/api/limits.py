"""Around every request: its trace id, the usual headers, its places, the last net for bugs, a hint after a change."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from typing import Any, Final

import structlog
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from foliot.api.errors import problem_response
from foliot.domain.errors import FoliotError
from foliot.ports.chance import Chance

USUAL: Final = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"))
"""Headers of every answer that has none of that name: no browser guesses what an answer is, nor keeps it."""

READING: Final = ("GET", "HEAD", "OPTIONS")

REPLICA_AGE: Final = "Foliot-Replica-Age"
"""The header of an answer from a replica: how many seconds old it is at most."""

log = structlog.get_logger("foliot.api")


class RequestLimits:
    """An ASGI middleware around everything."""

    def __init__(self, app: ASGIApp, *, chance: Chance, changed: Callable[[], None]) -> None:
        """`changed` is called after each request by which a user may have changed something."""
        self._app = app
        self._chance = chance
        self._changed = changed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        state["trace_id"] = self._chance.token()[:16]
        answer = _Answer(send, state)
        try:
            with ExitStack() as places:  # what the gate gave it; a stream keeps its place to its end
                state["places"] = places
                await self._served(scope, receive, answer)
        except FoliotError as error:
            await self._refuse(scope, receive, answer, error)
        if _is_a_change(scope, answer.status):
            self._changed()

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


def _is_a_change(scope: Scope, status: int) -> bool:
    """Whether a user may have changed something. Messages of workers and claims on locks are too many to tell of."""
    if scope["method"] in READING or status >= 400:
        return False
    is_public = isinstance(scope.get("route"), APIRoute)
    return is_public and "/claims/" not in scope["path"]


class _Failed(FoliotError):
    """Something went wrong inside; the log has it under the trace id."""

    code = "FOL-0000"

    def __init__(self) -> None:
        super().__init__("Something went wrong inside Foliot.", hint="the server's log tells more, by trace_id")


class _Answer:
    """Passes the answer on and remembers that it began."""

    def __init__(self, send: Send, state: Mapping[str, Any]) -> None:
        self._send = send
        self._state = state
        self.is_begun = False
        self.status = 500

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.is_begun = True
            self.status = message["status"]
            message = {**message, "headers": self._headers(message.get("headers", ()))}
        await self._send(message)

    def _headers(self, headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """The headers of an answer, the usual ones, and its age when a replica gave it."""
        given = list(headers)
        names = {name.lower() for name, _ in given}
        given += [(name, value) for name, value in USUAL if name not in names]
        age_s = self._state.get("replica_age_s")
        if age_s is not None:
            given.append((REPLICA_AGE.lower().encode(), str(age_s).encode()))
        return given
