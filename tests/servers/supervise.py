"""Runs one server as its own child and ends it, with all its descendants, when whoever asked for it is gone.

Started as a script by `tests.servers.process`. It watches three things at once: the process it serves (by pidfd, so
that even SIGKILL is noticed), the control pipe on its standard input, and the server. Commands are lines: `signal N`,
`pause`, `resume`, each answered by `ok`, and `end`; the pipe closing without it means that nobody is left to clean up.
It exits when the server has, having killed and reaped what was left of it.
"""

import contextlib
import ctypes
import json
import os
import pwd
import select
import shutil
import signal
import sys
import time
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
STOPPED_WITHIN_S = 30.0


def main() -> int:
    """Start the server named by the one JSON argument and stay until it ends."""
    order = json.loads(sys.argv[1])
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # orphans of the server come to us, not to pid 1
    try:
        client = os.pidfd_open(order["client"])
    except ProcessLookupError:
        return 1
    server = start(order, libc)
    say(str(server))
    why = watch(client, server)
    status = os.waitpid(server, 0)[1] if why == "server ended" else 0
    end_descendants()
    if why == "client gone" or is_over(client):
        shutil.rmtree(order["directory"], ignore_errors=True)
    return os.waitstatus_to_exitcode(status) & 0xFF


def start(order: dict[str, Any], libc: ctypes.CDLL) -> int:
    """Fork the server: own session, its own user, standard streams in the log, dead when we are."""
    us = os.getpid()
    if pid := os.fork():
        return pid
    try:
        os.setsid()
        log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        null = os.open(os.devnull, os.O_RDONLY)
        if order["user"]:
            account = pwd.getpwnam(order["user"])
            os.initgroups(account.pw_name, account.pw_gid)
            os.setgid(account.pw_gid)
            os.setuid(account.pw_uid)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # after setuid, which clears it
        if os.getppid() != us:
            os._exit(1)
        os.chdir(order["directory"])
        for target, source in enumerate((null, log, log)):
            os.dup2(source, target)
        os.execve(order["command"][0], order["command"], order["environment"])
    except BaseException as error:
        os.write(2, f"cannot start {order['command'][0]}: {error}\n".encode())
        os._exit(127)


def watch(client: int, server: int) -> str:
    """Obey commands until there is a reason to stop, and return it."""
    exited = os.pidfd_open(server)
    orphaned = notice_deaths()
    pending = b""
    while True:
        ready, _, _ = select.select([exited, client, 0, orphaned], [], [])
        if exited in ready:
            return "server ended"
        if orphaned in ready:
            os.read(orphaned, 4096)
            reap_all_but(server)
            continue
        if client in ready or not (chunk := os.read(0, 4096)):
            return "client gone"
        *lines, pending = (pending + chunk).split(b"\n")
        for line in lines:
            if line == b"end":
                return "told to end"
            obey(line.decode(), server)
            say("ok")


def notice_deaths() -> int:
    """A descriptor that can be read when a child has ended."""
    readable, writable = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    return readable


def reap_all_but(server: int) -> None:
    """Bury orphans that ended: Patroni waits until its PostgreSQL is gone, and a zombie is not."""
    while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        if ended.si_pid == server:
            return  # its end has a descriptor of its own
        os.waitpid(ended.si_pid, 0)


def obey(line: str, server: int) -> None:
    """Carry out one command."""
    match line.split():
        case ["signal", number]:
            os.kill(server, int(number))
        case ["pause"]:
            pause()
        case ["resume"]:
            for pid in reversed(descendants(os.getpid())):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
        case _:
            raise ValueError(line)


def pause() -> None:
    """Stop the server, then its children (PostgreSQL's each lead a session of their own), until none runs.

    All below us, not below the server: what it left to itself, as Patroni does with its PostgreSQL, came to us.
    """
    stopped: set[int] = set()
    deadline = time.monotonic() + STOPPED_WITHIN_S
    while time.monotonic() < deadline:
        tree = set(descendants(os.getpid()))
        for pid in tree - stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        stopped |= tree
        if all(state_of(pid) in "TZX" for pid in descendants(os.getpid())):
            return


def end_descendants() -> None:
    """Kill and reap whatever is left below us; orphans arrive here as their parents die."""
    while True:
        for pid in children(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def descendants(pid: int) -> list[int]:
    """Every process below `pid`, parents before children."""
    found = children(pid)
    return found + [deeper for child in found for deeper in descendants(child)]


def children(pid: int) -> list[int]:
    """The direct children of `pid`; none if it is gone."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/children") as file:
                found += [int(word) for word in file.read().split()]
    return found


def state_of(pid: int) -> str:
    """The kernel's one-letter state of a process; X when it is gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def is_over(process: int) -> bool:
    """Whether the process behind a pidfd has ended."""
    return bool(select.select([process], [], [], 0)[0])


def say(line: str) -> None:
    """Tell the client, if it is still there."""
    with contextlib.suppress(BrokenPipeError):
        os.write(1, f"{line}\n".encode())


if __name__ == "__main__":
    sys.exit(main())
