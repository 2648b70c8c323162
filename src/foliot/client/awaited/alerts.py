"""Alerts: what deserves a person's attention."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from foliot.client.calls import Answer, Moment, moment
from foliot.client.pages import AnswerPage, page_of

if TYPE_CHECKING:
    from foliot.client.awaited.foliot import AsyncFoliot


class AsyncAlerts:
    """Alerts: what deserves a person's attention."""

    def __init__(self, client: AsyncFoliot) -> None:
        self._ask = client.ask

    async def list(
        self,
        *,
        state: str | None = None,
        level: str | None = None,
        rule: str | None = None,
        job: str | None = None,
        node: str | None = None,
        since: Moment | None = None,
        limit: int = 50,
        cursor: str | None = None,
        namespace: str | None = None,
    ) -> AnswerPage[Answer]:
        """A page of alerts, newest first: what fires and what is acknowledged, unless `state` names others.

        Of every namespace unless one is given.
        """
        which = {"state": state, "level": level, "rule": rule, "job": job, "node": node, "since": moment(since)}
        where = {"namespace": namespace} if namespace else {}
        return page_of(dict, await self._ask("list_alerts", limit=limit, cursor=cursor, **which, **where))

    async def get(self, number: int) -> Answer:
        """An alert: what it is, since when, whom it told, and what it touches."""
        return dict(await self._ask("get_alert", number=number))

    async def ack(self, number: int, *, note: str = "") -> Answer:
        """Say that a person looks after it: nobody is reminded, and nothing is escalated."""
        return dict(await self._ask("ack_alert", number=number, note=note))

    async def resolve(self, number: int, *, reason: str = "") -> Answer:
        """Say that it is over."""
        return dict(await self._ask("resolve_alert", number=number, reason=reason))

    async def apply(
        self,
        *,
        channels: Mapping[str, Any] | None = None,
        rules: Mapping[str, Any] | None = None,
        checks: Mapping[str, Any] | None = None,
        reports: Mapping[str, Any] | None = None,
        dry_run: bool = False,
        reason: str = "",
        namespace: str | None = None,
    ) -> Answer:
        """Save channels, rules, checks and schedules of reports as a file says them, and say what changed.

        The rest stays as it is.
        """
        written = {"channels": dict(channels or {}), "rules": dict(rules or {})}
        if checks:
            written["checks"] = dict(checks)  # an older server does not know the word
        if reports:
            written["reports"] = dict(reports)
        return dict(await self._ask("apply_alerts", **written, dry_run=dry_run, reason=reason, namespace=namespace))
