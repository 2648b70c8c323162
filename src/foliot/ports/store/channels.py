"""Channels and the outbox in the store: a notice is written with the decision to tell it, and told at least once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from foliot.domain.alerts.alert import Notice
from foliot.domain.alerts.channel import Channel
from foliot.domain.instants import Instant, Micros
from foliot.ports.store.actor import Actor


class DeliveryState(StrEnum):
    """How far a notice is. The words stand in the store."""

    WAITING = "waiting"
    SENDING = "sending"  # a server has claimed it
    SENT = "sent"
    FAILED = "failed"  # given up
    DROPPED = "dropped"  # in a digest, or its channel is gone


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A notice in the outbox."""

    id: int
    delivery_id: str
    notice: Notice
    state: DeliveryState
    attempt: int
    created_at: Instant
    next_at: Instant
    claim: str = ""
    is_repeat: bool = False  # it was claimed before, and nobody knows whether it was told
    sent_at: Instant | None = None
    sent_by: str = ""  # the server
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SendOutcome:
    """How the sending of a claimed notice went."""

    id: int
    claim: str
    is_sent: bool
    error: str = ""
    retry_in_us: Micros | None = None  # None: given up, if it was not sent


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
        """Those of the cluster and of this namespace (None: of every)."""
        ...

    async def find(self, name: str, *, namespace: str | None) -> Channel | None:
        """The namespace's own before one of the whole cluster."""
        ...

    async def save(self, channel: Channel, *, by: Actor) -> Channel:
        """Keep it as its next version; `ChannelChanged` when its version is not the present one any more."""
        ...

    async def remove(self, name: str, *, namespace: str | None) -> bool: ...

    async def health(self, *, namespace: str | None) -> Mapping[tuple[str | None, str], ChannelHealth]:
        """By namespace and name."""
        ...

    async def put(self, notices: Sequence[Notice], *, term: int | None = None) -> int:
        """Write notices whose key is not there yet; how many. Alerts write theirs in their own transaction."""
        ...

    async def claim(self, *, claim: str, by: str, limit: int, for_us: Micros, term: int | None) -> Sequence[Delivery]:
        """Take notices that are due, and those whose claim ran out: these may have been told, and say so."""
        ...

    async def settle(self, outcomes: Sequence[SendOutcome], *, by: str) -> int:
        """Write how it went, where the claim is still the same; how many."""
        ...

    async def deliveries(
        self, *, namespace: str | None, channel: str | None, limit: int, before_id: int | None = None
    ) -> Sequence[Delivery]:
        """The newest first."""
        ...

    async def forget(self, *, before: Instant, limit: int, term: int | None = None) -> int:
        """Delete notices that were settled before an instant; how many."""
        ...

    async def next_at(self) -> Instant | None:
        """When the next notice is due; None: none waits."""
        ...
