"""The lane book of a server: which lanes there are, and which of them each session serves."""

from collections.abc import Collection, Mapping

import msgspec

from foliot.domain.job import Lane
from foliot.ports.store.jobs import JobStore
from foliot.ports.worker_link import Hello


class LaneBook:
    """Which lanes exist and which of them each session serves.

    The store keeps what sessions said, too: the server reads it again when it needs what it forgot here.
    """

    def __init__(self, store: JobStore) -> None:
        self._store = store
        self._lanes: dict[int, Lane] = {}
        self.highest = 0  # the newest lane that is known
        self._served: dict[str, tuple[int, ...]] = {}
        self._hellos: dict[str, Hello] = {}
        self._quiet: set[str] = set()  # sessions whose hello was not read since `forget_quiet`
        self.routed: tuple[int, ...] = ()  # lanes of jobs with a route

    async def refresh(self, highest: int) -> bool:
        """Learn lanes made since; True when there were any."""
        if highest <= self.highest:
            return False
        fresh: Mapping[int, Lane] = await self._store.lanes(after=self.highest)
        self._lanes.update(fresh)
        self.routed = tuple(lane_id for lane_id, lane in self._lanes.items() if lane.routed)
        self.highest = max(highest, *fresh) if fresh else highest
        self._served.clear()
        return True

    def introduce(self, hello: Hello) -> None:
        """A session says what it offers."""
        self._hellos[hello.session] = msgspec.structs.replace(hello, jobs=())  # they are saved, and may be many
        self._served.pop(hello.session, None)
        self._quiet.discard(hello.session)

    def forget(self, session: str) -> None:
        self._hellos.pop(session, None)
        self._served.pop(session, None)
        self._quiet.discard(session)

    def forget_quiet(self, *, but: Collection[str]) -> None:
        """Forget the sessions whose hello was not read since the last call: most of them are over."""
        for session in self._quiet.difference(but):
            self.forget(session)
        self._quiet = set(self._hellos)

    def hello_of(self, session: str) -> Hello | None:
        """What a session said of itself, if that is known here."""
        self._quiet.discard(session)
        return self._hellos.get(session)

    def namespace_of(self, session: str) -> str | None:
        """The only namespace this session serves; None: every."""
        return self._hellos[session].namespace

    def offer_hash_of(self, session: str) -> str | None:
        """Of what it said when it was introduced here; None: not known."""
        return self._hellos[session].offer_hash

    def slots_of(self, session: str) -> int:
        return self._hellos[session].slots

    def served_by(self, session: str) -> tuple[int, ...]:
        """Lane ids this session may lease from."""
        served = self._served.get(session)
        if served is None:
            hello = self._hellos[session]
            offers = frozenset(offer.name for offer in hello.handlers)
            served = self._served[session] = tuple(
                lane_id
                for lane_id, lane in self._lanes.items()
                if lane.fits(group=hello.group, offers=offers, labels=hello.labels, namespace=hello.namespace)
            )
        return served

    def is_routed(self, session: str) -> bool:
        """Whether routes assign runs in some of its lanes."""
        return bool(self.routed) and not set(self.routed).isdisjoint(self.served_by(session))

    def may_lease_ahead(self, session: str) -> bool:
        """Whether none of its lanes is at-most-once: such a run must not wait in a worker that may vanish."""
        return not any(self._lanes[lane_id].at_most_once for lane_id in self.served_by(session))
