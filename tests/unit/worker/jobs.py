"""Jobs for the worker's tests: the well-behaved and the others."""

import asyncio
import contextlib
import ctypes
import hashlib
import logging
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from foliot import Ctx, job
from foliot.sdk.locks import RunLock


@job
async def noop() -> None:
    """Does nothing, in the loop."""


@job
async def echo(value: int = 0) -> int:
    return value


@job
async def hold(ctx: Ctx) -> str:
    """Waits until it is cancelled."""
    await ctx.sleep_async("1h")
    return "asked"


@job
async def until(path: str) -> str:
    """Waits until a file is there."""
    while not Path(path).exists():
        await _pause()
    return "seen"


@job
async def stubborn(path: str) -> str:
    """Swallows its cancellation until a file is there."""
    while not Path(path).exists():
        try:
            await _pause()
        except asyncio.CancelledError:
            continue
    return "seen"


@job
async def block(path: str) -> None:
    """Blocks the loop until a file is there."""
    while not Path(path).exists():
        threading.Event().wait(0.01)


@job
async def talk(lines: int = 1) -> None:
    for i in range(lines):
        print(f"line {i}")
        logging.getLogger("jobs").info("record %d", i)
        print(f"error {i}", file=sys.stderr)


@job
async def fail(message: str = "no luck") -> None:
    raise ValueError(message)


@job
async def interrupt() -> None:
    raise KeyboardInterrupt


@job
async def tell(ctx: Ctx, path: str) -> None:
    """Reports progress and a checkpoint, then waits for a file."""
    ctx.progress(3, 5, "third")
    ctx.checkpoint["at"] = 3
    while not Path(path).exists():
        await _pause()


@job
def add(a: int, b: int = 1) -> int:
    """A plain function."""
    return a + b


@job
def whoami() -> dict[str, int]:
    return {"pid": os.getpid(), "parent": os.getppid(), "group": os.getpgid(0)}


@job
def patient(ctx: Ctx) -> str:
    """Waits until it is asked to stop, and leaves tidily."""
    ctx.log.info("waiting")
    while ctx.sleep(60):
        continue
    return "tidy"


@job
def sleeper() -> None:
    """Sleeps and asks nobody."""
    print("sleeping")
    threading.Event().wait(600)


@job
def spin_in_c() -> None:
    """Spends its time in C, where no Python signal handler runs."""
    print("spinning")
    hashlib.pbkdf2_hmac("sha256", b"a" * 64, b"b" * 64, 2_000_000_000)


@job
def spin_in_regex() -> None:
    """Spins in C and holds the interpreter's lock while it does."""
    print("matching")
    re.match(r"(a+)+$", "a" * 64 + "b")


@job
def ignore_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("ignoring")
    while True:
        threading.Event().wait(1)


@job
def fork_children(path: str) -> None:
    """Starts a child that exec'd, one that forked, and one that left the process group; writes their pids down."""
    execed = subprocess.Popen(["sleep", "600"])
    left = subprocess.Popen(["sleep", "600"], start_new_session=True)
    forked = os.fork()
    if forked == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            signal.pause()
    Path(path).write_text(f"{os.getpid()} {execed.pid} {left.pid} {forked}")
    print("forked", flush=True)
    threading.Event().wait(600)


@job
def allocate(bytes_: int) -> int:
    print("allocating")
    return len(bytearray(bytes_))


@job
def kill_itself(number: int) -> None:
    print("goodbye")
    os.kill(os.getpid(), number)
    threading.Event().wait(600)


@job
def crash() -> None:
    print("crashing")
    ctypes.string_at(0)


@job
def leave(code: int) -> None:
    print("leaving")
    os._exit(code)


@job
def print_much(bytes_: int, path: str = "") -> None:
    """Writes so many bytes, goes on until a file is there, then writes one last line."""
    line = "x" * 99 + "\n"
    for _ in range(bytes_ // len(line)):
        sys.stdout.write(line)
    while path and not Path(path).exists():
        sys.stdout.write(line)
    print("the last line")


@job
def print_bad() -> None:
    """Writes what is no UTF-8, and a NUL."""
    os.write(1, b"caf\xe9 \x00 \xff\n")
    print("fine again \udc80")


@job
def print_everywhere(ctx: Ctx) -> None:
    """Python, C, a subprocess, logging, ctx.log: in order."""
    print("1 print")
    ctypes.CDLL(None).puts(b"2 puts")
    ctypes.CDLL(None).fflush(None)
    subprocess.run(["sh", "-c", "echo 3 shell; echo 4 shell error >&2"], check=True)
    ctx.log.info("5 ctx", day=3)
    logging.getLogger("lib").warning("6 logging")
    print("7 stderr", file=sys.stderr)
    print("8 unfinished", end="")


@job
def burn_cpu() -> None:
    print("burning")
    while True:
        pass


@job
def open_files(count: int) -> int:
    kept = [Path("/dev/null").open() for _ in range(count)]  # noqa: SIM115
    return len(kept)


@job
def grow(bytes_: int) -> int:
    """Leaves memory behind."""
    _kept.append(bytearray(os.urandom(1024) * (bytes_ // 1024)))
    return os.getpid()


@job
def plain_fail() -> None:
    raise RuntimeError("broken")


@job
def track(ctx: Ctx, path: str) -> int:
    """Reports progress and a checkpoint, then waits to be asked."""
    ctx.checkpoint["i"] = 7
    ctx.progress(7, 10, "seven")
    while not Path(path).exists() and not ctx.cancelled:
        ctx.sleep(0.02)
    return 7


@job
def mess_up() -> str:
    """Leaves the process in a state that the next run must not notice."""
    os.chdir("/")
    sys.stdout = Path("/dev/null").open("w")  # noqa: SIM115
    os.close(2)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return "messed"


@job
def where() -> str:
    print("still captured")
    print("this too", file=sys.stderr)
    os.write(2, b"and this\n")
    return str(Path.cwd())


@job
async def in_a_process(ctx: Ctx) -> str:
    """An async function that may be asked for in a process."""
    ctx.log.info("waiting")
    try:
        await asyncio.Event().wait()
    finally:
        ctx.log.info("tidied up")
    return "never"


@job
def thread_work(ctx: Ctx, path: str = "") -> str:
    print("in a thread")
    while not (path and Path(path).exists()):
        if not ctx.sleep(0.02):
            return "asked"
    return threading.current_thread().name


async def _pause() -> None:
    """Let a moment pass."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(0.01):
            await asyncio.Event().wait()


_kept: list[bytearray] = []


@job
def environment() -> dict[str, Any]:
    """What it was started with."""
    kernel = Path("/proc/self/environ").read_bytes().decode(errors="replace").split("\0")
    return {"variables": dict(os.environ), "kernel": kernel}


@job
async def wait_outside(ctx: Ctx) -> str:
    """Waits for another system to call back, without a slot."""
    address = await ctx.waits.callback()
    with ctx.waits.waiting("callback"):
        try:
            await asyncio.Event().wait()
        finally:
            ctx.log.info("stopped", url=address.url, given_up=ctx.waits.is_given_up)
    return "never"


@job
async def wait_for_file(ctx: Ctx, path: str) -> str:
    """Waits without a slot until a file is there, and goes on."""
    with ctx.waits.waiting("poll"):
        while not Path(path).exists():
            await _pause()
    return "seen"


@job
async def locked_async(ctx: Ctx, until_lost: bool = False, cancel: bool = False, ttl: str = "1m") -> int:
    """Holds a lock inside of `async with`."""
    async with ctx.lock("acct:1", ttl=ttl, cancel_if_lost=cancel) as lock:
        while until_lost and not lost_or_asked(ctx, lock, cancel):
            await _pause()
        return lock.token


@job
def locked(ctx: Ctx, until_lost: bool = False, cancel: bool = False, ttl: str = "1m") -> int:
    """Holds a lock inside of `with`."""
    with ctx.lock("acct:1", ttl=ttl, cancel_if_lost=cancel) as lock:
        while until_lost and not lost_or_asked(ctx, lock, cancel):
            threading.Event().wait(0.01)
        return lock.token


def lost_or_asked(ctx: Ctx, lock: RunLock, cancel: bool) -> bool:
    if ctx.cancelled:
        raise RuntimeError("asked to stop")
    return lock.lost and not cancel


@job
async def locked_wrongly(ctx: Ctx) -> None:
    with ctx.lock("acct:1"):
        return
