"""Secrets of channels: every server looks which it lacks, and its beat says so, before a message needs one."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from foliot.domain.alerts.channel import Channel
from foliot.domain.alerts.missing_secrets import LACKS
from foliot.domain.secret_references import names_in
from foliot.ports.store.channels import ChannelStore

REST_S: Final = 60.0
NAMED_MAX: Final = 20


class ChannelSecrets:
    """A duty of every server: one statement a minute."""

    name = "channel secrets"

    def __init__(self, store: ChannelStore, missing: Callable[[Sequence[Channel]], Awaitable[Sequence[str]]]) -> None:
        self.wake = asyncio.Event()
        self._store = store
        self._missing = missing
        self._lacks: Sequence[str] = ()

    async def step(self) -> float:
        channels = [one for one in await self._store.list(namespace=None) if names_in(one.settings)]
        self._lacks = await self._missing(channels) if channels else ()
        return REST_S

    def as_load(self) -> dict[str, float]:
        """What this server lacks, for its beat."""
        return {f"{LACKS}{name}": 1.0 for name in self._lacks[:NAMED_MAX]}
