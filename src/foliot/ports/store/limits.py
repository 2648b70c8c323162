"""Named limits as people see them. Jobs bring those of their namespace along; an admin makes those of the cluster."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from foliot.domain.errors import Conflict, NotFound


class LimitNotFound(NotFound):
    """No limit of the cluster has this name."""

    code = "FOL-2015"

    def __init__(self, name: str) -> None:
        super().__init__(f'No limit "{name[:100]}" of the whole cluster.', name=name[:100])


class LimitInUse(Conflict):
    """A limit that jobs count in cannot be taken away."""

    code = "FOL-3024"

    def __init__(self, name: str, *, jobs: Sequence[str]) -> None:
        some = ", ".join(jobs[:3]) + (" and others" if len(jobs) > 3 else "")
        super().__init__(
            f"The limit {name} is used by {some}.",
            hint="take it out of place.concurrency of these jobs first",
            name=name,
            jobs=list(jobs[:20]),
        )


class LimitHeld(Conflict):
    """A limit that runs hold cannot be taken away."""

    code = "FOL-3025"

    def __init__(self, name: str, *, runs: int) -> None:
        super().__init__(
            f"The limit {name} is held by {runs} running run{'' if runs == 1 else 's'}.",
            name=name,
            runs=runs,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedLimit:
    """A limit and how much of it is taken. `namespace` None: of the whole cluster."""

    key: str  # a list goes on behind it
    name: str
    namespace: str | None
    max: int
    used: int


class LimitStore(Protocol):
    """Keeps named limits."""

    async def list(self, *, namespace: str | None, after: str, limit: int) -> Sequence[NamedLimit]:
        """Those of the cluster and of this namespace (None: of every), behind the key `after`."""
        ...

    async def find(self, keys: Sequence[str]) -> Sequence[NamedLimit]:
        """Those of these keys that there are."""
        ...

    async def set_shared(self, name: str, max_: int) -> NamedLimit:
        """Make a limit of the whole cluster, or give it another maximum. Running runs that count in it hold it."""
        ...

    async def remove_shared(self, name: str) -> None:
        """Take a limit of the cluster away; `LimitNotFound`, `LimitInUse` while a job counts in it, `LimitHeld` while a
        run holds it.
        """
        ...
