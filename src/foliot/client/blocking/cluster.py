"""The cluster as a whole."""

# Written by python -m tests.client.derive: change foliot/client/awaited/cluster.py, then run it.

from __future__ import annotations

from typing import TYPE_CHECKING

from foliot.client.calls import Answer
from foliot.client.pages import AnswerPage, page_of

if TYPE_CHECKING:
    from foliot.client.blocking.foliot import Foliot


class Cluster:
    """The cluster as a whole."""

    def __init__(self, client: Foliot) -> None:
        self._ask = client.ask

    def status(self) -> Answer:
        """Leader, term, queue, lag, troubles and every node."""
        return dict(self._ask("get_cluster"))

    def overview(self, *, namespace: str | None = None) -> Answer:
        """What needs somebody, what runs, what comes next and what changed, of every namespace unless one is given."""
        where = {"namespace": namespace} if namespace else {}
        return dict(self._ask("get_overview", **where))

    def ahead(self, *, minutes: int = 60, namespace: str | None = None) -> Answer:
        """How many instants are due in each of the next minutes, of every namespace unless one is given."""
        where = {"namespace": namespace} if namespace else {}
        return dict(self._ask("get_ahead", minutes=minutes, **where))

    def doctor(self) -> Answer:
        """Look at the database, the machines, the coordination service and the jobs: what each check finds."""
        return dict(self._ask("check_cluster"))

    def fix(self, *, reason: str = "") -> Answer:
        """Do the repairs that are safe; what each changed."""
        return dict(self._ask("fix_cluster", reason=reason))

    def step_down(self, *, to: str | None = None, reason: str = "") -> Answer:
        """Hand the cluster's housekeeping to another server."""
        return dict(self._ask("step_down", to=to, reason=reason))

    def search(
        self, q: str, *, limit: int = 20, cursor: str | None = None, namespace: str | None = None
    ) -> AnswerPage[Answer]:
        """Jobs, runs and nodes by a part of their names, in every namespace unless one is given."""
        where = {"namespace": namespace} if namespace else {}
        return page_of(dict, self._ask("search", q=q, limit=limit, cursor=cursor, **where))

    def explain_cron(
        self, expression: str, *, timezone: str | None = None, dialect: str | None = None, count: int | None = None
    ) -> Answer:
        """What a cron expression means, its next instants, warnings."""
        return dict(self._ask("explain_cron", expression=expression, timezone=timezone, dialect=dialect, count=count))
