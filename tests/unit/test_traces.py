"""Which trace a run belongs to: contexts that are read, kept with a reason, and drawn from the run."""

import pytest

from foliot.app.span_sink import ratio_of, span_sink, spans_wanted
from foliot.domain.traces import (
    RunTrace,
    TraceContext,
    is_within,
    kept_reason,
    own_trace,
    read_traceparent,
    run_trace,
    split_reason,
)

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
GOOD = f"00-{TRACE}-{SPAN}-01"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (GOOD, TraceContext(TRACE, SPAN)),
        (GOOD.upper(), TraceContext(TRACE, SPAN)),
        (f" {GOOD} ", TraceContext(TRACE, SPAN)),
        (f"00-{TRACE}-{SPAN}-00", TraceContext(TRACE, SPAN, is_sampled=False)),
        (f"cc-{TRACE}-{SPAN}-03-more", TraceContext(TRACE, SPAN)),  # of a later version, what is known
        (f"00-{TRACE}-{SPAN}-01-more", None),
        (f"ff-{TRACE}-{SPAN}-01", None),
        (f"00-{'0' * 32}-{SPAN}-01", None),
        (f"00-{TRACE}-{'0' * 16}-01", None),
        (f"00-{TRACE}-{SPAN}-zz", None),
        (f"00-{TRACE[:-1]}g-{SPAN}-01", None),
        ("", None),
        (None, None),
        ("a" * 55, None),
    ],
)
def test_a_traceparent_is_read_as_w3c_writes_it(text: str | None, found: TraceContext | None) -> None:
    assert read_traceparent(text) == found


@pytest.mark.parametrize("reason", [None, "because", "因为; a b", "x" * 500])
def test_a_context_is_kept_before_a_reason_and_not_seen_there(reason: str | None) -> None:
    assert split_reason(kept_reason(reason, GOOD)) == (reason, GOOD)
    assert split_reason(kept_reason(reason, "")) == (reason, "")


def test_what_the_store_adds_to_a_reason_stays_a_reason() -> None:
    assert split_reason(f"{kept_reason(None, GOOD)}; left out: w-1") == ("left out: w-1", GOOD)
    assert split_reason("\x1fnot a context") == ("\x1fnot a context", "")


def spans(*, run_id: int = 7, attempt: int = 1, parent: TraceContext | None = None, ratio: float = 1.0) -> RunTrace:
    return run_trace(
        run_id=run_id, namespace="default", job="tick", due_at=5, attempt=attempt, parent=parent, ratio=ratio
    )


def test_every_worker_draws_the_same_spans_for_an_attempt_and_others_for_another() -> None:
    assert spans() == spans()
    first, second, other = spans(), spans(attempt=2), spans(run_id=8)
    assert first.fire == second.fire
    assert first.attempt != second.attempt
    assert first.fire.trace_id != other.fire.trace_id
    assert first.fire.trace_id == own_trace(run_id=7, namespace="default", job="tick", due_at=5)
    caller = TraceContext(TRACE, SPAN, is_sampled=False)
    joined = spans(parent=caller)
    assert joined.handler.trace_id == TRACE
    assert not joined.handler.is_sampled
    assert read_traceparent(joined.handler.traceparent) == joined.handler


def test_a_part_of_all_traces_is_recorded_and_the_same_part_everywhere() -> None:
    drawn = [spans(run_id=n, ratio=0.25).fire.is_sampled for n in range(2000)]
    assert 400 < sum(drawn) < 600
    assert not any(spans(run_id=n, ratio=0.0).fire.is_sampled for n in range(100))
    assert is_within("f" * 32, 1.0)


def test_traces_are_sent_where_the_standard_variables_say_so() -> None:
    address = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
    assert not spans_wanted({})
    assert span_sink({}, role="server", node="s") is None
    assert spans_wanted(address)
    assert not spans_wanted({**address, "OTEL_SDK_DISABLED": "true"})
    assert not spans_wanted({**address, "OTEL_TRACES_EXPORTER": "none"})
    assert ratio_of({}) == 1.0
    assert ratio_of({"OTEL_TRACES_SAMPLER": "always_off"}) == 0.0
    quarter = {"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.25"}
    assert ratio_of(quarter) == 0.25
    assert ratio_of({**quarter, "OTEL_TRACES_SAMPLER_ARG": "much"}) == 1.0
