"""Runs from PENDING to the end (`ports.store.runs.RunStore`): the verbs, each in its transaction."""

import dataclasses
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

import structlog
from msgspec.structs import replace

from foliot.domain.clocks import ClockDoubt
from foliot.domain.errors import ClusterTrouble, FoliotError
from foliot.domain.health import USUAL_RULES, HealthRules
from foliot.domain.instants import SECOND, Instant, Micros
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause, Judge
from foliot.ports.store.actor import Actor
from foliot.ports.store.assignment import AskRoute, Assigned
from foliot.ports.store.nodes import GRACE_US, SESSION_TTL_US
from foliot.ports.store.runs import CancelOutcome, Granted, Poll, Reckon, Triggered, TriggerRequest
from foliot.ports.worker_link import LogChunk, Report
from foliot.store.sql.cluster import failures, reaper
from foliot.store.sql.ending import logs, retention
from foliot.store.sql.ending.cancellation import cancel
from foliot.store.sql.ending.ends import Ending
from foliot.store.sql.ending.lease_owner import Speaker, own_leases
from foliot.store.sql.ending.made_room import MadeRoom
from foliot.store.sql.ending.settlement import Claim
from foliot.store.sql.firing.triggers import trigger
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel.database import Database, Pool, RefusedForData, Tx
from foliot.store.sql.leasing import key_upkeep, limits
from foliot.store.sql.leasing.assignment import Assignment
from foliot.store.sql.leasing.broadcast import orphans
from foliot.store.sql.leasing.leases import LeaseOutcome, Leases

REFUSED_TYPE: Final = "ResultRefused"
_REFUSAL_MAX: Final = 500

log = structlog.get_logger("foliot.store")


class SqlRunStore:
    """`ports.store.runs.RunStore` on a SQL database."""

    def __init__(self, database: Database, definitions: Definitions, lanes: Lanes, ending: Ending) -> None:
        self._database = database
        self._definitions = definitions
        self._lanes = lanes
        self._ending = ending
        self._leasing = Leases(definitions, lanes, database.chance)
        self._assignment = Assignment(definitions, lanes)
        self._skips_after = 0

    async def trigger(self, request: TriggerRequest) -> Triggered:
        work = partial(trigger, definitions=self._definitions, requests=[request])
        (answer,) = await self._database.transact(work, pool=Pool.API)
        if isinstance(answer, FoliotError):
            raise answer
        return answer

    # -- into a worker's hands and back ---------------------------------------------------------------------------

    async def lease(
        self,
        polls: Sequence[Poll],
        *,
        limit: int,
        not_after: Reckon | None = None,
        doubt: ClockDoubt | None = None,
        health: HealthRules = USUAL_RULES,
    ) -> Granted:
        if not polls:
            raise ValueError("a lease needs polls")

        def work(tx: Tx) -> LeaseOutcome:
            return self._leasing.lease(tx, polls, limit, not_after, doubt, health)

        outcome = await self._database.transact(work)
        if outcome.replaced:
            with suppress(ClusterTrouble):  # the next lease finds them again; what was granted must be told
                await self._ending.quit(self._database, outcome.replaced, pool=Pool.ENDING)
        return outcome.granted

    async def assign(
        self,
        ask: AskRoute,
        *,
        lanes: Sequence[int],
        limit: int,
        again: bool = False,
        doubt: ClockDoubt | None = None,
        health: HealthRules = USUAL_RULES,
    ) -> Assigned:
        back = 0
        if again:
            back = await self._database.transact(partial(self._assignment.take_back, limit=limit))
            self._assignment.taken_back()
        work = partial(self._assignment.assign, ask=ask, lanes=lanes, limit=limit, rules=health, doubt=doubt)
        assigned = await self._database.transact(work)
        return dataclasses.replace(assigned, again=back >= limit)

    async def complete(
        self,
        session: str,
        reports: Sequence[Report],
        judge: Judge,
        *,
        owner: str | None = None,
        heard_at: float | None = None,
        on_room: Callable[[], None] = lambda: None,
    ) -> Sequence[Landing]:
        if not reports:
            return []
        clock = self._database.clock
        since = clock.monotonic() if heard_at is None else heard_at

        def heard_us_ago() -> Micros:
            return int((clock.monotonic() - since) * SECOND)

        room = MadeRoom()
        landings = await self._complete(reports, judge, Speaker(session, owner, heard_us_ago), room)
        if room.is_made:
            on_room()
        return landings

    async def own_leases(self, session: str, leases: Sequence[tuple[int, str]], *, owner: str | None) -> frozenset[str]:
        if not leases:
            return frozenset()
        work = partial(own_leases, leases=leases, speaker=Speaker(session, owner))
        return await self._database.read(work, pool=Pool.API)

    async def _complete(
        self, reports: Sequence[Report], judge: Judge, speaker: Speaker, room: MadeRoom
    ) -> list[Landing]:
        try:
            return await self._ending.complete(self._database, reports, judge, speaker, room)
        except RefusedForData as refusal:  # one bad row never stops its batch: halve down to it
            if len(reports) == 1:
                bare = [_without_data(reports[0], refusal)]
                return await self._ending.complete(self._database, bare, judge, speaker, room)
            half = len(reports) // 2
            first = await self._complete(reports[:half], judge, speaker, room)
            return first + await self._complete(reports[half:], judge, speaker, room)

    async def cancel(self, run_ids: Sequence[int], *, by: Actor, force: bool = False) -> Sequence[CancelOutcome]:
        work = partial(cancel, ending=self._ending, run_ids=run_ids, by=by, force=force)
        return await self._database.transact(work, pool=Pool.API)

    # -- the leader's ---------------------------------------------------------------------------------------------

    async def reap(
        self,
        judge: Judge,
        *,
        limit: int,
        term: int,
        grace_us: Micros = GRACE_US,
        session_ttl_us: Micros = SESSION_TTL_US,
        silent: bool = True,
        strays: bool = True,
    ) -> int:
        def work(tx: Tx) -> tuple[int, list[Claim]]:
            died = 0
            if silent:
                died = reaper.declare_dead(tx, term=term, grace_us=grace_us, session_ttl_us=session_ttl_us)
            if not died and not strays:
                return 0, []
            return died, reaper.claims_of_the_dead(tx, term=term, limit=limit)

        # A session may die in one moment and its runs be found in the next: each statement stands by itself.
        died, claims = await self._database.step(work)
        if died:
            await self._noted(failures.note_deaths, term)  # with the runs that it still has
        moved = await self._settled(claims, judge)
        if died or moved:
            await self._noted(failures.end_deaths, term)
        return moved

    async def end_orphans(
        self, *, limit: int, term: int, grace_us: Micros = GRACE_US, session_ttl_us: Micros = SESSION_TTL_US
    ) -> int:
        work = partial(
            orphans, lanes=self._lanes, term=term, limit=limit, session_ttl_us=session_ttl_us, grace_us=grace_us
        )
        quits = await self._database.read(work, pool=Pool.CONTROL)
        return await self._ending.quit(self._database, quits, pool=Pool.ENDING) if quits else 0

    async def _noted(self, note: Callable[..., int], term: int) -> None:
        """Write a failure down. Nothing depends on it, and runs wait: what fails is done in the leader's next round."""
        try:
            await self._database.transact(partial(note, term=term))
        except ClusterTrouble as trouble:
            log.warning("failover.not_noted", why=str(trouble))
        except Exception:
            log.exception("failover.not_noted")

    async def time_out(
        self,
        judge: Judge,
        *,
        limit: int,
        term: int,
        grace_us: Micros = GRACE_US,
        session_ttl_us: Micros = SESSION_TTL_US,
        until: Instant | None = None,
    ) -> int:
        work = partial(
            reaper.claims_of_the_late,
            definitions=self._definitions,
            term=term,
            limit=limit,
            times=reaper.AnswerLimits(grace_us, session_ttl_us),
            until=reaper.EVER if until is None else until,
        )
        claims = await self._database.read(work, pool=Pool.CONTROL)
        moved = await self._settled(claims, judge)
        overdue = [claim.run_id for claim in claims if claim.cause is Cause.OVERDUE]
        if moved and overdue:
            await self._noted(partial(failures.note_timeouts, run_ids=overdue), term)
        return moved

    async def _settled(self, claims: Sequence[Claim], judge: Judge) -> int:
        landings = await self._ending.settle(self._database, claims, judge) if claims else []
        return sum(landing is Landing.RECORDED for landing in landings)

    async def forget(self, *, before: Instant, after_id: int, limit: int, term: int | None = None) -> tuple[int, int]:
        """A step of runs, and one each of skips, closed windows and long dead sessions, which go along.

        Windows go in several steps: there may be a key for each trigger.
        """
        windows = partial(retention.forget_windows, limit=limit, term=term)

        def others(tx: Tx) -> tuple[int, bool]:
            retention.forget_nodes(tx, limit=limit, term=term)
            skips_after = self._skips_after
            last = retention.forget_skips(tx, before=before, after_id=skips_after, limit=limit, term=term)
            return last, windows(tx)

        self._skips_after, has_more = await self._database.transact(others)
        for _ in range(retention.WINDOW_STEPS_MAX - 1):
            if not has_more:
                break
            has_more = await self._database.transact(windows)
        return await self._database.transact(
            partial(retention.forget_runs, before=before, after_id=after_id, limit=limit, term=term)
        )

    async def recount_limits(self, *, term: int | None = None) -> int:
        off, after = 0, ""
        while True:
            wrong, last = await self._database.transact(
                partial(limits.recount, lanes=self._lanes, after=after, term=term)
            )
            off += wrong
            if last is None:
                break
            after = last
        return off + await self._recount_keys(term)

    async def _recount_keys(self, term: int | None) -> int:
        off, after = 0, ""
        while True:
            wrong, last = await self._database.transact(partial(key_upkeep.recount, after=after, term=term))
            off += wrong
            if last is None:
                return off
            after = last

    # -- logs -----------------------------------------------------------------------------------------------------

    async def write_logs(
        self, session: str, chunks: Sequence[LogChunk], *, owner: str | None = None
    ) -> Sequence[Landing]:
        if not chunks:
            return []
        speaker = Speaker(session, owner)
        return await self._database.transact(lambda tx: logs.write(tx, chunks, speaker), pool=Pool.API)


def _without_data(report: Report, refusal: RefusedForData) -> Report:
    """The same end without the data the database refuses; what is refused is replaced by why."""
    error = f"What the run returned or said could not be stored: {refusal}"
    error = error.encode(errors="replace").decode().replace("\0", "?")[:_REFUSAL_MAX]
    return replace(report, result=None, checkpoint=None, error=error, error_type=REFUSED_TYPE)
