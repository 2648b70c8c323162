"""Who asks: a bearer token, or the session cookie of the console. Judged by the store at every request (SEC-07).

A revoked token is refused by the very next call, on every server: nothing is remembered but, for a second, the tokens
of workers, which call too often to ask the store each time.
"""

import hmac
from collections import OrderedDict
from typing import Final

from starlette.requests import Request

from foliot.api.errors import CsrfMissing
from foliot.domain.access import NotLoggedIn, Principal, Scope
from foliot.operations.people import PeopleServices
from foliot.operations.tokens import hash_of
from foliot.ports.store import StoreBusy, StoreUnavailable

COOKIE: Final = "foliot_session"
CSRF_HEADER: Final = "x-foliot-csrf"
NOTE_USE_EVERY_S: Final = 60.0
REMEMBER_S: Final = 1.0
REMEMBER_MAX: Final = 10_000
SECRET_MAX: Final = 500
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class Authenticator:
    """Turns a request into a principal."""

    def __init__(self, services: PeopleServices) -> None:
        self._services = services
        self._noted_at: OrderedDict[str, float] = OrderedDict()
        self._known: OrderedDict[str, tuple[float, Principal]] = OrderedDict()

    async def principal(self, request: Request) -> Principal:
        """Who asks; `NotLoggedIn` when that is nobody."""
        found = getattr(request.state, "principal", None)
        if found is None:
            found = request.state.principal = await self._principal(request)
        assert isinstance(found, Principal)
        return found

    async def authorise(self, request: Request, right: str) -> None:
        """For plain routes: raise `Denied` unless the request carries a token with this right."""
        (await self.principal(request)).demand(Scope(right))

    async def worker(self, request: Request, right: str) -> None:
        """The same for the worker protocol: a good answer holds for a second."""
        secret = secret_of(request)
        known = self._known.get(secret)
        now = self._services.clock.monotonic()
        if known is None or now - known[0] > REMEMBER_S:
            principal = await self.principal(request)
            self._remember(secret, now, principal)
        else:
            principal = known[1]
        principal.demand(Scope(right))

    async def _principal(self, request: Request) -> Principal:
        secret = secret_of(request)
        digest = hash_of(secret)
        record, now = await self._services.tokens.find(digest)
        if record is None or not hmac.compare_digest(record.hash, digest):
            raise NotLoggedIn("the token is not known")
        if not record.is_good(now):
            raise NotLoggedIn("the token was revoked or has expired")
        await self._note_use(record.id)
        return Principal(
            name=record.name,
            scopes=record.scopes,
            namespace=record.namespace,
            group=record.group,
            token_id=record.id,
        )

    async def _note_use(self, token_id: str) -> None:
        """At most once a minute per token; nothing rests on it, so a busy store is not bothered again."""
        now = self._services.clock.monotonic()
        if now - self._noted_at.get(token_id, float("-inf")) < NOTE_USE_EVERY_S:
            return
        self._noted_at[token_id] = now
        self._noted_at.move_to_end(token_id)
        while len(self._noted_at) > REMEMBER_MAX:
            self._noted_at.popitem(last=False)
        try:
            await self._services.tokens.used(token_id)
        except (StoreBusy, StoreUnavailable):
            return

    def _remember(self, secret: str, now: float, principal: Principal) -> None:
        self._known[secret] = (now, principal)
        self._known.move_to_end(secret)
        while len(self._known) > REMEMBER_MAX:
            self._known.popitem(last=False)


def secret_of(request: Request) -> str:
    """The token of a request, exactly as it was sent; `NotLoggedIn` without one."""
    header = request.headers.get("authorization")
    if header is not None:
        scheme, _, secret = header.partition(" ")
        if scheme.lower() != "bearer" or not 0 < len(secret) <= SECRET_MAX:
            raise NotLoggedIn("the Authorization header is not a bearer token")
        return secret
    cookie = request.cookies.get(COOKIE)
    if not cookie or len(cookie) > SECRET_MAX:
        raise NotLoggedIn
    if request.method not in _SAFE and CSRF_HEADER not in request.headers:
        raise CsrfMissing
    return cookie
