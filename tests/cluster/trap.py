"""A place in the servers' code where the next one that comes by breaks itself."""

from tests.cluster.cluster import Cluster
from tests.eventually import NotInTime, soon

ALWAYS_WITHIN_S = 45.0
"""What every cluster under load comes by again and again, it comes by within this time."""


class Trap:
    """A place where the next server that comes by breaks."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._file = cluster.folder / "armed"
        self.fault = f"@{self._file}"

    def passed(self) -> set[str]:
        """Every place some server has come by."""
        notes = self._file.with_name("armed.passed")
        return set(notes.read_text().split()) if notes.exists() else set()

    def arm(self, action: str, place: str) -> None:
        self.disarm()
        draft = self._file.with_name("armed.draft")
        draft.write_text(f"{action}:{place}")
        draft.rename(self._file)

    def disarm(self) -> None:
        self._file.unlink(missing_ok=True)

    async def sprung(self, *, within_s: float) -> str | None:
        """The server that fell into it: dead or stopped; None when nobody came by."""
        servers = self._cluster.processes

        def hit() -> str | None:
            for name in self._cluster.servers:
                if not servers[name].is_alive or servers[name].is_paused:
                    return name
            return None

        try:
            return await soon(hit, within_s=within_s, step_s=0.01)
        except NotInTime:
            return None
