"""One step on a lock, as tests take it."""

from collections.abc import Sequence

from foliot.ports.store.locks import LockAnswer, LockAsk, LockLeave, LockStore


async def acquire(locks: LockStore, ask: LockAsk) -> LockAnswer:
    """Claim a lock."""
    (answer,) = (await locks.carry_out([ask])).answers
    assert answer is not None
    return answer


async def release(
    locks: LockStore, claims: Sequence[str], *, session: str | None = None, line: str = ""
) -> Sequence[str]:
    """Give claims back; return the claims of others that hold their lock now."""
    done = await locks.carry_out([LockLeave(claims=claims, session=session, line=line)])
    return [grant.claim for grant in done.granted]
