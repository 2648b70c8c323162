"""Limits: how many runs may hold a resource at once, and how many of a group or namespace execute or start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from foliot.client.calls import Answer
from foliot.client.pages import AnswerPage, page_of

if TYPE_CHECKING:
    from foliot.client.awaited.foliot import AsyncFoliot


class AsyncLimits:
    """Limits: how many runs may hold a resource at once, and how many of a group or namespace execute or start."""

    def __init__(self, client: AsyncFoliot) -> None:
        self._ask = client.ask

    async def list(
        self, *, limit: int = 50, cursor: str | None = None, namespace: str | None = None
    ) -> AnswerPage[Answer]:
        """A page of the limits of the cluster and of the namespace, and how many runs hold each."""
        return page_of(dict, await self._ask("list_limits", limit=limit, cursor=cursor, namespace=namespace))

    async def get(self, name: str, *, namespace: str | None = None) -> Answer:
        """A limit: which runs hold it since when, how many wait for it, and which jobs count in it."""
        return dict(await self._ask("get_limit", name=name, namespace=namespace))

    async def set(self, name: str, max: int, *, reason: str = "") -> Answer:  # noqa: A002  as the API says it
        """Make a limit of the whole cluster, or change it."""
        return dict(await self._ask("set_cluster_limit", name=name, max=max, reason=reason))

    async def set_own(self, name: str, max: int, *, namespace: str | None = None, reason: str = "") -> Answer:  # noqa: A002  as the API says it
        """Change a limit of a namespace, which jobs made by naming it."""
        return dict(await self._ask("set_own_limit", name=name, max=max, namespace=namespace, reason=reason))

    async def of_job(self, job: str, *, namespace: str | None = None) -> Answer:
        """The limits by key and by worker of a job: which are full, who holds them, how many runs wait."""
        return dict(await self._ask("get_job_keys", name=job, namespace=namespace))

    async def get_scope(self, kind: Literal["group", "namespace"], name: str) -> Answer:
        """The limit of a group or namespace: which runs hold it, how many wait, and which jobs count in it."""
        return dict(await self._ask("get_scope_limit", kind=kind, name=name))

    async def set_scope(
        self,
        kind: Literal["group", "namespace"],
        name: str,
        *,
        max: int | Literal["none"] | None = None,  # noqa: A002  as the API says it
        rate: str | None = None,
        burst: int | None = None,
        reason: str = "",
    ) -> Answer:
        """Limit every run of a group or namespace. What is None stays as it is; what is `none` goes."""
        return dict(
            await self._ask("set_scope_limit", kind=kind, name=name, max=max, rate=rate, burst=burst, reason=reason)
        )

    async def remove_scope(self, kind: Literal["group", "namespace"], name: str) -> None:
        """Limit a group or namespace no more."""
        await self._ask("remove_scope_limit", kind=kind, name=name)

    async def remove(self, name: str) -> None:
        """Take a limit of the whole cluster away, once no job counts in it and no run holds it."""
        await self._ask("remove_cluster_limit", name=name)
