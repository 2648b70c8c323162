"""A book for run logs without a server behind it, and runs to write about."""

from foliot.ports.worker_link import LeasedRun, LogChunk
from foliot.worker.run_log import RunLog


class PlainBook:
    """`run_log.Book` that counts and nothing else."""

    def __init__(self, *, log_max: int = 1024 * 1024) -> None:
        self.log_max = log_max
        self.size = 0
        self.full = False

    def stamp(self) -> str:
        return "T"

    def is_full(self) -> bool:
        return self.full

    def grew(self, run_log: RunLog, size: int) -> None:
        self.size += size

    def shrank(self, size: int) -> None:
        self.size -= size


def a_run(run_id: int = 1, *, lease_id: str = "L1", attempt: int = 1) -> LeasedRun:
    """A leased run with nothing special about it."""
    return LeasedRun(
        run_id=run_id,
        job_id=1,
        namespace="default",
        job="a",
        version=1,
        handler="python:m:a",
        params=None,
        attempt=attempt,
        lease_id=lease_id,
        fence=1,
        due_at=0,
        leased_at=0,
    )


def shipped(run_log: RunLog) -> list[LogChunk]:
    """Everything a log has to ship, taken as a server would take it."""
    chunks = []
    while (chunk := run_log.next_chunk()) is not None:
        chunks.append(chunk)
        run_log.acknowledge()
    return chunks
