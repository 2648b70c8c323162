"""Traces: spans of Foliot's own, sent by OTLP over HTTP in the background. Imported only where traces are wanted."""

from collections.abc import Mapping
from typing import Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from foliot.domain.traces import SpanRecord, TraceContext

_NANOSECONDS: Final = 1000  # of a microsecond
_KINDS: Final = {"foliot.trigger": SpanKind.PRODUCER, "foliot.fire": SpanKind.PRODUCER,
                 "foliot.attempt": SpanKind.CONSUMER}  # fmt: skip


class OtelSpans:
    """`ports.spans.SpanSink`: a queue with a bound, and a thread that sends. What is too much is dropped.

    Address, headers, time limits and the size of the queue come from the OTEL_* variables, as the exporter reads them.
    """

    def __init__(self, *, ratio: float, version: str, facts: Mapping[str, str]) -> None:
        self.ratio = ratio
        self._resource = Resource.create({**facts, "service.version": version})
        self._scope = InstrumentationScope("foliot", version)
        self._processor = BatchSpanProcessor(OTLPSpanExporter())

    def ended(self, span: SpanRecord) -> None:
        failed = Status(StatusCode.ERROR, span.error) if span.error is not None else Status(StatusCode.UNSET)
        readable = ReadableSpan(
            span.name,
            context=_context(span.context, is_remote=False),
            parent=None if span.parent is None else _context(span.parent, is_remote=True),
            resource=self._resource,
            attributes=span.facts,
            kind=_KINDS.get(span.name, SpanKind.INTERNAL),
            status=failed,
            start_time=span.began_at * _NANOSECONDS,
            end_time=span.ended_at * _NANOSECONDS,
            instrumentation_scope=self._scope,
        )
        self._processor.on_end(readable)

    def close(self) -> None:
        """Send what is left; it takes some seconds at most."""
        self._processor.shutdown()  # type: ignore[no-untyped-call]


def _context(context: TraceContext, *, is_remote: bool) -> SpanContext:
    flags = TraceFlags(TraceFlags.SAMPLED if context.is_sampled else TraceFlags.DEFAULT)
    return SpanContext(int(context.trace_id, 16), int(context.span_id, 16), is_remote, flags)
