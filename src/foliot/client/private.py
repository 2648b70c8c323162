"""Files and folders of this user alone: made so, or refused.

What is checked is the opened thing itself, never its name: between a look at a name and its use, another user could put
something else there. Links are not followed, because a link can be put where a file of ours is expected.
"""

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from foliot.domain.errors import InvalidInput

READ_MAX: Final = 64 * 1024
_OTHERS: Final = 0o077
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class NotPrivate(InvalidInput):
    """A file or folder that must be this user's alone, and is not."""

    code = "FOL-1091"

    def __init__(self, path: Path, why: str, *, hint: str, found: str = "") -> None:
        seen = f" ({found})" if found else ""
        super().__init__(f"{path} cannot be used: {why}{seen}.", hint=hint, path=str(path), why=why, found=found)


def open_private_folder(path: Path, *, is_ours: Callable[[str], bool]) -> int:
    """A descriptor of the folder, which only this user may enter from now on. It is made if it is not there.

    `is_ours` tells the names that Foliot keeps there. A folder that others may enter and that holds other things is
    refused: to close it could break what it is for.
    """
    hint = "name a folder that does not exist yet, or an empty one of your own"
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = os.open(path, _FOLDER)
    except OSError as error:
        why = "it is a link" if path.is_symlink() else error.strerror or str(error)
        if isinstance(error, PermissionError):
            hint = "name a folder in which this user may write"
        if isinstance(error, FileExistsError) and not path.is_symlink():
            why = "it is a file, not a folder"
        raise NotPrivate(path, why, hint=hint) from error
    try:
        _close_to_others(folder, path, is_ours, hint)
    except BaseException:
        os.close(folder)
        raise
    return folder


def _close_to_others(folder: int, path: Path, is_ours: Callable[[str], bool], hint: str) -> None:
    found = os.fstat(folder)
    if found.st_uid != os.geteuid():
        raise NotPrivate(path, "it belongs to another user", hint=hint)
    if not found.st_mode & _OTHERS:
        return
    foreign = sorted(name for name in os.listdir(folder) if not is_ours(name))
    if foreign:
        hint = f"chmod 700 {path} if it is for Foliot alone, else name another folder"
        raise NotPrivate(path, "other users may enter it, and it holds other things", hint=hint, found=foreign[0])
    with suppress(OSError):  # what counts is what it is afterwards
        os.fchmod(folder, 0o700)
    if os.fstat(folder).st_mode & _OTHERS:
        raise NotPrivate(path, "other users may enter it, and its file system does not change that", hint=hint)


def open_own_file(name: str, flags: int, *, folder: int) -> int:
    """Open a file in a folder of ours: a plain file of this user with one name. `PermissionError` for all else."""
    opened = os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600, dir_fd=folder)
    found = os.fstat(opened)
    if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and found.st_nlink == 1:
        return opened
    os.close(opened)
    raise PermissionError(f"{name} is no plain file of this user")


def read_private_file(path: Path) -> bytes:
    """What a file says that only this user can write and read. `NotPrivate` for another's, `OSError` as usual."""
    hint = "remove it; foliot up writes it anew"
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if path.is_symlink():
            raise NotPrivate(path, "it is a link", hint=hint) from error
        raise
    with os.fdopen(opened, "rb") as file:
        found = os.fstat(opened)
        if found.st_uid != os.geteuid():
            raise NotPrivate(path, "it belongs to another user", hint=hint)
        if not stat.S_ISREG(found.st_mode) or found.st_mode & _OTHERS:
            raise NotPrivate(path, "other users may read or write it", hint=hint)
        return file.read(READ_MAX)


def write_private_file(path: Path, text: str) -> None:
    """Write a file that only this user can read, whole or not at all. It takes the place of what was there."""
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)  # of a process that died: it could have other readers
    opened = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(opened, "w", encoding="utf-8") as file:
        file.write(text)
    fresh.replace(path)
