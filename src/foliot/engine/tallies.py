"""What a server has fired and leased since its start: its beats say it, and the leader keeps it over time."""

from foliot.domain.statistics.node_load import TALLIES
from foliot.ports.store.firing import Decided
from foliot.ports.store.runs import Granted


class Tallies:
    """Counts that only rise while the server lives."""

    def __init__(self) -> None:
        self._counts = dict.fromkeys(TALLIES, 0)

    def decided(self, decided: Decided) -> None:
        """A firing transaction made runs, and skipped instants."""
        self._counts["scheduled"] += decided.created
        self._counts["skipped"] += decided.skipped

    def granted(self, granted: Granted) -> None:
        """Workers got runs."""
        self._counts["leased"] += sum(len(grant.runs) for grant in granted.grants)

    def as_load(self) -> dict[str, float]:
        """As a beat says them."""
        return {name: float(count) for name, count in self._counts.items()}
