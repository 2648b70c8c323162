"""What becomes of notices that a server has claimed: told now, kept for later, put into a digest, or dropped. Pure.

Hours and digests hold back what is not critical. A rate holds back everything but tests; what comes above it goes into
one digest, in the place of the last message that the rate allows.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from foliot.domain.alerts.alert import Notice, NoticeKind
from foliot.domain.alerts.channel import Channel
from foliot.domain.alerts.hours import told_from
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.instants import HOUR, MINUTE, SECOND, Instant, Micros

OF_ALERTS: Final = frozenset({NoticeKind.FIRED, NoticeKind.REMINDED, NoticeKind.ESCALATED, NoticeKind.RESOLVED})
DIGEST_MAX: Final = 50
"""Notices that a digest names; more of them are only counted."""
RETRY_FIRST_US: Final[Micros] = 10 * SECOND
RETRY_MOST_US: Final[Micros] = 10 * MINUTE
GIVE_UP_AFTER_US: Final[Micros] = 24 * HOUR
GIVE_UP_TRIES: Final = 12
"""A notice that waited for the hours of its channel all weekend is not given up at its first try."""
DEAD_AFTER_US: Final[Micros] = 5 * MINUTE
"""A channel that fails for so long is told of on the others."""

GONE: Final = "the channel is gone"
OFF: Final = "the channel is off"
NOT_GRAVE: Final = "it is less grave than the channel wants"
OUT_OF_HOURS: Final = "it waits for the hours of the channel"
COLLECTED: Final = "it waits for the digest of the channel"
TOO_MANY: Final = "it waits for the rate of the channel"


@dataclass(frozen=True, slots=True, kw_only=True)
class DueNotice:
    """A claimed notice, as far as this decision needs it."""

    id: int
    notice: Notice
    created_at: Instant
    is_first_try: bool  # it was never sent, nor may it have been


@dataclass(frozen=True, slots=True)
class RateUsed:
    """How many messages a channel got in its time of reckoning, and when the oldest of these."""

    messages: int = 0
    oldest_at: Instant | None = None


@dataclass(slots=True)
class DeliveryPlan:
    """Each claimed notice is in one of these."""

    send: list[int] = field(default_factory=list)
    drop: dict[int, str] = field(default_factory=dict)  # why
    later: dict[int, tuple[Micros, str]] = field(default_factory=dict)  # in how long, and why
    fold: list[tuple[list[int], Notice]] = field(default_factory=list)  # into this digest


def plan_deliveries(
    waiting: Sequence[DueNotice],
    channels: Mapping[tuple[str | None, str], Channel],
    used: Mapping[tuple[str | None, str], RateUsed],
    now: Instant,
) -> DeliveryPlan:
    """Decide about every claimed notice."""
    plan = DeliveryPlan()
    by_channel: dict[tuple[str | None, str], list[DueNotice]] = defaultdict(list)
    for one in waiting:
        key = (one.notice.namespace, one.notice.channel)
        channel = channels.get(key)
        if channel is None or _is_unwanted(one, channel, plan):
            plan.drop.setdefault(one.id, GONE)
        elif not _is_held(one, channel, now, plan):
            by_channel[key].append(one)
    for key, ready in by_channel.items():
        _within_rate(ready, channels[key], used.get(key, RateUsed()), now, plan)
    return plan


def retry_in_us(attempt: int, *, chance: float, retry_after_us: Micros = 0) -> Micros:
    """How long to wait before the next try: doubled each time, spread, and never sooner than the receiver asks."""
    base = min(RETRY_FIRST_US << min(attempt - 1, 20), RETRY_MOST_US)
    return max(round(base * (0.75 + chance / 2)), retry_after_us)


def window_end(created_at: Instant, digest_us: Micros) -> Instant:
    """When what was collected is told: digests end at full multiples of their time, so all wait for one instant."""
    return (created_at // digest_us + 1) * digest_us


def _is_unwanted(one: DueNotice, channel: Channel, plan: DeliveryPlan) -> bool:
    kind = one.notice.kind
    if kind is NoticeKind.TEST:
        return False
    if not channel.is_on:
        plan.drop[one.id] = OFF
    elif kind in OF_ALERTS and one.notice.level.rank < channel.level_min.rank:
        plan.drop[one.id] = NOT_GRAVE
    return one.id in plan.drop


def _is_held(one: DueNotice, channel: Channel, now: Instant, plan: DeliveryPlan) -> bool:
    """Hours, then the digest. What is critical waits for neither."""
    is_urgent = one.notice.level is AlertLevel.CRITICAL or one.notice.kind in (NoticeKind.TEST, NoticeKind.ALIVE)
    if is_urgent:
        return False
    opens_at = told_from(channel.hours, now)
    if opens_at > now:
        plan.later[one.id] = (opens_at - now, OUT_OF_HOURS)
    elif channel.digest_us is not None and one.notice.kind in OF_ALERTS:
        ends_at = window_end(one.created_at, channel.digest_us)
        if ends_at > now:
            plan.later[one.id] = (ends_at - now, COLLECTED)
    return one.id in plan.later


def _within_rate(
    ready: Sequence[DueNotice], channel: Channel, used: RateUsed, now: Instant, plan: DeliveryPlan
) -> None:
    tests = [one for one in ready if one.notice.kind is NoticeKind.TEST]
    plan.send += [one.id for one in tests]
    others = sorted((one for one in ready if one not in tests), key=_urgency)
    if channel.digest_us is not None:
        others = _collected(others, channel, plan)
    room = max(0, channel.rate - used.messages)
    if len(others) <= room:
        plan.send += [one.id for one in others]
        return
    if room == 0:
        frees_in = max(SECOND, (used.oldest_at or now) + channel.rate_us - now)
        if len(others) > channel.rate:  # more than the next time has room for: a new alert must not wait behind them
            others = _folded_for_later(others, channel, now + frees_in, plan)
        plan.later.update({one.id: (frees_in, TOO_MANY) for one in others})
        return
    kept, rest = others[: room - 1], others[room - 1 :]
    foldable = [one for one in rest if _may_be_folded(one)]
    plan.send += [one.id for one in kept]
    plan.later.update({one.id: (SECOND, TOO_MANY) for one in rest if one not in foldable})
    _fold(foldable, channel, plan)


def _folded_for_later(
    others: Sequence[DueNotice], channel: Channel, at: Instant, plan: DeliveryPlan
) -> list[DueNotice]:
    """One digest for most of them; what is left: the gravest, and those that may have been told."""
    critical = [one for one in others if one.notice.level is AlertLevel.CRITICAL][: channel.rate // 2]
    folded = [one for one in others if one not in critical and _may_be_folded(one)]
    if len(folded) < 2:
        return list(others)
    _fold(folded, channel, plan, not_before=at)
    return [one for one in others if one not in folded]


def _collected(others: list[DueNotice], channel: Channel, plan: DeliveryPlan) -> list[DueNotice]:
    """What the channel's digest takes; the rest is told by itself."""
    calm = [one for one in others if _may_be_folded(one) and one.notice.level is not AlertLevel.CRITICAL]
    if len(calm) < 2:
        return others
    _fold(calm, channel, plan)
    return [one for one in others if one not in calm]


def _may_be_folded(one: DueNotice) -> bool:
    """What may have been told is told again by itself, under its own id."""
    return one.notice.kind in OF_ALERTS and one.is_first_try


def _fold(notices: Sequence[DueNotice], channel: Channel, plan: DeliveryPlan, *, not_before: Instant = 0) -> None:
    if not notices:
        return
    if len(notices) == 1:
        plan.send.append(notices[0].id)
        return
    ids = sorted(one.id for one in notices)
    level = max((one.notice.level for one in notices), key=lambda one: one.rank)
    digest = Notice(
        key=f"digest:{ids[0]}:{ids[-1]}:{len(ids)}:{channel.namespace or ''}/{channel.name}",
        kind=NoticeKind.DIGEST,
        channel=channel.name,
        namespace=channel.namespace,
        level=level,
        data={"count": len(ids), "items": [_item(one) for one in notices[:DIGEST_MAX]]},
        not_before=not_before,
    )
    plan.fold.append((ids, digest))


def _item(one: DueNotice) -> dict[str, Any]:
    notice = one.notice
    return {
        "kind": str(notice.kind),
        "level": str(notice.level),
        "alert": notice.alert_id,
        "rule": notice.data.get("rule"),
        "condition": notice.data.get("condition"),
        "cause": {name: value for name, value in (notice.data.get("cause") or {}).items() if name != "error"},
        "subjects": list(notice.data.get("subjects") or ())[:1],
        "subject_count": notice.data.get("subject_count"),
    }


def _urgency(one: DueNotice) -> tuple[int, int]:
    return -one.notice.level.rank, one.id
