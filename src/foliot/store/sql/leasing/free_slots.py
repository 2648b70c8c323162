"""Free slots: which of the polls gets which run. Each poll has some free slots in the lanes that its worker serves."""

import heapq
from collections.abc import Collection, Iterable, Mapping

from foliot.domain.instants import Instant
from foliot.ports.store.assignment import ANYONE
from foliot.ports.store.runs import Poll
from foliot.store.sql.leasing.candidates import Candidate


class FreeSlots:
    """Free slots of parked polls. The poll with most of them left is served next, so that work spreads evenly."""

    def __init__(self, polls: Iterable[Poll]) -> None:
        self._poll_sets: dict[tuple[str | None, tuple[int, ...]], _PollSet] = {}
        self._by_lane: dict[int, list[_PollSet]] = {}
        self._by_session: dict[str, _PollSlots] = {}
        self.free = 0
        self._is_any_confined = False
        for poll in polls:
            if poll.free > 0 and poll.lanes and poll.session not in self._by_session:
                self._add(poll)
        self._most: dict[int, tuple[int, int]] = {}  # lanes of jobs that limit their runs on one worker: job, most
        self._used: dict[int, dict[str, int]] = {}  # of such a job: how many of its runs a session has
        self._only = next(iter(self._by_session.values())) if len(self._by_session) == 1 else None

    @property
    def lanes(self) -> Collection[int]:
        return self._by_lane

    @property
    def routed(self) -> list[str]:
        """The sessions for which routes may have meant some runs."""
        return [session for session, slots in self._by_session.items() if slots.poll.is_routed]

    def free_in(self, lane: int) -> int:
        """Free slots for runs of this lane."""
        if lane in self._most:
            return sum(self._free_below(lane, slots) for slots in self._serving(lane))
        return sum(poll_set.free for poll_set in self._by_lane[lane])

    def sessions_in(self, lane: int) -> list[str]:
        """The sessions that serve a lane."""
        return [slots.poll.session for slots in self._serving(lane)]

    def bound(self, lane: int, job_id: int, most: int, used: Mapping[str, int]) -> None:
        """Of a job's runs in a lane a session may have so many; `used`: those it has, in whatever lane.

        Another lane of the job may be served by other sessions, whose runs go on counting.
        """
        self._most[lane] = (job_id, most)
        self._used.setdefault(job_id, {}).update(used)

    def _serving(self, lane: int) -> list["_PollSlots"]:
        return [slots for poll_set in self._by_lane.get(lane, ()) for slots in poll_set.slots]

    def _free_below(self, lane: int, slots: "_PollSlots") -> int:
        """How many runs of a bounded lane a session may get."""
        job_id, most = self._most[lane]
        return max(0, min(slots.free, most - self._used[job_id].get(slots.poll.session, 0)))

    def take(self, run: Candidate, now: Instant, namespace: str) -> Poll | None:
        """A slot for this run of a job in this namespace, or None.

        A run that a worker died of before is leased alone (L6). A session that serves one namespace gets runs of no
        other, whatever lanes it is said to serve (SEC-25).
        """
        if run.lane in self._most:
            return self._take_bounded(run, now, namespace)
        slots = self._only
        if slots is not None and slots.free > 0 and not run.deaths and run.assigned_to is None:
            return self._given(slots, run) if slots.poll_set.serves(namespace) else None
        if run.assigned_to not in (None, ANYONE) and (run.assigned_until is None or run.assigned_until > now):
            slots = self._by_session.get(run.assigned_to)
            if slots is None or run.lane not in slots.poll.lanes or not slots.poll_set.serves(namespace):
                return None
            return self._given(slots, run)
        poll_sets = self._by_lane[run.lane]
        if self._is_any_confined:
            poll_sets = [poll_set for poll_set in poll_sets if poll_set.serves(namespace)]
        alone = run.deaths > 0
        best = max((slots for poll_set in poll_sets if (slots := poll_set.best(alone=alone))), default=None)
        return self._given(best, run) if best is not None else None

    def _take_bounded(self, run: Candidate, now: Instant, namespace: str) -> Poll | None:
        """The same for a job that limits its runs on one worker."""
        job_id, _ = self._most[run.lane]
        is_meant = run.assigned_to not in (None, ANYONE) and (run.assigned_until is None or run.assigned_until > now)
        fitting = [
            slots
            for slots in self._serving(run.lane)
            if self._free_below(run.lane, slots) > 0
            and slots.poll_set.serves(namespace)
            and not (run.deaths and slots.given)
            and not (is_meant and slots.poll.session != run.assigned_to)
        ]
        if not fitting:
            return None
        poll = self._given(max(fitting), run)
        if poll is not None:
            used = self._used[job_id]
            used[poll.session] = used.get(poll.session, 0) + 1
        return poll

    def _add(self, poll: Poll) -> None:
        key = poll.namespace, tuple(poll.lanes)
        poll_set = self._poll_sets.get(key)
        if poll_set is None:
            poll_set = self._poll_sets[key] = _PollSet(poll.namespace)
            for lane in set(poll.lanes):
                self._by_lane.setdefault(lane, []).append(poll_set)
        self._by_session[poll.session] = poll_set.add(poll)
        self.free += poll.free
        self._is_any_confined |= poll.namespace is not None

    def _given(self, slots: "_PollSlots", run: Candidate) -> Poll | None:
        alone = run.deaths > 0
        if slots.free <= 0 or (alone and slots.given):
            return None
        taken = slots.free if alone else 1
        slots.free -= taken
        slots.given += 1
        slots.poll_set.free -= taken  # its heap learns of it when these slots come up
        self.free -= taken
        return slots.poll


class _PollSlots:
    """One poll's slots."""

    __slots__ = ("free", "given", "poll", "poll_set")

    def __init__(self, poll: Poll, poll_set: "_PollSet") -> None:
        self.poll = poll
        self.poll_set = poll_set
        self.free = poll.free
        self.given = 0

    def __lt__(self, other: "_PollSlots") -> bool:
        return (self.free, -self.given) < (other.free, -other.given)


class _PollSet:
    """Polls that serve the same lanes and namespace, the one with most free slots on top."""

    def __init__(self, namespace: str | None) -> None:
        self._namespace = namespace
        self.slots: list[_PollSlots] = []
        self._heap: list[tuple[int, int, int]] = []  # (-free, given, index in `slots`); an entry may be out of date
        self.free = 0

    def add(self, poll: Poll) -> _PollSlots:
        slots = _PollSlots(poll, self)
        self.slots.append(slots)
        heapq.heappush(self._heap, (-slots.free, 0, len(self.slots) - 1))
        self.free += slots.free
        return slots

    def serves(self, namespace: str) -> bool:
        return self._namespace is None or self._namespace == namespace

    def best(self, *, alone: bool) -> _PollSlots | None:
        """The slots of the poll to serve next; `alone`: of one that has been given nothing yet."""
        if alone:
            return max((slots for slots in self.slots if slots.free > 0 and not slots.given), default=None)
        while self._heap:
            free, given, at = self._heap[0]
            slots = self.slots[at]
            if (-free, given) == (slots.free, slots.given) and slots.free > 0:
                return slots
            heapq.heappop(self._heap)
            if slots.free > 0:
                heapq.heappush(self._heap, (-slots.free, slots.given, at))
        return None
