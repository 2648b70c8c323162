"""Servers and workers."""

# Written by python -m tests.client.derive: change foliot/client/awaited/nodes.py, then run it.

from __future__ import annotations

from typing import TYPE_CHECKING

from foliot.client.calls import Answer, Moment
from foliot.client.pages import AnswerPage, page_of

if TYPE_CHECKING:
    from foliot.client.blocking.foliot import Foliot


class Nodes:
    """Servers and workers."""

    def __init__(self, client: Foliot) -> None:
        self._ask = client.ask

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> AnswerPage[Answer]:
        """Every node and how it is."""
        return page_of(dict, self._ask("list_nodes", limit=limit, cursor=cursor))

    def get(self, name: str) -> Answer:
        """A node, by name or id, and what runs on it."""
        return dict(self._ask("get_node", name=name))

    def stats(
        self, name: str, *, from_: Moment | None = None, to: Moment | None = None, step: str | None = None
    ) -> Answer:
        """How the runs of a node went and its load in a range, a week unless said: by `minute`, `hour` or `day`."""
        return dict(self._ask("get_node_stats", name=name, from_=from_, to=to, step=step))

    def drain(self, name: str, *, reason: str = "") -> Answer:
        """Take a node out of service: it takes no more work, what it runs goes on to its end."""
        return dict(self._ask("drain_node", name=name, reason=reason))

    def undrain(self, name: str, *, reason: str = "") -> Answer:
        """Take a drained node back into service."""
        return dict(self._ask("undrain_node", name=name, reason=reason))

    def promote(self, name: str, *, reason: str = "") -> Answer:
        """Make a standby active: it fires and leases from its next beat on."""
        return dict(self._ask("promote_node", name=name, reason=reason))

    def demote(self, name: str, *, reason: str = "") -> Answer:
        """Make a server a standby: it serves users, and fires and leases nothing."""
        return dict(self._ask("demote_node", name=name, reason=reason))
