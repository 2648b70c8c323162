"""Saved views of the console: an address under a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foliot.client.calls import Answer
from foliot.client.pages import AnswerPage, page_of

if TYPE_CHECKING:
    from foliot.client.awaited.foliot import AsyncFoliot


class AsyncViews:
    """Saved views of the console: an address under a name."""

    def __init__(self, client: AsyncFoliot) -> None:
        self._ask = client.ask

    async def list(self, *, limit: int | None = None, cursor: str | None = None) -> AnswerPage[Answer]:
        """Your own views and the shared ones, by name."""
        return page_of(dict, await self._ask("list_views", limit=limit, cursor=cursor))

    async def save(self, name: str, path: str, *, shared: bool = False) -> Answer:
        """Keep an address of the console; a shared one is seen by everybody and needs the scope write."""
        return dict(await self._ask("save_view", name=name, path=path, shared=shared))

    async def remove(self, name: str, *, shared: bool = False) -> None:
        """Forget a view."""
        await self._ask("remove_view", name=name, shared=shared)
