"""Load of nodes over time: what looks at a node add up to, in a minute, an hour or a day.

Everything is a sum of whole numbers or a maximum, so a store adds the figures of a minute to those of its hour and its
day without reading them.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from foliot.domain.health import Health
from foliot.domain.instants import Instant

WHOLE_CLUSTER: Final = ""
"""In the place of a node's name: all nodes together."""
PARTS: Final = 1_000_000
"""A share of 1, as it is kept: in millionths."""
SHARES: Final = ("cpu", "memory", "disk", "score")
AMOUNTS: Final = ("threads", "running", "slots")
GAUGES: Final = (*SHARES, *AMOUNTS)
TALLIES: Final = ("scheduled", "skipped", "leased")
"""What a server counts since its start and says at each beat: fires with a run, fires without one, leases."""
BANDS: Final = (Health.ONLINE, Health.WARNING, Health.OFFLINE)


class NodeSample(NamedTuple):
    """What one look sees of a node."""

    node: str
    kind: str
    band: Health
    gauges: Mapping[str, float]  # what the node does not say is not there


class Gauge:
    """Readings of one figure: how many, their sum and the highest, in whole numbers."""

    __slots__ = ("count", "most", "sum")

    def __init__(self, count: int = 0, sum_: int = 0, most: int = 0) -> None:
        self.count = count
        self.sum = sum_
        self.most = most

    def add(self, reading: int) -> None:
        """Count one reading."""
        self.count += 1
        self.sum += reading
        self.most = max(self.most, reading)

    def merge(self, other: "Gauge") -> None:
        """Count all of another's."""
        self.count += other.count
        self.sum += other.sum
        self.most = max(self.most, other.most)


class NodeLoad:
    """The load of one node in one stretch of time."""

    __slots__ = ("bands", "gauges", "kind", "samples", "tallies")

    def __init__(self, kind: str = "") -> None:
        self.kind = kind
        self.samples = 0  # looks at the node
        self.gauges = {name: Gauge() for name in GAUGES}
        self.bands = dict.fromkeys(BANDS, 0)  # how many looks found it in this band; of the cluster: how many nodes
        self.tallies = dict.fromkeys(TALLIES, 0)

    def add(self, sample: NodeSample) -> None:
        """Count one look at a node."""
        self.samples += 1
        self.bands[sample.band] += 1
        for name, reading in sample.gauges.items():
            self.gauges[name].add(kept(name, reading))

    def merge(self, other: "NodeLoad") -> None:
        """Count all of another's."""
        self.kind = self.kind or other.kind
        self.samples += other.samples
        for name, gauge in other.gauges.items():
            self.gauges[name].merge(gauge)
        for band, looks in other.bands.items():
            self.bands[band] += looks
        for name, count in other.tallies.items():
            self.tallies[name] += count

    def mean(self, name: str) -> float | None:
        """The mean of a figure, a share as a share; None: nobody said it."""
        gauge = self.gauges[name]
        return shown(name, gauge.sum / gauge.count) if gauge.count else None

    def most(self, name: str) -> float | None:
        """The highest reading of a figure."""
        gauge = self.gauges[name]
        return shown(name, gauge.most) if gauge.count else None


class LoadPoint(NamedTuple):
    """The load of a node in one stretch of time."""

    start_at: Instant
    figures: NodeLoad


def kept(name: str, reading: float) -> int:
    """A reading as a whole number: a share in millionths. Nothing is below zero."""
    return max(0, round(reading * PARTS if name in SHARES else reading))


def shown(name: str, number: float) -> float:
    """What `kept` made of a reading, turned back."""
    return number / PARTS if name in SHARES else number


def look_at_cluster(figures: NodeLoad, samples: Iterable[NodeSample]) -> None:
    """Count one look at all nodes together: runs and slots are added up, shares and threads are means of the nodes.

    A cluster without nodes counts, too: then nothing is in use.
    """
    seen = list(samples)
    figures.samples += 1
    for sample in seen:
        figures.bands[sample.band] += 1
    for name in GAUGES:
        readings = [sample.gauges[name] for sample in seen if name in sample.gauges]
        if name in ("running", "slots"):
            figures.gauges[name].add(kept(name, sum(readings)))
        elif readings:
            figures.gauges[name].add(kept(name, sum(readings) / len(readings)))


def tally_growth(before: Mapping[str, int] | None, now: Mapping[str, int]) -> dict[str, int]:
    """What a server counted since it was last looked at. Of a session that is seen for the first time: all."""
    known = before or {}
    return {name: max(0, now.get(name, 0) - known.get(name, 0)) for name in TALLIES}


def tallies_of(load: Mapping[str, float]) -> dict[str, int]:
    """The counts of a server as its beat says them; one of an older version says none."""
    return {name: int(load[name]) for name in TALLIES if name in load}
