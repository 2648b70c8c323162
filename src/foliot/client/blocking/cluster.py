"""The cluster as a whole."""

# Written by python -m tests.client.derive: change foliot/client/awaited/cluster.py, then run it.

from __future__ import annotations

from typing import TYPE_CHECKING

from foliot.client.calls import Answer, Moment, moment
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

    def overview(self, *, namespace: str | None = None, tz: str | None = None) -> Answer:
        """What needs somebody, what runs, what comes next and what changed, of every namespace unless one is given.

        `tz`: the zone of times in sentences.
        """
        where = {"namespace": namespace} if namespace else {}
        return dict(self._ask("get_overview", tz=tz, **where))

    def stats(self, *, from_: Moment | None = None, to: Moment | None = None, step: str | None = None) -> Answer:
        """How all runs went and the load of all nodes in a range, a week unless said: by `minute`, `hour` or `day`."""
        return dict(self._ask("get_cluster_stats", from_=from_, to=to, step=step))

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

    def settings(self) -> Answer:
        """Every setting of the server that answers: its value, and who gave it."""
        return dict(self._ask("get_settings"))

    def policies(self) -> Answer:
        """For each type of failure how it is detected, what is done, when it needs a person; the cluster's times."""
        return dict(self._ask("get_policies"))

    def set_policy(
        self,
        type: str,  # noqa: A002  as the API says it
        *,
        timeout: str | float | None = None,
        attempts: int | None = None,
        level: str | None = None,
        channel: str | None = None,
        version: int | None = None,
        reason: str = "",
    ) -> Answer:
        """Say when a type of failure needs a person. What is left out stays; the channel `-` is nobody."""
        changes = {"timeout": timeout, "attempts": attempts, "level": level, "channel": channel}
        return dict(self._ask("set_policy", type=type, **changes, version=version, reason=reason))

    def set_servers(
        self,
        *,
        active_min: int | None = None,
        standby_count: int | None = None,
        version: int | None = None,
        reason: str = "",
    ) -> Answer:
        """Say how many servers are to be active, and how many standbys there are to be. What is left out stays."""
        changes = {"active_min": active_min, "standby_count": standby_count}
        return dict(self._ask("set_server_rules", **changes, version=version, reason=reason))

    def failovers(
        self,
        *,
        type: str | None = None,  # noqa: A002
        since: Moment | None = None,
        only_open: bool = False,
        limit: int = 50,
        cursor: str | None = None,
        namespace: str | None = None,
    ) -> AnswerPage[Answer]:
        """A page of what failed, newest first; of every namespace unless one is given."""
        where = {"namespace": namespace} if namespace else {}
        which = {"type": type, "since": moment(since), "only_open": only_open}
        return page_of(dict, self._ask("list_failovers", limit=limit, cursor=cursor, **which, **where))

    def failover(self, number: int) -> Answer:
        """One failure: what was affected, what was done, how long it took."""
        return dict(self._ask("get_failover", number=number))

    def step_down(self, *, to: str | None = None, reason: str = "") -> Answer:
        """Hand the cluster's housekeeping to another server."""
        return dict(self._ask("step_down", to=to, reason=reason))

    def begin_maintenance(self, *, lasts: str | float | None = None, reason: str = "") -> Answer:
        """Let no server decide, for so long or until it is ended. Running runs go on, and everything is served."""
        return dict(self._ask("set_maintenance", on=True, lasts=lasts, reason=reason))

    def end_maintenance(self, *, reason: str = "") -> Answer:
        """Let servers decide again: first what became due meanwhile, by each job's misfire policy."""
        return dict(self._ask("set_maintenance", on=False, reason=reason))

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
