"""Metrics of rules: those of the metrics page, and a refusal that names the nearest."""

import pytest

from foliot.domain.alerts.condition_text import condition_from
from foliot.domain.alerts.rule_metrics import NODE_PREFIX, RULE_METRICS, check_metric
from foliot.domain.errors import BadField
from foliot.observability.catalogue import METRICS


def test_metrics_of_rules_are_those_of_the_metrics_page() -> None:
    for one in RULE_METRICS:
        assert one.name in METRICS, one.name
        if not one.name.startswith(NODE_PREFIX):  # rules ask of the group of a node, the page shows its id
            assert set(one.labels) <= set(METRICS[one.name].labels), one.name


@pytest.mark.parametrize(
    ("written", "why", "hint"),
    [
        (
            "foliot_queue_oldest > 5",
            "rules know no metric foliot_queue_oldest",
            "did you mean foliot_queue_oldest_seconds?",
        ),
        ('foliot_jobs{group="a"} > 5', "the metric foliot_jobs has no label group", "state"),
        ("foliot_job_runs_ended_total > 5", "needs the label job_name", "write job_name"),
    ],
)
def test_a_metric_that_no_leader_sees_is_refused_with_the_nearest(written: str, why: str, hint: str) -> None:
    with pytest.raises(BadField) as refused:
        check_metric(condition_from(written))
    assert why in refused.value.sentence
    assert hint in (refused.value.hint or "")


@pytest.mark.parametrize("written", ['foliot_node_gpu{node="w-1"} > 0.9', "foliot_overdue_seconds > 60", "failed"])
def test_what_a_leader_may_see_is_taken(written: str) -> None:
    check_metric(condition_from(written))
