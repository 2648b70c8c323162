"""A waiting run under the version that an edit gave its job: the columns of its row that follow from it."""

from typing import Final, NamedTuple

from foliot.domain.edits import Part, Takes, WaitingRun, after_edit
from foliot.domain.job import LoadedJob
from foliot.store.sql.firing.follow import (
    CHILD,
    LIMITS,
    MERGE,
    PAST,
    PINNED,
    SERIAL,
    TRIAL,
    follow_of,
    part_of,
    serial_of,
)

_OF_A_RUN: Final = CHILD | MERGE


class Row(NamedTuple):
    """What an edit looks at in the row of a run that was never leased."""

    follow: int
    serial: int
    priority: int
    is_in_line: bool
    is_scheduled: bool  # a fire of the schedule, which a fixed delay waits for
    has_begun: bool = False  # another part of the same run was leased
    is_parent: bool = False  # it is cut into shards


class Edited(NamedTuple):
    """The row's columns by the version it goes by from now on."""

    job: LoadedJob
    lane: int
    priority: int
    serial: int
    follow: int


def edited(row: Row, old: LoadedJob | None, new: LoadedJob) -> Edited | None:
    """The row under the new version; None: it stays as it is.

    What a trigger asked for itself stays: its priority, and an overlap where the new version knows any.
    """
    waiting = WaitingRun(
        part=Part.PARENT if row.is_parent else part_of(row.follow),
        is_in_line=row.is_in_line,
        is_pinned=bool(row.follow & PINNED),
        overlaps=not row.serial,
        has_begun=row.has_begun,
    )
    before = old.definition if old is not None else None
    after = after_edit(waiting, before, new.definition)
    if not isinstance(after, Takes):
        return None
    serial = 0 if after.overlaps else serial_of(new)
    is_usual = old is None or row.priority == old.definition.priority
    priority = new.definition.priority if is_usual else row.priority
    lane = new.lane_id
    if row.follow & MERGE:
        assert new.merge_lane_id is not None, new
        lane = new.merge_lane_id
    return Edited(new, lane, priority, serial, _follow(row, serial, new))


def admitted(row: Row, old: LoadedJob | None, new: LoadedJob) -> Edited | None:
    """The row of a trigger that was for later and is due: an edit may not have reached it yet. None: unreadable here.

    One that keeps the version it was asked for waits for its turn if that or the job's present version says so. An
    overlap that its trigger asked for holds where neither is exclusive.
    """
    taken = edited(row, old, new)
    if taken is not None or old is None:
        return taken
    is_exclusive = old.definition.exclusive or new.definition.exclusive
    has_asked = not row.serial and old.definition.is_serial and not is_exclusive
    serial = 0 if has_asked else serial_of(new) or serial_of(old)
    follow = _follow(row, serial, old) | PINNED
    return Edited(old, old.lane_id, row.priority, serial, follow)


def _follow(row: Row, serial: int, job: LoadedJob) -> int:
    follow = follow_of(job, scheduled=row.is_scheduled) | (row.follow & (PAST | TRIAL))
    if row.is_parent:
        return row.follow | (follow & ~LIMITS)  # a parent is never leased, so it takes none
    if row.follow & _OF_A_RUN:
        return (row.follow & ~LIMITS) | (follow & LIMITS)
    return follow | SERIAL if serial else follow
