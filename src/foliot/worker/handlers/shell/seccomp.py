"""System calls that a sandboxed command never needs: the kernel refuses them (seccomp), and less of it can be attacked.

Namespaces, mounts, tracing, keys, modules, `bpf` and `io_uring` are refused with EPERM. `launcher.py` loads this; it
needs only the standard library. On a machine that is not in the table there is no such filter.
"""

import ctypes
import os
from typing import Final

_X86_64: Final = (
    101, 103, 134, 135, 139, 153, 154, 155, 156, 161, 163, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176,
    177, 178, 179, 180, 212, 246, 248, 249, 250, 272, 298, 303, 304, 305, 308, 310, 311, 312, 313, 320, 321, 323,
)  # fmt: skip
_AARCH64: Final = (
    39, 40, 41, 51, 60, 89, 92, 97, 104, 105, 106, 112, 116, 117, 142, 161, 162, 217, 218, 219, 224, 225, 241, 264, 265,
    266, 268, 270, 271, 272, 273, 280, 282, 294,
)  # fmt: skip
# ptrace, syslog, mount, umount2, pivot_root, chroot, swapon, reboot, *_module, kexec_*, *_key, unshare, setns, bpf …
_EVERYWHERE: Final = (425, 426, 427, 428, 429, 430, 431, 432, 433, 442)  # io_uring_*, and the newer calls for mounts

MACHINES: Final = {"x86_64": (0xC000003E, 56, _X86_64), "aarch64": (0xC00000B7, 220, _AARCH64)}
"""The kernel's number of the machine, its call `clone`, and what is refused."""
_CLONE3: Final = 435
_NAMESPACES: Final = 0x7E020000  # every CLONE_NEW…
_OTHER_CALLS: Final = 0x40000000  # those of x32 begin here

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM, _ENOSYS = 1, 38
_AT_CALL, _AT_MACHINE, _AT_FIRST_ARGUMENT = 0, 4, 16


class Instruction(ctypes.Structure):
    """`struct sock_filter`: what to do, how far to jump if so and if not, and a number."""

    _fields_ = (
        ("code", ctypes.c_uint16),
        ("so", ctypes.c_uint8),
        ("not_so", ctypes.c_uint8),
        ("number", ctypes.c_uint32),
    )


class Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("count", ctypes.c_uint16), ("first", ctypes.POINTER(Instruction)))


def refuse_calls() -> None:
    """From now on, for this process and whatever it starts. It must have given up new privileges before."""
    known = MACHINES.get(os.uname().machine)
    if known is None:
        return
    rows = instructions(*known)
    table = (Instruction * len(rows))(*(Instruction(*row) for row in rows))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(22, 2, ctypes.byref(Program(len(rows), table)), 0, 0) != 0:  # PR_SET_SECCOMP, by a filter
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), "seccomp")


def instructions(machine: int, clone: int, refused: tuple[int, ...]) -> list[tuple[int, int, int, int]]:
    """The filter: each test falls into the answer that follows it, or jumps over that."""
    refuse = (_RETURN, 0, 0, _REFUSE | _EPERM)
    rows = [
        (_LOAD, 0, 0, _AT_MACHINE),
        (_EQUAL, 1, 0, machine),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _AT_CALL),
        (_AT_LEAST, 0, 1, _OTHER_CALLS),
        refuse,
    ]
    for call in (*refused, *_EVERYWHERE):
        rows += [(_EQUAL, 0, 1, call), refuse]
    return [
        *rows,
        (_EQUAL, 0, 1, _CLONE3),
        (_RETURN, 0, 0, _REFUSE | _ENOSYS),  # its flags cannot be read here, and programs use clone then
        (_EQUAL, 0, 3, clone),
        (_LOAD, 0, 0, _AT_FIRST_ARGUMENT),
        (_ANY_BIT, 0, 1, _NAMESPACES),
        refuse,
        (_RETURN, 0, 0, _ALLOW),
    ]
