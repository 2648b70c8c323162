"""The data folder of `foliot up`: the SQLite store, who uses it, and how programs on this machine reach the server."""

import fcntl
import json
import os
from pathlib import Path
from typing import IO, Final

from foliot.domain.errors import ClusterTrouble

FOLDER: Final = Path(".foliot")


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
        return f"sqlite:///{self.path / 'foliot.db'}"

    @property
    def is_new(self) -> bool:
        return not (self.path / "foliot.db").exists()

    @property
    def spool(self) -> Path:
        return self.path / "spool"

    def take(self) -> None:
        """Make the folder if need be and hold it until this process ends, however it ends."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        ignore = self.path / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", "utf-8")
        lock = (self.path / "up.lock").open("a+", encoding="utf-8")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            pid = lock.read().strip() or "unknown"
            lock.close()
            raise FolderInUse(self.path, pid) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        self._lock = lock

    def tell_clients(self, url: str, token: str) -> None:
        """Write how to reach the server, for programs of this user only."""
        target = self.path / "client.json"
        fresh = self.path / "client.json.new"
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"url": url, "token": token}, file)
        fresh.replace(target)

    def forget_clients(self) -> None:
        (self.path / "client.json").unlink(missing_ok=True)
