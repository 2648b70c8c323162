"""Bodies of requests. The server reads them after it has judged the token, within bounds of size, time and room."""

import asyncio
from collections.abc import Callable
from typing import Final

from starlette.requests import Request

from foliot.api.errors import BadRequest, RequestTooLarge, RequestTooSlow

KIB: Final = 1024
BODY_MAX: Final = 1024 * KIB
LOGIN_BODY_MAX: Final = 4 * KIB
OPEN_BODY_WITHIN_S: Final = 5.0
SMALL: Final = 64 * KIB  # the connection's own buffer holds as much anyway: it is not counted
_STEP: Final = 256 * KIB  # of a body that does not say how long it is


async def read_body(
    request: Request,
    *,
    take: Callable[[int], None],
    bytes_max: int,
    within_s: float,
) -> bytes:
    """Return the whole body. `take` is called for room before that many bytes are read, and may refuse.

    `within_s` is for the whole body: a client that sends a byte now and then gets no more time.
    """
    announced = _announced(request, bytes_max)
    if announced > SMALL:
        take(announced)
    try:
        async with asyncio.timeout(within_s):
            return await _read(request, bytes_max, max(announced, SMALL), take)
    except TimeoutError:
        raise RequestTooSlow(within_s) from None


def _announced(request: Request, bytes_max: int) -> int:
    written = request.headers.get("content-length")
    if written is None:
        return 0
    if not (written.isascii() and written.isdigit() and len(written) < 20):
        raise BadRequest("The Content-Length is not a number.")
    if int(written) > bytes_max:
        raise RequestTooLarge(int(written), bytes_max)
    return int(written)


async def _read(request: Request, bytes_max: int, room: int, take: Callable[[int], None]) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > bytes_max:
            raise RequestTooLarge(size, bytes_max)
        while size > room:
            take(_STEP)
            room += _STEP
        parts.append(part)
    return b"".join(parts)
