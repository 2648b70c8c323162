"""Wake-ups over PostgreSQL's NOTIFY, on a connection of their own and outside every transaction (R15).

They only save time. While the connection is gone nothing is sent or heard, and everybody goes on by polling.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.store.sql.kernel.connect import DEFAULT_LIMITS
from foliot.store.sql.kernel.dialects.postgresql_pools import NAME_BYTES_MAX, connect_postgresql, read_postgresql_url

CHANNEL: Final = "foliot"
SENDS_PER_S: Final = 10
RECONNECT_MAX_S: Final = 5.0
CHECK_EVERY_S: Final = 10.0
_SETTINGS: Final = {
    "application_name": "foliot wake-ups",
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
}


def _channel_of(schema: str) -> str:
    """A channel belongs to the whole database: each schema's servers have one of their own."""
    return f"{CHANNEL}.{schema}".encode()[:NAME_BYTES_MAX].decode(errors="ignore")


class PostgresWakeups:
    """`ports.wakeups.Wakeups` on PostgreSQL."""

    def __init__(self, url: str, *, clock: Clock, chance: Chance) -> None:
        self._url = url
        self._clock = clock
        self._chance = chance
        self._me = chance.token()[:8]  # so that a server does not wake itself twice
        schema = read_postgresql_url(url).options.get("schema")
        self._channel = CHANNEL if schema is None else _channel_of(schema)
        self._topics: set[str] = set()
        self._something = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.connections = 0  # made so far

    def send(self, topic: str) -> None:
        self._topics.add(topic)
        self._something.set()

    async def listen(self, woken: Callable[[str], None]) -> None:
        assert self._task is None, "it listens already"
        self._task = asyncio.create_task(self._keep(woken), name="wake-ups")

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None

    async def _keep(self, woken: Callable[[str], None]) -> None:
        """One connection after another, for as long as it takes."""
        rest_s = 0.0
        while True:
            await self._clock.wait(asyncio.Event(), for_s=rest_s * self._chance.fraction())
            try:
                connection = await connect_postgresql(self._url, _SETTINGS, within_s=DEFAULT_LIMITS.connect_s)
            except Exception:  # noqa: BLE001  whatever keeps us from connecting, the next try may work
                rest_s = min(RECONNECT_MAX_S, max(0.1, rest_s * 2))
                continue
            self.connections += 1
            rest_s = 0.1
            await self._serve(connection, woken)

    async def _serve(self, connection: Any, woken: Callable[[str], None]) -> None:
        """Hear and send until the connection is gone."""

        def heard(_connection: Any, _pid: int, _channel: str, payload: str) -> None:
            sender, _, topic = payload.partition(":")
            if sender != self._me:
                woken(topic)

        connection.add_termination_listener(lambda _connection: self._something.set())
        try:
            await connection.add_listener(self._channel, heard)
            while True:
                if not await self._clock.wait(self._something, for_s=CHECK_EVERY_S):
                    await connection.execute("SELECT 1", timeout=DEFAULT_LIMITS.statement_s)  # still there?
                    continue
                self._something.clear()
                if connection.is_closed():
                    return  # what was to be sent is still there for the next one
                topics, self._topics = self._topics, set()
                for topic in topics:
                    await connection.execute(
                        "SELECT pg_notify($1, $2)",
                        self._channel,
                        f"{self._me}:{topic}",
                        timeout=DEFAULT_LIMITS.statement_s,
                    )
                await self._clock.wait(asyncio.Event(), for_s=len(topics) / SENDS_PER_S)
        except Exception:  # noqa: BLE001  a wake-up that cannot be sent is not missed: the others poll
            return
        finally:
            connection.terminate()


def open_wakeups(url: str, *, clock: Clock, chance: Chance) -> PostgresWakeups | None:
    """Wake-ups for the servers of a store; None where the database has no way to send them (all go on by polling)."""
    return PostgresWakeups(url, clock=clock, chance=chance) if url.startswith(("postgresql", "postgres:")) else None
