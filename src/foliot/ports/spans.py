"""Where spans go that are over."""

from typing import Protocol

from foliot.domain.traces import SpanRecord


class SpanSink(Protocol):
    """Takes spans from any thread, at once. It keeps some until they are sent, and drops what is too much."""

    ratio: float
    """The part of all traces that is recorded, from 0 to 1."""

    def ended(self, span: SpanRecord) -> None:
        """A span is over."""
        ...
