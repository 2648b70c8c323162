"""Lanes, remembered: they never change, so what was read once holds for good."""

from collections.abc import Iterable, Mapping
from typing import Final

from foliot.domain.job import Lane
from foliot.store.sql.jobs.definitions import lanes_after
from foliot.store.sql.kernel.database import Tx

UNKNOWN: Final = Lane(group="", offer="")
"""What stands for a lane that is not in the store: nobody serves it and it has no limits."""


class Lanes:
    """The lanes this store has seen. Ids rise in the order of commits (R14), so new ones are all above the known."""

    def __init__(self) -> None:
        self._known: Mapping[int, Lane] = {}

    def find(self, tx: Tx, ids: Iterable[int]) -> dict[int, Lane]:
        """These lanes; what is unknown is read in one statement of this transaction."""
        wanted = set(ids)
        known = self._known
        if not wanted <= known.keys():
            known = self._known = {**known, **lanes_after(tx, max(known, default=0))}
        return {lane_id: known.get(lane_id, UNKNOWN) for lane_id in wanted}

    def all(self, tx: Tx) -> Mapping[int, Lane]:
        """Every lane there is."""
        known = self._known
        known = self._known = {**known, **lanes_after(tx, max(known, default=0))}
        return known
