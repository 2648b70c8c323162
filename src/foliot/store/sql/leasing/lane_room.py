"""What the limits of routed lanes let through at this moment, seen without a lock: a hint for whom routes decide now.

A run that its limits keep from starting is not assigned: it would wait for a worker that cannot take it, and its route
would have decided too early. Only a heavy run is, one of its lane: a lease claims for it what comes free.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from foliot.domain.instants import Instant
from foliot.domain.job import Lane
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.leasing import limits
from foliot.store.sql.leasing.fair_order import RankedRun, by_rank
from foliot.store.sql.leasing.heeded_limits import NO_LIMIT
from foliot.store.sql.leasing.scopes import Scopes, needs_of
from foliot.store.sql.leasing.tokens import short_of

_LAST_RANK: Final = 2**62


class LaneRoom:
    """How many runs of lanes may start, less those that were counted here since."""

    def __init__(self, tx: Tx, scopes: Scopes, scopes_ver: int, now: Instant) -> None:
        self._tx = tx
        self._scopes = scopes.read(tx, scopes_ver)
        self._now = now
        self._needs: dict[int, Mapping[str, int]] = {}  # by lane, what a run takes of which limits
        self._rooms: dict[str, limits.Room] = {}
        self._left: dict[str, int] = {}
        self._claims: set[int] = set()  # lanes of which a run is to claim what comes free

    def look(self, lanes: Mapping[int, Lane]) -> None:
        """Look at the limits of these lanes. Lanes without limits cost no statement."""
        needs = {lane_id: needs_of(lane, self._scopes) for lane_id, lane in lanes.items()}
        self._see({name for tokens in needs.values() for name in tokens})
        for lane_id, tokens in needs.items():
            # A limit without a row holds up nobody: an admin took it away, or the lease makes it.
            self._needs[lane_id] = {name: n for name, n in tokens.items() if name in self._rooms}

    def _see(self, names: AbstractSet[str]) -> None:
        """Read these limits, unless that was done before."""
        unseen = names - self._rooms.keys()
        if not unseen:
            return
        found = limits.room(self._tx, unseen, self._now)
        self._rooms |= found
        self._left |= {name: room.left for name, room in found.items()}

    @property
    def short(self) -> list[int]:
        """The lanes of which something else than a worker may keep a run from starting."""
        return [lane for lane in self._needs if self._is_short(lane)]

    def of(self, lane: int) -> int:
        """How many runs of a lane may start."""
        return min((self._left[name] // n for name, n in self._needs[lane].items()), default=NO_LIMIT)

    def _is_short(self, lane: int) -> bool:
        is_claimed = any(self._rooms[name].holds_up(lane, _LAST_RANK, self._now) for name in self._needs[lane])
        return is_claimed or self.of(lane) <= 0

    def may_claim(self, lane: int) -> bool:
        """Whether a run of this lane only has to wait until enough of its limits is free."""
        return bool(short_of(self._needs[lane], self._rooms))

    def take(self, run: RankedRun, *, may_claim: bool = True) -> bool:
        """Count a run that is to be assigned; False: it could not start.

        `may_claim`: no run of its lane is assigned yet, so the first one may wait until enough of its limits is free.
        """
        rank, _ = by_rank(run)
        needs = self._needs[run.lane]
        if any(self._rooms[name].holds_up(run.lane, rank, self._now) for name in needs):
            return False
        if self.of(run.lane) <= 0:
            return may_claim and self._claim(run.lane)
        for name, n in needs.items():
            self._left[name] -= n
        return True

    def _claim(self, lane: int) -> bool:
        if lane in self._claims or not self.may_claim(lane):
            return False
        self._claims.add(lane)
        return True
