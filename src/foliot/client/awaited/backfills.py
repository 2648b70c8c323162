"""Backfills: runs for instants of the past."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from foliot.client.calls import Answer, Moment
from foliot.client.pages import AnswerPage, page_of

if TYPE_CHECKING:
    from foliot.client.awaited.foliot import AsyncFoliot


class AsyncBackfills:
    """Backfills: runs for instants of the past."""

    def __init__(self, client: AsyncFoliot) -> None:
        self._ask = client.ask

    async def list(
        self, *, job: str | None = None, limit: int = 50, cursor: str | None = None, namespace: str | None = None
    ) -> AnswerPage[Answer]:
        """A page of backfills, the newest first."""
        answer = await self._ask("list_backfills", job=job, limit=limit, cursor=cursor, namespace=namespace)
        return page_of(dict, answer)

    async def get(self, number: int) -> Answer:
        """How far it is."""
        return dict(await self._ask("get_backfill", number=number))

    async def preview(
        self,
        job: str,
        from_: Moment,
        to: Moment | None = None,
        *,
        only: str = "missing",
        parallel: int | None = None,
        newest_first: bool = False,
        params: Mapping[str, Any] | None = None,
        reason: str = "",
        namespace: str | None = None,
    ) -> Answer:
        """The instants it would give runs to up to `to` (None: now), and the `token` with which `start` confirms these.

        `start` takes the range as the answer says it: `from_at` and `to_at`.
        """
        return dict(
            await self._ask(
                "preview_backfill",
                job=job,
                from_=from_,
                to=to,
                only=only,
                parallel=parallel,
                newest_first=newest_first,
                params=params,
                reason=reason,
                namespace=namespace,
            )
        )

    async def start(
        self,
        job: str,
        from_: Moment,
        to: Moment,
        *,
        confirmed: str,
        only: str = "missing",
        parallel: int | None = None,
        newest_first: bool = False,
        params: Mapping[str, Any] | None = None,
        reason: str = "",
        namespace: str | None = None,
    ) -> Answer:
        """Start what was previewed, if it is still the same. `confirmed` is the token of the preview."""
        return dict(
            await self._ask(
                "start_backfill",
                job=job,
                from_=from_,
                to=to,
                confirmed=confirmed,
                only=only,
                parallel=parallel,
                newest_first=newest_first,
                params=params,
                reason=reason,
                namespace=namespace,
            )
        )

    async def pause(self, number: int) -> Answer:
        """Make no further runs for now."""
        return dict(await self._ask("pause_backfill", number=number))

    async def resume(self, number: int) -> Answer:
        """Go on from where it was."""
        return dict(await self._ask("resume_backfill", number=number))

    async def end(self, number: int) -> Answer:
        """Make no further runs at all; those made go on."""
        return dict(await self._ask("end_backfill", number=number))
