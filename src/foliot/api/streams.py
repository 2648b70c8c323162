"""Server-sent events as text, and when a stream of them ends."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from starlette.requests import Request

from foliot.api.auth.authenticator import Authenticator

RIGHT_EVERY_S: Final = 2.0
_LINE_END: Final = re.compile(r"\r\n|\r|\n")  # what ends a line of a stream of events

HEADERS: Final[Mapping[str, str]] = {
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # proxies: pass it on as it comes
    "Connection": "keep-alive",
}


def event(data: str, *, name: str | None = None, event_id: str | None = None, retry_ms: int | None = None) -> str:
    """One event; data of several lines stays several lines. No value ends its field: `\\r` ends a line here, too."""
    parts = []
    if event_id is not None:
        parts.append(f"id: {_one_line(event_id)}")
    if name is not None:
        parts.append(f"event: {_one_line(name)}")
    if retry_ms is not None:
        parts.append(f"retry: {retry_ms}")
    parts += [f"data: {line}" for line in _LINE_END.split(data)]
    return "\n".join(parts) + "\n\n"


def comment(text: str) -> str:
    """Something that keeps a quiet stream alive."""
    return f": {_one_line(text)}\n\n"


def _one_line(text: str) -> str:
    return _LINE_END.sub(" ", text)


def until_gone(request: Request) -> Callable[[], Awaitable[bool]]:
    """Return a check whether the client has left or its token has ended: a stream ends two seconds later (SEC-07)."""
    authenticator: Authenticator = request.app.state.authenticator
    clock = request.app.state.services.clock
    asked_at = clock.monotonic()

    async def gone() -> bool:
        nonlocal asked_at
        if await request.is_disconnected():
            return True
        if clock.monotonic() - asked_at < RIGHT_EVERY_S:
            return False
        asked_at = clock.monotonic()
        return not await authenticator.is_good(request)

    return gone
