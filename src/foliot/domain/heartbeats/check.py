"""A check: something outside of Foliot that is to be heard of by a rhythm.

nightly-backup:
  every: 1d                     # or cron: "0 2 * * *" with timezone: Europe/Berlin
  grace: 30m                    # so much later is still no trouble
  longest: 2h                   # from its start to its end
  owner: ops
  description: the dump of the shop
  runbook: https://wiki.example/backup
  level: critical
  to: [oncall]
  tags: {team: data}
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from foliot.domain.alerts.level import AlertLevel
from foliot.domain.instants import MINUTE, Instant, Micros
from foliot.domain.schedule import Cron

GRACE_US: Final[Micros] = 5 * MINUTE
EARLY_US: Final[Micros] = MINUTE
"""A ping that comes so much before its instant counts for it: clocks differ."""


class PingKind(StrEnum):
    """What something outside of Foliot says of itself."""

    START = "start"
    OK = "ok"
    FAIL = "fail"


class CheckState(StrEnum):
    """How a check is. It follows from instants and from store time; the words are never stored."""

    NEW = "new"  # nothing was heard of it, and nobody waits
    UP = "up"
    RUNNING = "running"
    LATE = "late"  # its time has come; the grace has not passed
    DOWN = "down"
    PAUSED = "paused"


class CheckTrouble(StrEnum):
    """Why a check is down. The words stand in the store."""

    MISSED = "missed"  # it was not heard of in time
    FAILED = "failed"  # it said so
    OVERRUN = "overrun"  # it began, and does not end


@dataclass(frozen=True, slots=True, kw_only=True)
class HeartbeatCheck:
    """One check, as people define it. Either `every_us` or `cron` says its rhythm."""

    name: str
    namespace: str
    every_us: Micros | None = None
    cron: Cron | None = None
    grace_us: Micros = GRACE_US
    longest_us: Micros | None = None  # None: until it is due again
    owner: str = ""
    description: str = ""
    runbook: str = ""
    level: AlertLevel | None = None  # None: as the rule says
    to: tuple[str, ...] = ()  # channels; none: as the rule says
    tags: Mapping[str, str] = field(default_factory=dict)
    version: int = 0  # 0: it is not kept yet

    def due_after(self, at: Instant) -> Instant | None:
        """When it is to be heard of next, if something was heard at this instant; None: never again."""
        if self.every_us is not None:
            return at + self.every_us
        assert self.cron is not None
        due_at = self.cron.next_after(at)
        following = None if due_at is None else self.cron.next_after(due_at)
        if due_at is None or following is None:
            return due_at
        is_this_one = due_at - at <= min(EARLY_US, (following - due_at) // 2)
        return following if is_this_one else due_at
