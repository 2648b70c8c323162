"""Locks: hold one under a token that only rises, renew it, give it back; see who holds and who waits."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from foliot.client.calls import Answer, Duration
from foliot.client.lock_keeper import AsyncLockKeeper, LockTrust, OnLost, log
from foliot.client.lock_request import LockRequest
from foliot.client.pages import AnswerPage, page_of
from foliot.domain.errors import FoliotError
from foliot.domain.locks import LockLost, LockWaitOver

if TYPE_CHECKING:
    from foliot.client.awaited.foliot import AsyncFoliot


class AsyncLock:
    """A lock that this program holds. Its client renews it until it is given back, lost or forgotten."""

    def __init__(self, client: AsyncFoliot, keeper: AsyncLockKeeper, answer: Answer, trust: LockTrust) -> None:
        self._client = client
        self._keeper = keeper
        self.trust = trust
        self.name: str = answer["name"]
        self.namespace: str = answer["namespace"]
        self.claim: str = answer["claim"]
        self.token = int(answer["token"])
        """Hand it to what you write to: it refuses a token that is lower than one it has seen."""

    @property
    def lost(self) -> bool:
        """Whether another may hold the lock by now: stop what it protects. A forked process holds none."""
        return self.trust.is_over or self.trust.is_of_parent or self._client.machine.monotonic() >= self.trust.until

    async def renew(self) -> None:
        """Hold it for another ttl, now; `LockLost` when it is not held any more."""
        if self.lost:
            raise LockLost(self.name)
        try:
            await self._renew(within_s=None)
        except LockLost:
            self.trust.is_over = True
            raise

    async def keep(self, *, within_s: float) -> None:
        """Renew it in the background. A server that does not answer is asked again while the lock is trusted."""
        if self.lost:  # for good: the program may have seen it
            self.trust.lose()
            return
        try:
            await self._renew(within_s=within_s)
        except LockLost:
            self.trust.lose()
        except FoliotError:
            self.trust.unanswered(self._client.machine.monotonic())
        except Exception:  # noqa: BLE001  nothing may end the keeper, which renews the other locks too
            log.exception("lock.renewal_failed")
            self.trust.unanswered(self._client.machine.monotonic())

    async def release(self) -> None:
        """Give it back."""
        self.trust.is_over = True
        if self.trust.is_of_parent:  # it is in use there
            return
        self._keeper.leave(self.claim)
        await self._client.ask("leave_lock", **self._named)

    async def _renew(self, *, within_s: float | None) -> None:
        asked_at = self._client.machine.monotonic()
        call = self._client.call("claim_lock", **self._named, of=str(self.token))
        await self._client.send(replace(call, within_s=within_s))
        self.trust.renewed(asked_at)

    @property
    def _named(self) -> dict[str, str]:
        return {"name": self.name, "claim": self.claim, "namespace": self.namespace}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.release()


class AsyncLocks:
    """Locks of a cluster."""

    def __init__(self, client: AsyncFoliot) -> None:
        self._client = client
        self._ask = client.ask
        self._keeper = AsyncLockKeeper(client.machine)

    def close(self) -> None:
        """Renew none of them any more: their client closes. Who holds one still is told that it is lost."""
        self._keeper.close()

    async def acquire(
        self,
        name: str,
        *,
        ttl: Duration = "1m",
        wait: Duration | None = None,
        shared: bool = False,
        slots: int = 1,
        renew: bool = True,
        on_lost: OnLost | None = None,
        namespace: str | None = None,
    ) -> AsyncLock:
        """Hold a lock. `wait`: at most this long, then `LockWaitOver`; 0: not at all, then `LockTaken`; None: for ever.

        `shared`: any number of shared owners. `slots`: this many owners. `renew`: in the background, until it is given
        back or lost; then `on_lost` is called once. The token of this client needs the scope lock.
        """
        named = {"name": name, "namespace": namespace}
        request = LockRequest(self._client.machine, named, ttl=ttl, wait=wait)
        while True:
            hold_s = request.hold_s()
            call = self._client.call("claim_lock", **request.question(hold_s), shared=shared, slots=slots)
            try:
                answer = await self._client.send(replace(call, wait_s=hold_s))
            except BaseException:
                await self._leave(request.named)
                raise
            if request.is_granted(answer):
                break
            if request.is_too_late:
                await self._leave(request.named)
                raise LockWaitOver(name)
        lock = AsyncLock(self._client, self._keeper, answer, request.trust(on_lost))
        if renew:
            self._keeper.keep(lock)
        return lock

    async def list(
        self, *, limit: int = 50, cursor: str | None = None, namespace: str | None = None
    ) -> AnswerPage[Answer]:
        """A page of the locks that somebody holds or waits for."""
        return page_of(dict, await self._ask("list_locks", limit=limit, cursor=cursor, namespace=namespace))

    async def get(self, name: str, *, namespace: str | None = None) -> Answer:
        """A lock, those who hold it and those who wait for it."""
        return dict(await self._ask("get_lock", name=name, namespace=namespace))

    async def release(self, name: str, token: int | str, *, reason: str = "", namespace: str | None = None) -> Answer:
        """Take a lock away from whoever holds it under this token; the lock as it was before."""
        return dict(await self._ask("release_lock", name=name, of=str(token), reason=reason, namespace=namespace))

    async def _leave(self, named: dict[str, Any]) -> None:
        """Leave the line. When no server hears it, the claim ends by itself."""
        try:
            await self._ask("leave_lock", **named)
        except FoliotError:
            return
