"""What a worker and its child processes say to each other: length, then a MessagePack frame, over a socket pair.

No pickle: a child loads the user's modules by name and gets its work as data (SEC-17).
"""

import asyncio
import struct
from collections.abc import Callable
from typing import Final

import msgspec

from foliot.ports.worker_link import LeasedRun
from foliot.sdk.invocation import Outcome
from foliot.sdk.locks import LockOutcome, LockWish
from foliot.worker.handlers import KindToMake

FRAME_MAX: Final = 64 * 1024 * 1024
_LENGTH: Final = struct.Struct("!I")


class ChildLimits(msgspec.Struct, frozen=True):
    """What one run in a child process may use; None: whatever the machine gives."""

    cpu_s: int | None = None  # of processor time per run
    memory_bytes: int | None = None  # of the child's own data
    open_files: int | None = None
    processes: int | None = None  # of the user the worker runs as, everything counted


class Load(msgspec.Struct, tag="load", frozen=True):
    """To the child, first: where to find code, what to load, what to allow."""

    sources: list[str]  # files and modules
    path: list[str]
    limits: ChildLimits
    kinds: list[KindToMake] = []  # beside Python functions


class Start(msgspec.Struct, tag="start", frozen=True):
    """To the child: execute this."""

    run: LeasedRun


class Stop(msgspec.Struct, tag="stop", frozen=True):
    """To the child: this run is asked to stop."""

    lease_id: str


class ChildReady(msgspec.Struct, tag="ready", frozen=True):
    """From the child: what can be loaded is loaded."""

    memory_bytes: int
    problems: list[str] = []  # what kept a source from loading


class Broken(msgspec.Struct, tag="broken", frozen=True):
    """From the child: it cannot work at all."""

    error: str


class Progressed(msgspec.Struct, tag="progress", frozen=True):
    """From the child: how far the run is."""

    done: int
    total: int | None
    note: str


class CheckpointSaved(msgspec.Struct, tag="saved", frozen=True):
    """From the child: a checkpoint."""

    document: str


class LockWanted(msgspec.Struct, tag="lock", frozen=True):
    """From the child: the run wants a lock."""

    number: int  # the reply has the same
    wish: LockWish


class LockReply(msgspec.Struct, tag="locked", frozen=True):
    """To the child: what came of it."""

    number: int
    outcome: LockOutcome


class LockReturned(msgspec.Struct, tag="unlock", frozen=True):
    """From the child: the run gives a lock back."""

    claim: str


class LockTrusted(msgspec.Struct, tag="trusted", frozen=True):
    """To the child: until when a lock of the run surely holds; a time that has passed: it is lost."""

    claim: str
    until: float  # by the steady clock of the machine, which the worker and its children share


class CallEnded(msgspec.Struct, tag="ended", frozen=True):
    """From the child: the call is over. All that it wrote was written before."""

    lease_id: str
    outcome: Outcome
    was_asked: bool  # it knew that it was asked to stop
    progress: Progressed | None = None  # the last, if it was not sent yet
    memory_bytes: int = 0  # the most the child ever had resident
    is_leaving: bool = False  # the child is not fit for another run


ToChild = Load | Start | Stop | LockReply | LockTrusted
FromChild = ChildReady | Broken | Progressed | CheckpointSaved | LockWanted | LockReturned | CallEnded

_encoder: Final = msgspec.msgpack.Encoder()


def encode(message: ToChild | FromChild) -> bytes:
    """A frame, with its length before it."""
    body = _encoder.encode(message)
    return _LENGTH.pack(len(body)) + body


class Frames:
    """Puts frames together from whatever pieces arrive."""

    __slots__ = ("_buffer",)

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The frames that are complete now."""
        buffer = self._buffer
        buffer += data
        frames, at = [], 0
        while len(buffer) - at >= _LENGTH.size:
            (size,) = _LENGTH.unpack_from(buffer, at)
            if size > FRAME_MAX:
                raise ValueError(f"a frame of {size} bytes")
            end = at + _LENGTH.size + size
            if len(buffer) < end:
                break
            frames.append(bytes(buffer[at + _LENGTH.size : end]))
            at = end
        if at:
            del buffer[:at]
        return frames


class ControlProtocol(asyncio.Protocol):
    """The worker's end: decodes what a child says and hands it on."""

    def __init__(
        self, heard: Callable[[FromChild], None], broke: Callable[[Exception], None], closed: Callable[[], None]
    ) -> None:
        self._heard = heard
        self._broke = broke
        self._closed = closed
        self._frames = Frames()
        self._decoder = msgspec.msgpack.Decoder(FromChild)

    def data_received(self, data: bytes) -> None:
        try:
            messages = [self._decoder.decode(frame) for frame in self._frames.feed(data)]
        except (ValueError, msgspec.DecodeError) as error:  # a child that speaks nonsense has lost its mind, not we
            self._broke(error)
            return
        for message in messages:
            self._heard(message)

    def connection_lost(self, exc: Exception | None) -> None:
        self._closed()
