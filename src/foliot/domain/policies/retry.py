"""Retry: whether a failed attempt is followed by another, and when.

A pause is never shorter than what was written: its *floor* is the fixed pause, the listed one, or the first of a
doubling one (`30s..10m`: 30 s). Jitter only ever adds to it, so that runs that failed together do not come back
together, and it is a hash of run and attempt: the same on every server, however often the verdict is repeated.
"""

import builtins
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final, TypeAlias

from foliot.domain.document_values import mapping, parsed, part, text, truth, whole
from foliot.domain.errors import InvalidInput
from foliot.domain.instants import DAY, MINUTE, SECOND, Micros, format_duration, parse_duration

RETRIES_MAX: Final = 1000
DELAYS_MAX: Final = 100
PAUSE_MAX: Final[Micros] = 7 * DAY

Duration: TypeAlias = str | float | timedelta

_SPREAD: Final = 10  # a fixed or listed pause grows by up to a tenth of itself


class Permanent(Exception):
    """Marks an error after which no retry helps: the run fails at once, whatever its policy says."""


_NEVER_AGAIN: Final = (f"{Permanent.__module__}.{Permanent.__qualname__}",)


class BackoffKind(StrEnum):
    """How the pause before the next attempt grows."""

    FIXED = "fixed"
    EXPONENTIAL = "exponential"
    LIST = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """The pause before attempt n + 1: fixed, doubling up to a cap, or listed one by one (the last repeats)."""

    kind: BackoffKind = BackoffKind.EXPONENTIAL
    first_us: Micros = 10 * SECOND
    cap_us: Micros = 10 * MINUTE
    delays_us: tuple[Micros, ...] = ()

    def floor_us(self, nth: int) -> Micros:
        """The least the nth pause can be, counted from 1."""
        match self.kind:
            case BackoffKind.FIXED:
                return self.first_us
            case BackoffKind.LIST:
                return self.delays_us[min(nth, len(self.delays_us)) - 1]
            case BackoffKind.EXPONENTIAL:
                return min(self.first_us, self.cap_us)

    def pause_us(self, nth: int, *, jitter: bool, run_id: int, attempt: int) -> Micros:
        """The nth pause of a run, counted from 1.

        Doubling with jitter: anything from the floor to twice the bare pause (full jitter, no further than the cap).
        """
        assert nth >= 1, nth
        floor_us = self.floor_us(nth)
        if self.kind is BackoffKind.EXPONENTIAL:
            bare_us = min(self.cap_us, self.first_us << min(nth - 1, 62))
            ceiling_us = min(self.cap_us, 2 * bare_us)
        else:
            bare_us = floor_us
            ceiling_us = floor_us + floor_us // _SPREAD
        return floor_us + _fraction_of(ceiling_us - floor_us, run_id, attempt) if jitter else bare_us


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """At most `max` retries after errors and timeouts; lost workers are counted apart (`max_lost`)."""

    max: int = 0
    backoff: Backoff = field(default_factory=Backoff)
    jitter: bool = True
    on: tuple[str, ...] = ()  # names of error types; empty = any
    budget_per_hour: int | None = None  # retries of the whole job; beyond it runs fail at once

    def allows(self, *, failures: int, error_type: str | None, retries_this_hour: int = 0) -> bool:
        """Whether a run that failed this often before gets another try after this error."""
        return (
            failures < self.max
            and not _is_one_of(error_type, _NEVER_AGAIN)
            and (not self.on or _is_one_of(error_type, self.on))
            and (self.budget_per_hour is None or retries_this_hour < self.budget_per_hour)
        )


_USUAL: Final = RetryPolicy()
_FIELDS: Final = ("max", "backoff", "jitter", "on", "budget_per_hour")


def retry_from(
    times: int = 0,
    *,
    backoff: Duration | Sequence[Duration] | Backoff | None = None,
    jitter: bool = True,
    on: Iterable[str | type[BaseException]] = (),
    budget_per_hour: int | None = None,
) -> RetryPolicy:
    """A retry policy as people write it: `retry_from(3, backoff="30s..10m", on=(ConnectionError,))`."""
    named = (on,) if isinstance(on, str | type) else tuple(on)
    return RetryPolicy(
        max=times,
        backoff=parse_backoff(backoff) if backoff is not None else Backoff(),
        jitter=jitter,
        on=tuple(error if isinstance(error, str) else error_name(error) for error in named),
        budget_per_hour=budget_per_hour,
    )


def retries_from(written: Any, path: str = "retries") -> RetryPolicy:
    """A retry policy as job files write it: a number, or `{max: 3, backoff: 30s..10m}`."""
    if isinstance(written, int):
        return RetryPolicy(max=whole(written, path))
    fields = mapping(written, path, _FIELDS)
    on = fields.get("on") or ()
    errors = on if isinstance(on, list | tuple) else (on,)
    return RetryPolicy(
        max=part(fields, path, "max", whole, _USUAL.max),
        backoff=part(fields, path, "backoff", _backoff_at, _USUAL.backoff),
        jitter=part(fields, path, "jitter", truth, _USUAL.jitter),
        on=tuple("" if error is None else text(error, f"{path}.on") for error in errors),
        budget_per_hour=part(fields, path, "budget_per_hour", whole, None),
    )


def written_retries(retry: RetryPolicy) -> dict[str, Any]:
    """The canonical form: what is as usual is left out."""
    written = {
        "max": retry.max or None,
        "backoff": format_backoff(retry.backoff) if retry.backoff != _USUAL.backoff else None,
        "jitter": None if retry.jitter else False,
        "on": list(retry.on) or None,
        "budget_per_hour": retry.budget_per_hour,
    }
    return {field: value for field, value in written.items() if value is not None}


def _backoff_at(written: Any, path: str) -> Backoff:
    return parsed(parse_backoff, written, path)


def parse_backoff(written: Duration | Sequence[Duration] | Backoff) -> Backoff:
    """Read `30s..10m` (doubling up to a cap), `30s` (always the same) or `[10s, 1m, 5m]` (one by one)."""
    if isinstance(written, Backoff):
        return written
    if isinstance(written, str) and ".." in written:
        first, _, cap = written.partition("..")
        doubling = Backoff(first_us=parse_duration(first), cap_us=parse_duration(cap))
        if doubling.first_us > doubling.cap_us:
            raise BadBackoff(written, f"{first.strip()} is longer than {cap.strip()}")
        return doubling
    if isinstance(written, str | int | float | timedelta):
        return Backoff(kind=BackoffKind.FIXED, first_us=parse_duration(written))
    if not written:
        raise BadBackoff(written, "it names no pause")
    return Backoff(kind=BackoffKind.LIST, delays_us=tuple(parse_duration(delay) for delay in written))


def format_backoff(backoff: Backoff) -> str | list[str]:
    """A backoff as job files write it."""
    match backoff.kind:
        case BackoffKind.FIXED:
            return format_duration(backoff.first_us)
        case BackoffKind.LIST:
            return [format_duration(delay_us) for delay_us in backoff.delays_us]
        case BackoffKind.EXPONENTIAL:
            return f"{format_duration(backoff.first_us)}..{format_duration(backoff.cap_us)}"


def error_name(error: type[BaseException]) -> str:
    """How an error type is named in policies and reports: bare for Python's own, with its module otherwise."""
    return error.__qualname__ if error.__module__ == "builtins" else f"{error.__module__}.{error.__qualname__}"


class BadBackoff(InvalidInput):
    """A backoff that cannot be read."""

    code = "FOL-1059"

    def __init__(self, written: object, why: str) -> None:
        super().__init__(
            f'"{written}" is not a backoff: {why}.', hint='write "30s..10m", "30s" or ["10s", "1m", "5m"]', why=why
        )


def _is_one_of(reported: str | None, wanted: Sequence[str]) -> bool:
    """Whether a reported error is one of those wanted, itself or by a base class.

    A report may carry the names of the bases as well, most particular first, joined by commas. For Python's own
    errors they are known here: a ConnectionResetError is a ConnectionError.
    """
    names = (reported or "").split(",")
    return any(
        _is_same(name.strip(), want) or _is_builtin_kind_of(name.strip(), want) for name in names for want in wanted
    )


def _is_same(name: str, want: str) -> bool:
    """With its module or, where one side does not say it, without."""
    return (
        name == want
        or ("." not in want and name.rpartition(".")[2] == want)
        or ("." not in name and want.rpartition(".")[2] == name)
    )


def _is_builtin_kind_of(name: str, want: str) -> bool:
    error, base = getattr(builtins, name, None), getattr(builtins, want, None)
    return isinstance(error, type) and isinstance(base, type) and issubclass(error, base)


def _fraction_of(span_us: Micros, run_id: int, attempt: int) -> Micros:
    digest = hashlib.blake2b(f"{run_id}:{attempt}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % (span_us + 1)
