"""Saved views of the console: an address under a name."""

# Written by python -m tests.client.derive: change foliot/client/awaited/views.py, then run it.

from __future__ import annotations

from typing import TYPE_CHECKING

from foliot.client.calls import Answer
from foliot.client.pages import AnswerPage, page_of

if TYPE_CHECKING:
    from foliot.client.blocking.foliot import Foliot


class Views:
    """Saved views of the console: an address under a name."""

    def __init__(self, client: Foliot) -> None:
        self._ask = client.ask

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> AnswerPage[Answer]:
        """Your own views and the shared ones, by name."""
        return page_of(dict, self._ask("list_views", limit=limit, cursor=cursor))

    def save(self, name: str, path: str, *, shared: bool = False) -> Answer:
        """Keep an address of the console; a shared one is seen by everybody and needs the scope write."""
        return dict(self._ask("save_view", name=name, path=path, shared=shared))

    def remove(self, name: str, *, shared: bool = False) -> None:
        """Forget a view."""
        self._ask("remove_view", name=name, shared=shared)
