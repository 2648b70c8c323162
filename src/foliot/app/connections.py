"""HTTP connections that nobody can hold open for nothing: a request has a time to arrive, an answer one to be taken.

uvicorn ends a connection that is idle between two requests; it waits for ever for one that sends its headers byte by
byte, for one that does not read its answer, and for the rest of a body that nobody wants any more (SEC-32). The time of
a body that is wanted is kept in `api.bodies`. One address has a share of the connections, unless it is a proxy's.

Header lines behind a chunked body (trailers) are read and forgotten: uvicorn would add them to the headers of a request
whose token was checked already, as many as a client likes to send.
"""

import asyncio
import json
import resource
from typing import Any, ClassVar, Final
from weakref import WeakKeyDictionary

import structlog
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

from foliot.api.limits import USUAL
from foliot.domain.addresses import owner_of
from foliot.domain.shares import Shares

log = structlog.get_logger("foliot.http")

HEAD_WITHIN_S: Final = 10.0
TAKEN_WITHIN_S: Final = 30.0
DROPPED_WITHIN_S: Final = 5.0
DROPPED_BYTES_MAX: Final = 2 * 1024 * 1024
HEAD_BYTES_MAX: Final = 64 * 1024
_AROUND_A_HEADER: Final = 4  # bytes of a header line that are neither name nor value: colon, space, end of line
FILES_KEPT: Final = 128  # of the process's open files: for the store, logs and workers' children

_WHY: Final = {
    400: ("FOL-1080", "The request cannot be read as HTTP"),
    408: ("FOL-1080", "The request took too long to arrive"),
    431: ("FOL-1081", "The headers of the request are too large"),
    503: ("FOL-4006", "There are too many connections"),
}
_SHARES: WeakKeyDictionary[ServerState, Shares] = WeakKeyDictionary()  # of each server's connections


def connections_max() -> int:
    """How many connections fit beside the files that the process needs for itself."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 100_000 if files == resource.RLIM_INFINITY else max(64, files - FILES_KEPT)


class TrailersTooLarge(Exception):
    """The header lines behind a body have more bytes than those in front of it may have."""


class HttpConnection(HttpToolsProtocol):
    """One connection with a client."""

    head_within_s: ClassVar[float] = HEAD_WITHIN_S
    taken_within_s: ClassVar[float] = TAKEN_WITHIN_S
    head_bytes_max: ClassVar[int] = HEAD_BYTES_MAX
    dropped_within_s: ClassVar[float] = DROPPED_WITHIN_S
    at_once_max: ClassVar[int] = connections_max()
    shares_by_address: ClassVar[bool] = True

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._arriving: asyncio.TimerHandle | None = None  # set while a request's head is awaited
        self._being_taken: asyncio.TimerHandle | None = None  # set while the client does not read
        self._dropping: asyncio.TimerHandle | None = None  # set while a body arrives that was answered already
        self._head_bytes = 0
        self._dropped_bytes = 0
        self._is_body_there = True
        self._trailer_bytes = 0  # of whole header lines behind the body
        self._bytes_without_body = (
            0  # since the body last went on: half a trailer, or what stands behind a chunk's size
        )
        self._body_went_on = False
        self._shares: Shares | None = None  # set while it counts
        self._address = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if not self._has_room():
            self._refuse(503)
            return
        self._expect_head()

    def _has_room(self) -> bool:
        if len(self.connections) > self.at_once_max:
            return False
        if not self.shares_by_address:
            return True
        shares = _SHARES.setdefault(self.server_state, Shares(self.at_once_max))
        self._address = owner_of(self.client[0] if self.client else None)
        if not shares.take(self._address):
            return False
        self._shares = shares
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_is_there()
        self._is_taken()
        self._is_dropped()
        if self._shares is not None:
            self._shares.give_back(self._address)
            self._shares = None
        super().connection_lost(exc)

    # --------------------------------------------------------------------------------------------------- what arrives

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        awaited_body = not self._is_body_there
        self._body_went_on = False
        super().data_received(data)
        if self.transport.is_closing():
            return
        self._drop(len(data))
        if awaited_body and not self._is_body_there:
            self._count_without_body(len(data))
        cycle: Any = self.cycle  # None before the first request
        is_between = self._is_body_there and (cycle is None or cycle.response_complete)
        if self._arriving is None and is_between:
            self._expect_head()  # bytes that begin no request, such as empty lines, keep nothing open
        if self._arriving is not None:
            self._head_bytes += len(data)
            if self._head_bytes > self.head_bytes_max:
                self._refuse(431)

    def on_message_begin(self) -> None:
        self._expect_head()
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._is_body_there:
            super().on_header(name, value)
            return
        self._trailer_bytes += len(name) + len(value) + _AROUND_A_HEADER
        if self._trailer_bytes > self.head_bytes_max:
            raise TrailersTooLarge

    def on_headers_complete(self) -> None:
        self._head_is_there()
        self._is_body_there = False
        self._trailer_bytes = self._bytes_without_body = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._body_went_on = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._is_body_there = True
        self._is_dropped()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        del msg
        self._refuse(431 if self._trailer_bytes > self.head_bytes_max else 400)

    def _unsupported_upgrade_warning(self) -> None:
        """Answered as if it had not been asked for, which is how HTTP says no; anybody could fill the log."""

    def _count_without_body(self, size: int) -> None:
        """Bytes that the parser keeps or skips without a word: a line without end, behind a body or inside it."""
        self._bytes_without_body = 0 if self._body_went_on else self._bytes_without_body + size
        if self._bytes_without_body > self.head_bytes_max:
            self._refuse(431)

    def _expect_head(self) -> None:
        if self._arriving is None:
            self._head_bytes = 0
            self._arriving = self.loop.call_later(self.head_within_s, self._too_slow)

    def _head_is_there(self) -> None:
        if self._arriving is not None:
            self._arriving.cancel()
            self._arriving = None

    def _too_slow(self) -> None:
        self._arriving = None
        if self.transport.is_closing():
            return
        if self._head_bytes:
            self._refuse(408)
        else:  # it never asked anything
            self.transport.close()

    # ----------------------------------------------------------------------------------- what nobody wants any more

    def on_response_complete(self) -> None:
        """An answer before the end of its body, such as a refusal: the client may end its sentence, not more.

        Closed at once, with bytes unread, most clients would never see the answer.
        """
        super().on_response_complete()
        is_newest = self.cycle.response_complete  # else the body is that of a later request, which is being answered
        if is_newest and not self._is_body_there and not self.transport.is_closing():
            self._is_dropped()
            self._dropped_bytes = 0
            self._dropping = self.loop.call_later(self.dropped_within_s, self._end_dropping)

    def _drop(self, size: int) -> None:
        if self._dropping is not None:
            self._dropped_bytes += size
            if self._dropped_bytes > DROPPED_BYTES_MAX:
                self._end_dropping()

    def _is_dropped(self) -> None:
        if self._dropping is not None:
            self._dropping.cancel()
            self._dropping = None

    def _end_dropping(self) -> None:
        self._is_dropped()
        self.transport.close()

    # -------------------------------------------------------------------------------------------------- what is taken

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._being_taken is None:
            self._being_taken = self.loop.call_later(self.taken_within_s, self._not_taken)

    def resume_writing(self) -> None:
        self._is_taken()
        super().resume_writing()

    def _is_taken(self) -> None:
        if self._being_taken is not None:
            self._being_taken.cancel()
            self._being_taken = None

    def _not_taken(self) -> None:
        self._being_taken = None
        log.warning("http.not_taken", client=self.client, within_s=self.taken_within_s)
        self.transport.abort()

    # --------------------------------------------------------------------------------------------------------- the end

    def _refuse(self, status: int) -> None:
        """Say why, as everything here does, and close."""
        self._head_is_there()
        self._is_dropped()
        if self._is_inside_an_answer():
            self.transport.close()
            return
        code, title = _WHY[status]
        problem = {"type": f"urn:foliot:error:{code}", "title": title, "status": status, "detail": f"{title}."}
        body = json.dumps(problem | {"code": code}).encode()
        head = b"content-type: application/problem+json\r\nconnection: close\r\n"
        head += b"".join(b"%s: %s\r\n" % header for header in USUAL)
        if status == 503:
            head += b"retry-after: 1\r\n"
        self.transport.write(
            STATUS_LINE[status] + head + b"content-length: " + str(len(body)).encode() + b"\r\n\r\n" + body
        )
        self.transport.close()

    def _is_inside_an_answer(self) -> bool:
        """Whether the client would take a refusal for a part of an answer, or for the answer to its next request."""
        cycle: Any = self.cycle  # None before the first request
        if cycle is None or not cycle.response_started:
            return bool(self.pipeline)
        return not (cycle.response_complete and self._is_body_there)


class ProxiedConnection(HttpConnection):
    """One connection with a proxy: all of them come from its address, which says nothing of who asks."""

    shares_by_address = False
