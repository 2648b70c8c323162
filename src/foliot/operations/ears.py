"""Ears: of which runs a worker is heard, and where what it says of them is read.

Reading JSON takes long for each byte. So a message is weighed first, by counting: a light one is read at once, a heavy
one beside the loop, slice by slice, and only what it says of leases that are the speaker's own. One that is heavier
than that is not read at all; a worker divides its reports then (SEC-32).
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import structlog

from foliot.domain.verdict import REPORTED
from foliot.operations.aside import AT_ONCE, aside, in_slices
from foliot.operations.hearing import (
    TooMuchInside,
    bare_lease,
    heard_leases,
    heard_reports,
    weight_of_lease,
    weight_of_report,
)
from foliot.ports.store.runs import RunStore
from foliot.ports.worker_link import Beat, HeldLease, Report

LOOK_UP_FROM: Final = 256 * 1024  # from here on a look at the store costs less than reading for nothing
REPORTS_WEIGHT_MAX: Final = 1024 * 1024  # of a message; one report weighs less, whatever it holds
BEAT_WEIGHT_MAX: Final = 4 * 1024 * 1024
HELD_AT_ONCE: Final = 2000
HELD_BEYOND_SLOTS: Final = 20_000  # leased ahead, and ended without an answer yet

log = structlog.get_logger("foliot.workers")


class Ears:
    """Hears what workers say of their runs."""

    def __init__(self, runs: RunStore) -> None:
        self._runs = runs

    async def reports(self, session: str, reports: Sequence[Report], *, owner: str) -> Sequence[Report | None]:
        """Each report as it can be kept; None: it is not the speaker's to say.

        `session`: known to be the speaker's own; empty: none is.
        """
        weight = sum(map(weight_of_report, reports))
        if weight > REPORTS_WEIGHT_MAX:
            raise TooMuchInside("reports", f"{REPORTS_WEIGHT_MAX} parts")
        said = _within_its_say(reports, session)
        if not session or weight > LOOK_UP_FROM:
            said = await self._own_reports(session, said, owner)
        if weight <= AT_ONCE:
            return heard_reports(said)
        return await in_slices(heard_reports, said, weight_of_report)

    async def beat(self, beat: Beat, *, owner: str, slots: int) -> Beat:
        """The beat with each lease once, and without what cannot be kept of its runs."""
        most = 2 * slots + HELD_BEYOND_SLOTS
        if len(beat.held) > most:
            raise TooMuchInside("held leases", str(most))
        is_short = len(beat.held) <= HELD_AT_ONCE
        held: Sequence[HeldLease] = _once_each(beat.held) if is_short else await aside(_once_each, beat.held)
        weight = _weight_of(held) if is_short else await aside(_weight_of, held)
        if weight > LOOK_UP_FROM:
            held = await self._own_leases(beat.session, held, owner)
        if weight > AT_ONCE:
            held = await in_slices(heard_leases, held, weight_of_lease)
        elif weight:
            held = heard_leases(held)
        return beat if held is beat.held else msgspec.structs.replace(beat, held=tuple(held))

    async def _own_reports(self, session: str, said: Sequence[Report | None], owner: str) -> Sequence[Report | None]:
        leases = [(report.run_id, report.lease_id) for report in said if report is not None]
        own = await self._runs.own_leases(session, leases, owner=owner)
        return [report if report is not None and report.lease_id in own else None for report in said]

    async def _own_leases(self, session: str, held: Sequence[HeldLease], owner: str) -> Sequence[HeldLease]:
        """The leases; without what is said of those that are another's, and of those beyond what is read."""
        leases = [(lease.run_id, lease.lease_id) for lease in held if weight_of_lease(lease)]
        own = await self._runs.own_leases(session, leases, owner=owner)
        return await aside(_bare_but, own, held)


def _within_its_say(reports: Sequence[Report], session: str) -> Sequence[Report | None]:
    """A worker says how its attempt ended; that it was lost, or never came to it, the server finds for itself."""
    wrong = [report for report in reports if report.cause not in REPORTED]
    if not wrong:
        return reports
    log.warning("report.cause_refused", session=session, reports=len(wrong), cause=wrong[0].cause)
    return [report if report.cause in REPORTED else None for report in reports]


def _once_each(held: tuple[HeldLease, ...]) -> tuple[HeldLease, ...]:
    by_id = {lease.lease_id: lease for lease in held}
    return held if len(by_id) == len(held) else tuple(by_id.values())


def _weight_of(held: Sequence[HeldLease]) -> int:
    return sum(map(weight_of_lease, held))


def _bare_but(own: frozenset[str], held: Sequence[HeldLease]) -> Sequence[HeldLease]:
    left = BEAT_WEIGHT_MAX
    kept: list[HeldLease] = []
    for lease in held:
        weight = weight_of_lease(lease)
        if weight and (lease.lease_id not in own or weight > left):
            kept.append(bare_lease(lease))
            continue
        left -= weight
        kept.append(lease)
    return kept
