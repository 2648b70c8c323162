"""The end of a maintenance: one that ends by its time is written down by the leader, because no user ends it."""

from foliot.engine.pulse import Tide
from foliot.ports.store.nodes import NodeStore


class MaintenanceEnd:
    """Looks at the pulse alone, and asks the store only when a maintenance is over."""

    def __init__(self, store: NodeStore, tide: Tide) -> None:
        self._store = store
        self._tide = tide

    async def close(self, term: int) -> float | None:
        pulse = self._tide.pulse
        if pulse is not None and 0 < pulse.maintenance_until <= self._tide.store_now():
            await self._store.close_maintenance(term=term)
        return None
