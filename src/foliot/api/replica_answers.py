"""Answers from a replica: a GET that finds the store away is asked again, of the replica and of its tokens.

Requests that wait or stream are not: what they wait for cannot come while the store is away. Nothing else is, either:
a change fails with the store's own error.
"""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from foliot.api.auth.authenticator import UNKNOWN, Authenticator, secret_of
from foliot.domain.access import NotLoggedIn
from foliot.domain.errors import FoliotError
from foliot.operations.replica_reads import ReplicaReads
from foliot.operations.tokens import hash_of
from foliot.ports.store.errors import StoreBusy, StoreUnavailable

Ask = Callable[[Request], Awaitable[Response]]


class ReplicaAnswers:
    """Asks the store, and the replica when the store is away."""

    def __init__(self, reads: ReplicaReads, store_authenticator: Authenticator) -> None:
        self.reads = reads
        self._store_authenticator = store_authenticator
        self._authenticator = Authenticator(reads.services)

    async def answer(self, request: Request, ask: Ask) -> Response:
        """Answer by the store; by the replica when the store is away and the replica can."""
        if self.reads.is_away():  # as the pulse found: nobody waits for it to fail again
            found = await self._by_replica(request, ask)
            return found or await ask(request)
        try:
            return await ask(request)
        except (StoreUnavailable, StoreBusy) as error:
            # A store that hangs looks busy, until the pulse finds that it is away.
            if isinstance(error, StoreBusy) and not self.reads.is_away():
                raise
            found = await self._by_replica(request, ask)
            if found is None:
                raise
            return found

    async def _by_replica(self, request: Request, ask: Ask) -> Response | None:
        """Return the replica's answer; None: it has none, and the store's error counts."""
        await self.reads.look()
        age_s = self.reads.age_s
        if age_s is None:
            return None
        if not await self._is_known(request):
            return None
        request.state.services = self.reads.services
        request.state.replica_age_s = age_s
        try:
            response = await ask(request)
        except (StoreUnavailable, StoreBusy):
            del request.state.services, request.state.replica_age_s, request.state.principal
            return None
        except FoliotError:  # that a job is not there is an answer, too
            self.reads.answers += 1
            raise
        self.reads.answers += 1
        return response

    async def _is_known(self, request: Request) -> bool:
        """Let the replica judge the token. One that it does not know may be new: only the store can tell."""
        if self._store_authenticator.has_ended(hash_of(secret_of(request))):
            raise NotLoggedIn("the token was revoked or has expired")
        try:
            await self._authenticator.principal(request)
        except NotLoggedIn as refused:
            if refused.trouble == UNKNOWN:
                return False
            raise
        return True
