"""The route `sticky`: the same key goes to the same worker while that lives, so that its caches are of use."""

from collections.abc import Sequence
from typing import Final

from foliot.domain.routing import FittingWorker, Ready, Routed
from foliot.domain.routing.consistent_hash import route as hashed
from foliot.domain.routing.order import mark, to_keep, words

NAME: Final = "sticky"


def route(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """A new key goes where its hash says. Unlike `consistent_hash`, no key moves because a worker joins.

    The last 256 keys are remembered; an older one is as good as new.
    """
    known = words(ready.state, NAME)
    by_mark = {mark(worker.session): worker.session for worker in candidates}
    by_hash = hashed(ready, candidates).sessions
    sessions: list[str | None] = []
    for at, _ in enumerate(ready.fire_keys):
        key = mark(ready.key_of(at))
        session = by_mark.get(known.pop(key, ""), by_hash[at])
        if session is not None:
            known[key] = mark(session)  # at the end: what is used is kept longest
        sessions.append(session)
    return Routed(sessions, to_keep(NAME, known))
