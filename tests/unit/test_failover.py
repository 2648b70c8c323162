"""Policies of failovers: the defaults fit the cluster's times, and a change that cannot work is refused."""

import pytest

from foliot.app.settings import Timing
from foliot.domain.errors import FoliotError
from foliot.domain.failover import (
    DEFAULTS,
    Affected,
    BadPolicyValue,
    ClusterTimes,
    FailoverType,
    FixedPolicy,
    PolicyChange,
    PolicyTooTight,
    Urgency,
    changed_policy,
    check_timeout,
)
from foliot.domain.instants import DAY, MINUTE, SECOND
from foliot.domain.locks import TTL_USUAL

CRASH = DEFAULTS[FailoverType.WORKER_CRASH]
TIMEOUT = DEFAULTS[FailoverType.RUN_TIMEOUT]


def times() -> ClusterTimes:
    timing = Timing()
    return ClusterTimes(
        beat_every_us=timing.session.beat_every_us,
        session_ttl_us=timing.session.ttl_us,
        grace_us=timing.grace_us,
        leader_ttl_us=timing.leader_ttl_us,
        lock_ttl_us=TTL_USUAL,
    )


@pytest.mark.parametrize("type_", list(FailoverType))
def test_every_type_has_a_policy_that_fits_the_times_of_a_cluster(type_: FailoverType) -> None:
    check_timeout(DEFAULTS[type_], times())


def test_a_node_is_dead_after_three_beats_and_its_runs_are_elsewhere_soon_after() -> None:
    assert times().failure_threshold == 3
    assert times().failover_us == 19 * SECOND


def test_a_change_keeps_what_it_does_not_name() -> None:
    changed = changed_policy(CRASH, PolicyChange(timeout_us=MINUTE, channel="night-shift"), times())
    assert (changed.timeout_us, changed.channel, changed.level) == (MINUTE, "night-shift", Urgency.HIGH)
    assert changed_policy(changed, PolicyChange(channel="-"), times()).channel == ""
    assert changed_policy(TIMEOUT, PolicyChange(attempts=3), times()).attempts == 3


@pytest.mark.parametrize(
    ("type_", "change", "error"),
    [
        (FailoverType.WORKER_CRASH, PolicyChange(timeout_us=18 * SECOND), PolicyTooTight),
        (FailoverType.COORDINATION_UNREACHABLE, PolicyChange(timeout_us=9 * SECOND), PolicyTooTight),
        (FailoverType.RESOURCE_EXHAUSTION, PolicyChange(timeout_us=14 * SECOND), PolicyTooTight),
        (FailoverType.LOCK_DEADLOCK, PolicyChange(timeout_us=SECOND), PolicyTooTight),
        (FailoverType.CLOCK_STEP, PolicyChange(timeout_us=2 * DAY), BadPolicyValue),
        (FailoverType.WORKER_CRASH, PolicyChange(attempts=2), FixedPolicy),
        (FailoverType.RUN_TIMEOUT, PolicyChange(attempts=0), BadPolicyValue),
        (FailoverType.RUN_TIMEOUT, PolicyChange(level="loud"), BadPolicyValue),
        (FailoverType.RUN_TIMEOUT, PolicyChange(channel="a\0b"), BadPolicyValue),
        (FailoverType.RUN_TIMEOUT, PolicyChange(channel="x" * 101), BadPolicyValue),
    ],
)
def test_what_cannot_work_is_refused(type_: FailoverType, change: PolicyChange, error: type[FoliotError]) -> None:
    with pytest.raises(error) as refused:
        changed_policy(DEFAULTS[type_], change, times())
    assert refused.value.hint


def test_an_occurrence_needs_a_person_when_it_lasts_or_comes_too_often() -> None:
    assert TIMEOUT.attempts is not None
    assert not TIMEOUT.is_exceeded(lasted_us=SECOND, attempts=TIMEOUT.attempts)
    assert TIMEOUT.is_exceeded(lasted_us=SECOND, attempts=TIMEOUT.attempts + 1)
    assert TIMEOUT.is_exceeded(lasted_us=TIMEOUT.timeout_us + 1, attempts=1)
    assert not CRASH.is_exceeded(lasted_us=SECOND, attempts=10_000)


def test_what_is_affected_is_counted_whole_and_named_once() -> None:
    both = Affected(runs=2, run_ids=(1, 2), jobs=("pay",)).with_more(
        Affected(runs=3, run_ids=(2, 3), jobs=("pay", "bill"))
    )
    assert both == Affected(runs=5, run_ids=(1, 2, 3), jobs=("pay", "bill"))
