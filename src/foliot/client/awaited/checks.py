"""Checks of jobs outside of Foliot: what is waited for, and pings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from foliot.client.calls import Answer
from foliot.client.pages import AnswerPage, page_of

if TYPE_CHECKING:
    from foliot.client.awaited.foliot import AsyncFoliot


class AsyncChecks:
    """Checks of jobs outside of Foliot: what is waited for, and pings."""

    def __init__(self, client: AsyncFoliot) -> None:
        self._ask = client.ask

    async def list(
        self,
        *,
        state: str | Sequence[str] | None = None,
        q: str = "",
        limit: int | None = None,
        cursor: str | None = None,
        namespace: str | None = None,
    ) -> AnswerPage[Answer]:
        """The checks of every namespace, or of one. `q`: a text in the name, the owner or the description."""
        where = {"namespace": namespace} if namespace else {}
        states = state if isinstance(state, str) or state is None else ",".join(state)
        return page_of(dict, await self._ask("list_checks", state=states, q=q, limit=limit, cursor=cursor, **where))

    async def get(self, name: str, *, namespace: str | None = None) -> Answer:
        """A check: how it is, and what was heard of it."""
        return dict(await self._ask("get_check", name=name, namespace=namespace))

    async def create(
        self, name: str, check: Mapping[str, Any], *, reason: str = "", namespace: str | None = None
    ) -> Answer:
        """Make a check: `{"every": "1d", "grace": "30m"}`. Nobody waits for it until its first ping."""
        made = await self._ask("create_check", name=name, check=dict(check), reason=reason, namespace=namespace)
        return dict(made)

    async def put(
        self,
        name: str,
        check: Mapping[str, Any],
        *,
        if_version: int | None = None,
        reason: str = "",
        namespace: str | None = None,
    ) -> Answer:
        """Save a check as a whole: another version of the one that was seen, or a new one without `if_version`."""
        document = dict(check)
        return dict(
            await self._ask(
                "put_check", name=name, check=document, if_version=if_version, reason=reason, namespace=namespace
            )
        )

    async def delete(self, name: str, *, reason: str = "", namespace: str | None = None) -> None:
        """Take a check away, with its pings. Its alert is over."""
        await self._ask("delete_check", name=name, reason=reason, namespace=namespace)

    async def pause(self, name: str, *, reason: str = "", namespace: str | None = None) -> Answer:
        """Do not wait for it. Its alert is over; pings are kept all the same."""
        return dict(await self._ask("pause_check", name=name, reason=reason, namespace=namespace))

    async def resume(self, name: str, *, reason: str = "", namespace: str | None = None) -> Answer:
        """Wait for it again; its rhythm counts from now on."""
        return dict(await self._ask("resume_check", name=name, reason=reason, namespace=namespace))

    async def ping(
        self,
        name: str,
        kind: str = "ok",
        *,
        text: str = "",
        exit_code: int | None = None,
        namespace: str | None = None,
    ) -> Answer:
        """Let it be heard of: `start`, `ok` or `fail`. The token needs the scope `ping`."""
        said = {"text": text, "exit_code": exit_code}
        return dict(await self._ask("ping_check", name=name, kind=kind, namespace=namespace, **said))

    async def pings(
        self, name: str, *, limit: int | None = None, cursor: str | None = None, namespace: str | None = None
    ) -> AnswerPage[Answer]:
        """The last pings of a check, newest first."""
        asked = await self._ask("list_check_pings", name=name, limit=limit, cursor=cursor, namespace=namespace)
        return page_of(dict, asked)
