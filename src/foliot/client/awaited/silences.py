"""Silences: alerts that nobody is told of for some time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from foliot.client.calls import Answer, Duration, Moment, moment
from foliot.client.pages import AnswerPage, page_of

if TYPE_CHECKING:
    from foliot.client.awaited.foliot import AsyncFoliot


class AsyncSilences:
    """Silences: alerts that nobody is told of for some time."""

    def __init__(self, client: AsyncFoliot) -> None:
        self._client = client
        self._ask = client.ask

    async def list(
        self,
        *,
        ended: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
        namespace: str | None = None,
    ) -> AnswerPage[Answer]:
        """The silences of every namespace, or of one, and of the cluster; `ended`: with those that are over."""
        where = {"namespace": namespace} if namespace else {}
        return page_of(dict, await self._ask("list_silences", ended=ended, limit=limit, cursor=cursor, **where))

    async def get(self, number: int) -> Answer:
        """What is silent, until when, and why."""
        return dict(await self._ask("get_silence", number=number))

    async def make(
        self,
        *,
        reason: str,
        lasts: Duration | None = None,
        until: Moment | None = None,
        from_: Moment | None = None,
        of: Mapping[str, Any] | None = None,
        rule: str = "",
        alert: int | None = None,
        everywhere: bool = False,
        everything: bool = False,
        namespace: str | None = None,
    ) -> Answer:
        """Let nobody be told, for a time or until an instant. `of`: job, group, node (patterns) and tags.

        `everywhere`: it holds for the whole cluster. `everything`: yes, all alerts there, if nothing is named.
        """
        return dict(
            await self._ask(
                "make_silence",
                of=dict(of or {}),
                rule=rule,
                alert=alert,
                in_namespace=namespace or self._client.namespace,
                everywhere=everywhere,
                everything=everything,
                from_=moment(from_),
                for_=lasts,
                until=moment(until),
                reason=reason,
            )
        )

    async def end(self, number: int) -> Answer:
        """End a silence before its time."""
        return dict(await self._ask("end_silence", number=number))
