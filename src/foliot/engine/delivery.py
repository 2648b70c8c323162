"""Delivery: the leader claims notices that are due, tells them, and writes down how it went (R20).

A notice is claimed under the term for longer than its sending may take. A leader that dies leaves its claim behind;
when that runs out, the next leader sends the notice again under the same delivery id, marked as a possible repeat.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, Protocol, TypeAlias

import structlog

from foliot.domain.alerts.alert import AlertCause, Notice, NoticeKind
from foliot.domain.alerts.channel import Channel
from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.alerts.delivery import (
    DEAD_AFTER_US,
    GIVE_UP_AFTER_US,
    GIVE_UP_TRIES,
    DueNotice,
    RateUsed,
    plan_deliveries,
    retry_in_us,
)
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.alerts.observation import Observation
from foliot.domain.instants import SECOND, Instant, Micros
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.notifier import NotSent
from foliot.ports.store.channels import ChannelKey, ChannelStore, ClaimedNotices, Delivery, DeliveryState, SendOutcome
from foliot.ports.store.errors import StoreBusy, StoreUnavailable

REST_S: Final = 5.0
CLAIMED_MAX: Final = 500
SENT_AT_ONCE: Final = 50
WITHIN_S: Final = 10.0
LOG_AND_SLACK_S: Final = 10.0
SETTLE_TRIES: Final = 5
SETTLE_REST_S: Final = 1.0

_WORDS: Final = {
    DeliveryState.SENT: "sent",
    DeliveryState.WAITING: "failed",  # it is tried again
    DeliveryState.FAILED: "given_up",
}

log = structlog.get_logger("foliot.delivery")


class Teller(Protocol):
    """Makes messages and sends them: what the app builds of kinds, secrets and words."""

    async def tell(self, channel: Channel, delivery: Delivery, now: Instant) -> None:
        """Send one notice; raises `NotSent`."""
        ...


def claim_us(within_s: float) -> Micros:
    """For how long a notice is claimed: twice the limit of one message, and time to read a log and to settle it."""
    return round((2 * within_s + LOG_AND_SLACK_S) * SECOND)


Now: TypeAlias = Callable[[], Instant]


class Delivering:
    """The duty."""

    def __init__(
        self,
        store: ChannelStore,
        teller: Teller,
        *,
        node: str,
        clock: Clock,
        chance: Chance,
        now: Now,
        within_s: float = WITHIN_S,
    ) -> None:
        """`now`: the store's time, as this server believes it to be. `within_s`: the limit of one message."""
        self._store = store
        self._teller = teller
        self._node = node
        self._clock = clock
        self._chance = chance
        self._now = now
        self._within_s = within_s
        self.outcomes: Counter[tuple[str, str]] = Counter()  # by channel and word, for metrics
        self._alive_at: dict[ChannelKey, float] = {}  # when a dead-man's switch was last told, monotonic

    async def deliver(self, term: int) -> float | None:
        """One round: what is due is told. Nothing waits: one statement."""
        due_at = await self._store.next_at()
        if due_at is None:
            return None
        wait_us = due_at - self._now()
        if wait_us > 0:
            return min(wait_us / SECOND, REST_S)
        claim = self._chance.token()
        for_us = claim_us(self._within_s)
        until = self._clock.monotonic() + for_us / SECOND  # counted from before the claim: never too late
        claimed = await self._store.claim(claim=claim, by=self._node, limit=CLAIMED_MAX, for_us=for_us, term=term)
        if claimed.deliveries:
            await self._carry_out(claimed, until)
        return 0.0 if len(claimed.deliveries) >= SENT_AT_ONCE else 0.2

    async def _carry_out(self, claimed: ClaimedNotices, until: float) -> None:
        by_id = {one.id: one for one in claimed.deliveries}
        channels = {channel.key: channel for channel in await self._store.list(namespace=None)}
        waiting = [_waiting(one) for one in claimed.deliveries]
        used = await self._used(claimed, channels)
        plan = plan_deliveries(waiting, channels, used, claimed.now)
        put_aside = [_dropped(by_id[one], why) for one, why in plan.drop.items()]
        self.outcomes.update((by_id[one].notice.channel, "dropped") for one in plan.drop)
        put_aside += [_postponed(by_id[one], in_us, why) for one, (in_us, why) in plan.later.items()]
        now_and_later = _in_turns([by_id[one] for one in plan.send])
        put_aside += [_postponed(one, 0, "") for one in now_and_later[SENT_AT_ONCE:]]
        await self._settle(put_aside)
        for ids, digest in plan.fold:
            await self._store.fold([by_id[one] for one in ids], digest)
        sending = []
        for delivery in now_and_later[:SENT_AT_ONCE]:
            channel = channels[delivery.channel_key]
            sending.append(self._sent(delivery, channel, claimed.now, until))
        await asyncio.gather(*sending)

    async def _used(
        self, claimed: ClaimedNotices, channels: Mapping[ChannelKey, Channel]
    ) -> dict[ChannelKey, RateUsed]:
        """How much of its rate each of these channels has used."""
        keys = {one.channel_key for one in claimed.deliveries}
        rates = {key: channels[key].rate_us for key in keys if key in channels}
        recently = await self._store.recently_sent(rates)
        return {key: RateUsed(*found) for key, found in recently.items()}

    async def _sent(self, delivery: Delivery, channel: Channel, now: Instant, until: float) -> None:
        if self._clock.monotonic() + self._within_s > until:
            # This server stood still. Another one may send the notice by now, as a repeat: not also this one.
            log.warning("notice.claim_ran_out", channel=channel.name, notice=delivery.notice.key)
            return
        outcome = await self._outcome(delivery, channel, now)
        is_sent = outcome.state is DeliveryState.SENT
        self.outcomes[channel.name, _WORDS[outcome.state]] += 1
        say = log.info if is_sent else log.warning
        say(
            "notice.sent" if is_sent else "notice.not_sent",
            channel=channel.name,
            kind=channel.kind,
            notice=delivery.notice.key,
            attempt=delivery.attempt,
            why=outcome.error or None,
        )
        await self._settle([outcome])

    async def _outcome(self, delivery: Delivery, channel: Channel, now: Instant) -> SendOutcome:
        try:
            await self._teller.tell(channel, delivery, now)
        except NotSent as error:
            return self._failed(delivery, now, error)
        except Exception as error:  # a plug-in's bug must not stop the others
            log.exception("notice.broke", channel=channel.name, kind=channel.kind)
            return self._failed(delivery, now, NotSent(f"the kind {channel.kind} failed ({type(error).__name__})"))
        return SendOutcome(id=delivery.id, claim=delivery.claim, state=DeliveryState.SENT)

    def _failed(self, delivery: Delivery, now: Instant, error: NotSent) -> SendOutcome:
        is_old = now - delivery.created_at > GIVE_UP_AFTER_US and delivery.attempt >= GIVE_UP_TRIES
        is_over = error.is_final or is_old
        retry_after_us = round((error.retry_after_s or 0) * SECOND)
        again_in = retry_in_us(delivery.attempt, chance=self._chance.fraction(), retry_after_us=retry_after_us)
        is_test = delivery.notice.kind is NoticeKind.TEST  # the user waits for the answer
        return SendOutcome(
            id=delivery.id,
            claim=delivery.claim,
            state=DeliveryState.FAILED if is_over or is_test else DeliveryState.WAITING,
            error=error.why,
            retry_in_us=again_in,
            may_have_arrived=error.may_have_arrived,
        )

    async def _settle(self, outcomes: Sequence[SendOutcome]) -> None:
        """Write it down, again and again for a while: what stays unwritten is sent again as a possible repeat."""
        if not outcomes:
            return
        for _ in range(SETTLE_TRIES):
            try:
                await self._store.settle(outcomes, by=self._node)
                return
            except (StoreUnavailable, StoreBusy):
                await self._clock.wait(asyncio.Event(), for_s=SETTLE_REST_S)
        log.warning("notice.not_settled", notices=len(outcomes))

    async def keep_alive(self, term: int, *, is_well: Callable[[], Awaitable[bool]] | None = None) -> float | None:
        """The dead-man's switch: tell the channels that want it, while the cluster is well."""
        now = self._clock.monotonic()
        channels = await self._store.list(namespace=None)
        due = [one for one in channels if self._wants_a_sign(one, now)]
        if not due:
            return None
        if is_well is not None and not await is_well():
            return None
        await asyncio.gather(*(self._told_alive(one, now) for one in due))
        return None

    def _wants_a_sign(self, channel: Channel, now: float) -> bool:
        """Whether a sign of life is due on this channel."""
        if channel.alive_us is None or not channel.is_on:
            return False
        told_at = self._alive_at.get(channel.key)
        return told_at is None or now - told_at >= channel.alive_us / SECOND

    async def _told_alive(self, channel: Channel, now: float) -> None:
        """Not through the outbox: a sign of life that comes late is worse than none."""
        at = self._now()
        notice = Notice(
            key=f"alive:{at}",
            kind=NoticeKind.ALIVE,
            channel=channel.name,
            namespace=channel.namespace,
            level=AlertLevel.INFO,
            data={"node": self._node},
        )
        delivery = Delivery(
            id=0,
            delivery_id=self._chance.token(),
            notice=notice,
            state=DeliveryState.SENDING,
            attempt=1,
            created_at=at,
        )
        error = ""
        try:
            await self._teller.tell(channel, delivery, at)
            self._alive_at[channel.key] = now
        except NotSent as failed:
            error = failed.why
        self.outcomes[channel.name, "failed" if error else "sent"] += 1
        await self._store.note_health(channel.key, error=error)


def _in_turns(deliveries: Sequence[Delivery]) -> list[Delivery]:
    """The first of each channel, then the second of each: a channel with much to say does not hold up the others."""
    turns: Counter[ChannelKey] = Counter()
    placed: list[tuple[int, Delivery]] = []
    for one in deliveries:
        placed.append((turns[one.channel_key], one))
        turns[one.channel_key] += 1
    return [one for _, one in sorted(placed, key=lambda turn: turn[0])]


def _waiting(one: Delivery) -> DueNotice:
    is_first = one.attempt == 1 and not one.is_repeat
    return DueNotice(id=one.id, notice=one.notice, created_at=one.created_at, is_first_try=is_first)


def _dropped(one: Delivery, why: str) -> SendOutcome:
    return SendOutcome(id=one.id, claim=one.claim, state=DeliveryState.DROPPED, error=why, was_tried=False)


def _postponed(one: Delivery, in_us: Micros, why: str) -> SendOutcome:
    return SendOutcome(
        id=one.id, claim=one.claim, state=DeliveryState.WAITING, error=why, retry_in_us=in_us, was_tried=False
    )


async def dead_channels(store: ChannelStore, now: Instant) -> list[Observation]:
    """Channels that fail for long, as rules see them (`when: channel`)."""
    health = await store.health(namespace=None)
    return [
        Observation(
            kind=ConditionKind.CHANNEL,
            subject_key=f"channel:{namespace or ''}/{name}",
            subject=name,
            namespace=namespace,
            cause=AlertCause(key=f"channel:{namespace or ''}/{name}", data={"error": one.last_error}),
            at=now,
            lasts_us=now - one.failing_since,
            data={"error": one.last_error, "failures": one.failures},
        )
        for (namespace, name), one in sorted(health.items(), key=str)
        if one.failing_since is not None and now - one.failing_since >= DEAD_AFTER_US
    ]
