"""Kinds of handlers: what jobs can execute, and the workers that offer it."""

# Written by python -m tests.client.derive: change foliot/client/awaited/handlers.py, then run it.

from __future__ import annotations

from typing import TYPE_CHECKING

from foliot.client.calls import Answer
from foliot.client.pages import AnswerPage, page_of

if TYPE_CHECKING:
    from foliot.client.blocking.foliot import Foliot


class Handlers:
    """Kinds of handlers: what jobs can execute, and the workers that offer it."""

    def __init__(self, client: Foliot) -> None:
        self._ask = client.ask

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> AnswerPage[Answer]:
        """Every kind, with its versions, the nodes that offer them, and where one does not work."""
        return page_of(dict, self._ask("list_handlers", limit=limit, cursor=cursor))

    def get(self, kind: str) -> Answer:
        """A kind, and the JSON Schema of its options."""
        return dict(self._ask("get_handler", kind=kind))
