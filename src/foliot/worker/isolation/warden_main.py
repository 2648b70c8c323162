"""A tiny process that outlives its worker by a moment: it kills the process groups the worker left behind.

The kernel kills the worker's children with it (PR_SET_PDEATHSIG), but not what those children started. The worker
writes `+pid` and `-pid` lines; when the pipe ends without a goodbye, every group still listed is killed. Run as a
script, so that it loads nothing but the standard library.
"""

import os
import signal
import sys


def main() -> None:
    """Keep the list until the worker is gone, then kill what is on it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        pid = int(line[1:])
        if line[0] == "+":
            groups.add(pid)
        else:
            groups.discard(pid)
    for pid in groups:
        try:
            os.killpg(pid, signal.SIGKILL)
        except OSError:
            continue


if __name__ == "__main__":
    main()
