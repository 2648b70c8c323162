"""Traces: which trace a run belongs to, and the ids of its spans. Everything follows from the run: nothing is stored.

A run that nobody's trace caused has a trace of its own, whose id is a hash of the run. A trigger that came with a
`traceparent` (W3C Trace Context) makes its run, and the shards of that run, part of the caller's trace. That context
stands before the reason of the run: most runs have neither, and cost nothing.
"""

from hashlib import blake2b
from typing import Final, NamedTuple

from foliot.domain.instants import Instant

VERSION: Final = "00"
_MARK: Final = "\x1f"
_WRITTEN: Final = 55  # characters of a traceparent
_HEX: Final = frozenset("0123456789abcdef")


class TraceContext(NamedTuple):
    """A span as others refer to it."""

    trace_id: str  # 32 hexadecimal digits
    span_id: str  # 16
    is_sampled: bool = True

    @property
    def traceparent(self) -> str:
        """As headers and environments say it."""
        return f"{VERSION}-{self.trace_id}-{self.span_id}-{'01' if self.is_sampled else '00'}"


class RunTrace(NamedTuple):
    """The spans of one attempt of a run."""

    parent: TraceContext | None  # of the trigger, or of its caller
    fire: TraceContext  # from due to leased
    attempt: TraceContext  # from leased to its end
    handler: TraceContext  # while the handler runs; its context is current there


class SpanRecord(NamedTuple):
    """A span that is over."""

    name: str
    context: TraceContext
    parent: TraceContext | None
    began_at: Instant
    ended_at: Instant
    facts: dict[str, str | int | bool]
    error: str | None = None  # why it failed; None: it did not


def read_traceparent(text: str | None) -> TraceContext | None:
    """The context in a header; None: there is none, or it is not one that W3C allows."""
    if text is None or len(text.strip()) < _WRITTEN:
        return None
    version, _, rest = text.strip().lower().partition("-")
    parts = rest.split("-")
    is_right = len(version) == 2 and version != "ff" and len(parts) >= 3 and (version != VERSION or len(parts) == 3)
    if not is_right:
        return None
    trace_id, span_id, flags = parts[:3]
    if (len(trace_id), len(span_id), len(flags)) != (32, 16, 2) or not {*version, *trace_id, *span_id, *flags} <= _HEX:
        return None
    if not trace_id.strip("0") or not span_id.strip("0"):
        return None
    return TraceContext(trace_id, span_id, bool(int(flags, 16) & 1))


def run_trace(
    *, run_id: int, namespace: str, job: str, due_at: Instant, attempt: int, parent: TraceContext | None, ratio: float
) -> RunTrace:
    """The spans of an attempt. `ratio`: the part of all traces that is recorded, where no parent says it."""
    seed = f"{namespace}/{job}/{run_id}/{due_at}"
    trace_id = own_trace(run_id=run_id, namespace=namespace, job=job, due_at=due_at)
    is_sampled = is_within(trace_id, ratio)
    if parent is not None:
        trace_id, is_sampled = parent.trace_id, parent.is_sampled

    def span(what: str) -> TraceContext:
        return TraceContext(trace_id, _hash(f"{seed}/{what}", 8), is_sampled)

    return RunTrace(parent, span("fire"), span(f"attempt/{attempt}"), span(f"handler/{attempt}"))


def own_trace(*, run_id: int, namespace: str, job: str, due_at: Instant) -> str:
    """The id of the trace of a run that no other trace caused."""
    return _hash(f"{namespace}/{job}/{run_id}/{due_at}", 16)


def trigger_span(trace_id: str, key: str, *, is_sampled: bool) -> TraceContext:
    """The span of a trigger, by something that no other trigger has."""
    return TraceContext(trace_id, _hash(f"trigger/{key}", 8), is_sampled)


def is_within(trace_id: str, ratio: float) -> bool:
    """Whether a trace is recorded: the same answer everywhere."""
    return int(trace_id[:16], 16) < ratio * 2**64


def kept_reason(reason: str | None, context: str) -> str | None:
    """The reason of a run with the context of its trigger before it, as the store keeps it."""
    return f"{_MARK}{context}{_MARK}{reason or ''}" if context else reason


def split_reason(kept: str | None) -> tuple[str | None, str]:
    """The reason for people, and the context of the trigger; empty: it had none."""
    if kept is None or not kept.startswith(_MARK) or kept[_WRITTEN + 1 : _WRITTEN + 2] != _MARK:
        return kept, ""
    reason = kept[_WRITTEN + 2 :].removeprefix("; ")
    return reason or None, kept[1 : _WRITTEN + 1]


def _hash(text: str, size: int) -> str:
    return blake2b(text.encode(), digest_size=size, person=b"foliot-trace").hexdigest()
