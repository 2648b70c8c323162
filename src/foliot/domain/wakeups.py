"""What servers wake each other for, and how often they may (R15).

A topic is one word. `ready`, `due` and `stop` make every other server ask the store, so they are sent at most ten
times a second. `changed` makes only those servers ask that have watchers. A lock that was granted to a claim which
waits at another server has a topic of its own, `lock:CLAIM`: only the server at which that claim waits asks the store.
So these may be sent more often.
"""

from typing import Final

READY: Final = "ready"
DUE: Final = "due"
STOP: Final = "stop"
ROLES: Final = "roles"
"""A server has another role now: it learns of it by its next beat."""
LOCKS: Final = "locks"
"""Some claims were granted: too many to name them."""
CHANGED: Final = "changed"
"""A user changed something: the consoles of other users should show it soon."""
NOTICES: Final = "notices"
"""Something waits in the outbox: the leader tells it at once."""
MISSED: Final = "missed"
"""Some wake-ups were lost: the server looks at everything once. A backend says it whenever it begins to listen."""

TOPICS: Final = (READY, DUE, STOP, ROLES, LOCKS, CHANGED, NOTICES, MISSED)
"""What is counted: a newer server may say more."""

SENDS_PER_S: Final = 10
LOCK_SENDS_PER_S: Final = 100
CLAIMS_NAMED_MAX: Final = 50
"""Claims that one message names."""
_LOCK: Final = "lock:"


def lock_topic(claim: str) -> str:
    """The topic of a claim that holds its lock now. A topic has no spaces: a claim with one is not named."""
    return f"{_LOCK}{claim}" if claim.isalnum() else LOCKS


def claim_of_topic(topic: str) -> str | None:
    """The claim that a topic names, if it names one."""
    return topic.removeprefix(_LOCK) if topic.startswith(_LOCK) else None


def subject_of(topic: str) -> str:
    """The topic without the claim: what is counted."""
    return LOCKS if topic.startswith(_LOCK) else topic


class PendingWakeups:
    """Topics that wait to be sent: each once, and no more than one message holds. Times are monotonic seconds."""

    def __init__(self) -> None:
        self._topics: set[str] = set()
        self._locks: set[str] = set()
        self._next_at = 0.0
        self._next_locks_at = 0.0

    def add(self, topic: str) -> bool:
        """Keep a topic until it is sent; return whether it is new."""
        if subject_of(topic) != LOCKS:
            is_new = topic not in self._topics
            self._topics.add(topic)
            return is_new
        if topic in self._locks or LOCKS in self._locks:
            return False
        self._locks.add(topic)
        if topic == LOCKS or len(self._locks) > CLAIMS_NAMED_MAX:
            self._locks = {LOCKS}
        return True

    def rest_s(self, now: float) -> float | None:
        """How long to wait until something may be sent; None: nothing waits."""
        rests = [self._next_at - now] if self._topics else []
        if self._locks:
            rests.append(self._next_locks_at - now)
        return max(0.0, min(rests)) if rests else None

    def take(self, now: float) -> list[str]:
        """What may be sent now: one message."""
        taken: list[str] = []
        if now >= self._next_at:
            taken += sorted(self._topics)
            self._topics.clear()
        if now >= self._next_locks_at:
            taken += sorted(self._locks)
            self._locks.clear()
        if any(subject_of(topic) != LOCKS for topic in taken):
            self._next_at = now + 1 / SENDS_PER_S
        self._next_locks_at = now + 1 / LOCK_SENDS_PER_S
        return taken
