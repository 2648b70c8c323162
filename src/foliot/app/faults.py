"""Fault points: named places where a test makes this process break itself. Off unless asked for.

`kill:firing.recorded:3` kills the process with SIGKILL the third time it comes by; `stop:…` pauses it with SIGSTOP.
Around every store call VERB that writes lie `VERB.asked` (nothing was sent), `.done` (not committed), `.sent` (the
commit is under way, its answer was not read) and `.committed` (the caller does not know yet); some verbs have places
inside.

`@FILE` arms processes that run already: when FILE says `kill:PLACE`, the first to come by takes the file away and
breaks. Each process writes the places that it comes by into FILE.passed.
"""

import os
import signal
from collections.abc import Callable
from pathlib import Path
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
    if written.startswith("@"):
        return ArmedByFile(Path(written[1:]))
    action, place, left = _parsed(written)

    def passing(name: str) -> None:
        nonlocal left
        if name == place:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), action)

    return passing


class ArmedByFile:
    """Looks at a file at every place; of several processes exactly one gets to rename it, and breaks."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._taken = file.with_name(f"{file.name}.taken")
        self._notes = file.with_name(f"{file.name}.passed")
        self._passed: set[str] = set()

    def __call__(self, name: str) -> None:
        if name not in self._passed:
            self._passed.add(name)
            with self._notes.open("a", encoding="utf-8") as notes:
                notes.write(f"{name}\n")
        try:
            action, place, _ = _parsed(self._file.read_text("utf-8"))
            if name == place:
                self._file.rename(self._taken)
                os.kill(os.getpid(), action)
        except FileNotFoundError:
            return


def _parsed(written: str) -> tuple[signal.Signals, str, int]:
    action, _, rest = written.strip().partition(":")
    place, _, count = rest.partition(":")
    if action not in SIGNALS or not place or not (count or "1").isdigit():
        raise BadFaultPoint(
            f'"{written}" is not a fault point.', hint="write kill:PLACE:COUNT, stop:PLACE:COUNT or @FILE"
        )
    return SIGNALS[action], place, int(count or 1)
