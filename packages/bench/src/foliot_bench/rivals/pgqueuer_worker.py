"""A worker process of PgQueuer: it empties its queue once for each line that it reads.

    python -m foliot_bench.rivals.pgqueuer_worker URL BATCH

It runs as PgQueuer's own command does: on uvloop, with a pool of connections.
"""

import asyncio
import sys

import asyncpg
import uvloop
from pgqueuer.core.qm import QueueManager
from pgqueuer.domain.models import Job
from pgqueuer.domain.types import QueueExecutionMode
from pgqueuer.queries import Queries

from foliot_bench.rivals.pgqueuer import ENTRYPOINT


async def empty_queue(url: str, batch: int) -> None:
    """Execute what waits, and return when nothing does."""
    async with asyncpg.create_pool(url, min_size=2, max_size=4) as pool:
        manager = QueueManager(Queries.from_asyncpg_pool(pool))

        @manager.entrypoint(ENTRYPOINT)
        async def noop(_job: Job) -> None:
            """Do nothing."""

        await manager.run(batch_size=batch, mode=QueueExecutionMode.drain)


def _say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


async def main(url: str, batch: int) -> None:
    """Empty the queue for each line of stdin."""
    _say("ready")
    while await asyncio.to_thread(sys.stdin.readline):
        await empty_queue(url, batch)
        _say("over")


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], int(sys.argv[2])))
