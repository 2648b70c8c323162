"""Wake-ups over PostgreSQL's NOTIFY, on a connection of their own and outside every transaction (R15).

They only save time. While the connection is gone nothing is sent or heard, and everybody goes on by polling.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

from foliot.domain.wakeups import MISSED, PendingWakeups
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.store.sql.kernel.connect import DEFAULT_LIMITS
from foliot.store.sql.kernel.dialects.postgresql_pools import NAME_BYTES_MAX, connect_postgresql, read_postgresql_url

CHANNEL: Final = "foliot"
RECONNECT_MAX_S: Final = 5.0
CHECK_EVERY_S: Final = 10.0
NOTIFY: Final = "SELECT pg_notify($1, message) FROM unnest($2::text[]) AS message"
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
        self._pending = PendingWakeups()
        self._something = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.connections = 0  # made so far

    def send(self, topic: str) -> None:
        if self._pending.add(topic):
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
            woken(MISSED)
            while not connection.is_closed():  # then what is to be sent is kept for the next one
                await self._round(connection)
        except Exception:  # noqa: BLE001  a wake-up that cannot be sent is not missed: the others poll
            return
        finally:
            connection.terminate()

    async def _round(self, connection: Any) -> None:
        """Send what may be sent now, or rest until there is more."""
        rest_s = self._pending.rest_s(self._clock.monotonic())
        if rest_s == 0:
            await self._notify(connection, self._pending.take(self._clock.monotonic()))
            return
        is_woken = await self._clock.wait(self._something, for_s=CHECK_EVERY_S if rest_s is None else rest_s)
        self._something.clear()
        if not is_woken and rest_s is None:
            await connection.execute("SELECT 1", timeout=DEFAULT_LIMITS.statement_s)  # still there?

    async def _notify(self, connection: Any, topics: Sequence[str]) -> None:
        messages = [f"{self._me}:{topic}" for topic in topics]
        try:
            await connection.execute(NOTIFY, self._channel, messages, timeout=DEFAULT_LIMITS.statement_s)
        except BaseException:
            self._pending.add(MISSED)  # the next connection says that these may be lost
            raise


def open_wakeups(url: str, *, clock: Clock, chance: Chance) -> PostgresWakeups | None:
    """Wake-ups for the servers of a store; None where the database has no way to send them (all go on by polling)."""
    return PostgresWakeups(url, clock=clock, chance=chance) if url.startswith(("postgresql", "postgres:")) else None
