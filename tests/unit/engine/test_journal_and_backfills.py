"""What the leader does for people costs little while there is nothing to do."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest

from foliot.app.system import SystemClock
from foliot.domain.health import FellBy, Health
from foliot.domain.instants import Instant
from foliot.domain.restarts import WEDGED, Restarts
from foliot.engine.backfills import BACKFILL_QUIET, BACKFILL_REST_MAX_S, BackfillAdvance
from foliot.engine.journal import NodeNotes, _in_band
from foliot.engine.maintenance import MaintenanceEnd
from foliot.engine.pulse import Tide
from foliot.ports.store.backfills import BackfillStore
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.store.firing import Pulse
from foliot.ports.store.journal import Happening, Journal
from foliot.ports.store.lookups import ClusterRow, Lookups
from foliot.ports.store.node_row import NodeRow
from foliot.ports.store.nodes import NodeStore
from foliot.ports.worker_link import PROTOCOL


class Backfills:
    """Makes so many runs at each round."""

    def __init__(self, *made: int) -> None:
        self._made = list(made)

    async def advance(self, *, limit: int, term: int | None = None) -> int:
        return self._made.pop(0) if self._made else 0


async def test_backfills_are_looked_for_less_often_the_longer_there_is_none() -> None:
    duty = BackfillAdvance(cast("BackfillStore", Backfills()), on_made=lambda: None)
    rests = [await duty.advance(1) for _ in range(20 * BACKFILL_QUIET)]
    assert rests[: BACKFILL_QUIET - 1] == [None] * (BACKFILL_QUIET - 1)
    assert rests[-1] == BACKFILL_REST_MAX_S
    later = [rest for rest in rests[BACKFILL_QUIET:] if rest is not None]
    assert later == sorted(later)


async def test_a_backfill_that_goes_on_is_followed_closely_again() -> None:
    made: list[bool] = []
    nothing = [0] * 3 * BACKFILL_QUIET
    duty = BackfillAdvance(cast("BackfillStore", Backfills(*nothing, 2)), on_made=lambda: made.append(True))
    for _ in nothing:
        await duty.advance(1)
    assert await duty.advance(1) == 0.1
    assert made == [True]
    assert await duty.advance(1) is None


class Cluster:
    """Two nodes and a leader; every question is counted."""

    def __init__(self) -> None:
        self.leader: str | None = "a"
        self.asked: list[str] = []
        self.notes: list[Sequence[str]] = []
        self.is_away = False
        self.known = [node("s-a"), node("s-b")]

    async def cluster(self) -> ClusterRow:
        self.asked.append("cluster")
        return ClusterRow(
            now=0, epoch=1, leader=self.leader, leader_session="s-a", term=7, leader_until=0, clock_suspect=False,
            store="sqlite", queue=0, running=0, oldest_ready_at=None, overdue_at=None,
        )  # fmt: skip

    async def nodes(self, *, include_dead_since: Instant | None = None) -> Sequence[NodeRow]:
        self.asked.append("nodes")
        return self.known

    async def note(self, happenings: Sequence[Happening], *, term: int | None = None) -> None:
        if self.is_away:
            raise StoreUnavailable("away for a moment")
        self.notes.append([happening.key for happening in happenings])


def node(session: str) -> NodeRow:
    return NodeRow(
        session=session, name=session, kind="server", state="live", until=0, started_at=0, last_beat_at=0,
        ended_at=None, group="", slots=0, version="", host="", pid=0, clock_offset_us=None, labels={}, handlers={},
        code_hashes={}, load={}, drained_by=None,
    )  # fmt: skip


def chronicling(cluster: Cluster, heard: Tide | None = None) -> NodeNotes:
    return NodeNotes(cast("Lookups", cluster), cast("Journal", cluster), tide=heard or tide())


def tide(*, maintenance_until: int = 0) -> Tide:
    """A pulse was heard."""
    heard = Tide(SystemClock())
    pulse = Pulse(
        now=0, next_at=None, ready=False, parked=False, admissible=False, epoch=1, leader="s-a", term=7, leader_until=0,
        clock_suspect=False, lanes=0, maintenance_until=maintenance_until,
    )  # fmt: skip
    heard.learn(pulse, seen_at=0.0)
    return heard


async def test_an_election_is_looked_at_once_a_term() -> None:
    duty = chronicling(cluster := Cluster())
    for term in (7, 7, 7, 8):
        await duty.chronicle(term)
    assert cluster.asked == ["cluster", "nodes", "nodes", "nodes", "cluster", "nodes"]
    notes = ["leader:1:7", "node.joined:s-a", "node.joined:s-b"]
    assert cluster.notes == [notes, notes]  # in a new term all again: those of the old one may not have landed


async def test_a_leader_that_is_not_there_yet_is_looked_for_again() -> None:
    duty = chronicling(cluster := Cluster())
    cluster.leader = None
    await duty.chronicle(7)
    cluster.leader = "a"
    await duty.chronicle(7)
    assert cluster.notes[-1] == ["leader:1:7"]


async def test_an_election_whose_note_failed_is_noted_in_the_next_round() -> None:
    duty = chronicling(cluster := Cluster())
    cluster.is_away = True
    with pytest.raises(StoreUnavailable):
        await duty.chronicle(7)
    cluster.is_away = False
    await duty.chronicle(7)
    assert cluster.notes == [["leader:1:7", "node.joined:s-a", "node.joined:s-b"]]


async def test_a_change_of_band_is_noted_once_and_so_is_the_change_back() -> None:
    duty = chronicling(cluster := Cluster())
    await duty.chronicle(7)
    for band, band_at in [(Health.WARNING, 5), (Health.WARNING, 5), (Health.ONLINE, 9), (Health.ONLINE, 9)]:
        cluster.known = [replace(node("s-a"), band=band, band_at=band_at)]
        await duty.chronicle(7)
    assert cluster.notes[1:] == [["node.band:s-a:5"], ["node.band:s-a:9"]]


def test_a_change_of_band_says_its_cause() -> None:
    late = replace(node("s-a"), band=Health.WARNING, band_at=5, fell_by=FellBy.LATENESS)
    assert _in_band(late, 5).data["cause"] == "late"
    assert "cause" not in _in_band(replace(late, band=Health.ONLINE, fell_by=None), 9).data


async def test_a_server_that_decides_in_a_maintenance_is_noted() -> None:
    cluster = Cluster()
    cluster.known = [node("s-old"), replace(node("s-new"), protocol=PROTOCOL)]
    await chronicling(cluster, tide(maintenance_until=2**62)).chronicle(7)
    assert [key for key in cluster.notes[0] if key.startswith("maintenance")] == ["maintenance.ignored:s-old"]


class Closed:
    """A store that counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    async def close_maintenance(self, *, term: int) -> bool:
        del term
        self.asked += 1
        return True


@pytest.mark.parametrize(("until", "asked"), [(0, 0), (1, 1), (2**62, 0)], ids=["none", "over", "on"])
async def test_the_leader_asks_the_store_only_when_the_pulse_says_that_a_maintenance_is_over(
    until: int, asked: int
) -> None:
    store = Closed()
    await MaintenanceEnd(cast("NodeStore", store), tide(maintenance_until=until)).close(7)
    assert store.asked == asked


async def test_a_restart_by_a_supervisor_is_noted_once_for_all_sessions_of_its_process() -> None:
    load = Restarts(2, WEDGED).as_load()
    cluster = Cluster()
    cluster.known = [replace(node(session), name="w-1", pid=7, load=load) for session in ("one", "other")]
    cluster.known.append(node("s-a"))
    await chronicling(cluster).chronicle(7)
    assert [key for key in cluster.notes[0] if "restarted" in key] == ["node.restarted:w-1::7:2:0"]
