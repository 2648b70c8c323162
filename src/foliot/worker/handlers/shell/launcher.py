"""The process between a worker and a command: it bounds the command, and ends everything that came from it.

    worker ──▶ launcher ──▶ command ──▶ whatever the command starts     without a sandbox
    worker ──▶ launcher ──▶ keeper ──▶ command ──▶ …                    in a sandbox: the keeper is its first process

The worker writes `T` (ask to stop: SIGTERM) and `K` (kill) to the launcher's standard input. When that pipe ends, the
worker is gone, however it went, and the launcher kills as well. Orphans of the command come to the launcher (Linux: it
is their *subreaper*), or to the keeper, so that also those are found which left the command's process group.

The order to carry out comes as JSON in a file descriptor: neither arguments nor environment of the launcher hold
secrets. Messages go back as lines of JSON in another one. Run as a script, it loads nothing but the standard library.
"""

import contextlib
import json
import os
import resource
import select
import signal
import sys
from collections.abc import Callable
from typing import Any, Final, NoReturn

CONTROL: Final = 0  # the descriptor of the worker's pipe
TERM: Final = b"T"
KILL: Final = b"K"
NOT_STARTED: Final = 127
ROUNDS_MAX: Final = 1000  # of killing what is left: each round ends one generation
SUBREAPER: Final = 36  # PR_SET_CHILD_SUBREAPER
PARENT_DEATH: Final = 1  # PR_SET_PDEATHSIG
NO_NEW_PRIVILEGES: Final = 38  # PR_SET_NO_NEW_PRIVS

Order = dict[str, Any]


def main() -> None:
    """Carry out one order."""
    order_fd, news_fd = int(sys.argv[1]), int(sys.argv[2])
    with os.fdopen(order_fd, "rb") as file:
        order: Order = json.loads(file.read())
    os.set_inheritable(news_fd, False)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    try:
        if order["sandbox"] is None:
            in_the_open(order, news_fd)
        else:
            in_a_sandbox(order, news_fd)
    except OSError as error:
        say(news_fd, failed=f"{error.strerror or error}: {error.filename or 'the launcher'}")


# ------------------------------------------------------------------------------------------- with and without sandbox


def in_the_open(order: Order, news_fd: int) -> None:
    """The command sees the machine as its user does."""
    prctl(SUBREAPER, 1)
    folder = f"{order['folder_in']}/foliot-{os.urandom(8).hex()}"
    try:
        furnish(folder, order)
        pid = started(order, folder, news_fd)
        if pid is None:
            return
        say(news_fd, pid=pid, folder=folder)
        status = attended(
            pid, ask=lambda: end_group(pid, signal.SIGTERM), kill=lambda: end_family(pid), control=CONTROL
        )
        end_family(pid)
        say_end(news_fd, status, folder, order)
    finally:
        remove(folder)


def in_a_sandbox(order: Order, news_fd: int) -> None:
    """The command has namespaces of its own; when their first process ends, the kernel kills the others."""
    sandbox = module_beside("sandbox")
    order["refuse_calls"] = module_beside("seccomp").refuse_calls  # loaded here: the sandbox has no such file
    sandbox.unshare(order["sandbox"])
    keeper = os.fork()
    if keeper == 0:
        prctl(PARENT_DEATH, signal.SIGKILL)
        try:
            folder = sandbox.enter(order["sandbox"], order["uid"], order["gid"])
            furnish(folder, order)
            keep(order, folder, news_fd)
        except Exception as error:  # noqa: BLE001  whatever it is, the worker must learn of it
            say(news_fd, failed=f"the sandbox: {error}")
        os._exit(0)
    give_up_output()
    status = attended(
        keeper,
        ask=lambda: os.kill(keeper, signal.SIGTERM),
        kill=lambda: os.kill(keeper, signal.SIGKILL),
        control=CONTROL,
    )
    if status != 0:  # killed, by us mostly: it could not say how the command ended
        say(news_fd, signal=-status)


def keep(order: Order, folder: str, news_fd: int) -> None:
    """The first process of a sandbox: start the command, wait for it, leave. Its end is the end of the sandbox."""
    pid = started(order, folder, news_fd)
    if pid is None:
        return
    say(news_fd, pid=pid)
    status = attended(pid, ask=lambda: end_group(pid, signal.SIGTERM), kill=lambda: None, control=None)
    with contextlib.suppress(OSError):
        os.kill(-1, signal.SIGKILL)
    say_end(news_fd, status, folder, order)


# ------------------------------------------------------------------------------------------------- before the command


def furnish(folder: str, order: Order) -> None:
    """A private folder: the script, the files of the job, an empty folder to work in."""
    uid, gid = order["uid"], order["gid"]
    files, own = f"{folder}/files", f"{folder}/own"
    for path in (folder, files, own):
        os.mkdir(path, 0o700)
    texts = {f"{files}/{name}": text for name, text in order["files"].items()}
    if order["script"] is not None:
        texts[f"{folder}/script"] = order["script"]
    for path, text in texts.items():
        with open(path, "xb", opener=private) as file:
            file.write(text.encode())
    if uid is not None and os.geteuid() == 0:
        for path in (folder, files, own, *texts):
            os.chown(path, uid, gid, follow_symlinks=False)


def private(path: str, flags: int) -> int:
    """Open a file that only its owner may read."""
    return os.open(path, flags, 0o600)


def started(order: Order, folder: str, news_fd: int) -> int | None:
    """The pid of the command, which leads a session; None: it did not start, and the worker knows why."""
    reading, writing = os.pipe()  # closed by exec: what comes through it is why the command did not start
    stdin = stdin_of(order["stdin"])
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        become(order, folder, parent, stdin, writing)
    os.close(writing)
    os.close(stdin)
    give_up_output()
    with os.fdopen(reading, "rb") as problems:
        why = problems.read().decode("utf-8", "replace")
    if not why:
        return pid
    os.waitpid(pid, 0)
    say(news_fd, failed=why)
    return None


def stdin_of(text: str | None) -> int:
    """What the command reads: this text, or nothing."""
    if text is None:
        return os.open(os.devnull, os.O_RDONLY)
    reading = os.memfd_create("stdin") if hasattr(os, "memfd_create") else os.open("/tmp", os.O_TMPFILE | os.O_RDWR)  # noqa: S108
    data = memoryview(text.encode())
    while data:
        data = data[os.write(reading, data) :]
    os.lseek(reading, 0, os.SEEK_SET)
    return reading


def become(order: Order, folder: str, parent: int, stdin: int, problems: int) -> NoReturn:
    """In the new process: put on every bound, and turn into the command."""
    step = "the launcher"
    try:
        os.setsid()
        os.dup2(stdin, CONTROL)
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGPIPE, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        os.umask(order["umask"])
        for name, most in order["limits"].items():
            step = f"the limit {name}"
            lower(getattr(resource, name), most)
        step = f"the user {order['uid']}"
        change_user(order)
        die_with(parent)
        if order["sandbox"] is not None:
            prctl(NO_NEW_PRIVILEGES, 1)
            step = "the refusal of system calls"
            order["refuse_calls"]()
        step = cwd = order["cwd"] or f"{folder}/own"
        os.chdir(cwd)
        step = order["program"]
        os.execve(order["program"], arguments(order, folder), environment(order, folder))  # noqa: S606
    except OSError as error:
        os.write(problems, f"{error.strerror}: {step}".encode())
    except Exception as error:  # noqa: BLE001  whatever it is, the worker must learn of it
        os.write(problems, f"{type(error).__name__}: {step}".encode())
    os._exit(NOT_STARTED)


def arguments(order: Order, folder: str) -> list[str]:
    """The arguments; null stands for the file with the script, of which only the launcher knows the name."""
    return [f"{folder}/script" if word is None else word for word in order["argv"]]


def environment(order: Order, folder: str) -> dict[str, str]:
    """What the worker made, and the paths in the private folder."""
    return {
        "HOME": f"{folder}/own",
        "TMPDIR": f"{folder}/own",
        **order["env"],
        "FOLIOT_RESULT": f"{folder}/own/.foliot-result",
        "FOLIOT_FILES": f"{folder}/files",
    }


def lower(kind: int, most: int) -> None:
    """Set a limit that the command cannot raise again."""
    _, hard = resource.getrlimit(kind)
    bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (bound, bound))


def change_user(order: Order) -> None:
    """Become the user that the command runs as. In a sandbox of a worker that is not root it is the same one."""
    if order["uid"] is None or os.geteuid() != 0:
        return
    os.setgroups(order["groups"])
    os.setgid(order["gid"])
    os.setuid(order["uid"])


# ------------------------------------------------------------------------------------------------ while and afterwards


def attended(pid: int, *, ask: Callable[[], object], kill: Callable[[], object], control: int | None) -> int:
    """How a child ended: its exit code, or minus the signal. Meanwhile orphans are reaped, and the worker is obeyed."""
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    while (status := reaped(pid)) is None:
        ready, _, _ = select.select([woken] if control is None else [woken, control], [], [])
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if woken in ready and control is None and signal.SIGTERM in os.read(woken, 4096):
                ask()
            elif woken in ready and control is not None:
                os.read(woken, 4096)
            if control in ready:
                words = os.read(CONTROL, 16)
                if not words or KILL in words:
                    control = None if not words else control
                    kill()
                elif TERM in words:
                    ask()
    return status


def reaped(wanted: int) -> int | None:
    """Take the status of every child that ended; that of the wanted one, if it is among them."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return None
        if pid == wanted:
            return os.waitstatus_to_exitcode(status)
        if pid == 0:
            return None


def end_group(pid: int, number: int) -> None:
    """Send a signal to the command's process group. It may be gone, or belong to another user by now."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def end_family(pid: int) -> None:
    """Kill the command's group, then its orphans, generation by generation."""
    end_group(pid, signal.SIGKILL)
    for _ in range(ROUNDS_MAX):
        left = [child for child in children() if child != pid]
        for child in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        if not left:
            return
        for child in left:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0 if is_killable(child) else os.WNOHANG)


def is_killable(pid: int) -> bool:
    """Whether a signal would arrive: a process that became root by sudo is beyond a worker that is not root."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return True


def children() -> list[int]:
    """The processes whose parent is this one: the kernel gives it the orphans of the command."""
    me = os.getpid()
    found = []
    for entry in os.listdir("/proc") if sys.platform == "linux" else ():
        if entry.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{entry}/stat", "rb") as file:
                behind_name = file.read().rpartition(b")")[2].split()
                if int(behind_name[1]) == me and behind_name[0] != b"Z":
                    found.append(int(entry))
    return found


def say_end(news_fd: int, status: int, folder: str, order: Order) -> None:
    """Tell the worker how the command ended, and what it left as its result."""
    result = left_in(f"{folder}/own/.foliot-result", order["uid"], order["result_max"])
    if status < 0:
        say(news_fd, signal=-status)
    else:
        say(news_fd, code=status, result=result)


def left_in(path: str, owner: int | None, bytes_max: int) -> str | None:
    """The bytes of a file, each as one character; None: there is none.

    The launcher may be root: no link of the command's making leads it to a file that the command could not read.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(fd, "rb") as file:
        about = os.fstat(fd)
        is_plain = about.st_mode & 0o170000 == 0o100000 and about.st_nlink == 1
        is_its_own = owner in (None, about.st_uid)
        return file.read(bytes_max + 1).decode("latin-1") if is_plain and is_its_own else None


def remove(folder: str) -> None:
    """Remove the private folder and what is in it; links are not followed."""
    import shutil  # late: nobody waits for it any more

    shutil.rmtree(folder, ignore_errors=True)


# --------------------------------------------------------------------------------------------------------------- tools


def give_up_output() -> None:
    """Let go of the command's pipes: the worker sees their end when the command's own processes are gone."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (1, 2):
        os.dup2(nothing, fd)
    os.close(nothing)


def die_with(parent: int) -> None:
    """Be killed when the parent is gone (Linux); leave if it is gone already."""
    prctl(PARENT_DEATH, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(NOT_STARTED)


def prctl(option: int, value: int) -> None:
    """Tell the kernel something about this process (Linux)."""
    if sys.platform != "linux":
        return
    import ctypes  # late: it takes a while to load

    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def module_beside(name: str) -> Any:
    """A module in the folder of this script, which belongs to no package here."""
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location(name, os.path.join(os.path.dirname(__file__), f"{name}.py"))
    assert spec is not None and spec.loader is not None  # noqa: PT018
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def say(news_fd: int, **news: Any) -> None:
    """One message to the worker."""
    data = json.dumps(news).encode() + b"\n"
    with contextlib.suppress(OSError):
        while data:
            data = data[os.write(news_fd, data) :]


if __name__ == "__main__":
    main()
