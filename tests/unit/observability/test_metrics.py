"""What a server shows of itself, in Prometheus' form."""

from collections import Counter

from foliot.domain.verdict import Cause
from foliot.observability.metrics import ServerMetrics
from foliot.ports.worker_link import Report


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


def test_attempts_are_counted_by_how_they_ended() -> None:
    metrics = ServerMetrics()
    causes = (Cause.SUCCEEDED, Cause.ERROR, Cause.SUCCEEDED)
    metrics.reported([Report(run_id=number, lease_id="l", cause=cause) for number, cause in enumerate(causes)])
    assert b'foliot_attempts_ended_total{cause="succeeded"} 2.0' in metrics.render()
    assert b'foliot_attempts_ended_total{cause="error"} 1.0' in metrics.render()
