"""What a drill does to this process itself: it is killed, or stopped until a helper lets it go on."""

import os
import signal
import subprocess
import sys
from typing import Final

import structlog

from foliot.domain.drills import DrillOrder, DrillType, Faults, NodeDrills
from foliot.domain.instants import SECOND

log = structlog.get_logger("foliot.drills")

HELPER: Final = """
import os, signal, sys, time
pid, for_s = int(sys.argv[1]), float(sys.argv[2])
print("ready", flush=True)
time.sleep(for_s)
if os.getppid() == pid:  # else it is gone, and its number may be another's
    os.kill(pid, signal.SIGCONT)
"""


def drills_of(faults: Faults, *, kind: str) -> NodeDrills:
    """The drills of a node that takes part in them. What is broken is broken for the whole process."""
    return NodeDrills(faults, break_process, kind=kind)


def break_process(order: DrillOrder) -> None:
    """Do at once what the order says of the process. Wrappers of ports do the rest."""
    log.warning("drill.began", drill=order.id, type=order.type, for_s=order.for_us / SECOND)
    if order.type == DrillType.CRASH:
        os.kill(os.getpid(), signal.SIGKILL)
    elif order.type == DrillType.HANG:
        _hang(order.for_us / SECOND)


def _hang(for_s: float) -> None:
    """Stop this process. The helper runs before, so that somebody is there to end it."""
    pid = str(os.getpid())
    command = [sys.executable, "-I", "-S", "-c", HELPER, pid, str(for_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as helper:  # noqa: S603  our own
        assert helper.stdout is not None
        if helper.stdout.readline():
            os.kill(os.getpid(), signal.SIGSTOP)
