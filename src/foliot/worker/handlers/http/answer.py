"""The answer to a request: read to its end under limits, unpacked under the same limits, a part of it kept (SEC-12)."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import aiohttp

    from foliot.worker.handlers.http.caller import HttpRequest

_PIECE: Final = 64 * 1024  # bytes that are unpacked at a time
_PACKED: Final = {"gzip": 31, "x-gzip": 31, "deflate": 15}  # the widths that zlib knows them by
_PLAIN: Final = ("", "identity")


@dataclass(slots=True, kw_only=True)
class HttpAnswer:
    """What a server answered. `body` is the part that was to be kept, unpacked."""

    request: "HttpRequest"  # that it answers: the last one, when there were redirects
    status: int
    headers: Mapping[str, str]  # in small letters; the first of each
    body: bytes = b""
    is_whole: bool = True  # False: the body was longer than what is kept of it, or is packed in a way we do not know
    size: int = 0  # bytes that came over the wire
    took_s: float = 0.0
    trouble: str | None = field(default=None)  # there was more of it than is read

    @property
    def shown(self) -> str:
        """The request that it answers, for people."""
        return self.request.shown


async def read_answer(
    request: "HttpRequest", response: "aiohttp.ClientResponse", *, keep_bytes: int, bytes_max: int
) -> HttpAnswer:
    """Read an answer to its end, so that a server that works while it writes is not cut off."""
    headers: dict[str, str] = {}
    for name, value in response.headers.items():
        headers.setdefault(name.lower(), value)
    answer = HttpAnswer(request=request, status=response.status, headers=headers)
    body = _Body(headers.get("content-encoding", "").strip().lower(), keep_bytes, bytes_max)
    async for chunk in response.content.iter_any():
        answer.size += len(chunk)
        answer.trouble = body.take(chunk)
        if answer.trouble is not None:
            response.close()
            break
    answer.body, answer.is_whole = bytes(body.kept), body.is_whole
    return answer


class _Body:
    """A body that comes in pieces."""

    def __init__(self, packing: str, keep_bytes: int, bytes_max: int) -> None:
        self.kept = bytearray()
        self.is_whole = packing in _PLAIN or packing in _PACKED
        self._is_known = self.is_whole
        self._keep_bytes = keep_bytes
        self._bytes_max = bytes_max
        self._width = _PACKED.get(packing, 0)
        self._unpacker = zlib.decompressobj(self._width) if self._width else None
        self._size = 0
        self._size_packed = 0

    def take(self, chunk: bytes) -> str | None:
        """Take a piece; what is wrong with it, if something is."""
        self._size_packed += len(chunk)
        if self._size_packed > self._bytes_max:
            return self._too_large()
        if self._unpacker is None:
            self._keep(chunk)
            return None
        try:
            return self._unpack(chunk)
        except zlib.error:
            return "it cannot be unpacked"

    def _unpack(self, chunk: bytes) -> str | None:
        while chunk:
            assert self._unpacker is not None
            try:
                piece = self._unpacker.decompress(chunk, _PIECE)
            except zlib.error:
                if self._size or self._width < 0 or self._width > 15:
                    raise
                self._width = -15  # some servers send deflate without its frame
                self._unpacker = zlib.decompressobj(self._width)
                continue
            self._keep(piece)
            if self._size > self._bytes_max:
                return self._too_large()
            chunk = self._unpacker.unconsumed_tail
            if self._unpacker.eof:
                chunk = self._unpacker.unused_data  # another part may follow the first
                self._unpacker = zlib.decompressobj(self._width)
        return None

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if not self._is_known:
            return
        room = self._keep_bytes - len(self.kept)
        self.kept += piece[:room]
        self.is_whole = self.is_whole and len(piece) <= room

    def _too_large(self) -> str:
        return f"it has more than {self._bytes_max} bytes"
