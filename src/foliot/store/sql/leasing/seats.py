"""Seating: which of the polls gets which run. Each poll has so many free slots in the lanes its worker serves."""

import heapq
from collections.abc import Collection, Iterable

from foliot.domain.instants import Instant
from foliot.ports.store.runs import Poll
from foliot.store.sql.leasing.candidates import Candidate


class Seats:
    """Free slots of parked polls. Whoever has most left is served next, so work spreads evenly."""

    def __init__(self, polls: Iterable[Poll]) -> None:
        self._tables: dict[tuple[str | None, tuple[int, ...]], _Table] = {}
        self._by_lane: dict[int, list[_Table]] = {}
        self._by_session: dict[str, _Seat] = {}
        self.free = 0
        self._is_any_confined = False
        for poll in polls:
            if poll.free > 0 and poll.lanes and poll.session not in self._by_session:
                self._seat(poll)
        self._only = next(iter(self._by_session.values())) if len(self._by_session) == 1 else None

    @property
    def lanes(self) -> Collection[int]:
        return self._by_lane

    @property
    def sessions(self) -> Iterable[str]:
        return self._by_session

    def free_in(self, lane: int) -> int:
        """Free slots for runs of this lane."""
        return sum(table.free for table in self._by_lane[lane])

    def take(self, run: Candidate, now: Instant, namespace: str) -> Poll | None:
        """A slot for this run of a job in this namespace, or None.

        A run that a worker died of before is leased alone (L6). A session that serves one namespace gets runs of no
        other, whatever lanes it is said to serve (SEC-25).
        """
        seat = self._only
        if seat is not None and seat.free > 0 and not run.deaths and run.assigned_to is None:
            return self._given(seat, run) if seat.table.serves(namespace) else None
        if run.assigned_to is not None and (run.assigned_until is None or run.assigned_until > now):
            seat = self._by_session.get(run.assigned_to)
            if seat is None or run.lane not in seat.poll.lanes or not seat.table.serves(namespace):
                return None
            return self._given(seat, run)
        tables = self._by_lane[run.lane]
        if self._is_any_confined:
            tables = [table for table in tables if table.serves(namespace)]
        alone = run.deaths > 0
        best = max((seat for table in tables if (seat := table.best(alone=alone))), default=None)
        return self._given(best, run) if best is not None else None

    def _seat(self, poll: Poll) -> None:
        key = poll.namespace, tuple(poll.lanes)
        table = self._tables.get(key)
        if table is None:
            table = self._tables[key] = _Table(poll.namespace)
            for lane in set(poll.lanes):
                self._by_lane.setdefault(lane, []).append(table)
        self._by_session[poll.session] = table.add(poll)
        self.free += poll.free
        self._is_any_confined |= poll.namespace is not None

    def _given(self, seat: "_Seat", run: Candidate) -> Poll | None:
        alone = run.deaths > 0
        if seat.free <= 0 or (alone and seat.given):
            return None
        taken = seat.free if alone else 1
        seat.free -= taken
        seat.given += 1
        seat.table.changed(seat, taken)
        self.free -= taken
        return seat.poll


class _Seat:
    """One poll's slots."""

    __slots__ = ("free", "given", "poll", "table")

    def __init__(self, poll: Poll, table: "_Table") -> None:
        self.poll = poll
        self.table = table
        self.free = poll.free
        self.given = 0

    def __lt__(self, other: "_Seat") -> bool:
        return (self.free, -self.given) < (other.free, -other.given)


class _Table:
    """Polls that serve the same lanes and namespace, the one with most free slots on top."""

    def __init__(self, namespace: str | None) -> None:
        self._namespace = namespace
        self._seats: list[_Seat] = []
        self._heap: list[tuple[int, int, int]] = []  # (-free, given, seat); entries may be old
        self.free = 0

    def add(self, poll: Poll) -> _Seat:
        seat = _Seat(poll, self)
        self._seats.append(seat)
        heapq.heappush(self._heap, (-seat.free, 0, len(self._seats) - 1))
        self.free += seat.free
        return seat

    def serves(self, namespace: str) -> bool:
        return self._namespace is None or self._namespace == namespace

    def best(self, *, alone: bool) -> _Seat | None:
        """The seat to serve next; `alone`: one that has been given nothing yet."""
        if alone:
            return max((seat for seat in self._seats if seat.free > 0 and not seat.given), default=None)
        while self._heap:
            free, given, at = self._heap[0]
            seat = self._seats[at]
            if (-free, given) == (seat.free, seat.given) and seat.free > 0:
                return seat
            heapq.heappop(self._heap)
            if seat.free > 0:
                heapq.heappush(self._heap, (-seat.free, seat.given, at))
        return None

    def changed(self, seat: _Seat, taken: int) -> None:
        """So many of its slots are taken; the heap learns of it when the seat comes up."""
        self.free -= taken
