"""kazoo gives up for good when its thread meets an error that it does not know. A server then takes a new client."""

import socket
from pathlib import Path
from typing import Any

import pytest

from foliot.store.sql.store import SqlStore
from tests.coordination.arena import CHANCE, CLOCK, arena_of
from tests.coordination.services import ThreeZookeepers
from tests.eventually import soon
from tests.sql.world import sqlite_copy

pytestmark = [pytest.mark.anyio, pytest.mark.services]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_a_client_that_gave_up_is_replaced(
    zookeeper_service: ThreeZookeepers, migrated_sqlite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await SqlStore.open(sqlite_copy(migrated_sqlite, tmp_path), clock=CLOCK, chance=CHANCE)
    async with arena_of(store, zookeeper_service) as arena:
        server = await arena.join()
        await soon(lambda: server.leads and server.is_chosen, what="it leads")
        backend: Any = server.coordinator._backend  # type: ignore[attr-defined]
        broken, thread = backend._client, backend._client._connection._connection_routine

        def unknown(*_: object) -> None:
            raise ValueError("an answer that nobody understands")

        monkeypatch.setattr(broken._connection, "_connect", unknown)
        broken._connection._socket.shutdown(socket.SHUT_RDWR)  # it connects again
        await soon(lambda: not thread.is_alive(), what="kazoo gave up")
        await soon(lambda: backend._client is not broken and backend._online.is_set(), within_s=30, what="a new client")
        await soon(arena.leads_for_good(server), what="it leads, and ZooKeeper chose it")
    await store.close()
