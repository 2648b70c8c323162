"""A receiver of traces: OTLP over HTTP, as collectors speak it, in a thread of its own."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Received(NamedTuple):
    """A span as it was sent."""

    name: str
    trace_id: str
    span_id: str
    parent_id: str
    facts: dict[str, Any]
    resource: dict[str, Any]
    is_error: bool
    took_ns: int


class Receiver:
    """Where it is, and the spans that came."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.spans: list[Received] = []

    def named(self, name: str, run: str) -> list[Received]:
        """Spans of a run, by their name."""
        return [span for span in list(self.spans) if span.name == name and span.facts.get("foliot.run") == run]

    def take(self, body: bytes) -> None:
        message = ExportTraceServiceRequest.FromString(body)
        for group in message.resource_spans:
            resource = _facts(group.resource.attributes)
            self.spans += [_received(span, resource) for scope in group.scope_spans for span in scope.spans]


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver on a free port until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            assert self.path == "/v1/traces", self.path
            receiver.take(gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body)
            self.send_response(200)
            self.send_header("content-type", "application/x-protobuf")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver = Receiver(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join(60)


def _received(span: Any, resource: dict[str, Any]) -> Received:
    return Received(
        span.name,
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        _facts(span.attributes),
        resource,
        span.status.code == 2,
        span.end_time_unix_nano - span.start_time_unix_nano,
    )


def _facts(attributes: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}
