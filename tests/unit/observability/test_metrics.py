"""What a server shows of itself, in Prometheus' form."""

from collections import Counter

from foliot.observability.metrics import ServerMetrics


def test_what_the_store_counted_is_shown_as_it_is_when_somebody_looks() -> None:
    metrics, troubles = ServerMetrics(), Counter[str]()
    metrics.watch_store(troubles)
    assert b"foliot_store_troubles_total{" not in metrics.render()
    troubles["retried"] += 2
    assert b'foliot_store_troubles_total{kind="retried"} 2.0' in metrics.render()


def test_late_reports_are_counted() -> None:
    metrics = ServerMetrics()
    metrics.reports_fenced.inc(3)
    assert b"foliot_reports_fenced_total 3.0" in metrics.render()
