"""Private memory: no other process of the same user reads the secrets of a worker out of its environment or memory."""

import ctypes
import sys
from typing import Final

from foliot.observability.hidden import hide_in_logs
from foliot.worker.secrets.vault import Vault

_PR_SET_DUMPABLE: Final = 4


def guard_secrets(vault: Vault) -> None:
    """Hide the secrets of this process in its log, and keep other processes out of its memory if it has some."""
    hide_in_logs(vault.cover.hidden)
    if vault.has_secrets:
        keep_memory_private()


def keep_memory_private() -> None:
    """Let only root look into this process (Linux): commands of a worker that is not root run as its own user.

    A program that this process starts is not affected. This process leaves no core dump either.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
