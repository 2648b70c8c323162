"""Who sends a request: the owner of a bearer token, or of the console's session cookie.

The store judges the token at every request (SEC-07). Every server refuses a revoked token at the very next call,
because no server remembers a good one. Workers and programs call often, so calls with one token that arrive together
share one look at the store. That look begins after the last of them arrived: a look that has begun may have read the
token before it was revoked.
"""

import asyncio
import hmac
from collections import Counter, OrderedDict
from collections.abc import Coroutine
from typing import Any, Final, TypeAlias

from starlette.requests import Request

from foliot.api.auth.strangers import Strangers
from foliot.api.auth.transport import demand_safe_way
from foliot.api.errors import CsrfMissing, TooManyRequests
from foliot.domain.access import NotLoggedIn, Principal, Scope
from foliot.domain.addresses import owner_of
from foliot.domain.instants import Instant
from foliot.operations.services import Services
from foliot.operations.tokens import hash_of
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.ports.store.tokens import TokenRecord

COOKIE: Final = "foliot_session"
CSRF_HEADER: Final = "x-foliot-csrf"
NOTE_USE_EVERY_S: Final = 60.0
NOTED_MAX: Final = 10_000
SECRET_MAX: Final = 500
UNKNOWN: Final = "the token is not known"
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_Look: TypeAlias = "asyncio.Task[Principal | NotLoggedIn]"
_Way: TypeAlias = tuple[str, bool]
"""A secret, and whether it is looked up on the store's urgent connections."""


class Authenticator:
    """Turns a request into a principal."""

    def __init__(self, services: Services, refused: Counter[str] | None = None) -> None:
        self._services = services
        if refused is None:
            refused = Counter()
        self.strangers = Strangers(services.clock, refused)
        self._noted_at: OrderedDict[str, float] = OrderedDict()
        # asyncio holds its tasks weakly: this set keeps notes alive until they are written.
        self._notes: set[asyncio.Task[None]] = set()
        self._good_lately: OrderedDict[str, None] = OrderedDict()  # digests; each is judged again all the same
        self._ended: OrderedDict[str, None] = OrderedDict()  # digests of tokens that were good once
        # The look that has begun, which may miss a newer revocation, and the look that begins after it.
        self._looking: dict[_Way, _Look] = {}
        self._next: dict[_Way, _Look] = {}

    async def principal(self, request: Request) -> Principal:
        """Return who sends the request; raise `NotLoggedIn` without a good token."""
        found = getattr(request.state, "principal", None)
        if found is None:
            secret, address = secret_of(request), address_of(request)
            # Strangers wait in line one by one (SEC-32): only who was good lately shares a look.
            is_known = self.knows(hash_of(secret))
            look = self._together(secret, address, urgent=False) if is_known else self._judged(secret, address)
            judged = await look
            found = request.state.principal = await self._welcome(judged, address)
        assert isinstance(found, Principal)
        return found

    def knows(self, token_hash: str) -> bool:
        """Whether a token was good when it was judged last. That opens nothing: it is judged again."""
        return token_hash in self._good_lately

    def has_ended(self, token_hash: str) -> bool:
        """Whether this server saw that a token was revoked or had expired: that never changes again."""
        return token_hash in self._ended

    async def worker(self, request: Request, right: str) -> Principal:
        """For the worker protocol, by the store's urgent connections: a beat does not queue behind people."""
        secret, address = secret_of(request), address_of(request)
        found = await self._welcome(await self._together(secret, address), address)
        found.demand(Scope(right))
        return found

    async def is_good(self, request: Request) -> bool:
        """Whether the token of a request that is still being answered is good by now."""
        try:
            return isinstance(await self._together(secret_of(request), address_of(request)), Principal)
        except NotLoggedIn:
            return False
        except (StoreBusy, StoreUnavailable, TooManyRequests):
            return True  # the server cannot know now; the answer itself needs the store, too

    async def _welcome(self, judged: Principal | NotLoggedIn, address: str) -> Principal:
        """Return the principal, or raise `NotLoggedIn`: slowly, when the address sent too many wrong tokens."""
        if isinstance(judged, NotLoggedIn):
            await self.strangers.was_wrong(address)
            raise judged
        return judged

    async def _together(self, secret: str, address: str, *, urgent: bool = True) -> Principal | NotLoggedIn:
        """Return the principal of a secret, by a look at the store that begins after this call."""
        way = secret, urgent
        look = self._next.get(way)
        if look is None:
            before = self._looking.get(way)
            look = asyncio.create_task(self._in_turn(way, address, before), name="token")
            look.add_done_callback(_read_exception)
            self._next[way] = look
        # Several requests wait for this look: one that is cancelled must not cancel it for the others.
        return await asyncio.shield(look)

    async def _in_turn(self, way: _Way, address: str, before: "_Look | None") -> Principal | NotLoggedIn:
        """Look at the store when the look before has ended."""
        if before is not None:
            await asyncio.wait([before])
        # From here on this look has begun: a request that comes later waits for the next one.
        mine = self._looking[way] = self._next.pop(way)
        secret, urgent = way
        try:
            return await self._judged(secret, address, urgent=urgent)
        finally:
            if self._looking.get(way) is mine:
                del self._looking[way]

    async def _judged(self, secret: str, address: str, *, urgent: bool = False) -> Principal | NotLoggedIn:
        digest = hash_of(secret)
        record, now = await self._found(digest, address, urgent=urgent)
        is_good = record is not None and record.is_good(now)
        self._remember(digest, is_good=is_good)
        if record is None or not hmac.compare_digest(record.hash, digest):
            return NotLoggedIn(UNKNOWN)
        if not is_good:
            _keep(self._ended, digest)
            return NotLoggedIn("the token was revoked or has expired")
        noting = self._note_use(record.id)
        if urgent:
            self._background(noting)
        else:
            await noting
        return Principal(
            name=record.name,
            scopes=record.scopes,
            namespace=record.namespace,
            group=record.group,
            token_id=record.id,
            line=record.line,
        )

    async def _found(self, digest: str, address: str, *, urgent: bool) -> tuple[TokenRecord | None, Instant]:
        """Read a token. Only one that was good lately gets an urgent connection: a flood must not delay firing."""
        tokens = self._services.store.tokens
        if self.knows(digest):
            return await tokens.find(digest, urgent=urgent)
        async with self.strangers.turn(address):
            return await tokens.find(digest)

    def _remember(self, digest: str, *, is_good: bool) -> None:
        self._good_lately.pop(digest, None)
        if is_good:
            _keep(self._good_lately, digest)

    def _background(self, noting: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(noting, name="token use")
        self._notes.add(task)
        task.add_done_callback(self._notes.discard)

    async def _note_use(self, token_id: str) -> None:
        """Note in the store that a token was used: at most once a minute, and only once. Nothing depends on it."""
        now = self._services.clock.monotonic()
        if now - self._noted_at.get(token_id, float("-inf")) < NOTE_USE_EVERY_S:
            return
        self._noted_at[token_id] = now
        self._noted_at.move_to_end(token_id)
        while len(self._noted_at) > NOTED_MAX:
            self._noted_at.popitem(last=False)
        try:
            await self._services.store.tokens.used(token_id)
        except (StoreBusy, StoreUnavailable):
            return


def _keep(lately: OrderedDict[str, None], digest: str) -> None:
    """Remember a digest, and forget the oldest beyond what is kept."""
    lately[digest] = None
    if len(lately) > NOTED_MAX:
        lately.popitem(last=False)


def _read_exception(look: "asyncio.Task[Any]") -> None:
    """Read the exception here: when all clients have gone, asyncio would warn that nobody did."""
    if not look.cancelled():
        look.exception()


def address_of(request: Request) -> str:
    """Return the address a request came from. The server believes no header about it: any client can write one."""
    host = request.client.host if request.client else None
    return owner_of(host)


def secret_of(request: Request) -> str:
    """Return the token of a request, exactly as it was sent; raise `NotLoggedIn` without one."""
    demand_safe_way(request)
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
