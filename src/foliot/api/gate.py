"""The gate: how many requests the server serves at once, and how much of that one token or address may use.

The gate counts everything scarce in shares (`domain.shares`), so that no client takes what others need (SEC-23,
SEC-32). A token that was good lately counts by itself, also behind a proxy. A client with an unknown token counts by
its address. Probes are not counted.
"""

from collections import Counter
from enum import StrEnum
from typing import Final

from starlette.requests import Request

from foliot.api.auth.authenticator import Authenticator, address_of, secret_of
from foliot.api.errors import TooManyRequests
from foliot.domain.access import Principal
from foliot.domain.shares import Shares
from foliot.operations.tokens import hash_of

MIB: Final = 1024 * 1024
AT_ONCE_MAX: Final = 128  # one token alone gets half of them
HELD_MAX: Final = 1000  # streams and long polls: they wait, they do not work
METRICS_MAX: Final = 8
LOGINS_MAX: Final = 32
CALLBACKS_MAX: Final = 128
BODY_WITHIN_S: Final = 15.0
BODIES_BYTES_MAX: Final = 32 * MIB
WORKER_BODIES_BYTES_MAX: Final = 128 * MIB
BEATS_BYTES_MAX: Final = 128 * MIB


class GateKind(StrEnum):
    """What is counted; also the reason of a refusal in the metrics."""

    REQUESTS = "requests"
    STREAMS = "streams"
    METRICS = "metrics"
    LOGINS = "logins"
    CALLBACKS = "callbacks"
    BODIES = "bodies"
    WORKER_BODIES = "worker_bodies"
    BEATS = "beats"


class Gate:
    """Lets requests in, as far as the share of their token or address goes."""

    def __init__(
        self,
        authenticator: Authenticator,
        refused: Counter[str],
        *,
        at_once_max: int = AT_ONCE_MAX,
        body_within_s: float = BODY_WITHIN_S,
    ) -> None:
        self._authenticator = authenticator
        self._refused = refused
        self.body_within_s = body_within_s
        self.shares = {
            GateKind.REQUESTS: Shares(at_once_max),
            GateKind.STREAMS: Shares(HELD_MAX),
            GateKind.METRICS: Shares(METRICS_MAX),
            GateKind.LOGINS: Shares(LOGINS_MAX),
            GateKind.CALLBACKS: Shares(CALLBACKS_MAX),
            GateKind.BODIES: Shares(BODIES_BYTES_MAX),
            GateKind.WORKER_BODIES: Shares(WORKER_BODIES_BYTES_MAX),
            GateKind.BEATS: Shares(BEATS_BYTES_MAX),
        }

    async def let_in(self, request: Request, kind: GateKind) -> Principal:
        """Return who sends the request, with a place for it until it is answered. Nothing of its body was read so far.

        A token that was good lately takes its place before it is judged again, so that requests do not pile up before
        a store that hangs. Any other token is judged first: a made-up one has no share of anything.
        """
        token = hash_of(secret_of(request))
        # A request that is asked again, of a replica, has its place already.
        has_place = getattr(request.state, "share", None) == token
        if self._authenticator.knows(token) and not has_place:
            self._take_place(request, kind, token)
            has_place = True
        who = await self._authenticator.principal(request)
        if not has_place:
            self._take_place(request, kind, token)
        return who

    def _take_place(self, request: Request, kind: GateKind, token: str) -> None:
        self.take(request, kind, token)
        request.state.share = token

    def let_anybody_in(self, request: Request, kind: GateKind) -> None:
        """Take a place for a request without a token, by its address."""
        request.state.share = address_of(request)
        self.take(request, kind, request.state.share)

    def take(self, request: Request, kind: GateKind, who: str, size: int = 1) -> None:
        """Take `size` of a kind until the request is answered; raise `TooManyRequests` beyond the share of `who`."""
        shares = self.shares[kind]
        if not shares.take(who, size):
            self._refused[kind] += 1
            raise TooManyRequests(kind)
        request.state.places.callback(shares.give_back, who, size)
