"""Limits of every request: how many bytes, how long a body may take, how many at once (SEC-32)."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import structlog
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foliot.api.errors import BadRequest, RequestTooLarge, TooManyRequests, problem_response
from foliot.domain.errors import FoliotError
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock

BODY_MAX: Final = 1024 * 1024
BODY_WITHIN_S: Final = 15.0
AT_ONCE_MAX: Final = 64
HELD_MAX: Final = 1000  # streams and long polls: they wait, they do not work
WORKER_PREFIX: Final = "/api/worker/"

log = structlog.get_logger("foliot.api")


class Limits:
    """An ASGI middleware around everything: traces, bounds, and the last net for bugs."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        clock: Clock,
        chance: Chance,
        at_once_max: int = AT_ONCE_MAX,
        body_within_s: float = BODY_WITHIN_S,
        observe: Callable[[str, int, float], None] | None = None,
    ) -> None:
        self._app = app
        self._clock = clock
        self._chance = chance
        self._at_once_max = at_once_max
        self._body_within_s = body_within_s
        self._observe = observe
        self.at_once = {False: 0, True: 0}  # those that work, those that are held open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope.setdefault("state", {})["trace_id"] = self._chance.token()[:16]
        is_worker = scope["path"].startswith(WORKER_PREFIX)  # they have limits of their own, and must never wait here
        answer = _Answer(send)
        began_at = self._clock.monotonic()
        try:
            await self._served(scope, receive, answer, is_worker=is_worker)
        except FoliotError as error:
            await self._refuse(scope, receive, answer, error)
        finally:
            if self._observe is not None:
                self._observe(scope["method"], answer.status, self._clock.monotonic() - began_at)

    async def _served(self, scope: Scope, receive: Receive, answer: "_Answer", *, is_worker: bool) -> None:
        if is_worker:
            await self._app(scope, receive, answer)
            return
        is_held = _is_held(scope)
        if self.at_once[is_held] >= (HELD_MAX if is_held else self._at_once_max):
            raise TooManyRequests
        self.at_once[is_held] += 1
        body = _Body(scope, receive, within_s=self._body_within_s)
        try:
            body.check_announced()
            await self._app(scope, body, answer)
        except Exception as error:
            if isinstance(error, FoliotError) or answer.is_begun:
                raise
            log.exception("api.failed", path=scope["path"], trace_id=scope["state"]["trace_id"])
            raise _Failed from error
        finally:
            self.at_once[is_held] -= 1

    async def _refuse(self, scope: Scope, receive: Receive, answer: "_Answer", error: FoliotError) -> None:
        if answer.is_begun:
            log.warning("api.broken_off", path=scope["path"], why=str(error))
            return
        await problem_response(Request(scope), error)(scope, receive, answer)


def _is_held(scope: Scope) -> bool:
    query: bytes = scope.get("query_string", b"")
    return scope["path"].endswith("/events") or b"follow=" in query or b"wait=" in query


class _Failed(FoliotError):
    """Something went wrong inside; the log has it under the trace id."""

    code = "FOL-0000"

    def __init__(self) -> None:
        super().__init__("Something went wrong inside Foliot.", hint="the server's log tells more, by trace_id")


class _Body:
    """The request's body, no longer and no slower than allowed."""

    def __init__(self, scope: Scope, receive: Receive, *, within_s: float) -> None:
        self._scope = scope
        self._receive = receive
        self._until = asyncio.get_running_loop().time() + within_s
        self._size = 0
        self._is_over = False

    def check_announced(self) -> None:
        announced = Headers(scope=self._scope).get("content-length")
        if announced is None:
            return
        if not announced.isdigit():
            raise BadRequest("The Content-Length is not a number.")
        if int(announced) > BODY_MAX:
            raise RequestTooLarge(int(announced), BODY_MAX)

    async def __call__(self) -> Message:
        if self._is_over:  # from here on only the end of the connection is awaited
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until):  # of all of it: a drop now and then does not prolong it
                message = await self._receive()
        except TimeoutError:
            raise BadRequest("The body of the request took too long.", hint="send it at once") from None
        if message["type"] == "http.request":
            self._size += len(message.get("body", b""))
            self._is_over = not message.get("more_body", False)
            if self._size > BODY_MAX:
                raise RequestTooLarge(self._size, BODY_MAX)
        return message


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
        await self._send(message)
