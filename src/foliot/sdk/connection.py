"""Which client `job.trigger()` goes through: the one configured, else one found from the surroundings."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from foliot.client.awaited.foliot import AsyncFoliot
    from foliot.client.blocking.foliot import Foliot


class Connection:
    """The clients of this process: one for plain code, one for each event loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._given: dict[str, Any] = {}
        self._client: Foliot | None = None
        self._is_given = False  # the client is the caller's own
        self._async_client: AsyncFoliot | None = None  # the caller's own
        self._of_loops: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncFoliot] = WeakKeyDictionary()

    def configure(
        self,
        url: str | Sequence[str] | None = None,
        token: str | None = None,
        *,
        client: Foliot | None = None,
        async_client: AsyncFoliot | None = None,
        **options: Any,
    ) -> None:
        """Say where to trigger: by URL and token, or with clients of your own. With nothing given it is found anew."""
        with self._lock:
            self._given = {"url": url, "token": token, **options}
            self._client, self._async_client = client, async_client
            self._is_given = client is not None
            self._of_loops.clear()

    @property
    def client(self) -> Foliot:
        """The client for plain code."""
        with self._lock:
            if self._client is None:
                from foliot.client.blocking.foliot import Foliot  # costs time: not when declaring

                self._client = Foliot(**self._given)
            return self._client

    @property
    def async_client(self) -> AsyncFoliot:
        """The client for code in the running loop."""
        loop = asyncio.get_running_loop()
        with self._lock:
            if self._async_client is not None:
                return self._async_client
            if loop not in self._of_loops:
                from foliot.client.awaited.foliot import AsyncFoliot

                self._of_loops[loop] = AsyncFoliot(**self._given)
            return self._of_loops[loop]

    async def close_async(self) -> None:
        """Close what was opened for the running loop."""
        with self._lock:
            client = self._of_loops.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    def forked(self) -> None:
        """Connect anew in a forked process: on the parent's sockets each could read the other's answers.

        A thread of the parent may have held the lock, and no such thread is here to give it back.
        """
        self._lock = threading.Lock()
        self._of_loops = WeakKeyDictionary()
        if not self._is_given:
            self._client = None


connection = Connection()
configure = connection.configure
os.register_at_fork(after_in_child=connection.forked)
