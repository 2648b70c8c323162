"""Whether a sandbox can be had on this machine: tried once, by executing a command that does nothing."""

import os
import subprocess
import sys
from typing import Final

import msgspec

from foliot.worker.handlers.shell import launcher
from foliot.worker.handlers.shell.command import Command, order_for
from foliot.worker.handlers.shell.options import ShellOptions
from foliot.worker.handlers.shell.settings import OWN_UIDS, ShellSettings

_WITHIN_S: Final = 20.0
_NOTHING: Final = Command(program="/bin/true", argv=("true",), env={}, stdin=None, in_sandbox=True)


def why_no_sandbox(settings: ShellSettings) -> str | None:
    """Why scripts cannot be kept apart here, for people; None: they can."""
    if sys.platform != "linux":
        return "sandboxes need Linux"
    uid = OWN_UIDS[0] if os.geteuid() == 0 else None
    order = order_for(_NOTHING, ShellOptions(argv=["true"]), settings, {"env": {}, "stdin": None, "files": {}}, uid)
    try:
        said = _said_of(order)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    last = msgspec.json.decode(said[-1]) if said else {"failed": "the launcher said nothing"}
    return None if last.get("code") == 0 else str(last.get("failed", "the command was killed"))


def _said_of(order: bytes) -> list[bytes]:
    """What the launcher says of an order."""
    reading, writing = os.pipe()
    order_fd = os.memfd_create("order")
    try:
        os.write(order_fd, order)
        os.lseek(order_fd, 0, os.SEEK_SET)
        process = subprocess.Popen(  # noqa: S603  our own interpreter and script
            [sys.executable, "-I", "-S", launcher.__file__, str(order_fd), str(writing)],
            stdin=subprocess.PIPE,  # open until it ends: the launcher kills when this pipe does
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(order_fd, writing),
            env={},
        )
    finally:
        os.close(order_fd)
        os.close(writing)
    with os.fdopen(reading, "rb") as news, process:
        process.wait(_WITHIN_S)
        return news.read().splitlines()
