"""Channels and the outbox in the store: a notice is written with the decision to tell it, and told at least once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol, TypeAlias

from foliot.domain.alerts.alert import Notice
from foliot.domain.alerts.channel import Channel
from foliot.domain.instants import Instant, Micros
from foliot.ports.store.actor import Actor

ChannelKey: TypeAlias = tuple[str | None, str]
"""Namespace and name. None: every namespace may use it."""


class DeliveryState(StrEnum):
    """How far a notice is. The words stand in the store."""

    WAITING = "waiting"
    SENDING = "sending"  # a server has claimed it
    SENT = "sent"
    FAILED = "failed"  # given up
    DROPPED = "dropped"  # in a digest, or nobody wants it: `error` says why


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A notice in the outbox."""

    id: int
    delivery_id: str
    notice: Notice
    state: DeliveryState
    attempt: int
    created_at: Instant
    next_at: Instant | None = None  # when it is due, or when its claim runs out; None: it is settled
    claim: str = ""
    is_repeat: bool = False  # it was claimed before, and nobody knows whether it was told
    settled_at: Instant | None = None
    sent_by: str = ""  # the server
    error: str = ""

    @property
    def channel_key(self) -> ChannelKey:
        """Which channel it is for."""
        return self.notice.namespace, self.notice.channel


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedNotices:
    """Notices that a server may send until `until`, and the store's time at which it got them."""

    now: Instant
    until: Instant
    deliveries: Sequence[Delivery]


@dataclass(frozen=True, slots=True, kw_only=True)
class SendOutcome:
    """What became of a claimed notice: SENT, FAILED, DROPPED, or WAITING for another try."""

    id: int
    claim: str
    state: DeliveryState
    error: str = ""  # without secrets
    retry_in_us: Micros = 0  # of a waiting one
    was_tried: bool = True  # False: the channel was not asked, so it counts as no try and says nothing of its health
    may_have_arrived: bool = False  # the answer was lost: the next try says that it may be a repeat


class RecentlySent(NamedTuple):
    """How many messages a channel got in its time of reckoning, and when the oldest of these."""

    messages: int
    oldest_at: Instant | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelHealth:
    """How a channel did lately."""

    last_sent_at: Instant | None = None
    failures: int = 0  # since the last message that was sent
    failing_since: Instant | None = None
    last_error: str = ""
    waiting: int = 0


class ChannelStore(Protocol):
    """Keeps channels and their outbox."""

    async def list(self, *, namespace: str | None) -> Sequence[Channel]:
        """Those of the cluster and of this namespace (None: of every), by namespace and name."""
        ...

    async def find(self, name: str, *, namespace: str | None) -> Channel | None:
        """The namespace's own before one of the whole cluster."""
        ...

    async def save(self, channel: Channel, *, by: Actor) -> Channel:
        """Keep it as its next version. `ChannelExists`: a new one (version 0) has the name of another;
        `ChannelChanged`: its version is not the present one any more.
        """
        ...

    async def remove(self, name: str, *, namespace: str | None) -> bool:
        """Forget it; notices that wait for it are dropped by the leader. False: there is none."""
        ...

    async def health(self, *, namespace: str | None) -> Mapping[ChannelKey, ChannelHealth]:
        """By namespace and name, of the channels that `list` has."""
        ...

    async def note_health(self, key: ChannelKey, *, error: str = "") -> None:
        """A message that did not go through the outbox reached its channel, or failed with this error."""
        ...

    async def put(self, notices: Sequence[Notice], *, term: int | None = None) -> int:
        """Write notices whose key is not there yet; how many. Alerts write theirs in their own transaction."""
        ...

    async def claim(self, *, claim: str, by: str, limit: int, for_us: Micros, term: int | None) -> ClaimedNotices:
        """Take notices that are due, and those whose claim ran out: these may have been told, and say so."""
        ...

    async def settle(self, outcomes: Sequence[SendOutcome], *, by: str) -> int:
        """Write how it went, where the claim is still the same; how many."""
        ...

    async def fold(self, deliveries: Sequence[Delivery], digest: Notice) -> bool:
        """Put a digest in the place of claimed notices, in one transaction. False: a claim is another's now, and
        nothing changed.
        """
        ...

    async def recently_sent(self, since: Mapping[ChannelKey, Micros]) -> Mapping[ChannelKey, RecentlySent]:
        """What each channel got in the last so many microseconds."""
        ...

    async def deliveries(
        self,
        *,
        namespace: str | None,
        channel: str | None = None,
        alert_id: int | None = None,
        limit: int,
        before_id: int | None = None,
    ) -> Sequence[Delivery]:
        """The newest first. `namespace` None: of every one; else of the cluster's channels and of this one's."""
        ...

    async def forget(self, *, before: Instant, limit: int, term: int | None = None) -> int:
        """Delete notices that were settled before an instant; how many."""
        ...

    async def next_at(self) -> Instant | None:
        """When the next notice is due; None: none waits."""
        ...
