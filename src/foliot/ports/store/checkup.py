"""Checkups: what the database says of itself, which runs wait, how jobs do, the last grades. They decide nothing."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from foliot.domain.checkup.facts import JobOutcomes, Reading, ShortLimit
from foliot.domain.checkup.steadiness import SteadyGrade
from foliot.domain.instants import Instant
from foliot.domain.job import Lane
from foliot.ports.store.journal import Happening


class WaitingLane(NamedTuple):
    """A lane and the instant since which its oldest ready run may start; None: none is ready, one will be due soon."""

    lane: Lane
    since: Instant | None
    short: ShortLimit | None = None  # of which its runs take more than there is


class KeptCheckup(NamedTuple):
    """The leader's last checkup."""

    at: Instant
    grades: Mapping[str, SteadyGrade]


class CheckupStore(Protocol):
    """Each question is bounded in time and in the rows that it looks at."""

    async def readings(self) -> Mapping[str, Reading]:
        """What the database says of itself. A question that its user may not ask names the right that is missing."""
        ...

    async def overdue(self, *, limit: int) -> int:
        """How many jobs have a due instant that is undecided; counted to a limit."""
        ...

    async def lanes(self, *, limit: int) -> Sequence[WaitingLane]:
        """Lanes in which runs are ready, and those of the jobs that are due next."""
        ...

    async def outcomes(self, *, limit: int) -> Sequence[JobOutcomes]:
        """How the latest runs of the jobs ended that failed most often in the last hour, among the newest runs.

        Beside them how runs of the same jobs ended before: by the statistics of the weeks before today, or, for a
        young job, by its newest runs.
        """
        ...

    async def empty_log(self) -> int:
        """Write the write-ahead log of a store in a file back; how many pages. 0 for any other store."""
        ...

    async def keep(self, grades: Mapping[str, SteadyGrade], happenings: Sequence[Happening], *, term: int) -> bool:
        """Keep the leader's grades in place of the last ones and note what changed, in one transaction under its term.

        False: the term is over, and nothing changed.
        """
        ...

    async def kept(self) -> KeptCheckup | None:
        """The leader's last checkup; None: there was none yet."""
        ...
