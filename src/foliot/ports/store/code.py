"""Code: what the code of workers declares, and the jobs that none of it declares any more."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from foliot.domain.changes import Plans
from foliot.domain.instants import Instant, Micros
from foliot.domain.sources import Code, Source
from foliot.ports.store.journal import Happening


class LiveCode(NamedTuple):
    """What some live workers have as their code. `hash` None: an older server did not note it."""

    hash: str | None
    namespace: str | None  # the only one that these workers serve


class LiveCodes(NamedTuple):
    """The code of live workers, each once."""

    codes: frozenset[LiveCode]
    newest_at: Instant  # when a worker last registered, whether it lives or not


class RetiringJob(NamedTuple):
    """A job that is being retired, or that comes back from it."""

    job_id: int
    cursor_ver: int  # of this change: so that the note of it is made once
    namespace: str
    name: str
    module: str
    since: Instant  # no live worker declared it from then on
    renamed_to: str | None = None


class RetirementWords(NamedTuple):
    """How a retirement is put down: the reason of the pause, and the note in the journal."""

    reason: str
    note: Happening


class RetiredPage(NamedTuple):
    """What a step of retiring did."""

    jobs: Sequence[RetiringJob]
    next_after: int | None  # the job to go on behind; None: that was all
    has_backlog: bool = False  # of some job, more instants are due than one step decides: it is not retired yet


class CodeStore(Protocol):
    """Keeps what the code of workers declares. A job without a live worker that declares it is retired.

    *Declares*: a session that is not dead has a code with this job. The leader first marks such a job, and retires it
    later, when it looked again after the mark was committed. A worker first registers its session, and takes back the
    marks of its jobs after that was committed. So one of them always sees the other's write.
    """

    async def keep(self, code: Code) -> None:
        """Keep what some code declares, in steps of bounded size; known code costs one read."""
        ...

    async def live(self) -> LiveCodes: ...

    async def sources(self, hashes: Collection[str]) -> Mapping[str, Sequence[Source]]:
        """The sources that each of these codes has loaded. What is kept under a hash never changes."""
        ...

    async def modules_with_jobs(self, modules: Collection[str]) -> frozenset[str]:
        """Those of the modules that declared some job."""
        ...

    async def mark(self, source: Source, *, after: int, limit: int, term: int) -> int | None:
        """Mark jobs of a source that no live worker declares; the last job looked at, None at the end."""
        ...

    async def retire(
        self,
        source: Source,
        *,
        after: int,
        limit: int,
        plans: Plans,
        words: Callable[[RetiringJob], RetirementWords],
        term: int,
    ) -> RetiredPage:
        """Pause marked jobs of a source, while live workers have it loaded and still none declares them.

        A job that a user has paused, or whose definition says `keep_when_removed`, is left as it is.
        """
        ...

    async def declared_again(
        self,
        code: str | None,
        *,
        limit: int,
        plans: Plans,
        note: Callable[[RetiringJob], Happening],
        term: int | None = None,
    ) -> RetiredPage:
        """Take marks back from jobs that this code declares (None: that some live worker does); resume retired ones."""
        ...

    async def ask_again(self, *, limit: int, term: int) -> Sequence[str]:
        """Ask live workers to declare their jobs again, where a job of theirs belongs to another module.

        That module's own workers are gone, or declare the job no more: whoever declares it now gets it. The word is in
        the answer to a beat, until a worker with that code registers again. Which codes were asked for.
        """
        ...

    async def forget(self, *, unused_us: Micros, limit: int, term: int) -> int:
        """Delete what codes declared, and what workers said of their kinds, that no live worker has had for a time.

        How many rows, of some.
        """
        ...
