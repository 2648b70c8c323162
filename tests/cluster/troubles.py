"""Handlers that misbehave in every way there is: each must cost nobody but itself (F19)."""

import asyncio
import ctypes
import hashlib
import os
import signal
import threading
from pathlib import Path

from foliot import Ctx, job
from tests.cluster.acting import JOURNALS, note

TIMEOUT, GRACE = "1s", "1s"
FOR_EVER_S = 600.0
SESSIONS_S = 12.0  # three times as long as a session lives, in the test profile
GIGABYTE = 1 << 30


@job(overlap="allow", timeout=TIMEOUT, grace=GRACE)
def hangs(ctx: Ctx) -> None:
    note("start", ctx)
    threading.Event().wait(FOR_EVER_S)


@job(overlap="allow", timeout=TIMEOUT, grace=GRACE)
async def hangs_in_the_loop(ctx: Ctx) -> None:
    note("start", ctx)
    await asyncio.Event().wait()


@job(overlap="allow", timeout=TIMEOUT, grace=GRACE)
def spins_in_c(ctx: Ctx) -> None:
    """Where no Python signal handler runs."""
    note("start", ctx)
    hashlib.pbkdf2_hmac("sha256", b"a" * 64, b"b" * 64, 2_000_000_000)


@job(overlap="allow", timeout=TIMEOUT, grace=GRACE)
def ignores_sigterm(ctx: Ctx) -> None:
    note("start", ctx)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        threading.Event().wait(1)


@job(overlap="allow", timeout="30s")
def takes_a_gigabyte(ctx: Ctx) -> int:
    note("start", ctx)
    taken = bytearray(GIGABYTE)
    taken[::4096] = b"\1" * (GIGABYTE // 4096)  # so that every page is really there
    note("end", ctx)
    return len(taken)


@job(overlap="allow", timeout="8s", grace=GRACE)  # long enough for all of them on a machine that does more
def forks_and_forks(ctx: Ctx) -> None:
    """A bomb with a limit: five have five have five; each leaves the group, ignores SIGTERM and stays."""
    note("start", ctx)
    for _ in range(3):  # generations
        for _ in range(5):
            if os.fork() == 0:
                os.setsid()
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                break
        else:
            break  # a parent has all its children
    with (JOURNALS / "forked.txt").open("a", encoding="ascii") as pids:
        pids.write(f"{os.getpid()}\n")
    threading.Event().wait(FOR_EVER_S)


@job(overlap="allow")
def kills_itself(ctx: Ctx) -> None:
    note("start", ctx)
    os.kill(os.getpid(), signal.SIGKILL)


@job(overlap="allow")
def crashes(ctx: Ctx) -> None:
    note("start", ctx)
    ctypes.string_at(0)


@job(overlap="allow", group="fragile", max_lost=1)
async def holds_the_interpreter(ctx: Ctx) -> None:
    """In the worker's own process, so that not even its beats go out: whoever runs it is lost."""
    note("start", ctx)
    ctypes.PyDLL(None).usleep(int(SESSIONS_S * 1_000_000))
    note("end", ctx)


def forked_pids(journals: Path) -> list[int]:
    """Who was forked so far."""
    path = journals / "forked.txt"
    return [int(line) for line in path.read_text("ascii").split()] if path.exists() else []
