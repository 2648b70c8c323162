"""The data folder of `foliot up`: the SQLite store, who uses it, and how programs on this machine reach the server."""

import fcntl
import json
import os
import stat
from pathlib import Path
from typing import IO, Final

from foliot.client.private import NotPrivate, open_own_file, open_private_folder, write_private_file
from foliot.domain.errors import ClusterTrouble

FOLDER: Final = Path(".foliot")
_STORE: Final = "foliot.db"
_LOCK: Final = "up.lock"
_CLIENT: Final = "client.json"
_SPOOL: Final = "spool"
_OURS: Final = frozenset({_LOCK, _CLIENT, f".{_CLIENT}.new", f"{_CLIENT}.new", _SPOOL, ".gitignore"})


class FolderInUse(ClusterTrouble):
    """Another `foliot up` works on this folder."""

    code = "FOL-5022"

    def __init__(self, folder: Path, pid: str) -> None:
        super().__init__(
            f"{folder} is in use by another foliot up (pid {pid}).",
            hint="stop that one, or choose another folder with --data",
            folder=str(folder),
            pid=pid,
        )


class DataFolder:
    """One folder, used by one process at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: IO[str] | None = None

    @property
    def store_url(self) -> str:
        return f"sqlite:///{self.path / _STORE}"

    @property
    def is_new(self) -> bool:
        return not (self.path / _STORE).exists()

    @property
    def spool(self) -> Path:
        return self.path / _SPOOL

    def take(self) -> None:
        """Make the folder if need be and hold it until `leave`, or until this process ends, however it ends.

        `NotPrivate` when it is not this user's alone, or holds what is not: its store says who may do everything.
        """
        folder = open_private_folder(self.path, is_ours=_is_ours)
        try:
            self._check_files(folder)
            self._hold(folder)
        finally:
            os.close(folder)
        ignore = self.path / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", "utf-8")

    def _check_files(self, folder: int) -> None:
        for name in os.listdir(folder):
            try:
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:
                continue  # another foliot up works here; the lock tells that
            hint = "remove it, or choose another folder with --data"
            if stat.S_ISLNK(found.st_mode):
                raise NotPrivate(self.path / name, "it is a link", hint=hint)
            if found.st_uid != os.geteuid():
                raise NotPrivate(self.path / name, "it belongs to another user", hint=hint)

    def _hold(self, folder: int) -> None:
        try:
            lock = os.fdopen(open_own_file(_LOCK, os.O_RDWR | os.O_CREAT, folder=folder), "r+", encoding="utf-8")
        except OSError as error:
            hint = "remove it, or choose another folder with --data"
            raise NotPrivate(self.path / _LOCK, error.strerror or str(error), hint=hint) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            pid = lock.read().strip() or "unknown"
            lock.close()
            raise FolderInUse(self.path, pid) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        self._lock = lock

    def leave(self) -> None:
        """Let another process take the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def tell_clients(self, url: str, token: str) -> None:
        """Write how to reach the server, for programs of this user only."""
        write_private_file(self.path / _CLIENT, json.dumps({"url": url, "token": token}))

    def forget_clients(self) -> None:
        (self.path / _CLIENT).unlink(missing_ok=True)


def _is_ours(name: str) -> bool:
    return name in _OURS or name.startswith(_STORE)
