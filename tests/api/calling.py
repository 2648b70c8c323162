"""Calls of the app as a server makes them, with a body that arrives as a test wants it, and from any address."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from tests.eventually import soon

NEVER = object()
"""A piece of a body that never arrives."""


class Call:
    """One request: what was read of it, what was answered."""

    def __init__(
        self,
        app: Any,
        method: str,
        path: str,
        pieces: tuple[Any, ...] = (b"",),
        *,
        token: str | None = None,
        address: str = "127.0.0.1",
        length: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._app = app
        self._pieces = list(pieces)
        self._over = asyncio.Event()
        self.asked = 0  # how often something of the body was asked for
        self.status: int | None = None
        self.headers: dict[str, str] = {}
        self.body = b""
        sent = {"content-type": "application/json", **(headers or {})}
        if token is not None:
            sent["authorization"] = f"Bearer {token}"
        if length is not None:
            sent["content-length"] = str(length)
        bare, _, query = path.partition("?")
        self.scope = {
            "type": "http", "method": method, "path": bare, "raw_path": bare.encode(), "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in sent.items()], "scheme": "http",
            "server": ("foliot", 80), "client": (address, 1), "http_version": "1.1",
        }  # fmt: skip

    async def receive(self) -> dict[str, Any]:
        if not self._pieces:
            await self._over.wait()
            return {"type": "http.disconnect"}
        self.asked += 1
        if self._pieces[0] is NEVER:
            await self._over.wait()
            return {"type": "http.disconnect"}
        piece = self._pieces.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(self._pieces)}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message.get("body", b"")

    async def made(self) -> "Call":
        """The call, answered."""
        await asyncio.wait_for(self._app(self.scope, self.receive, self.send), 60)
        return self

    def hang_up(self) -> None:
        self._over.set()

    @property
    def code(self) -> str:
        """Of the problem that was answered."""
        return str(json.loads(self.body)["code"])


@asynccontextmanager
async def under_way(*calls: Call) -> AsyncIterator[None]:
    """These calls, each of which waits for its body or goes on with its answer, until the block ends."""
    tasks = [asyncio.create_task(call.made()) for call in calls]
    try:
        await soon(
            lambda: all(call.asked or call.status is not None for call in calls), within_s=60, what="all are under way"
        )
        yield
    finally:
        for call in calls:
            call.hang_up()
        await asyncio.gather(*tasks)
