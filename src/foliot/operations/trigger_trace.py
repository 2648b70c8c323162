"""The trace of a trigger: the span that it is, and the context that its run keeps."""

from dataclasses import dataclass
from typing import Self

from foliot.domain.instants import Instant, to_instant
from foliot.domain.run import format_run_id
from foliot.domain.traces import SpanRecord, TraceContext, read_traceparent, trigger_span
from foliot.operations.services import Services
from foliot.ports.store.runs import TriggerRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerTrace:
    """A trigger that somebody may follow. Without a caller's trace its run has a trace of its own, and no span here."""

    services: Services
    request: TriggerRequest
    parent: TraceContext | None
    own: TraceContext | None
    began_at: Instant

    @classmethod
    def of(cls, services: Services, request: TriggerRequest) -> Self:
        """`request.trace`: what the caller says of its span; what is no traceparent is ignored, as W3C wants it."""
        parent = read_traceparent(request.trace) if request.trace else None
        if parent is None or services.spans is None:
            return cls(services=services, request=request, parent=parent, own=None, began_at=0)
        # By chance, not by the key: a repeat of a trigger is a span of its own.
        own = trigger_span(parent.trace_id, services.chance.token(), is_sampled=parent.is_sampled)
        began_at = to_instant(services.clock.now())
        return cls(services=services, request=request, parent=parent, own=own, began_at=began_at)

    @property
    def kept(self) -> str:
        """The context that the run keeps: that of this trigger, or of its caller."""
        context = self.own or self.parent
        return "" if context is None else context.traceparent

    def end(self, run_id: int) -> None:
        """The trigger has its run."""
        spans = self.services.spans
        if spans is None or self.own is None or not self.own.is_sampled:
            return
        facts: dict[str, str | int | bool] = {
            "foliot.job": self.request.job,
            "foliot.namespace": self.request.namespace,
            "foliot.run": format_run_id(run_id),
            "foliot.by": self.request.by.name,
        }
        ended_at = to_instant(self.services.clock.now())
        spans.ended(SpanRecord("foliot.trigger", self.own, self.parent, self.began_at, ended_at, facts))
