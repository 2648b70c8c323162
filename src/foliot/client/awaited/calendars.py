"""Calendars: which days count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from foliot.client.calls import Answer
from foliot.client.pages import AnswerPage, page_of

if TYPE_CHECKING:
    from foliot.client.awaited.foliot import AsyncFoliot


class AsyncCalendars:
    """Calendars: which days count."""

    def __init__(self, client: AsyncFoliot) -> None:
        self._ask = client.ask

    async def list(self, *, limit: int | None = None, cursor: str | None = None) -> AnswerPage[Answer]:
        """Those that were saved, and some of the built-in ones."""
        return page_of(dict, await self._ask("list_calendars", limit=limit, cursor=cursor))

    async def get(self, name: str, *, version: int | None = None) -> Answer:
        """A calendar, the next days that stand out, and the jobs that use it."""
        return dict(await self._ask("get_calendar", name=name, version=version))

    async def put(self, name: str, calendar: Mapping[str, Any], *, reason: str = "") -> Answer:
        """Save a calendar: a new version, which the jobs that use it take over from now on."""
        return dict(await self._ask("put_calendar", name=name, calendar=calendar, reason=reason))

    async def delete(self, name: str) -> None:
        """Take a calendar away that no job uses."""
        await self._ask("delete_calendar", name=name)
