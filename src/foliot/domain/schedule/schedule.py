"""A job's schedule: the union of its triggers, within bounds, through a calendar, with jitter."""

import hashlib
from dataclasses import dataclass
from typing import Any

from foliot.domain.instants import Instant, Micros
from foliot.domain.schedule.calendars import ALLOWED, Calendar, Ruling
from foliot.domain.schedule.every import FixedDelay
from foliot.domain.schedule.trigger import Trigger


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When a job is due. Instants are nominal: the calendar rules on them, jitter only delays the wake-up."""

    triggers: tuple[Trigger, ...]
    start_at: Instant | None = None
    end_at: Instant | None = None
    count: int | None = None
    jitter_us: Micros = 0
    calendar: Calendar | None = None

    def next_after(self, instant: Instant) -> Instant | None:
        """The least nominal instant after this one, within the bounds."""
        if self.start_at is not None and instant < self.start_at:
            instant = self.start_at - 1
        due = [at for at in (trigger.next_after(instant) for trigger in self.triggers) if at is not None]
        due_at = min(due, default=None)
        return None if due_at is None or (self.end_at is not None and due_at >= self.end_at) else due_at

    def previous_before(self, instant: Instant) -> Instant | None:
        """The greatest nominal instant before this one, within the bounds."""
        if self.end_at is not None and instant > self.end_at:
            instant = self.end_at
        due = [at for at in (trigger.previous_before(instant) for trigger in self.triggers) if at is not None]
        due_at = max(due, default=None)
        return None if due_at is None or (self.start_at is not None and due_at < self.start_at) else due_at

    def count_between(self, after: Instant, until: Instant) -> int:
        """How many nominal instants lie in (after, until]."""
        if self.start_at is not None:
            after = max(after, self.start_at - 1)
        if self.end_at is not None:
            until = min(until, self.end_at - 1)
        if len(self.triggers) == 1:
            return self.triggers[0].count_between(after, until) if until > after else 0
        n = 0
        at = self.next_after(after)
        while at is not None and at <= until:
            n += 1
            at = self.next_after(at)
        return n

    def ruling(self, instant: Instant) -> Ruling:
        """Whether the calendar allows this instant, and if not, why."""
        return self.calendar.ruling(instant) if self.calendar else ALLOWED

    def next_allowed_after(self, instant: Instant) -> Instant | None:
        """The least nominal instant after this one that the calendar allows."""
        at = self.next_after(instant)
        while at is not None and not self.ruling(at).is_allowed:
            at = self.next_after(at)
        return at

    def previous_allowed_before(self, instant: Instant) -> Instant | None:
        """The greatest nominal instant before this one that the calendar allows."""
        at = self.previous_before(instant)
        while at is not None and not self.ruling(at).is_allowed:
            at = self.previous_before(at)
        return at

    def allowed_between(self, after: Instant, until: Instant) -> int:
        """How many instants in (after, until] the calendar allows."""
        if self.calendar is None:
            return self.count_between(after, until)
        n = 0
        at = self.next_allowed_after(after)
        while at is not None and at <= until:
            n += 1
            at = self.next_allowed_after(at)
        return n

    def wake_at(self, job: str, due_at: Instant) -> Instant:
        """When to act on a due instant: up to `jitter_us` later, the same on every node, before the next instant."""
        if not self.jitter_us:
            return due_at
        room = self.jitter_us + 1
        next_at = self.next_after(due_at)
        if next_at is not None:
            room = min(room, next_at - due_at)
        digest = hashlib.blake2b(f"{job}\0{due_at}".encode(), digest_size=8).digest()
        return due_at + int.from_bytes(digest, "big") % room

    @property
    def fixed_delay_us(self) -> Micros | None:
        """Set when the end of a run sets the next instant."""
        trigger = self.triggers[0] if self.triggers else None
        return trigger.delay_us if isinstance(trigger, FixedDelay) else None

    def to_document(self) -> dict[str, Any]:
        """The form job files have."""
        from foliot.domain.schedule.document import to_document

        return to_document(self)
