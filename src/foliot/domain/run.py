"""Runs: their states, why they fail, how they end, and how their ids are shown."""

from enum import StrEnum
from typing import Final, NewType

from foliot.domain.errors import InvalidInput

RunId = NewType("RunId", int)
LeaseId = NewType("LeaseId", str)
SessionId = NewType("SessionId", str)

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's: no i, l, o, u to misread
_VALUES: Final = {letter: value for value, letter in enumerate(_ALPHABET)} | {"i": 1, "l": 1, "o": 0}
_ID_MAX: Final = 2**63 - 1


class RunState(StrEnum):
    """The stored states. HELD, RETRYING and CANCELLING are derived for people, never stored."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"

    @property
    def is_final(self) -> bool:
        return self not in LIVE


LIVE: Final = frozenset({RunState.PENDING, RunState.RUNNING})


DERIVED: Final = ("HELD", "RETRYING", "CANCELLING")
"""States that are shown and never stored."""


def shown_state(state: str, *, attempt: int, is_held: bool, is_asked_to_stop: bool) -> str:
    """A run's state as people see it. `is_held`: it is due, and something keeps it (`domain.why.holds`)."""
    if state == RunState.RUNNING and is_asked_to_stop:
        return "CANCELLING"
    if state != RunState.PENDING:
        return state
    if is_held:
        return "HELD"
    return "RETRYING" if attempt > 0 else state


class FailureKind(StrEnum):
    """Why a run FAILED."""

    ERROR = "error"
    TIMEOUT = "timeout"
    LOST = "lost"  # at-most-once, its worker vanished
    REJECTED = "rejected"  # the payload or the handler is not fit to run
    POISON = "poison"  # killed too many workers


class Landing(StrEnum):
    """How a worker's report landed in the store."""

    RECORDED = "recorded"
    ALREADY = "already"  # the same report was recorded before: fine
    FENCED = "fenced"  # the lease is another's now: nothing changed


def format_run_id(run_id: int) -> str:
    """`r-` and base 32, as people see run ids."""
    assert run_id >= 0, run_id
    digits = ""
    while True:
        run_id, digit = divmod(run_id, 32)
        digits = _ALPHABET[digit] + digits
        if not run_id:
            return "r-" + digits


def parse_run_id(text: str) -> RunId:
    """Read a run id as people write it; case and the letters that look like digits are forgiven."""
    digits = text.strip().lower().removeprefix("r-")
    if not digits or any(digit not in _VALUES for digit in digits):
        raise BadRunId(text)
    value = 0
    for digit in digits:
        value = value * 32 + _VALUES[digit]
        if value > _ID_MAX:
            raise BadRunId(text)
    return RunId(value)


class BadRunId(InvalidInput):
    """What was given as a run id cannot be one."""

    code = "FOL-1011"

    def __init__(self, written: str) -> None:
        super().__init__(f'"{written}" is not a run id.', written=written)
