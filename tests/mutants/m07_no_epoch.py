"""M7: a failover forgets the last commits, a lease among them; the run is leased again as if for the first time."""

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.conformance.building import ask, save
from tests.mutants.stage import Stage


async def play(stage: Stage) -> None:
    await save(stage.world, "tick", overlap="allow")
    await stage.world.store.runs.trigger(ask("tick"))
    first = await stage.worker()
    replica = stage.folder / "replica.db"
    replicate(stage.path, replica)
    forgotten = await first.lease_one()
    await first.start(forgotten)
    stage.nemesis.write("failover", forgot="the last commits")
    await stage.failover(replica)
    first.store = stage.world.store
    second = await stage.worker()
    again = await second.lease_one()
    assert (again.run_id, again.attempt) == (forgotten.run_id, forgotten.attempt)
    await second.start(again)
    await first.end(forgotten)
    await second.end(again)


def replicate(store: Path, replica: Path) -> None:
    """Everything committed so far."""
    with closing(sqlite3.connect(store)) as source, closing(sqlite3.connect(replica)) as target:
        source.backup(target)
