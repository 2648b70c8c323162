"""Locks for programs outside of jobs: `from foliot import locks`, then `with locks.lock("acct:42") as lock`."""

from foliot.domain.locks import LockDeadlock, LockLost, LockQueueFull, LockTaken, LockWaitOver
from foliot.sdk.program_locks import ProgramLock, lock

__all__ = ["LockDeadlock", "LockLost", "LockQueueFull", "LockTaken", "LockWaitOver", "ProgramLock", "lock"]
