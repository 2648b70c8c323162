"""What a store forgot when it failed over: counted, and never a fault of Foliot's if the store is known to be lossy."""

from collections.abc import Mapping, Sequence

from foliot_check.history import History, Line

EPOCH_BITS = 28


def epoch_of(line: Line) -> int:
    """The epoch of the token a handler was given; 0: it wrote none down."""
    return int(line.get("fence") or 0) >> EPOCH_BITS


def forgotten_starts(history: History) -> Sequence[Line]:
    """Starts under a claim the store knows nothing of; none where no changes were recorded."""
    claims = {
        (run_id, int(change.row["fence"]))
        for run_id, chain in history.changes_of_run.items()
        for change in chain
        if change.row["fence"] is not None
    }
    if not claims:
        return []
    return [
        line
        for line in history.starts
        if line.get("fence") is not None and (line.get("run"), int(line.get("fence"))) not in claims
    ]


def undone(history: History) -> Mapping[str, int]:
    """How much was undone: decisions seen and made anew, starts forgotten, and work done again because of it."""
    forgotten = forgotten_starts(history)
    fences = {(line.get("run"), line.get("fence")) for line in forgotten}
    kept = {_work(line) for line in history.starts if (line.get("run"), line.get("fence")) not in fences}
    again = {_work(line) for line in forgotten if line.get("due") is not None} & kept
    at_most_once = {
        job["name"]
        for job in history.jobs
        for version in history.versions
        if version["job_id"] == job["id"] and version["definition"].get("on_lost") == "fail"
    }
    return {
        "re_decided": _re_decided(history),
        "starts_forgotten": len(forgotten),
        "re_run": len(again),
        "at_most_once_re_run": sum(job in at_most_once for job, _ in again),
    }


def _re_decided(history: History) -> int:
    """Decisions that a witness saw in the store, and that are others now."""
    there = {
        (run["job_id"], run["fire_key"]): (run["id"], run["created_at"]) for run in history.runs if run["shard"] == -1
    }
    return sum(
        there.get((line.get("job_id"), line.get("key"))) != (line.get("run"), line.get("created_at"))
        for line in history.client_lines
        if line.what == "decided"
    )


def _work(line: Line) -> tuple[str, int]:
    """What was to be done: the instant of a job."""
    return line.get("job"), line.get("due")
