"""Drills: failures that a user makes on purpose, on one node and for a short time, to see what the cluster does.

A node takes part only when it was started so. It ends what it broke by its own clock, even when it can talk to nobody.

    InvalidInput
    ├── BadDrill          FOL-1207   a value that a drill cannot have
    └── UnfitDrill        FOL-1208   a type of drill that breaks nothing on this kind of node
    NotFound
    └── DrillNotFound     FOL-2040   no drill has this id
    Conflict
    ├── TakesNoPart       FOL-3065   the node was not started with --allow-drills
    ├── DrillUnderWay     FOL-3066   another drill is not over
    ├── NobodyElse        FOL-3067   no other node can do what this one does
    └── DrillOver         FOL-3068   a drill that is over cannot be stopped
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from foliot.domain.errors import Conflict, InvalidInput, NotFound
from foliot.domain.instants import HOUR, MINUTE, SECOND, Micros

FOR_USUAL: Final[Micros] = 30 * SECOND
FOR_MIN: Final[Micros] = SECOND
FOR_MAX: Final[Micros] = 10 * MINUTE
CLOCK_NOTICED_US: Final[Micros] = MINUTE
TAKEN_UP_WITHIN_US: Final[Micros] = MINUTE
"""A node that has not taken a drill up by then never will."""


class DrillType(StrEnum):
    """What is broken."""

    CRASH = "crash"  # the process is killed
    HANG = "hang"  # the process is stopped, and goes on later
    PARTITION = "partition"  # a server cannot reach the store, a worker cannot reach servers
    SLOW_STORE = "slow_store"  # every transaction of a server takes longer
    CLOCK_STEP = "clock_step"  # the wall clock of the node is ahead
    EXHAUST = "exhaust"  # every slot of a worker is taken
    DEADLOCK = "deadlock"  # two runs of a worker wait for each other's lock
    DISK_FULL = "disk_full"  # a worker cannot write down what servers have not taken


class DrillState(StrEnum):
    """How far a drill is."""

    ASKED = "asked"  # the node has not taken it up
    RUNNING = "running"  # the node is broken, or the cluster has not recovered
    ENDED = "ended"  # it was judged
    STOPPED = "stopped"  # by a user, before it began
    LOST = "lost"  # the node never took it up


OPEN_STATES: Final = (DrillState.ASKED, DrillState.RUNNING)

BREAKS: Final[Mapping[DrillType, frozenset[str]]] = {
    DrillType.CRASH: frozenset({"server", "worker"}),
    DrillType.HANG: frozenset({"server", "worker"}),
    DrillType.PARTITION: frozenset({"server", "worker"}),
    DrillType.SLOW_STORE: frozenset({"server"}),
    DrillType.CLOCK_STEP: frozenset({"server", "worker"}),
    DrillType.EXHAUST: frozenset({"worker"}),
    DrillType.DEADLOCK: frozenset({"worker"}),
    DrillType.DISK_FULL: frozenset({"worker"}),
}
"""The kinds of nodes on which each type breaks something."""
STOPPABLE: Final = frozenset({DrillType.SLOW_STORE, DrillType.CLOCK_STEP, DrillType.EXHAUST, DrillType.DISK_FULL})
"""What a node can end early: it still hears of a user's wish."""

USUAL_SIZES: Final[Mapping[DrillType, Micros]] = {
    DrillType.SLOW_STORE: SECOND // 2,  # what each transaction takes longer
    DrillType.CLOCK_STEP: HOUR,  # how far the wall clock is ahead
}
"""The types that have a size, and what it is unless a user says otherwise."""
SIZES: Final = "sizes"
"""The word by which a node says, beside the types, that it knows sizes."""

assert set(BREAKS) == set(DrillType)


class BadDrill(InvalidInput):
    """A value that a drill cannot have."""

    code = "FOL-1207"

    def __init__(self, field: str, value: object, *, allowed: str) -> None:
        super().__init__(
            f'"{str(value)[:100]}" is no {field} of a drill.',
            hint=f"allowed: {allowed}",
            field=field,
            value=str(value)[:100],
            allowed=allowed,
        )


class UnfitDrill(InvalidInput):
    """A type of drill that breaks nothing on this kind of node."""

    code = "FOL-1208"

    def __init__(self, type_: DrillType, *, node: str, kind: str) -> None:
        kinds = ", ".join(sorted(BREAKS[type_]))
        super().__init__(
            f"{type_} breaks nothing on {node}: it is a {kind}.",
            hint=f"choose a node of this kind: {kinds}",
            type=str(type_),
            node=node,
            kind=kind,
            kinds=kinds,
        )


class DrillNotFound(NotFound):
    """No drill has this id."""

    code = "FOL-2040"

    def __init__(self, drill_id: int) -> None:
        super().__init__(f"No drill {drill_id}; old ones are forgotten.", id=drill_id)


class TakesNoPart(Conflict):
    """The node was not started with --allow-drills."""

    code = "FOL-3065"

    def __init__(self, node: str) -> None:
        super().__init__(
            f"{node} takes no part in drills.",
            hint="start it with --allow-drills",
            node=node,
        )


class DrillUnderWay(Conflict):
    """Another drill is not over."""

    code = "FOL-3066"

    def __init__(self, drill_id: int, *, type_: str, node: str) -> None:
        super().__init__(
            f"Drill {drill_id} ({type_} on {node}) is not over.",
            id=drill_id,
            type=type_,
            node=node,
        )


class NobodyElse(Conflict):
    """No other node can do what this one does."""

    code = "FOL-3067"

    def __init__(self, node: str, *, kind: str) -> None:
        super().__init__(
            f"No other {kind} can do the work of {node} while it is broken.",
            hint=f"start another {kind}, or say that it is meant so: --alone",
            node=node,
            kind=kind,
        )


class DrillOver(Conflict):
    """A drill that is over cannot be stopped."""

    code = "FOL-3068"

    def __init__(self, drill_id: int, *, state: DrillState) -> None:
        super().__init__(
            f"Drill {drill_id} is over: {state}.",
            id=drill_id,
            state=str(state),
        )


def check_for(for_us: Micros) -> Micros:
    """How long the node is to be broken; `BadDrill`."""
    if not FOR_MIN <= for_us <= FOR_MAX:
        raise BadDrill("duration", f"{for_us / SECOND:g}s", allowed="1s to 10m")
    return for_us


def check_node(type_: DrillType, *, node: str, kind: str, taken: Collection[str]) -> None:
    """The node must be one that the drill breaks, and one that takes part; `UnfitDrill`, `TakesNoPart`."""
    if kind not in BREAKS[type_]:
        raise UnfitDrill(type_, node=node, kind=kind)
    if str(type_) not in taken:
        raise TakesNoPart(node)


def drill_lock(drill_id: int, name: str) -> str:
    """A lock that only this drill uses."""
    return f"foliot-drill:{drill_id}:{name}"


def types_of(kind: str) -> tuple[str, ...]:
    """The types of drills that a node of this kind takes part in, and that it knows their sizes."""
    return (*(str(type_) for type_, kinds in BREAKS.items() if kind in kinds), SIZES)


# ------------------------------------------------------------------------------------------------------ inside a node


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillOrder:
    """What a node is asked to do to itself. It comes with the answer to a beat."""

    id: int
    type: str  # a newer server may name one that this node does not know
    for_us: Micros
    stop: bool = False  # end it now
    size_us: Micros | None = None  # None: the usual one, or its type has none


class DrillNote(NamedTuple):
    """What a node's beat says of its drill."""

    id: int
    over: bool = False  # False: ready to begin
    noticed_us: Micros | None = None  # how long after its beginning the node itself noticed what is broken


class Faults:
    """What is broken on purpose in this node.

    The wrappers of ports look at it, in any thread. A fault ends by the node's monotonic clock, whether or not the node
    can talk to anybody.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._order: DrillOrder | None = None
        self._began_at = 0.0
        self._noticed_at: float | None = None

    @property
    def order(self) -> DrillOrder | None:
        """The drill that was begun last, until it is cleared."""
        return self._order

    @property
    def is_over(self) -> bool:
        order = self._order
        return order is None or self._monotonic() >= self._began_at + order.for_us / SECOND

    @property
    def noticed_us(self) -> Micros | None:
        """How long after its beginning the node noticed it; None: it has not."""
        return None if self._noticed_at is None else int((self._noticed_at - self._began_at) * SECOND)

    def begin(self, order: DrillOrder) -> None:
        """Break it from now on."""
        self._began_at = self._monotonic()
        self._noticed_at = None
        self._order = order

    def clear(self) -> None:
        """Nothing is broken any more."""
        self._order = None

    def has(self, type_: DrillType) -> bool:
        """Whether this is broken now."""
        order = self._order
        return order is not None and order.type == type_ and not self.is_over

    def size_us(self, type_: DrillType) -> Micros:
        """How much of this is broken now; 0: it is whole."""
        order = self._order
        if order is None or not self.has(type_):
            return 0
        return USUAL_SIZES[type_] if order.size_us is None else order.size_us

    def notice(self, type_: DrillType) -> None:
        """The node saw by itself that this is broken."""
        if self._noticed_at is None and self.has(type_):
            self._noticed_at = self._monotonic()


class NodeDrills:
    """The drills of one session of a node: it hears of an order, says that it is ready, and breaks what it must.

    The node begins only when a server answered that it may: the store has written down by then that it began. A session
    that is over takes its order with it.
    """

    def __init__(self, faults: Faults, breaks: Callable[[DrillOrder], None], *, kind: str) -> None:
        """`breaks`: does what no wrapper does, for example kills the process."""
        self.types = types_of(kind)
        self.faults = faults
        self.on_begin: list[Callable[[DrillOrder], None]] = [breaks]
        self._ready: DrillOrder | None = None  # told to a server that it would begin
        self._mine: int | None = None  # the drill that this session began

    def note(self, clock_offset_us: Micros | None) -> DrillNote | None:
        """What the next beat says. With the offset of its clock the node tells that it noticed the step."""
        if abs(clock_offset_us or 0) > CLOCK_NOTICED_US:
            self.faults.notice(DrillType.CLOCK_STEP)
        if self._ready is not None:
            return DrillNote(self._ready.id)
        if self._mine is not None and self.faults.is_over:
            return DrillNote(self._mine, over=True, noticed_us=self.faults.noticed_us)
        return None

    def heard(self, order: DrillOrder | None, *, begin: int, said: DrillNote | None) -> bool:
        """A beat that said this was answered; whether the next beat has something to say at once.

        `begin`: the drill that may begin now.
        """
        if said is not None and said.over and said.id == self._mine:
            self._mine = None
            self.faults.clear()
        ready, self._ready = self._ready, None
        if ready is not None and begin == ready.id:
            self._mine = ready.id
            self.faults.begin(ready)
            for begin_it in self.on_begin:
                begin_it(ready)
            return False
        if order is None:
            return False
        if order.stop and order.id == self._mine:
            self.faults.clear()
            return True
        if order.stop or self._mine is not None or order.type not in self.types:
            return False
        self._ready = order
        return True
