"""Ends that no server has taken yet, on disk: JSON lines, synced before they count, bounded, one file per session.

The file is locked while its worker lives. A lock that can be had means its worker is gone: the next worker in the same
folder sends what is left, under the same lease ids. A line that was cut short by a crash is no entry.

Results are in it, and what is in it is sent with the worker's own token. So the folder is this user's alone, and a file
that another user put there is not taken.
"""

import contextlib
import fcntl
import hashlib
import os
import re
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
import structlog

from foliot.client.private import open_own_file, open_private_folder
from foliot.worker.reports import Spooled

log = structlog.get_logger("foliot.worker.spool")

SPOOL_MAX: Final = 64 * 1024 * 1024
READ_MAX: Final = 1024 * 1024
_SUFFIX: Final = ".jsonl"
Write: TypeAlias = Callable[[int, memoryview], int]
_PLAIN: Final = re.compile(r"[A-Za-z0-9_-]{1,100}")

_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(Spooled)


class Spool:
    """One file of entries: appended at its end, sent from its beginning. Every method blocks on the disk."""

    def __init__(self, path: Path, folder: "SpoolFolder | None" = None, *, max_bytes: int = SPOOL_MAX) -> None:
        """Open and lock the file; `BlockingIOError` when a living worker has it, `OSError` when another user does."""
        self.path = path
        self._folder = folder or SpoolFolder(path.parent)
        self._max_bytes = max_bytes
        self._file = open_own_file(path.name, os.O_RDWR | os.O_CREAT | os.O_APPEND, folder=self._folder.descriptor)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            raise
        self._sent = 0  # up to here everything is acknowledged
        self._read_to = 0
        self._size = os.fstat(self._file).st_size

    @property
    def is_empty(self) -> bool:
        """Whether everything in it was acknowledged."""
        return self._sent >= self._size

    def append(self, entries: Sequence[Spooled]) -> bool:
        """Keep these for sure; False when the file would grow too large or the disk refuses, and nothing is kept."""
        data = b"".join(_encoder.encode(entry) + b"\n" for entry in entries)
        if self._size + len(data) > self._max_bytes:
            log.error("spool.full", bytes=self._size, max_bytes=self._max_bytes)
            return False
        try:
            self._write(data)
            os.fsync(self._file)
        except OSError as error:
            log.error("spool.failed", error=type(error).__name__, code=error.errno)
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._size)
            return False
        self._size += len(data)
        return True

    def read(self, limit: int) -> list[Spooled]:
        """The oldest entries not yet acknowledged, at most `limit`, at least one if there is any."""
        data = os.pread(self._file, READ_MAX, self._sent)
        end = self._sent + len(data)
        while b"\n" not in data and end < self._size:
            data += os.pread(self._file, READ_MAX, end)
            end = self._sent + len(data)
        *whole, _cut_short = data.split(b"\n")
        lines = whole[:limit]
        self._read_to = self._size
        if lines:
            self._read_to = self._sent + sum(len(line) + 1 for line in lines)
        entries = map(self._decode, lines)
        return [entry for entry in entries if entry is not None]

    def acknowledge(self) -> None:
        """What was read last is done; an emptied file gives its room back."""
        self._sent = self._read_to
        if self.is_empty:
            os.ftruncate(self._file, 0)
            self._sent = self._read_to = self._size = 0

    def close(self) -> None:
        """Let go of the file; an empty one is removed."""
        if self.is_empty:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path.name, dir_fd=self._folder.descriptor)
        os.close(self._file)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self._folder.write(self._file, view) :]

    def _decode(self, line: bytes) -> Spooled | None:
        try:
            entry: Spooled = _decoder.decode(line)
            return entry
        except (msgspec.DecodeError, RecursionError):
            log.error("spool.unreadable_line", file=self.path.name, bytes=len(line))
            return None


class SpoolFolder:
    """Where the spool files of this machine's workers lie: a folder that nobody but this user may enter."""

    def __init__(self, path: Path, *, max_bytes: int = SPOOL_MAX, write: Write | None = None) -> None:
        """Make the folder if need be; `NotPrivate` when it is not this user's alone and cannot become so.

        `write`: how bytes come to the disk; a drill lets it refuse them.
        """
        self.write = write or _to_disk
        self._path = path
        self._max_bytes = max_bytes
        self.descriptor = open_private_folder(path, is_ours=lambda name: name.endswith(_SUFFIX))
        weakref.finalize(self, os.close, self.descriptor)

    def open(self, session: str) -> Spool:
        """The file of a session."""
        return self._spool(f"{_plain(session)}{_SUFFIX}")

    def orphans(self) -> list[Spool]:
        """The files of workers that are gone, locked for us, oldest first; empty ones are removed."""
        found = []
        names = [name for name in os.listdir(self.descriptor) if name.endswith(_SUFFIX)]  # noqa: PTH208  by descriptor
        for name in sorted(names, key=self._age):
            try:
                spool = self._spool(name)
            except BlockingIOError:
                continue  # its worker lives, or another worker was quicker
            except OSError as error:
                log.error("spool.not_ours", file=name, error=str(error))
                continue
            if spool.is_empty or not spool.path.exists():
                spool.close()
            else:
                found.append(spool)
        return found

    def _spool(self, name: str) -> Spool:
        return Spool(self._path / name, self, max_bytes=self._max_bytes)

    def _age(self, name: str) -> float:
        try:
            return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False).st_mtime
        except OSError:
            return 0.0


def _plain(session: str) -> str:
    """A session as the name of a file. A server chose it, so it is not taken for a path."""
    return session if _PLAIN.fullmatch(session) else hashlib.sha256(session.encode()).hexdigest()


def _to_disk(file: int, data: memoryview) -> int:
    return os.write(file, data)
