"""How a program asks for a lock until it holds it: how long, how often, and when a grant is fresh. No I/O here."""

from typing import Any, Final

from foliot.client.calls import Answer, Duration
from foliot.client.lock_keeper import LockTrust, OnLost
from foliot.client.machine import Machine
from foliot.domain.instants import SECOND, parse_duration

ASK_S: Final = 15.0  # a server holds one request at most this long
FRESH_SHARE: Final = 0.25  # of the ttl: how old a grant may be when the client learns of it


class LockRequest:
    """One claim of a program on its way to a lock. Sent again, it goes on from where it is."""

    def __init__(self, machine: Machine, named: dict[str, Any], *, ttl: Duration, wait: Duration | None) -> None:
        """`wait`: at most this long; 0: not at all; None: for ever."""
        self.named = {"claim": machine.token(), **named}
        self._machine = machine
        self._ttl_s = parse_duration(ttl) / SECOND
        self._wait_s = None if wait is None else parse_duration(wait) / SECOND
        self._asked_at = machine.monotonic()
        self._give_up_at = None if self._wait_s is None else self._asked_at + self._wait_s
        self._was_held = False

    def hold_s(self) -> float:
        """The next question begins: how long the server may hold it."""
        self._asked_at = self._machine.monotonic()
        if self._was_held:
            return 0.0
        left_s = ASK_S if self._give_up_at is None else self._give_up_at - self._asked_at
        return max(0.0, min(ASK_S, left_s))

    def question(self, hold_s: float) -> dict[str, Any]:
        """What a server is asked."""
        return {**self.named, "ttl": self._ttl_s, "wait": hold_s or None, "at_once": self._wait_s == 0}

    def is_granted(self, answer: Answer) -> bool:
        """Whether the lock is held from now on.

        The ttl began at some moment since the question was sent. After a long wait the program asks once more: that
        renews it.
        """
        is_fresh = self._machine.monotonic() - self._asked_at <= self._ttl_s * FRESH_SHARE
        was_held, self._was_held = self._was_held, answer["state"] == "HELD"
        return self._was_held and (is_fresh or was_held)

    @property
    def is_too_late(self) -> bool:
        """Whether the time to wait is over and the lock is another's."""
        if self._was_held or self._give_up_at is None:
            return False
        return self._machine.monotonic() >= self._give_up_at

    def trust(self, on_lost: OnLost | None) -> LockTrust:
        """How long the program believes that it holds the lock."""
        return LockTrust(asked_at=self._asked_at, ttl_s=self._ttl_s, on_lost=on_lost)
