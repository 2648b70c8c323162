"""What several invariants look at in the same way."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from foliot_check.history import SECOND, Change, Row


def leases_in(chain: Sequence[Change]) -> Iterator[Change]:
    """The changes of a run that leased it."""
    attempt = 0
    for change in chain:
        if change.row["state"] == "RUNNING" and change.row["attempt"] > attempt:
            attempt = change.row["attempt"]
            yield change


def attempt_of(run: Row) -> tuple[int, int]:
    """Which attempt of which run this row speaks of."""
    return run["id"], run["attempt"]


def spread(name: str, values: Sequence[float]) -> dict[str, float]:
    """The middle, the 99th percentile and the most of these values; nothing of none."""
    if not values:
        return {}
    ordered = sorted(values)

    def at(share: float) -> float:
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]

    return {f"{name}_p50": round(at(0.5), 4), f"{name}_p99": round(at(0.99), 4), f"{name}_max": round(ordered[-1], 4)}


def shown(instant: int) -> str:
    """An instant as a person reads it."""
    return datetime.fromtimestamp(instant // SECOND, UTC).strftime("%H:%M:%SZ")
