"""One session: how long the worker may trust it, the leases it holds, and which of its requests are settled."""

import threading
from collections.abc import Iterable
from typing import Final

import msgspec

from foliot.domain.health import Health
from foliot.domain.instants import SECOND
from foliot.domain.texts import NOTE_MAX
from foliot.ports.worker_link import HeldLease, Welcome
from foliot.worker.attempt import Attempt
from foliot.worker.lines import safe_text
from foliot.worker.secrets.cover import Cover

_NEVER: Final = float("-inf")


class Session:
    """What one registration stands for, until the store says it is dead. The loop and the beat thread share it.

    Trust counts from when the last *answered* beat was sent, never from its answer: the store may have written it down
    at any moment in between.
    """

    def __init__(self, session_id: str, welcome: Welcome, *, sent_at: float) -> None:
        self.id: Final = session_id
        self.ttl_s: Final = welcome.session_ttl_us / SECOND
        self.beat_every_s: Final = welcome.beat_every_us / SECOND
        self.margin_s: Final = welcome.margin_us / SECOND
        self.trusted_until = sent_at + self.ttl_s - self.margin_s
        self.is_dead = False
        self.is_draining = False  # the server gives it no more work
        self.health: str = Health.ONLINE  # its band, as the server says
        self._lock = threading.Lock()
        self._held: dict[str, Attempt] = {}
        self._settled = 0
        self._request_no = 0

    def is_trusted(self, now: float) -> bool:
        """Whether a handler may be started at `now` by the monotonic clock."""
        return now < self.trusted_until

    def renew(self, sent_at: float) -> None:
        """A beat sent then was answered."""
        if not self.is_dead:
            self.trusted_until = max(self.trusted_until, sent_at + self.ttl_s - self.margin_s)

    def die(self) -> None:
        """The store says it is over: nothing may start any more, from this instant on and in any thread."""
        self.is_dead = True
        self.trusted_until = _NEVER

    def next_request(self) -> int:
        """The number of the next poll."""
        self._request_no += 1
        return self._request_no

    @property
    def settled(self) -> int:
        """Each request up to this one was answered or given up."""
        return self._settled

    def take(self, request_no: int, attempts: Iterable[Attempt]) -> list[Attempt]:
        """A poll was answered: hold its leases and settle it, in one step; return the new leases."""
        with self._lock:
            if request_no <= self._settled:
                return []  # given up before: the store has taken these runs back or will
            fresh = [attempt for attempt in attempts if attempt.run.lease_id not in self._held]
            self._held.update((attempt.run.lease_id, attempt) for attempt in fresh)
            self._settled = request_no
            return fresh

    def settle(self, request_no: int) -> None:
        """A poll is given up: an answer that comes later will be dropped."""
        with self._lock:
            self._settled = max(self._settled, request_no)

    def release(self, lease_ids: Iterable[str]) -> None:
        """These ends are acknowledged, or these leases are another's."""
        with self._lock:
            for lease_id in lease_ids:
                self._held.pop(lease_id, None)

    def find(self, lease_id: str) -> Attempt | None:
        """The attempt with this lease, if it is held."""
        return self._held.get(lease_id)

    def held(self) -> tuple[int, list[Attempt]]:
        """Settled and the leases held, as of one moment."""
        with self._lock:
            return self._settled, list(self._held.values())

    @property
    def held_count(self) -> int:
        return len(self._held)


def to_held(attempt: Attempt, *, now: float, checkpoint: str | None = None) -> HeldLease:
    """What a beat says of an attempt; its checkpoint when it is that one's turn."""
    started_at, progress, wait = attempt.started_at, attempt.progress, attempt.waits
    return HeldLease(
        run_id=attempt.run.run_id,
        lease_id=attempt.run.lease_id,
        started_us_ago=None if started_at is None else max(0, int((now - started_at) * SECOND)),
        progress=None if progress is None else _progress_json(attempt.cover, *progress),
        checkpoint=checkpoint,
        waits_for=None if wait is None else wait.what,
        waits_us_ago=0 if wait is None else max(0, int((now - wait.since) * SECOND)),
    )


def _progress_json(cover: Cover, done: int, total: int | None, note: str) -> str | None:
    shown = safe_text(cover.hidden(str(note))[:NOTE_MAX])
    try:
        return msgspec.json.encode({"done": done, "total": total, "note": shown}).decode()
    except (OverflowError, TypeError):  # numbers no JSON can hold: a beat must go out all the same
        return None
