"""What a server needs to tell people: kinds of channels, its secrets, delivery, signs of life, and own channels."""

import os
from collections.abc import Callable
from functools import partial
from typing import Final

from foliot.app.notifier_kinds import InstalledNotifiers
from foliot.app.settings import ServerSettings
from foliot.app.teller import SECRETS_KIND, ChannelTeller
from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.instants import MINUTE, Micros
from foliot.engine.alerting import AlertSource
from foliot.engine.channel_secrets import ChannelSecrets
from foliot.engine.delivery import Delivering, dead_channels
from foliot.engine.loop import Duty
from foliot.engine.own_channels import NO_LEADER, STORE_AWAY, OwnChannels
from foliot.engine.pulse import Tide
from foliot.operations.services import Services
from foliot.operations.told_runs import told_run
from foliot.worker.secrets.vault import Vault

UNDECIDED_US: Final[Micros] = MINUTE
"""A cluster in which something is due for so long without a decision is not well."""


class Telling:
    """The parts of one server, wired."""

    def __init__(
        self,
        settings: ServerSettings,
        services: Services,
        tide: Tide,
        is_away: Callable[[], bool],
    ) -> None:
        """`is_away`: whether the store is."""
        self._notify = settings.notify
        self._node = settings.node_name
        self._tide = tide
        self._is_away = is_away
        clock, chance = services.clock, services.chance
        self._clock = clock
        self._chance = chance
        self.vault = Vault(self._notify.secrets, clock=clock, environment=os.environ)
        self.teller = ChannelTeller(
            InstalledNotifiers(),
            self.vault.for_kind(SECRETS_KIND),
            self._notify.rules,
            node=self._node,
            public_url=settings.public_url,
            about_run=partial(told_run, services),
        )
        store = services.store.channels
        self.delivering = Delivering(
            store,
            self.teller,
            node=self._node,
            clock=clock,
            chance=chance,
            now=tide.store_now,
            within_s=self._notify.rules.within_s,
        )
        self.secrets = ChannelSecrets(store, self.teller.missing)
        self._store = store

    def duties(self) -> list[Duty]:
        """What every server does; own channels only where its settings name some."""
        return [self.secrets, *self._own_channels()]

    async def keep_alive(self, term: int) -> float | None:
        """A round of the leader for dead-man's switches."""
        return await self.delivering.keep_alive(term, is_well=self._is_well)

    def alert_sources(self) -> list[AlertSource]:
        """What the rules of alerts may ask this part for."""
        return [AlertSource(frozenset({ConditionKind.CHANNEL}), partial(dead_channels, self._store))]

    def _own_channels(self) -> list[Duty]:
        if not self._notify.channels:
            return []
        own = OwnChannels(
            self._notify.channels,
            self.teller,
            self._outage,
            node=self._node,
            clock=self._clock,
            chance=self._chance,
            now=self._tide.store_now,
            after_s=self._notify.told_after_s,
        )
        return [own]

    def _outage(self) -> str:
        """What keeps the cluster from telling by its outbox; empty: nothing."""
        if self._is_away():
            return STORE_AWAY
        pulse = self._tide.pulse
        if pulse is not None and pulse.leader_until < self._tide.store_now():
            return NO_LEADER
        return ""

    async def _is_well(self) -> bool:
        """The store answers, and nothing is due for long without a decision."""
        pulse = self._tide.pulse
        if pulse is None or self._is_away():
            return False
        return pulse.next_at is None or self._tide.store_now() - pulse.next_at < UNDECIDED_US
