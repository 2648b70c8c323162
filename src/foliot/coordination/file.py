"""Elections among the servers of one machine: the server that holds the lock of a file (flock) is chosen.

The kernel gives the lock back when its process ends, however it ends. A process that hangs keeps it; then the others
bid once the store's row has been free for two terms.
"""

import asyncio
import contextlib
import fcntl
import os
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from foliot.coordination.address import Refusing
from foliot.coordination.elected import ElectedCoordinator
from foliot.domain.instants import SECOND
from foliot.domain.wakeups import MISSED
from foliot.ports.clock import Clock
from foliot.ports.coordinator import ELECTION, ElectionParts

FORM: Final = "file:///run/foliot/election, the same for every server of this machine"
PATH_BYTES_MAX: Final = 85
"""The addresses of the sockets beside it are longer, and a socket's address has at most 107 bytes."""
CHECK_EVERY_S: Final = 10.0
_LEADS: Final = "leads"
_HEIR: Final = "heir"
_TEXT_MAX: Final = 200
_MESSAGE_MAX: Final = 2**16


def file_coordinator(parts: ElectionParts, *, url: str) -> ElectedCoordinator:
    """Make the coordinator of `file:///PATH`."""
    refused = Refusing("file", FORM)
    split = urlsplit(url)
    path = Path(unquote(split.path))
    if split.netloc not in ("", "localhost") or split.query or path.name == "" or not path.is_absolute():
        raise refused("it is not the path of a file on this machine")
    if len(os.fsencode(path)) > PATH_BYTES_MAX:
        raise refused(f"the path has more than {PATH_BYTES_MAX} bytes")
    backend = LockedFile(path, clock=parts.clock, term_s=parts.times.term_us / SECOND, me=parts.chance.token()[:8])
    try:
        backend.open()
    except OSError as error:
        raise refused(f"the file cannot be opened ({error.strerror})") from None
    return ElectedCoordinator(parts, backend, name="file")


class LockedFile:
    """`Backend` on one file. Its text says who leads, or who is to lead next."""

    def __init__(self, path: Path, *, clock: Clock, term_s: float, me: str) -> None:
        self._path = path
        self._clock = clock
        self._term_s = term_s
        self._me = me
        self._file: int | None = None
        self._is_held = False
        self._heir_seen = ("", 0.0)  # who it was, and since when this server sees it

    def open(self) -> int:
        """The file, opened again if another file has its name by now."""
        if self._file is not None:
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(self._file), self._path.stat()):
                    return self._file
            self._shut()
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return self._file

    async def stand(self, session: str, *, may_be_first: bool) -> str | None:
        file = self.open()
        word, named = self._read(file)
        if word == _HEIR and named != session and self._is_new(named):
            self._unlock(file)
            return named
        is_heir = word == _HEIR and named == session
        if not (self._is_held or may_be_first or is_heir):
            return self._holder(file, named)
        if not self._is_held and not self._lock(file):
            return named or None
        self._write(file, _LEADS, session)
        return session

    async def prefer(self, heir: str, *, session: str) -> None:
        file = self.open()
        self._write(file, _HEIR, heir)
        self._unlock(file)
        await self.publish([ELECTION])

    async def leave(self, session: str) -> None:
        if self._is_held and self._file is not None:
            os.ftruncate(self._file, 0)
            self._unlock(self._file)
            await self.publish([ELECTION])

    async def publish(self, topics: Sequence[str]) -> None:
        message = " ".join(topics).encode()
        own = self._socket_path(self._me)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            for path in self._path.parent.glob(self._socket_path("*").name):
                if path == own:
                    continue
                try:
                    sender.sendto(message, str(path))
                except ConnectionRefusedError:  # its server is gone
                    path.unlink(missing_ok=True)
                except OSError:  # it has enough to read, or ends just now
                    continue

    async def hear(self, woken: Callable[[str], None]) -> None:
        path = self._socket_path(self._me)
        path.unlink(missing_ok=True)
        loop = asyncio.get_running_loop()
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
                receiver.setblocking(False)
                receiver.bind(str(path))
                woken(MISSED)
                while path.exists():  # else nobody finds it any more: the folder was swept
                    with contextlib.suppress(TimeoutError):
                        message = await asyncio.wait_for(loop.sock_recv(receiver, _MESSAGE_MAX), CHECK_EVERY_S)
                        for topic in message.decode(errors="replace").split():
                            woken(topic)
        finally:
            path.unlink(missing_ok=True)

    async def close(self) -> None:
        self._shut()

    def _shut(self) -> None:
        if self._file is not None:
            os.close(self._file)  # the lock goes with it
        self._file = None
        self._is_held = False

    def _lock(self, file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        self._is_held = True
        return True

    def _unlock(self, file: int) -> None:
        if self._is_held:
            fcntl.flock(file, fcntl.LOCK_UN)
            self._is_held = False

    def _holder(self, file: int, named: str) -> str | None:
        """The server that holds the lock; the text of one that was killed is still there."""
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return named or None
        fcntl.flock(file, fcntl.LOCK_UN)
        return None

    def _is_new(self, heir: str) -> bool:
        """Whether the heir still has time to come: a term from when this server first saw its name."""
        now = self._clock.monotonic()
        if self._heir_seen[0] != heir:
            self._heir_seen = (heir, now)
        return now - self._heir_seen[1] < self._term_s

    def _read(self, file: int) -> tuple[str, str]:
        text = os.pread(file, _TEXT_MAX, 0).decode(errors="replace")
        word, _, named = text.strip().partition(" ")
        return word, named

    def _write(self, file: int, word: str, named: str) -> None:
        text = f"{word} {named}\n".encode()
        os.pwrite(file, text, 0)
        os.ftruncate(file, len(text))

    def _socket_path(self, server: str) -> Path:
        return self._path.with_name(f"{self._path.name}.{server}.wake")
