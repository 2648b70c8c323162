"""A job, as a client sees it."""

from collections.abc import Mapping
from typing import Any


class Job:
    """What a server said of a job. `raw` has all of it."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = dict(raw)

    def __repr__(self) -> str:
        return f"<job {self.name}: {self.state}>"

    @property
    def name(self) -> str:
        return str(self.raw["name"])

    @property
    def namespace(self) -> str:
        return str(self.raw.get("namespace", ""))

    @property
    def state(self) -> str:
        """ACTIVE, PAUSED or DONE. An older server says it in small letters."""
        return str(self.raw.get("state", "")).upper()

    @property
    def version(self) -> int:
        return int(self.raw.get("version") or 0)

    @property
    def warnings(self) -> list[dict[str, Any]]:
        """What a save or a read said: code, message and hint of each thing that works, but perhaps not as meant."""
        return [dict(warning) for warning in self.raw.get("warnings") or ()]
