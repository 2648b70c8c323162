"""What leasing and ending need to know of a run, written into its row at insert so that they need not look it up."""

from typing import Final

from foliot.domain.edits import Part
from foliot.domain.job import LoadedJob
from foliot.domain.policies.overlap import Overlap

FIXED_DELAY: Final = 1  # the cursor waits for this scheduled run to end
LIMITS: Final = 2  # a lease took limits, the way out of RUNNING gives them back
CHILD: Final = 4  # a shard or merge run: its parent counts it
SERIAL: Final = 8  # the next in the job's line may be parked behind it
MERGE: Final = 16  # the merge run of a sharded run: its end ends the parent
PINNED: Final = 32  # somebody asked for its version: an edit does not take it along
PAST: Final = 64  # a backfill's run: it replaces none, and none replaces it
TRIAL: Final = 128  # a user tests the job with it: it is never tried again
OWN: Final = 256  # a shard that is one worker's own: no other gets it
OF_GROUP: Final = 512  # while it runs: it counts in the limit of its group
OF_NAMESPACE: Final = 1024  # while it runs: it counts in the limit of its namespace
OF_KEY: Final = 2048  # while it runs: it counts in the limit of its key
OF_WORKER: Final = 4096  # while it runs: it counts among the runs of its job on its worker

COUNTED_AT_LEASE: Final = OF_GROUP | OF_NAMESPACE | OF_KEY | OF_WORKER
"""A lease that takes such a limit sets them, and they go when the run goes back: such limits come at any time."""
COUNTED: Final = LIMITS | COUNTED_AT_LEASE
"""What the way out of RUNNING gives back."""

REPLACING: Final = 2  # of `runs.serial`: it replaces an earlier such run of the job, and a later one replaces it


def serial_of(job: LoadedJob) -> int:
    """`runs.serial`: 0 no, 1 yes, `REPLACING` yes and a later run replaces it."""
    overlap = job.definition.overlap
    return REPLACING if overlap is Overlap.REPLACE else int(overlap.is_serial)


def follow_of(job: LoadedJob, *, scheduled: bool) -> int:
    """`runs.follow`: what the end of a run sets off, as bits; the others are added where such a run is made."""
    definition = job.definition
    bits = 0
    if scheduled and definition.is_delayed:
        bits |= FIXED_DELAY
    if definition.limits or definition.max_running is not None:
        bits |= LIMITS
    if definition.is_serial:
        bits |= SERIAL
    return bits


def is_no_test(run: str) -> str:
    """The condition that leaves test runs out; `run` is the name of the runs in the statement.

    `<>`, not `= 0`: PostgreSQL would take a bit that must be 0 for rare, and read more runs than it needs.
    """
    return f"({run}.follow & {TRIAL}) <> {TRIAL}"


def part_of(follow: int) -> Part:
    """What a run with these bits is of a fire."""
    if follow & MERGE:
        return Part.MERGE
    return Part.SHARD if follow & CHILD else Part.WHOLE
