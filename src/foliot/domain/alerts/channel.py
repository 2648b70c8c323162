"""Channels: where alerts are told. A channel names its secrets, `${secret:NAME}`; servers have the values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from foliot.domain.alerts.level import AlertLevel
from foliot.domain.alerts.rule import Hours
from foliot.domain.instants import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A way to tell people. `namespace` None: every namespace may use it."""

    name: str
    namespace: str | None
    kind: str  # a row of NOTIFIERS
    settings: Mapping[str, Any]  # as the kind's schema says
    level_min: AlertLevel = AlertLevel.INFO  # less grave alerts are not told here
    language: str = "en"
    is_default: bool = False  # rules that name nobody tell it
    hours: Hours | None = None
    rate: int = 30  # messages …
    rate_us: Micros = 60_000_000  # … in this time; more go into one digest
    digest_us: Micros | None = None  # collect so long, then tell all at once; None: at once
    alive_us: Micros | None = None  # tell so often that the cluster lives (dead-man's switch); None: never
    is_on: bool = True
    version: int = 0
