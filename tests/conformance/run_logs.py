"""Logs of runs, for tests."""

from typing import Any

from foliot.domain.run import Landing
from foliot.ports.worker_link import LeasedRun, LogChunk
from tests.conformance.building import save
from tests.conformance.working import Worker, trigger, worker
from tests.conformance.world import World


def log_chunk(run: LeasedRun, text: str, offset: int = 0) -> LogChunk:
    return LogChunk(run_id=run.run_id, lease_id=run.lease_id, attempt=run.attempt, offset=offset, text=text)


async def write_log(one: Worker, *chunks: LogChunk) -> list[Landing]:
    return list(await one.store.runs.write_logs(one.session, chunks))


async def log_text(world: World, run_id: int, *, attempt: int | None = None, offset: int = 0) -> str:
    chunks = await world.store.lookups.logs(run_id, attempt=attempt, offset=offset)
    return "".join(chunk.text for chunk in chunks)


async def running(world: World, **document: Any) -> tuple[Worker, LeasedRun]:
    await save(world, "tick", **document)
    await trigger(world)
    anne = await worker(world)
    return anne, await anne.lease_one()
