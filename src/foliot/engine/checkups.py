"""Checkups: once a minute the leader examines the cluster, keeps the grades, and notes which of them changed."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import structlog

from foliot.domain.checkup import Finding, Grade
from foliot.domain.checkup.steadiness import GradeChange, SteadyGrade, next_grades
from foliot.domain.instants import Instant
from foliot.ports.store.checkup import CheckupStore
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.ports.store.journal import Happening, Topic

EVERY_S: Final = 60.0

Examine: TypeAlias = Callable[[], Awaitable[Sequence[Finding]]]
"""Look at everything now."""
GradesTold: TypeAlias = Callable[[int, Mapping[str, Grade]], None]
"""Called with a term and the grade of each check."""
FindingsTold: TypeAlias = Callable[[Sequence[Finding], Mapping[str, Grade]], None]
"""Called with what was found, and the grade that each check has after it."""

log = structlog.get_logger("foliot.engine")


class Checkups:
    """The last grades are in the store: a new leader goes on from there, and tells no change twice."""

    def __init__(
        self,
        store: CheckupStore,
        examine: Examine,
        *,
        on_graded: GradesTold,
        on_found: FindingsTold = lambda _findings, _grades: None,
    ) -> None:
        self._store = store
        self._examine = examine
        self._on_graded = on_graded
        self._on_found = on_found

    async def check_up(self, term: int) -> None:
        """A store that is busy or away is examined at the next round: one in a hurry would only add to its work."""
        try:
            await self._check_up(term)
        except (StoreBusy, StoreUnavailable) as trouble:
            log.warning("health.not_examined", why=str(trouble))

    async def _check_up(self, term: int) -> None:
        findings = await self._examine()
        kept = await self._store.kept()
        before: Mapping[str, SteadyGrade] = {} if kept is None else kept.grades
        grades, changes = next_grades(before, findings)
        happenings = list(_notes(changes, findings, since=0 if kept is None else kept.at))
        if not await self._store.keep(grades, happenings, term=term):
            return  # another server leads by now
        for change in changes:
            tell = log.warning if change.after.badness > change.before.badness else log.info
            tell("health.changed", check=change.check, before=change.before, after=change.after)
        by_check = {check: steady.grade for check, steady in grades.items()}
        self._on_graded(term, by_check)
        self._on_found(findings, by_check)


def _notes(changes: Sequence[GradeChange], findings: Sequence[Finding], *, since: Instant) -> Iterator[Happening]:
    """`since`: the instant of the checkup before. It makes the key of a note unique, on any server."""
    by_check = {finding.check: finding for finding in findings}
    for change in changes:
        finding = by_check[change.check]
        yield Happening(
            key=f"health.changed:{change.check}:{since}",
            topic=Topic.CLUSTER,
            kind="health.changed",
            subject=change.check,
            data={
                "from": change.before,
                "to": change.after,
                "value": finding.value,
                "unit": finding.unit,
                "about": finding.subject or None,
            },
        )
