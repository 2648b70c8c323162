"""Kinds of handlers: what jobs can execute, and the workers that offer it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foliot.client.calls import Answer
from foliot.client.pages import AnswerPage, page_of

if TYPE_CHECKING:
    from foliot.client.awaited.foliot import AsyncFoliot


class AsyncHandlers:
    """Kinds of handlers: what jobs can execute, and the workers that offer it."""

    def __init__(self, client: AsyncFoliot) -> None:
        self._ask = client.ask

    async def list(self, *, limit: int | None = None, cursor: str | None = None) -> AnswerPage[Answer]:
        """Every kind, with its versions, the nodes that offer them, and where one does not work."""
        return page_of(dict, await self._ask("list_handlers", limit=limit, cursor=cursor))

    async def get(self, kind: str) -> Answer:
        """A kind, and the JSON Schema of its options."""
        return dict(await self._ask("get_handler", kind=kind))
