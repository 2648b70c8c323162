"""Topics that wait to be sent: each once, in few messages, and locks before the rest."""

from foliot.domain.wakeups import (
    CLAIMS_NAMED_MAX,
    DUE,
    LOCK_SENDS_PER_S,
    LOCKS,
    READY,
    SENDS_PER_S,
    PendingWakeups,
    claim_of_topic,
    lock_topic,
    subject_of,
)


def test_a_topic_that_waits_already_is_not_new() -> None:
    pending = PendingWakeups()
    assert [pending.add(topic) for topic in (READY, READY, "lock:a", "lock:a")] == [True, False, True, False]
    assert pending.take(1000) == [READY, "lock:a"]
    assert pending.rest_s(1000) is None


def test_topics_for_everybody_go_ten_times_a_second_and_locks_more_often() -> None:
    pending = PendingWakeups()
    pending.add(READY)
    pending.take(1000)
    pending.add(DUE)
    assert pending.rest_s(1000) == 1000 + 1 / SENDS_PER_S - 1000
    pending.add("lock:a")
    assert pending.rest_s(1000) == 1000 + 1 / LOCK_SENDS_PER_S - 1000
    assert pending.take(1000.02) == ["lock:a"]
    assert pending.take(1000.1) == [DUE]


def test_too_many_claims_are_not_named() -> None:
    pending = PendingWakeups()
    for number in range(CLAIMS_NAMED_MAX):
        pending.add(lock_topic(str(number)))
    assert len(pending.take(1000)) == CLAIMS_NAMED_MAX
    for number in range(CLAIMS_NAMED_MAX + 10):
        pending.add(lock_topic(str(number)))
    assert pending.take(1001) == [LOCKS]


def test_a_claim_is_named_unless_that_would_break_the_message() -> None:
    assert claim_of_topic(lock_topic("a1")) == "a1"
    assert lock_topic("a ready") == LOCKS
    assert claim_of_topic(READY) is None
    assert [subject_of(topic) for topic in ("lock:a", LOCKS, READY)] == [LOCKS, LOCKS, READY]
