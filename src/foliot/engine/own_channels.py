"""Own channels of a server: told past the outbox while the store is away or nobody leads, once an outage.

Each server tells by itself, so people may hear the same from several: every such message is marked as a
possible repeat.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import structlog

from foliot.domain.alerts.alert import Notice, NoticeKind
from foliot.domain.alerts.channel import Channel
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.instants import SECOND, Instant
from foliot.engine.delivery import Teller
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.notifier import NotSent
from foliot.ports.store.channels import Delivery, DeliveryState

REST_S: Final = 2.0
AGAIN_S: Final = 30.0
STORE_AWAY: Final = "own_store"
NO_LEADER: Final = "own_leader"
OVER: Final = "own_over"

log = structlog.get_logger("foliot.delivery")


class OwnChannels:
    """A duty of every server that has own channels. It asks the store nothing."""

    name = "own channels"

    def __init__(
        self,
        channels: Sequence[Channel],
        teller: Teller,
        trouble: Callable[[], str],
        *,
        node: str,
        clock: Clock,
        chance: Chance,
        now: Callable[[], Instant],
        after_s: float,
    ) -> None:
        """`trouble`: STORE_AWAY, NO_LEADER, or empty while all is well. `after_s`: shorter outages are not told."""
        self.wake = asyncio.Event()
        self._channels = channels
        self._teller = teller
        self._trouble = trouble
        self._node = node
        self._clock = clock
        self._chance = chance
        self._now = now
        self._after_s = after_s
        self._since: float | None = None  # monotonic
        self._began_at: Instant = 0
        self._ids: dict[str, str] = {}  # delivery ids of this outage, by word and channel
        self._told: set[str] = set()  # channels that heard of this outage
        self._over: list[Channel] = []  # channels that are to hear that it is over
        self._tried_at = float("-inf")

    async def step(self) -> float:
        """Tell of an outage that lasts, and of its end."""
        trouble = self._trouble()
        now = self._clock.monotonic()
        if not trouble:
            self._end()
            await self._tell(OVER, list(self._over), now)
            return REST_S
        if self._since is None:
            self._since, self._began_at = now, self._now()
        if now - self._since >= self._after_s:
            await self._tell(trouble, [one for one in self._channels if one.name not in self._told], now)
        return REST_S

    def _end(self) -> None:
        if self._since is None:
            return
        self._since = None
        self._over = [one for one in self._channels if one.name in self._told]
        self._told = set()
        self._tried_at = float("-inf")
        self._ids = {}

    async def _tell(self, word: str, channels: Sequence[Channel], now: float) -> None:
        if not channels or now - self._tried_at < AGAIN_S:
            return
        self._tried_at = now
        results = await asyncio.gather(*(self._sent(word, one) for one in channels))
        for channel, is_sent in zip(channels, results, strict=True):
            if not is_sent:
                continue
            if word == OVER:
                self._over.remove(channel)
            else:
                self._told.add(channel.name)

    async def _sent(self, word: str, channel: Channel) -> bool:
        """Send it; a try that failed is made again under the same id."""
        at = self._now()
        delivery_id = self._ids.setdefault(f"{word}:{channel.name}", self._chance.token())
        notice = Notice(
            key=f"{word}:{self._node}:{self._began_at}",
            kind=NoticeKind.RESOLVED if word == OVER else NoticeKind.FIRED,
            channel=channel.name,
            namespace=None,
            level=AlertLevel.CRITICAL,
            data={
                "own": word,
                "node": self._node,
                "began_at": self._began_at,
                "key": f"own:{self._node}:{self._began_at}",
            },
        )
        delivery = Delivery(
            id=0,
            delivery_id=delivery_id,
            notice=notice,
            state=DeliveryState.SENDING,
            attempt=1,
            created_at=self._began_at // SECOND * SECOND,
            is_repeat=True,
        )
        try:
            await self._teller.tell(channel, delivery, at)
        except (NotSent, TimeoutError) as error:
            log.warning("own_channel.not_sent", channel=channel.name, why=str(error))
            return False
        return True
