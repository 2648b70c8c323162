"""What handlers are doing just now, by their own journals."""

import json
import time
from typing import Any

from tests.cluster.cluster import Cluster
from tests.cluster.trap import ALWAYS_WITHIN_S
from tests.eventually import soon


async def caught_in(cluster: Cluster, job: str, *, began_within_s: float = 1.0) -> tuple[str, int]:
    """A worker that has just begun to execute this job, and the process that does."""

    def caught() -> tuple[str, int] | None:
        for one in open_attempts(cluster):
            if one["job"] == job and time.monotonic() - one["mono"] < began_within_s:
                owner = owner_of(cluster, one["pid"])
                if owner:
                    return owner, one["pid"]
        return None

    found = await soon(caught, within_s=ALWAYS_WITHIN_S, step_s=0.02, what=f"{job} has begun")
    assert found is not None
    return found


def open_attempts(cluster: Cluster) -> list[dict[str, Any]]:
    """Starts without an end, from the journals."""
    lines = [
        json.loads(text)
        for path in cluster.journals.glob("worker-*.jsonl")
        for text in path.read_text().splitlines()
        if text.endswith("}")
    ]
    over = {(line["run"], line["attempt"]) for line in lines if line["what"] == "end"}
    return [line for line in lines if line["what"] == "start" and (line["run"], line["attempt"]) not in over]


def owner_of(cluster: Cluster, pid: int) -> str | None:
    """The worker that this process is, or that started it."""
    for name in cluster.workers:
        if any(process.pid == pid for process in cluster.processes[name].family()):
            return name
    return None
