"""Where a worker reads secrets: a variable of its environment, a file, or what a command prints."""

import asyncio
import contextlib
import os
import signal
import stat
import subprocess
from collections.abc import Mapping, Sequence
from typing import Final, Self

from foliot.ports.secrets import SecretNotReadable
from foliot.worker.secrets.settings import SecretSettings

VALUE_MAX: Final = 64 * 1024
VALUE_MIN: Final = 8
"""A shorter value is no secret: anybody guesses it, and to hide it would blot out other text."""
COMMAND_WITHIN_S: Final = 10.0
_OWN: Final = "FOLIOT_"  # the worker's own token is not a command's business


async def read_value(name: str, settings: SecretSettings, environment: Mapping[str, str]) -> str:
    """What the secret stands for now; `SecretNotReadable` says why there is nothing. No message holds a value."""
    if settings.env is not None:
        return _checked(name, environment.get(settings.env, "").encode("utf-8", "surrogateescape"))
    if settings.file is not None:
        return _checked(name, await asyncio.to_thread(_file, name, settings.file))
    return _checked(name, await _printed(name, settings.command or (), environment))


def _checked(name: str, value: bytes) -> str:
    """The text, without the line feed that editors and commands put at its end."""
    if len(value) > VALUE_MAX:
        raise SecretNotReadable(name, "it is too large", where=f"> {VALUE_MAX} bytes")
    try:
        text = value.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise SecretNotReadable(name, "it is not text in UTF-8", hint="keep it as base64") from None
    if len(text) < VALUE_MIN:
        raise SecretNotReadable(name, "it is too short", where=f"< {VALUE_MIN} characters")
    if "\x00" in text:
        raise SecretNotReadable(name, "it holds a NUL character", hint="keep it as base64")
    return text


def _file(name: str, path: str) -> bytes:
    """What is checked is the opened file, never its name, which can lead elsewhere a moment later."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise SecretNotReadable(name, str(error.strerror), where=path) from None
    try:
        found = os.fstat(opened)
        if not stat.S_ISREG(found.st_mode):
            raise SecretNotReadable(name, "it is not a plain file", where=path)
        if found.st_mode & stat.S_IRWXO:
            raise SecretNotReadable(name, "every user may read or write it", where=path, hint=f"chmod o= {path}")
        return os.read(opened, VALUE_MAX + 1)
    except OSError as error:
        raise SecretNotReadable(name, str(error.strerror), where=path) from None
    finally:
        os.close(opened)


async def _printed(name: str, command: Sequence[str], environment: Mapping[str, str]) -> bytes:
    """What the command prints. Its standard error goes nowhere: it may hold the value."""
    passed = {key: value for key, value in environment.items() if not key.startswith(_OWN)}
    try:
        process = subprocess.Popen(  # noqa: S603, ASYNC220  the words of who runs the worker; starting takes no time
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=passed,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise SecretNotReadable(name, "its command cannot be started", where=command[0]) from error
    assert process.stdout is not None
    with process.stdout as stream, _Reading(process, stream.fileno()) as reading:
        try:
            # This thread always ends: it waits for the process, and not for the pipe, which children may hold open.
            await asyncio.to_thread(process.wait, COMMAND_WITHIN_S)
        except subprocess.TimeoutExpired:
            within = f"{command[0]}, {COMMAND_WITHIN_S:g} s"
            raise SecretNotReadable(name, "its command did not end in time", where=within) from None
        finally:
            if _kill(process):
                await asyncio.to_thread(process.wait)
        printed = reading.all_of_it()
    if len(printed) <= VALUE_MAX and process.returncode != 0:
        status = f"{command[0]}, status {process.returncode}"
        raise SecretNotReadable(name, "its command failed", where=status)
    return printed


class _Reading:
    """Takes what a command prints, in the loop and without ever waiting for it; one that prints too much is killed."""

    def __init__(self, process: subprocess.Popen[bytes], pipe: int) -> None:
        self._process = process
        self._pipe = pipe
        self._printed = bytearray()
        self._loop = asyncio.get_running_loop()

    def __enter__(self) -> Self:
        os.set_blocking(self._pipe, False)
        self._loop.add_reader(self._pipe, self._take)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.remove_reader(self._pipe)

    def all_of_it(self) -> bytes:
        """What was written until now: the process has ended."""
        while len(self._printed) <= VALUE_MAX and self._take():
            pass
        return bytes(self._printed)

    def _take(self) -> bool:
        """Take what is there; False: nothing."""
        try:
            data = os.read(self._pipe, VALUE_MAX)
        except BlockingIOError:
            return False
        self._printed += data
        is_too_much = len(self._printed) > VALUE_MAX
        if not data or is_too_much:
            self._loop.remove_reader(self._pipe)
        if is_too_much:
            _kill(self._process)
        return bool(data)


def _kill(process: subprocess.Popen[bytes]) -> bool:
    """Kill a process that has not ended, with its group; False: it had ended."""
    if process.returncode is not None:
        return False
    with contextlib.suppress(ProcessLookupError):  # until somebody has waited for it, the number is its own
        os.killpg(process.pid, signal.SIGKILL)
    return True
