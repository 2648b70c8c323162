"""What handlers are doing just now, by their own journals."""

import json
import time
from typing import Any, NamedTuple

from tests.cluster.cluster import Cluster
from tests.cluster.trap import ALWAYS_WITHIN_S
from tests.eventually import soon


class Caught(NamedTuple):
    """An attempt under way: the worker that has it, and the process that executes it."""

    worker: str
    pid: int
    run: str
    attempt: int


async def caught_in(cluster: Cluster, job: str, *, began_within_s: float = 1.0) -> Caught:
    """A worker that has just begun to execute this job."""

    def caught() -> Caught | None:
        for one in open_attempts(cluster):
            if one["job"] == job and time.monotonic() - one["mono"] < began_within_s:
                owner = owner_of(cluster, one["pid"])
                if owner:
                    return Caught(owner, one["pid"], one["run"], one["attempt"])
        return None

    found = await soon(caught, within_s=ALWAYS_WITHIN_S, step_s=0.02, what=f"{job} has begun")
    assert found is not None
    return found


def is_under_way(cluster: Cluster, caught: Caught) -> bool:
    """Whether the attempt has not come to its end: certain of a process that stands still."""
    return any((one["run"], one["attempt"]) == (caught.run, caught.attempt) for one in open_attempts(cluster))


def open_attempts(cluster: Cluster) -> list[dict[str, Any]]:
    """Starts without an end, from the journals."""
    lines = lines_of(cluster)
    over = {(line["run"], line["attempt"]) for line in lines if line["what"] == "end"}
    return [line for line in lines if line["what"] == "start" and (line["run"], line["attempt"]) not in over]


def lines_of(cluster: Cluster) -> list[dict[str, Any]]:
    """All that handlers wrote so far; a line that is being written, or that a kill cut off, is none."""
    texts = [path.read_text("utf-8") for path in cluster.journals.glob("worker-*.jsonl")]
    return [json.loads(line) for text in texts for line in text[: text.rfind("\n") + 1].splitlines()]


def owner_of(cluster: Cluster, pid: int) -> str | None:
    """The worker that this process is, or that started it."""
    for name in cluster.workers:
        if any(process.pid == pid for process in cluster.processes[name].family()):
            return name
    return None
