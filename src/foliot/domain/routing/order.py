"""The order of workers, and what routes keep between two calls: small, and of no use to another route."""

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final

from foliot.domain.routing import FittingWorker, Ready

MARKED_MAX: Final = 256
"""Of so many workers a route remembers something: the row of a cursor stays small. Further ones count as new."""


def in_order(candidates: Sequence[FittingWorker]) -> list[FittingWorker]:
    """By name, which outlives a restart; then by session."""
    return sorted(candidates, key=place)


def place(worker: FittingWorker) -> tuple[str, str]:
    """Where a worker stands among the others."""
    return worker.name, worker.session


def from_its_own(ready: Ready, candidates: Sequence[FittingWorker]) -> list[FittingWorker]:
    """In order, beginning with another worker for each job.

    Else all jobs that were made together would begin with the same worker, and meet at the next one at every fire.
    """
    ordered = in_order(candidates)
    begins = number(str(ready.job_id)) % len(ordered) if ordered else 0
    return ordered[begins:] + ordered[:begins]


def healthy(candidates: Sequence[FittingWorker]) -> list[FittingWorker]:
    """Those that are not in WARNING, in order; all of them when there is no such worker."""
    ordered = in_order(candidates)
    return [worker for worker in ordered if not worker.is_in_warning] or ordered


def mark(text: str) -> str:
    """A short mark for a session or a key."""
    return blake2b(text.encode(), digest_size=4).hexdigest()


def number(text: str) -> int:
    """A number for a text that tells nothing of it: as good as chance, and always the same."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


def kept(state: str | None, route: str) -> dict[str, Any]:
    """What this route kept; nothing, if another route of the job kept it."""
    if state is None:
        return {}
    try:
        found = json.loads(state)
    except ValueError:
        return {}
    own = found.get(route) if isinstance(found, dict) else None
    return own if isinstance(own, dict) else {}


def numbers(state: str | None, route: str) -> dict[str, int]:
    """What this route kept, where that is a number for each mark."""
    return {name: value for name, value in kept(state, route).items() if isinstance(value, int)}


def words(state: str | None, route: str) -> dict[str, str]:
    """What this route kept, where that is a text for each mark."""
    return {name: value for name, value in kept(state, route).items() if isinstance(value, str)}


def to_keep(route: str, own: Mapping[str, Any]) -> str:
    """The state to be kept; of many marks the last ones."""
    few = dict(list(own.items())[-MARKED_MAX:])
    return json.dumps({route: few}, separators=(",", ":"))
