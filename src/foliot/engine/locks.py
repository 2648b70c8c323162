"""Upkeep of locks: the leader drops claims that are over, ends deadlocks, and forgets locks that nobody uses."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import structlog

from foliot.domain.deadlocks import Deadlock, find_deadlocks
from foliot.domain.failover import Affected, Detected, FailoverType
from foliot.domain.instants import DAY, Micros
from foliot.engine.upkeep import BelievedNow
from foliot.ports.store.journal import Happening, Journal, Topic
from foliot.ports.store.locks import LockStore, LockWaits

BATCH: Final = 500
KEEP_US: Final[Micros] = 7 * DAY
FORGET_STEP: Final = 1000
AT_ONCE: Final = 200
"""Claims among which deadlocks are searched on the loop: some milliseconds. More are searched in a thread."""

log = structlog.get_logger("foliot.engine")


class LockUpkeep:
    """What the leader does for locks. Grants go on without a leader: whoever asks for a lock decides about it."""

    def __init__(
        self,
        store: LockStore,
        journal: Journal,
        *,
        on_granted: Callable[[Sequence[str]], None],
        believed_now: BelievedNow,
    ) -> None:
        self._store = store
        self._journal = journal
        self._on_granted = on_granted
        self._believed_now = believed_now

    async def sweep(self, term: int) -> float | None:
        """One statement a round while nobody waits and nothing is over."""
        swept = await self._store.sweep(limit=BATCH, term=term)
        self._on_granted(swept.woken)
        if swept.waiting > 1:  # nobody waits for itself alone
            await self._end_deadlocks(term)
        return 0 if swept.dropped >= BATCH else None

    async def forget(self, term: int) -> float | None:
        now = self._believed_now()
        if now is None:
            return None
        forgotten = await self._store.forget(before=now - KEEP_US, limit=FORGET_STEP, term=term)
        return 0.05 if forgotten >= FORGET_STEP else None

    async def _end_deadlocks(self, term: int) -> None:
        seen = await self._store.waits()
        many = len(seen.claims) > AT_ONCE
        search = partial(find_deadlocks, seen.claims)
        deadlocks = {found.victim.id: found for found in (await asyncio.to_thread(search) if many else search())}
        if not deadlocks:
            return
        told = {victim: cycle_words(found, seen) for victim, found in deadlocks.items()}
        pairs = [(found, told[victim]) for victim, found in deadlocks.items()]
        failures = {victim: _failure(found, told[victim], seen) for victim, found in deadlocks.items()}
        broken, woken = await self._store.break_waits(pairs, failures=failures, term=term)
        self._on_granted([*broken, *woken])  # they wait at some server, and learn that their wait is over
        for victim in broken:
            log.warning("lock.deadlock", why=told[victim])
        await self._journal.note([_happening(deadlocks[victim], told[victim], seen) for victim in broken], term=term)


def cycle_words(deadlock: Deadlock, seen: LockWaits) -> str:
    """Who waits for whom: `r-1 (pay) waits for a, held by r-2 (bill); r-2 (bill) waits for b, held by r-1 (pay)`."""
    owners = [seen.owners[claim.owner] for claim in deadlock.cycle]
    held_by = [*owners[1:], owners[0]]
    parts = []
    for claim, owner, holder in zip(deadlock.cycle, owners, held_by, strict=True):
        _, name = seen.locks[claim.lock]
        parts.append(f"{owner} waits for {name}, held by {holder}")
    return "; ".join(parts)


def _failure(deadlock: Deadlock, words: str, seen: LockWaits) -> Detected:
    """The deadlock as a failover. It began when its youngest claim came to wait."""
    namespace, name = seen.locks[deadlock.victim.lock]
    names = [seen.locks[claim.lock][1] for claim in deadlock.cycle]
    return Detected(
        key=f"deadlock:{deadlock.victim.id}",
        type=FailoverType.LOCK_DEADLOCK,
        subject=name,
        namespace=namespace,
        began_at=deadlock.victim.asked_at,
        evidence={"cycle": words, "ended": seen.owners[deadlock.victim.owner]},
        affected=Affected(locks=names),
    )


def _happening(deadlock: Deadlock, words: str, seen: LockWaits) -> Happening:
    namespace, name = seen.locks[deadlock.victim.lock]
    locks = sorted({seen.locks[claim.lock][1] for claim in deadlock.cycle})
    return Happening(
        key=f"lock.deadlock:{deadlock.victim.id}",
        topic=Topic.CLUSTER,
        kind="lock.deadlock",
        subject=name,
        namespace=namespace,
        data={"cycle": words, "ended": seen.owners[deadlock.victim.owner], "locks": locks},
    )
