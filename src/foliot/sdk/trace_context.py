"""The trace of a run for user code: OpenTelemetry's current context while a handler runs, in whatever isolation."""

from collections.abc import Callable

from foliot.domain.traces import read_traceparent


def enter_trace(traceparent: str) -> Callable[[], None]:
    """Make a span current, so that spans of user code become its children; the answer ends that.

    Without OpenTelemetry's API nobody could tell, and nothing happens.
    """
    found = read_traceparent(traceparent)
    try:
        from opentelemetry import context, trace
    except ImportError:
        return _nothing
    if found is None:
        return _nothing
    flags = trace.TraceFlags(trace.TraceFlags.SAMPLED if found.is_sampled else trace.TraceFlags.DEFAULT)
    span_context = trace.SpanContext(int(found.trace_id, 16), int(found.span_id, 16), True, flags)
    token = context.attach(trace.set_span_in_context(trace.NonRecordingSpan(span_context)))

    def leave() -> None:
        context.detach(token)

    return leave


def _nothing() -> None:
    """No context was entered."""
