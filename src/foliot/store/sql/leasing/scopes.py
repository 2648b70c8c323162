"""Limits of a whole group or namespace: an admin sets them at any time, and no job names them.

Which there are, a lease knows by heart: `store_meta.scopes_ver` rises with each that is made or taken away, and every
lease reads it with the time. So leases of other groups and namespaces cost no statement more.

A lane says of which group and namespace its runs are. A lease that takes such a limit says so in the run's row
(`OF_GROUP`, `OF_NAMESPACE`), and the way out of RUNNING gives back what the row says: a limit may come or go meanwhile.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from foliot.domain.job import Lane
from foliot.domain.limits import LimitKind, scope_key, tokens_of
from foliot.store.sql.firing.follow import LIMITS, OF_GROUP, OF_NAMESPACE
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys

SCOPES: Final = Statement(
    "SELECT name FROM limits WHERE (name > 'grp:' AND name < 'grp;') OR (name > 'ns:' AND name < 'ns;')"
)
CHANGED: Final = Statement("UPDATE store_meta SET scopes_ver = scopes_ver + 1 WHERE id = 1")

UNCOUNTED: Final = Statement(
    """
    SELECT r.id, r.lease_id, d.bit FROM runs r JOIN {d} ON d.lane = r.lane
    WHERE r.state = 'RUNNING' AND r.{held_by} > '' AND r.lease_id IS NOT NULL AND (r.follow & d.bit) = 0
    """,
    RowSet("d", lane=BIGINT, bit=BIGINT),
)

LOCK: Final = Statement(
    "SELECT r.id FROM runs r WHERE r.id IN (SELECT d.id FROM {d}) ORDER BY r.id {for_update}", RowSet("d", id=BIGINT)
)

COUNT_IN: Final = Statement(
    """
    UPDATE runs SET follow = runs.follow | d.bits, ver = runs.ver + 1 FROM {d}
    WHERE runs.id = d.id AND runs.lease_id = d.lease_id
    """,
    RowSet("d", id=BIGINT, lease_id=TEXT, bits=BIGINT),
)


class Scopes:
    """Which limits of groups and namespaces there are, as this server knows them."""

    def __init__(self) -> None:
        self._ver = -1
        self._keys: frozenset[str] = frozenset()

    def read(self, tx: Tx, ver: int) -> frozenset[str]:
        """Their keys. `ver`: `store_meta.scopes_ver`, as this transaction read it."""
        if ver == 0:
            return frozenset()
        if ver != self._ver:
            self._keys = frozenset(row.name for row in tx.rows(SCOPES))
            self._ver = ver
        return self._keys


def bits_of(lane: Lane, scopes: Collection[str]) -> int:
    """In which of these limits the runs of a lane count, as bits of `runs.follow`."""
    bits = 0
    if scopes:
        for bit, key in _scopes_of(lane).items():
            if key in scopes:
                bits |= bit
    return bits


def held_by(lane: Lane, counted: int) -> Sequence[str]:
    """The limits that a run of a lane holds, each as often as it takes of it. `counted`: the bits in its row."""
    held = lane.limits if counted & LIMITS else ()
    if counted == LIMITS:
        return held
    return (*held, *(key for bit, key in _scopes_of(lane).items() if counted & bit))


def all_of(lane: Lane) -> tuple[str, ...]:
    """Every limit that a run of a lane may count in: those of its group and namespace, too, if there are such."""
    return (*lane.limits, *lane.rates, *_scopes_of(lane).values())


def needs_of(lane: Lane, scopes: Collection[str]) -> Mapping[str, int]:
    """What a run of a lane takes of which limits."""
    bits = bits_of(lane, scopes)
    if not bits and not lane.rates:
        return tokens_of(lane.limits)
    return Counter((*held_by(lane, LIMITS | bits), *lane.rates))


def count_in(tx: Tx, lanes: Lanes, keys_: Iterable[str]) -> None:
    """Let what runs already count in those of these limits that are of a group or namespace.

    The rows of the limits are counted anew afterwards: runs come before limits in the order of locks (R3).
    """
    wanted = {key for key in keys_ if key.startswith(("grp:", "ns:"))}
    if not wanted:
        return
    rows = []
    for lane_id, lane in lanes.all(tx).items():
        rows += [(lane_id, bit) for bit, key in _scopes_of(lane).items() if key in wanted]
    uncounted: dict[int, tuple[str, int]] = {}
    for run_id, lease_id, bit in tx.tuples(UNCOUNTED, d=rows) if rows else ():
        _, bits = uncounted.get(run_id, ("", 0))
        uncounted[run_id] = (lease_id, bits | int(bit))
    if uncounted:
        tx.rows(LOCK, d=keys(sorted(uncounted)))
        tx.change(COUNT_IN, d=[(run_id, *rest) for run_id, rest in sorted(uncounted.items())])


def _scopes_of(lane: Lane) -> Mapping[int, str]:
    """The limits that runs of a lane would count in, by their bits. Lanes of an older Foliot have no namespace."""
    scopes = {OF_GROUP: scope_key(LimitKind.GROUP, lane.group)}
    if lane.namespace is not None:
        scopes[OF_NAMESPACE] = scope_key(LimitKind.NAMESPACE, lane.namespace)
    return scopes
