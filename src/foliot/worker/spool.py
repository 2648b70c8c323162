"""Ends that no server has taken yet, on disk: JSON lines, synced before they count, bounded, one file per session.

The file is locked while its worker lives. A lock that can be had means its worker is gone: the next worker in the same
folder sends what is left, under the same lease ids. A line that was cut short by a crash is no entry.
"""

import contextlib
import fcntl
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
import structlog

from foliot.worker.reports import Spooled

log = structlog.get_logger("foliot.worker.spool")

SPOOL_MAX: Final = 64 * 1024 * 1024
READ_MAX: Final = 1024 * 1024
_SUFFIX: Final = ".jsonl"

_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(Spooled)


class Spool:
    """One file of entries: appended at its end, sent from its beginning. Every method blocks on the disk."""

    def __init__(self, path: Path, *, max_bytes: int = SPOOL_MAX) -> None:
        """Open and lock the file; `BlockingIOError` when a living worker has it."""
        self.path = path
        self._max_bytes = max_bytes
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
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
        while b"\n" not in data and self._sent + len(data) < self._size:
            data += os.pread(self._file, READ_MAX, self._sent + len(data))
        lines = data.split(b"\n")[:-1][:limit]
        self._read_to = self._sent + sum(len(line) + 1 for line in lines) if lines else self._size
        return [entry for line in lines if (entry := self._decode(line)) is not None]

    def acknowledge(self) -> None:
        """What was read last is done; an emptied file gives its room back."""
        self._sent = self._read_to
        if self.is_empty:
            os.ftruncate(self._file, 0)
            self._sent = self._read_to = self._size = 0

    def close(self) -> None:
        """Let go of the file; an empty one is removed."""
        if self.is_empty:
            self.path.unlink(missing_ok=True)
        os.close(self._file)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]

    def _decode(self, line: bytes) -> Spooled | None:
        try:
            entry: Spooled = _decoder.decode(line)
            return entry
        except (msgspec.DecodeError, RecursionError):
            log.error("spool.unreadable_line", file=self.path.name, bytes=len(line))
            return None


class SpoolFolder:
    """Where the spool files of this machine's workers lie."""

    def __init__(self, path: Path, *, max_bytes: int = SPOOL_MAX) -> None:
        self._path = path
        self._max_bytes = max_bytes
        path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def open(self, session: str) -> Spool:
        """The file of a session."""
        return Spool(self._path / f"{session}{_SUFFIX}", max_bytes=self._max_bytes)

    def orphans(self) -> list[Spool]:
        """The files of workers that are gone, locked for us, oldest first; empty ones are removed."""
        found = []
        for path in sorted(self._path.glob(f"*{_SUFFIX}"), key=_age):
            try:
                spool = Spool(path, max_bytes=self._max_bytes)
            except OSError:
                continue  # its worker lives, or another worker was quicker
            if spool.is_empty or not path.exists():
                spool.close()
            else:
                found.append(spool)
        return found


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
