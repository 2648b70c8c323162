"""HTTP connections that nobody can hold open for nothing: a request has a time to arrive, an answer one to be taken.

uvicorn ends a connection that is idle between two requests; it waits for ever for one that sends its headers byte by
byte, and for one that does not read its answer (SEC-32). The time of a request's body is kept in `api.limits`.
"""

import asyncio
import json
import resource
from typing import Any, ClassVar, Final

import structlog
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

log = structlog.get_logger("foliot.http")

HEAD_WITHIN_S: Final = 10.0
TAKEN_WITHIN_S: Final = 30.0
HEAD_BYTES_MAX: Final = 64 * 1024
FILES_KEPT: Final = 128  # of the process's open files: for the store, logs and workers' children

_WHY: Final = {
    400: ("FOL-1080", "The request cannot be read as HTTP"),
    408: ("FOL-1080", "The request took too long to arrive"),
    431: ("FOL-1081", "The headers of the request are too large"),
    503: ("FOL-4006", "There are too many connections"),
}


def connections_max() -> int:
    """How many connections fit beside the files that the process needs for itself."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 100_000 if files == resource.RLIM_INFINITY else max(64, files - FILES_KEPT)


class Connection(HttpToolsProtocol):
    """One connection with a client."""

    head_within_s: ClassVar[float] = HEAD_WITHIN_S
    taken_within_s: ClassVar[float] = TAKEN_WITHIN_S
    head_bytes_max: ClassVar[int] = HEAD_BYTES_MAX
    at_once_max: ClassVar[int] = connections_max()

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
        self._head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.at_once_max:
            self._refuse(503)
            return
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_is_there()
        self._is_taken()
        super().connection_lost(exc)

    # --------------------------------------------------------------------------------------------------- what arrives

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.transport.is_closing():
            return
        cycle: Any = self.cycle  # None before the first request
        if self._arriving is None and (cycle is None or cycle.response_complete):
            self._expect_head()  # bytes that begin no request, such as empty lines, keep nothing open
        if self._arriving is not None:
            self._head_bytes += len(data)
            if self._head_bytes > self.head_bytes_max:
                self._refuse(431)

    def on_message_begin(self) -> None:
        self._expect_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._head_is_there()
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        del msg
        self._refuse(400)

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
        code, title = _WHY[status]
        problem = {"type": f"urn:foliot:error:{code}", "title": title, "status": status, "detail": f"{title}."}
        body = json.dumps(problem | {"code": code}).encode()
        head = b"content-type: application/problem+json\r\nconnection: close\r\n"
        if status == 503:
            head += b"retry-after: 1\r\n"
        self.transport.write(
            STATUS_LINE[status] + head + b"content-length: " + str(len(body)).encode() + b"\r\n\r\n" + body
        )
        self.transport.close()
