"""What an edit means for waiting runs: which of them take the new version, and which move to the end of the line.

A run that was leased once keeps its version and its place for good; this is about the others. A run that may not
overlap starts when no live run stands before it in the job's line. So when an edit forbids overlap, every run that has
not begun moves to the end of the line, in the same order: behind all runs that may be in progress, before all that come
later.
`docs/decisions/edits-and-what-waits.md` has the table.
"""

from enum import StrEnum
from typing import NamedTuple, TypeAlias

from foliot.domain.job import Definition


class Part(StrEnum):
    """What a run is of a fire."""

    WHOLE = "whole"
    PARENT = "parent"  # cut into shards, which run in its place
    SHARD = "shard"
    MERGE = "merge"


class WaitingRun(NamedTuple):
    """A run that waits and was never leased; nor was a shard of it, if it is a parent."""

    part: Part = Part.WHOLE
    is_in_line: bool = True  # False: a trigger for later, which gets its place when it is due
    is_pinned: bool = False  # somebody asked for its version
    overlaps: bool = False  # it may run beside others of its job
    has_begun: bool = False  # another part of the same run was leased


class Keeps(StrEnum):
    """The run keeps its version, because..."""

    PINNED = "pinned"  # ... somebody asked for just this version
    SHARDS = "shards"  # ... the new version is cut into another number of shards
    WORKERS = "workers"  # ... each of its shards is a worker's own
    LINE = "line"  # ... the run it is a part of has begun, perhaps beside others, and the new version forbids that
    MERGE = "merge"  # ... the new version merges nothing


class Takes(NamedTuple):
    """The run takes the new version."""

    overlaps: bool


AfterEdit: TypeAlias = Takes | Keeps


def tightens(before: Definition | None, new: Definition) -> bool:
    """Whether the edit forbids an overlap that was there: then runs that have not begun move to the end of the line.

    None: nobody can read here what was.
    """
    if before is None:
        return new.is_serial
    return (new.is_serial and not before.is_serial) or (new.exclusive and not before.exclusive)


def after_edit(run: WaitingRun, old: Definition | None, new: Definition) -> AfterEdit:
    """What becomes of a waiting run of version `old` (None: it cannot be read here) when its job has version `new`."""
    is_newly_exclusive = new.exclusive and (old is None or not old.exclusive)
    if run.is_pinned and not is_newly_exclusive:
        return Keeps.PINNED
    if run.part is not Part.WHOLE:
        bound = _bound_to_its_run(run, old, new)
        if bound is not None:
            return bound
    elif run.is_in_line and new.cut_into:  # a run is cut when it gets its place, so one that is whole in line stays so
        return Keeps.SHARDS
    return Takes(_may_overlap(run, old, new))


def _bound_to_its_run(part: WaitingRun, old: Definition | None, new: Definition) -> Keeps | None:
    """Why a part stays as the run is that it belongs to; None: it need not."""
    if old is None or old.shards != new.shards:
        return Keeps.SHARDS
    if old.is_broadcast and part.part is not Part.MERGE:
        return Keeps.WORKERS
    if part.part is Part.MERGE and new.merge is None:
        return Keeps.MERGE
    return Keeps.LINE if part.has_begun and tightens(old, new) else None


def _may_overlap(run: WaitingRun, old: Definition | None, new: Definition) -> bool:
    """What a trigger asked for itself stays: an overlap of a serial job. No run of an exclusive job overlaps."""
    has_asked = run.overlaps and old is not None and old.is_serial
    return not new.exclusive and (has_asked or not new.is_serial)
