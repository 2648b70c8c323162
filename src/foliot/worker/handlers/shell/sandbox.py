"""A sandbox of namespaces (Linux): a read-only root with the system's programs alone, no network, no other processes.

A worker that is root makes the namespaces as root, and the command becomes another user inside. Any other worker makes
a user namespace first, which the system must allow. `launcher.py` loads this; it needs only the standard library.
"""

import ctypes
import os
from typing import Any, Final

PROGRAMS: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
FROM_ETC: Final = (
    "alternatives", "ca-certificates", "host.conf", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime",
    "mime.types", "nsswitch.conf", "pki", "protocols", "services", "ssl",
)  # fmt: skip
FROM_ETC_FOR_NETWORK: Final = ("hosts", "resolv.conf")
DEVICES: Final = ("null", "zero", "full", "random", "urandom")
FOLDER: Final = "/tmp/foliot"  # inside the sandbox, where nobody else is

NEW_MOUNTS: Final = 0x00020000
NEW_CGROUP: Final = 0x02000000
NEW_NAMES: Final = 0x04000000
NEW_IPC: Final = 0x08000000
NEW_USERS: Final = 0x10000000
NEW_PROCESSES: Final = 0x20000000
NEW_NETWORK: Final = 0x40000000

BIND_ALL: Final = 0x1000 | 0x4000  # MS_BIND | MS_REC
PRIVATE_ALL: Final = 0x40000 | 0x4000  # MS_PRIVATE | MS_REC
NO_SETUID: Final = 0x2
NO_DEVICES: Final = 0x4
NO_PROGRAMS: Final = 0x8
READ_ONLY: Final = 0x1
DETACH: Final = 2
ALL_BELOW: Final = 0x8000  # AT_RECURSIVE
HERE: Final = -100  # AT_FDCWD
MOUNT_SETATTR: Final = 442  # the same number on every machine; Linux 5.12 brought it
PIVOT_ROOT: Final = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "loongarch64": 41, "ppc64le": 203, "s390x": 217}

libc = ctypes.CDLL(None, use_errno=True)


class Attributes(ctypes.Structure):
    """`struct mount_attr` of the kernel."""

    _fields_ = (
        ("set", ctypes.c_uint64),
        ("cleared", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("users", ctypes.c_uint64),
    )


def unshare(wanted: dict[str, Any]) -> None:
    """Leave the machine's namespaces but that of mounts. That of processes holds for the children from now on."""
    flags = NEW_CGROUP | NEW_NAMES | NEW_IPC | NEW_PROCESSES
    if not wanted["network"]:
        flags |= NEW_NETWORK
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0:
        check(libc.unshare(flags), "unshare")
        return
    check(libc.unshare(flags | NEW_USERS), "unshare (a user namespace)")
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"{uid} {uid} 1")
    write("/proc/self/gid_map", f"{gid} {gid} 1")


def enter(wanted: dict[str, Any], uid: int | None, gid: int | None) -> str:
    """Build the root that the command sees, and go there; the path of the command's folder in it.

    The machine's root first becomes a folder of an empty one, so that nothing built here can hide what is still needed.
    """
    check(libc.unshare(NEW_MOUNTS), "unshare (mounts)")  # only here: the launcher keeps the machine's root
    mount("none", "/", "", PRIVATE_ALL)
    mount("tmpfs", "/tmp", "tmpfs", NO_SETUID | NO_DEVICES, "mode=0755,size=4m")
    os.mkdir("/tmp/old")
    os.mkdir("/tmp/new")
    pivot("/tmp", "/tmp/old")
    os.chdir("/")
    mount("tmpfs", "/new", "tmpfs", NO_SETUID, "mode=0755,size=4m")
    for path in PROGRAMS:
        show(path, may_write=False)
    for name in (*FROM_ETC, *(FROM_ETC_FOR_NETWORK if wanted["network"] else ())):
        show(f"/etc/{name}", may_write=False)
    for name in DEVICES:
        bind(f"/old/dev/{name}", f"/new/dev/{name}")
    for name, target in (
        ("fd", "/proc/self/fd"),
        ("stdin", "fd/0"),
        ("stdout", "fd/1"),
        ("stderr", "fd/2"),
        ("shm", "/tmp"),
    ):
        os.symlink(target, f"/new/dev/{name}")
    name_user(uid, gid)
    os.mkdir("/new/proc")
    mount("proc", "/new/proc", "proc", NO_SETUID | NO_DEVICES | NO_PROGRAMS)
    os.mkdir("/new/tmp")
    mount("tmpfs", "/new/tmp", "tmpfs", NO_SETUID | NO_DEVICES, f"mode=1777,size={wanted['tmp_bytes']}")
    for path, may_write in wanted["folders"]:
        show(path, may_write=may_write)
    os.chdir("/new")
    pivot(".", ".")
    check(libc.umount2(b".", DETACH), "umount2")
    os.chdir("/")
    protect("/", READ_ONLY | NO_SETUID, below=0)
    libc.sethostname(b"sandbox", 7)
    return FOLDER


def show(path: str, *, may_write: bool) -> None:
    """A part of the machine's files, where it is on the machine. A link stays a link; what is not there is left out."""
    old, new = f"/old{path}", f"/new{path}"
    if os.path.islink(old):
        os.makedirs(os.path.dirname(new), exist_ok=True)
        os.symlink(os.readlink(old), new)
    elif os.path.exists(old):
        bind(old, new)
        protect(new, NO_SETUID | NO_DEVICES | (0 if may_write else READ_ONLY), below=ALL_BELOW)


def bind(old: str, new: str) -> None:
    """Let a file or folder appear a second time."""
    if os.path.isdir(old):
        os.makedirs(new, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(new), exist_ok=True)
        write(new, "")
    mount(old, new, "", BIND_ALL)


def name_user(uid: int | None, gid: int | None) -> None:
    """Programs look up their user's name and home."""
    uid, gid = (os.geteuid() if uid is None else uid), (os.getegid() if gid is None else gid)
    write("/new/etc/passwd", f"foliot:x:{uid}:{gid}::{FOLDER}/own:/bin/sh\n")
    write("/new/etc/group", f"foliot:x:{gid}:\n")


def protect(path: str, attributes: int, *, below: int) -> None:
    """Take rights away from a mount, and `below` from all mounts under it."""
    wanted = Attributes(attributes, 0, 0, 0)
    done = libc.syscall(MOUNT_SETATTR, HERE, path.encode(), below, ctypes.byref(wanted), ctypes.sizeof(wanted))
    check(done, f"mount_setattr {path}")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mount; for a bind or a change there is no kind of file system."""
    done = libc.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode())
    check(done, f"mount {target}")


def pivot(new: str, old: str) -> None:
    """Make a mount the root; the old root appears at `old`."""
    machine = os.uname().machine
    if machine not in PIVOT_ROOT:
        raise OSError(0, f"sandboxes are not known on {machine}")
    check(libc.syscall(PIVOT_ROOT[machine], new.encode(), old.encode()), "pivot_root")


def write(path: str, text: str) -> None:
    """Without Python's text files: inside the new root nothing of Python can be imported any more."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def check(done: int, what: str) -> None:
    """Raise what the kernel says about a call that failed."""
    if done != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
