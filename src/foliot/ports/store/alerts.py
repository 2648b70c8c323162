"""Alerts in the store: what runs and nodes show, the troubles that are open, and their history."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from foliot.domain.alerts.alert import Alert
from foliot.domain.alerts.level import AlertLevel, AlertState
from foliot.domain.alerts.rule import Rule
from foliot.domain.alerts.silence import Silence
from foliot.domain.instants import Instant
from foliot.ports.store.actor import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertFilter:
    """Which alerts to list. `namespace`: those of it alone, nothing of the cluster."""

    states: frozenset[AlertState] = frozenset({AlertState.FIRING, AlertState.ACKNOWLEDGED})
    levels: frozenset[AlertLevel] = frozenset()
    rule: str | None = None
    job: str | None = None
    node: str | None = None
    since: Instant | None = None  # not over before
    namespace: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertPage:
    """Some alerts, newest first, and where to go on; None: there are no more."""

    items: Sequence[Alert]
    next_before_id: int | None = None


class AlertStore(Protocol):
    """Keeps alerts. What the leader needs for its rounds stands in `ports.store.alert_rounds`."""

    async def list(self, wanted: AlertFilter, *, limit: int, before_id: int | None = None) -> AlertPage: ...

    async def find(self, alert_id: int) -> Alert | None:
        """With its first subjects."""
        ...

    async def counts(self, *, namespace: str | None) -> Mapping[AlertLevel, int]:
        """How many fire, by level; silent and acknowledged ones are not counted."""
        ...

    async def acknowledge(self, alert_id: int, *, by: Actor) -> Alert | None:
        """A person looks after it: guarded by its state, and repeats are harmless. None: there is no such alert.

        `AlertIsOver`: it is resolved.
        """
        ...

    async def resolve(self, alert_id: int, *, by: Actor) -> Alert | None:
        """A person says that it is over. Repeats are harmless."""
        ...

    async def rules(self, *, namespace: str | None) -> Sequence[Rule]:
        """Those that users made: of the cluster and of this namespace (None: of every)."""
        ...

    async def find_rule(self, name: str, *, namespace: str | None) -> Rule | None: ...

    async def save_rule(self, rule: Rule, *, by: Actor) -> Rule:
        """Keep it as its next version; `AlertRuleChanged` when its version is not the present one any more."""
        ...

    async def remove_rule(self, name: str, *, namespace: str | None, by: Actor) -> bool:
        """Forget it, and resolve its alerts."""
        ...

    async def silences(self, *, namespace: str | None, with_ended: bool = False) -> Sequence[Silence]: ...

    async def silence(self, silence: Silence, *, by: Actor) -> Silence:
        """Keep a new one (its id is 0)."""
        ...

    async def end_silence(self, silence_id: int, *, by: Actor) -> Silence | None: ...
