"""Fault points: named places in transactions where a test makes this process break itself. Off unless asked for.

`kill:firing.recorded:3` kills the process with SIGKILL the third time it comes by; `stop:…` pauses it with SIGSTOP.
"""

import os
import signal
from collections.abc import Callable
from typing import Final

from foliot.domain.errors import InvalidInput

SIGNALS: Final = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}


class BadFaultPoint(InvalidInput):
    """A fault point that cannot be read."""

    code = "FOL-1095"


def fault_point(written: str | None) -> Callable[[str], None] | None:
    """What a transaction calls at its named places; None when no fault is asked for."""
    if not written:
        return None
    action, _, rest = written.partition(":")
    place, _, count = rest.partition(":")
    if action not in SIGNALS or not place or not (count or "1").isdigit():
        raise BadFaultPoint(f'"{written}" is not a fault point.', hint="write kill:PLACE:COUNT or stop:PLACE:COUNT")
    left = int(count or 1)

    def passing(name: str) -> None:
        nonlocal left
        if name == place:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), SIGNALS[action])

    return passing
