"""Servers and workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foliot.client.calls import Answer, Moment
from foliot.client.pages import AnswerPage, page_of

if TYPE_CHECKING:
    from foliot.client.awaited.foliot import AsyncFoliot


class AsyncNodes:
    """Servers and workers."""

    def __init__(self, client: AsyncFoliot) -> None:
        self._ask = client.ask

    async def list(self, *, limit: int | None = None, cursor: str | None = None) -> AnswerPage[Answer]:
        """Every node and how it is."""
        return page_of(dict, await self._ask("list_nodes", limit=limit, cursor=cursor))

    async def get(self, name: str) -> Answer:
        """A node, by name or id, and what runs on it."""
        return dict(await self._ask("get_node", name=name))

    async def stats(
        self, name: str, *, from_: Moment | None = None, to: Moment | None = None, step: str | None = None
    ) -> Answer:
        """How the runs of a node went and its load in a range, a week unless said: by `minute`, `hour` or `day`."""
        return dict(await self._ask("get_node_stats", name=name, from_=from_, to=to, step=step))

    async def drain(self, name: str, *, reason: str = "") -> Answer:
        """Take a node out of service: it takes no more work, what it runs goes on to its end."""
        return dict(await self._ask("drain_node", name=name, reason=reason))

    async def undrain(self, name: str, *, reason: str = "") -> Answer:
        """Take a drained node back into service."""
        return dict(await self._ask("undrain_node", name=name, reason=reason))

    async def promote(self, name: str, *, reason: str = "") -> Answer:
        """Make a standby active: it fires and leases from its next beat on."""
        return dict(await self._ask("promote_node", name=name, reason=reason))

    async def demote(self, name: str, *, reason: str = "") -> Answer:
        """Make a server a standby: it serves users, and fires and leases nothing."""
        return dict(await self._ask("demote_node", name=name, reason=reason))
