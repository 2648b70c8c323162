"""The shape of a fire's run in one number: what takes only a few values, or is alike in all fires of a job.

A storm inserts thousands of runs in one statement, and each column of its set of rows costs its share. So these columns
travel as one number that the statement takes apart. What the job says of them is worked out once, when its definition
is compiled; the two lowest bits are the fire's own and are added to it.
"""

from typing import Final, NamedTuple

from foliot.domain.job import LoadedJob
from foliot.store.sql.firing.follow import follow_of, serial_of
from foliot.store.sql.kernel.packing import Packing

_PACKING: Final = Packing(catch_up=1, parked=1, serial=2, follow=8, priority=4, lane=None)

CATCH_UP: Final = _PACKING.one("catch_up")  # `runs.class`: it is paced, behind on-time fires
PARKED: Final = _PACKING.one("parked")


class RunShape(NamedTuple):
    """The columns of `runs` that are packed, lowest bits first."""

    catch_up: int
    parked: int
    serial: int
    follow: int
    priority: int
    lane: int

    @property
    def packed(self) -> int:
        return _PACKING.packed(**self._asdict())

    @classmethod
    def unpacked(cls, number: int) -> "RunShape":
        return cls._make(_PACKING.unpacked(number))

    @staticmethod
    def column(name: str, *, of: str) -> str:
        """The SQL of one of the columns, taken out of the packed number."""
        return _PACKING.taken_out(name, of=of)


def shape_of(job: LoadedJob) -> int:
    """The packed shape of every fire of this job, without the fire's own bits (`CATCH_UP`, `PARKED`)."""
    shape = RunShape(
        catch_up=0,
        parked=0,
        serial=serial_of(job),
        follow=follow_of(job, scheduled=True),
        priority=job.definition.priority,
        lane=job.lane_id,
    )
    return shape.packed
