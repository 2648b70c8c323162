"""Why a run waits for a lock, while locks go from one owner to the next."""

from types import SimpleNamespace
from typing import Any

import pytest

from foliot.operations.why import _awaited_lock
from foliot.ports.store.locks import ClaimShown, LockShown

pytestmark = pytest.mark.anyio


def claim(run_id: int, *, token: int | None) -> ClaimShown:
    granted_at = None if token is None else 5
    return ClaimShown(
        id=f"c{run_id}",
        most=1,
        token=token,
        by="",
        line="",
        run_id=run_id,
        job="tick",
        node="n1",
        asked_at=run_id,
        granted_at=granted_at,
        until=9,
    )


def lock(name: str, *claims: ClaimShown) -> LockShown:
    holders = [one for one in claims if one.token is not None]
    waiters = [one for one in claims if one.token is None]
    return LockShown(namespace="default", name=name, token=1, holders=holders, waiters=waiters)


async def why(run_id: int, *read: LockShown) -> Any:
    async def awaited_by(_: int) -> list[LockShown]:
        return list(read)

    services: Any = SimpleNamespace(store=SimpleNamespace(locks=SimpleNamespace(awaited_by=awaited_by)))
    run: Any = SimpleNamespace(run_id=run_id)
    return await _awaited_lock(services, run)


async def test_a_lock_that_was_granted_between_two_reads_is_waited_for_no_more() -> None:
    granted = lock("a", claim(7, token=1))
    assert await why(7, granted) is None
    facts = await why(7, granted, lock("b", claim(3, token=2), claim(4, token=None), claim(7, token=None)))
    assert (facts.name, facts.ahead, facts.since, facts.token) == ("b", 1, 7, 2)
