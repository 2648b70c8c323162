"""Whether traces are sent, by the standard OTEL_* variables, and where to."""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Final, Protocol

import structlog

from foliot import __version__
from foliot.ports.spans import SpanSink

ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_YES: Final = "true"

log = structlog.get_logger("foliot.tracing")


class ClosingSink(SpanSink, Protocol):
    """A sink that sends what it has when it is closed."""

    def close(self) -> None: ...


def spans_wanted(environment: Mapping[str, str]) -> bool:
    """Whether an address for traces is given, and nothing says that none are sent."""
    is_off = environment.get("OTEL_SDK_DISABLED", "").strip().lower() == _YES
    is_off |= environment.get("OTEL_TRACES_EXPORTER", "otlp").strip().lower() == "none"
    return not is_off and any(environment.get(name, "").strip() for name in ENDPOINTS)


def span_sink(environment: Mapping[str, str], *, role: str, node: str) -> ClosingSink | None:
    """What sends spans; None: nobody wants them, or the extra is not installed. `role`: server or worker."""
    if not spans_wanted(environment):
        return None
    try:
        from foliot.observability.otel_spans import OtelSpans
    except ImportError:
        log.warning("traces.not_sent", why="the extra otel is not installed", hint="pip install 'foliot[otel]'")
        return None
    named = environment.get("OTEL_SERVICE_NAME") or "foliot"
    facts = {"service.name": named, "service.instance.id": node, "foliot.role": role}
    return OtelSpans(ratio=ratio_of(environment), version=__version__, facts=facts)


def ratio_of(environment: Mapping[str, str]) -> float:
    """The part of all traces that is recorded where no caller says it: `OTEL_TRACES_SAMPLER` and its argument."""
    sampler = environment.get("OTEL_TRACES_SAMPLER", "always_on").strip().lower().removeprefix("parentbased_")
    if sampler == "always_off":
        return 0.0
    if sampler != "traceidratio":
        return 1.0
    try:
        return min(1.0, max(0.0, float(environment.get("OTEL_TRACES_SAMPLER_ARG", "1"))))
    except ValueError:
        log.warning("traces.bad_ratio", value=environment["OTEL_TRACES_SAMPLER_ARG"][:50])
        return 1.0


@contextlib.contextmanager
def sending(sink: ClosingSink | None) -> Iterator[None]:
    """Send what is left at the end."""
    try:
        yield
    finally:
        if sink is not None:
            sink.close()
