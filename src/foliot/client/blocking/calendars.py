"""Calendars: which days count."""

# Written by python -m tests.client.derive: change foliot/client/awaited/calendars.py, then run it.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from foliot.client.calls import Answer
from foliot.client.pages import AnswerPage, page_of

if TYPE_CHECKING:
    from foliot.client.blocking.foliot import Foliot


class Calendars:
    """Calendars: which days count."""

    def __init__(self, client: Foliot) -> None:
        self._ask = client.ask

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> AnswerPage[Answer]:
        """Those that were saved, and some of the built-in ones."""
        return page_of(dict, self._ask("list_calendars", limit=limit, cursor=cursor))

    def get(self, name: str, *, version: int | None = None) -> Answer:
        """A calendar, the next days that stand out, and the jobs that use it."""
        return dict(self._ask("get_calendar", name=name, version=version))

    def put(self, name: str, calendar: Mapping[str, Any], *, reason: str = "") -> Answer:
        """Save a calendar: a new version, which the jobs that use it take over from now on."""
        return dict(self._ask("put_calendar", name=name, calendar=calendar, reason=reason))

    def delete(self, name: str) -> None:
        """Take a calendar away that no job uses."""
        self._ask("delete_calendar", name=name)
