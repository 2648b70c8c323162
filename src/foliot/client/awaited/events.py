"""What happened, and what changes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from foliot.client.awaited.stream_reader import streamed
from foliot.client.calls import Answer, Moment
from foliot.client.pages import AnswerPage, page_of
from foliot.client.streams import EventStream, StreamEvent

if TYPE_CHECKING:
    from foliot.client.awaited.foliot import AsyncFoliot


class AsyncEvents:
    """What happened, and what changes."""

    def __init__(self, client: AsyncFoliot) -> None:
        self._client = client
        self._ask = client.ask

    async def list(
        self,
        *,
        topic: str | Sequence[str] | None = None,
        subject: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = 50,
        cursor: str | None = None,
        namespace: str | None = None,
    ) -> AnswerPage[Answer]:
        """A page of the journal: changes of jobs, cancels, drains, elections, tokens, the newest first.

        Of every namespace and the cluster, unless a namespace is given.
        """
        where = {"namespace": namespace} if namespace else {}
        answer = await self._ask(
            "list_journal",
            topic=topic,
            subject=subject,
            since=since,
            until=until,
            limit=limit,
            cursor=cursor,
            **where,
        )
        return page_of(dict, answer)

    def follow(self, topics: str | Sequence[str]) -> AsyncIterator[StreamEvent]:
        """What changes, as it changes, across broken connections: `runs`, `nodes`, `jobs/settle` …"""
        return streamed(self._client, EventStream(topics if isinstance(topics, str) else ",".join(topics)))
