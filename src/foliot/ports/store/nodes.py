"""Nodes: sessions of servers and workers, and who leads."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from foliot.domain.health import HealthRules
from foliot.domain.instants import SECOND, Instant, Micros
from foliot.domain.maintenance import Maintenance
from foliot.domain.roles import Promotion, Role, SeenServers
from foliot.domain.verdict import Judge
from foliot.ports.store.actor import Actor
from foliot.ports.worker_link import Beat, BeatAnswer, Hello, Leaving

GRACE_US: Final[Micros] = 2 * SECOND
SESSION_TTL_US: Final[Micros] = 15 * SECOND


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """Leadership: a number that only rises, trusted until store time `until` (the holder trusts less, R16)."""

    number: int
    until: Instant
    now: Instant


class Registered(NamedTuple):
    """A session was taken in."""

    now: Instant
    offer_hash: str  # of what it says of its handlers: leasing compares it, see `runs.Poll`


class NodeStore(Protocol):
    """Sessions of servers and workers, and who leads."""

    async def register(
        self,
        hello: Hello,
        *,
        kind: str,
        ttl_us: Micros,
        code: str | None = None,
        asked_us_ago: Micros = 0,
        role: Role | None = None,
    ) -> Registered:
        """A new session, live until now + ttl. Again: the same session says so of itself anew.

        `asked_us_ago`: how long ago it asked for it.
        `code`: the hash of what a worker's code declares, which `CodeStore.keep` keeps already.
        `role`: of a new session of a server; None: active. One that says so anew keeps its role.
        `ForeignSession` when it is of another kind or owner: it stays as it is. `TooManySessions` when it would be one
        more of its owner than there may be; `TooMuchOffered` when its owner's sessions say too much of their handlers.
        """
        ...

    async def hello_of(self, session: str) -> Hello | None:
        """What a worker's live session said of itself, so that any server can serve it."""
        ...

    async def adopt(self, session: str, *, owner: str) -> bool:
        """A worker's session that began before owners were recorded becomes this one's; False: it is another's."""
        ...

    async def beat(self, beat: Beat, *, ttl_us: Micros, judge: Judge, health: HealthRules | None = None) -> BeatAnswer:
        """Renew the session, note starts, adopt what the worker does not know; say what to stop.

        `health`: by which its band is judged; None: by the usual rules for this ttl.
        """
        ...

    async def addresses(self) -> Sequence[str]:
        """Where live active servers say that they are reached; the first ones of many."""
        ...

    async def servers(self) -> SeenServers:
        """Every server that is not gone, with its role, and how many there are to be."""
        ...

    async def promote(self) -> Promotion | None:
        """Make the oldest standby active when fewer than `active_min` are, and note it; one at a time.

        However many servers call it at once, no more are promoted than needed. None: nothing was to be done.
        """
        ...

    async def set_role(self, session: str, role: Role) -> bool:
        """Give a live server another role, which its next beat learns; False: it has that role, or it is gone.

        `TooFewLeft`: fewer than `active_min` would be active. Of users who ask at once each sees the others' changes.
        """
        ...

    async def undrain(self, session: str) -> bool:
        """Let a session that was asked to drain take work again; False: it was not asked to, it drains by itself."""
        ...

    async def wish(self, heir: str, *, ttl_us: Micros) -> None:
        """Somebody wants this session to lead: the pulse tells everybody for so long, and whoever leads hands over."""
        ...

    async def begin_maintenance(self, *, lasts_us: Micros | None, by: Actor) -> Maintenance:
        """Let no server decide from now on. One that is on goes on, with this end and reason; None: until it is ended.

        Deciding is: an instant becomes a run or a skip, a run is leased, a backfill makes its next runs.
        """
        ...

    async def end_maintenance(self) -> Maintenance | None:
        """Let servers decide again; the maintenance that was on, None: there was none."""
        ...

    async def close_maintenance(self, *, term: int) -> bool:
        """Write down, once, that a maintenance ended by its time; False: none did, or the journal says so already."""
        ...

    async def appoint(self, heir: str, *, session: str, term: int, ttl_us: Micros) -> int | None:
        """The leader of this term, which it no longer trusts, hands over to a live server's session, under the next.

        None: it does not lead any more, or the heir is not there.
        """
        ...

    async def drain(self, session: str, *, by: Actor) -> bool:
        """Ask a session to take no more work; False: it drains already, or it is gone."""
        ...

    async def drain_server(self, session: str, *, by: Actor) -> bool:
        """The same of a server, which decides nothing from its next beat on; `TooFewLeft` as in `set_role`."""
        ...

    async def leave(self, leaving: Leaving, judge: Judge) -> int:
        """End a session in peace; what it holds goes back without a death. How many runs.

        An at-most-once run goes back only if it was certainly never started (S7); else it ends FAILED/lost.
        """
        ...

    async def campaign(self, session: str, *, ttl_us: Micros, session_ttl_us: Micros = SESSION_TTL_US) -> Term | None:
        """Take or renew leadership (R16); None: another holds it. The winner's tick (R8) is written with it."""
        ...

    async def resign(self, session: str, *, term: int) -> None: ...

    async def report_clock(
        self, session: str, *, ahead_us: Micros | None, offset_us: Micros | None = None, suspect: bool = False
    ) -> bool:
        """A server's reckoning of how far store time has run ahead; whether the store's clock is suspect now (R7).

        `ahead_us` None: it has its lead from the store, and saw no step. `offset_us`: how far its wall clock is ahead
        of store time; None: as it said before. `suspect`: it goes by a clock that was flagged; if it no longer is,
        somebody trusted it meanwhile, and the lead counts for nothing.
        """
        ...
