"""Worker messages: how much of a worker's reports and beats the server reads, and for which leases.

Reading JSON takes long for each byte. So the server first weighs a message by counting. It reads a light message at
once. It reads a heavy one in the side thread, slice by slice, and only what it says of the worker's own leases. It
refuses a message that is heavier than that; the worker then divides its reports (SEC-32).
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import structlog

from foliot.domain.verdict import REPORTED
from foliot.operations.side_thread import AT_ONCE, in_side_thread, in_slices
from foliot.operations.worker_reports import (
    TooMuchInside,
    bare_lease,
    reports_that_tell,
    storable_leases,
    storable_reports,
    weight_of_lease,
    weight_of_report,
)
from foliot.ports.store.runs import RunStore
from foliot.ports.worker_link import Beat, HeldLease, Report

LOOK_UP_FROM: Final = 256 * 1024  # from this weight on, asking the store whose leases these are costs less than reading
REPORTS_WEIGHT_MAX: Final = 1024 * 1024  # of a message; one report weighs less, whatever it holds
BEAT_WEIGHT_MAX: Final = 4 * 1024 * 1024
HELD_AT_ONCE: Final = 2000
HELD_BEYOND_SLOTS: Final = 20_000  # leased ahead, and ended without an answer yet

log = structlog.get_logger("foliot.workers")


class WorkerMessages:
    """Reads what workers say of their runs."""

    def __init__(self, runs: RunStore) -> None:
        self._runs = runs

    async def reports(self, session: str, reports: Sequence[Report], *, owner: str) -> Sequence[Report | None]:
        """Return each report as the store can keep it; None where the worker may not report this.

        `session`: the worker's own session; empty when the worker has none.
        """
        telling = reports_that_tell(reports)
        weight = sum(map(weight_of_report, telling))
        if weight > REPORTS_WEIGHT_MAX:
            raise TooMuchInside("reports", f"{REPORTS_WEIGHT_MAX} parts")
        allowed = _with_allowed_cause(reports, session)
        if not session or weight > LOOK_UP_FROM:
            allowed = await self._own_reports(session, allowed, owner)
        if not telling:
            return allowed  # nearly every message: there is nothing to read in it
        if weight <= AT_ONCE:
            return storable_reports(allowed)
        return await in_slices(storable_reports, allowed, weight_of_report)

    async def beat(self, beat: Beat, *, owner: str, slots: int) -> Beat:
        """Return the beat with each lease once, and without what the store cannot keep of its runs."""
        most = 2 * slots + HELD_BEYOND_SLOTS
        if len(beat.held) > most:
            raise TooMuchInside("held leases", str(most))
        held, weight = await self._weighed(beat.held)
        if weight > LOOK_UP_FROM:
            held = await self._own_leases(beat.session, held, owner)
        if weight > AT_ONCE:
            held = await in_slices(storable_leases, held, weight_of_lease)
        elif weight:
            held = storable_leases(held)
        if held is beat.held:
            return beat
        return msgspec.structs.replace(beat, held=tuple(held))

    async def _weighed(self, held: tuple[HeldLease, ...]) -> tuple[Sequence[HeldLease], int]:
        """Return each lease once, and the weight of them all. Long lists are walked in the side thread."""
        if len(held) <= HELD_AT_ONCE:
            once = _once_each(held)
            return once, _weight_of(once)
        once = await in_side_thread(_once_each, held)
        return once, await in_side_thread(_weight_of, once)

    async def _own_reports(self, session: str, reports: Sequence[Report | None], owner: str) -> Sequence[Report | None]:
        """Replace reports of leases that are not the owner's by None."""
        leases = [(report.run_id, report.lease_id) for report in reports if report is not None]
        own = await self._runs.own_leases(session, leases, owner=owner)

        def is_own(report: Report | None) -> bool:
            return report is not None and report.lease_id in own

        return [report if is_own(report) else None for report in reports]

    async def _own_leases(self, session: str, held: Sequence[HeldLease], owner: str) -> Sequence[HeldLease]:
        """Return all leases, but bare where a lease is not the owner's, or where the beat is too heavy to be read."""
        leases = [(lease.run_id, lease.lease_id) for lease in held if weight_of_lease(lease)]
        own = await self._runs.own_leases(session, leases, owner=owner)
        return await in_side_thread(_bare_but, own, held)


def _with_allowed_cause(reports: Sequence[Report], session: str) -> Sequence[Report | None]:
    """Replace reports with a cause that only the server decides by None.

    A worker reports how its attempt ended. The server finds for itself that an attempt was lost or never began.
    """
    if REPORTED.issuperset({report.cause for report in reports}):
        return reports
    wrong = [report for report in reports if report.cause not in REPORTED]
    log.warning("report.cause_refused", session=session, reports=len(wrong), cause=wrong[0].cause)
    return [report if report.cause in REPORTED else None for report in reports]


def _once_each(held: tuple[HeldLease, ...]) -> tuple[HeldLease, ...]:
    by_id = {lease.lease_id: lease for lease in held}
    if len(by_id) == len(held):
        return held
    return tuple(by_id.values())


def _weight_of(held: Sequence[HeldLease]) -> int:
    return sum(map(weight_of_lease, held))


def _bare_but(own: frozenset[str], held: Sequence[HeldLease]) -> Sequence[HeldLease]:
    """Return all leases; those not in `own`, and those beyond `BEAT_WEIGHT_MAX`, without what their runs said."""
    weight_left = BEAT_WEIGHT_MAX
    kept: list[HeldLease] = []
    for lease in held:
        weight = weight_of_lease(lease)
        is_read = lease.lease_id in own and weight <= weight_left
        if weight and not is_read:
            kept.append(bare_lease(lease))
            continue
        weight_left -= weight
        kept.append(lease)
    return kept
