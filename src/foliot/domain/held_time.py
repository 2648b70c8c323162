"""Held time: what was due while a job was paused, under versions that were edited before the pause ended.

An edit of a paused job leaves out the paused instants of the version it replaces, and holds them: the ledger says
`paused`, and a resume that catches up takes them back. It then decides them together with those of the present version,
by the present version's policies, as if the job had one schedule that changed in between.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from foliot.domain.instants import Instant
from foliot.domain.schedule import Schedule


class HeldStretch(NamedTuple):
    """A stretch of paused instants, both ends included, and the schedule they are of."""

    schedule: Schedule
    from_at: Instant
    to_at: Instant


def can_be_held(schedule: Schedule) -> bool:
    """Whether paused instants can be decided later: those of a fixed delay come from the end of a run instead."""
    return schedule.fixed_delay_us is None


def joined(held: Sequence[HeldStretch], present: Schedule, first: Instant | None) -> Schedule:
    """One schedule: the held stretches in order, then the present version from its first undecided instant on."""
    stretches: list[HeldStretch] = []
    for stretch in held:
        if stretches and stretches[-1].schedule == stretch.schedule:
            stretches[-1] = stretches[-1]._replace(to_at=stretch.to_at)
        else:
            stretches.append(stretch)
    parts = [_part(schedule, from_at, to_at + 1) for schedule, from_at, to_at in stretches]
    if first is not None:
        parts.append(_part(present, first, present.end_at))
    return Schedule(triggers=tuple(parts))


def _part(schedule: Schedule, start_at: Instant, end_at: Instant | None) -> Schedule:
    return replace(schedule, start_at=start_at, end_at=end_at, count=None)
