"""A store that fails over under a cluster's load: how long it is away, and how soon decisions go on (L4)."""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from foliot_check.figures import spread
from tests.cluster.cluster import Cluster
from tests.cluster.probe import Probe
from tests.eventually import soon

GOES_ON_WITHIN_S = 5.0
"""After the store takes writes again (L4)."""
WRITABLE_WITHIN_S = 90.0
EPOCH = "SELECT epoch FROM store_meta"

Ask = Callable[[str], Any]


class FailingOver:
    """Faults of the store, one after another, and what each cost."""

    def __init__(self, cluster: Cluster, probe: Probe, ask: Ask) -> None:
        self._cluster = cluster
        self._probe = probe
        self._ask = ask  # one value, from whichever host takes writes; raises while none does
        self._away_s: dict[str, list[float]] = {}
        self._goes_on_s: dict[str, list[float]] = {}
        self._after_writable_s: dict[str, list[float]] = {}

    async def goes_on_after(self, what: str, act: Callable[[], object], *, rises: bool = True) -> None:
        """Do this to the store, then wait until it takes writes and decisions go on; `rises`: the epoch must, too."""
        epoch: int = await soon(
            partial(self._asked, EPOCH), within_s=WRITABLE_WITHIN_S, what=f"the epoch before {what}"
        )
        self._cluster.note("store", way=what)
        struck_at = time.time()
        await asyncio.to_thread(act)
        struck_until = time.time()

        async def another() -> bool:
            return bool((await self._asked(EPOCH) or 0) > epoch)

        if rises:
            await soon(another, within_s=WRITABLE_WITHIN_S, step_s=0.1, what=f"the epoch after {what}")
        seen_at = max(time.time(), struck_until)
        await soon(
            lambda: self._probe.written_at and self._probe.written_at[-1] > seen_at,
            within_s=WRITABLE_WITHIN_S,
            what=f"a write after {what}",
        )
        outage = self._probe.outage(struck_at)
        writable_us = int(outage.ended_at * 1_000_000)

        async def decided() -> int:
            found = await self._asked(f"SELECT min(created_at) FROM runs WHERE created_at >= {writable_us}")
            return int(found or 0)

        decided_us = await soon(decided, within_s=WRITABLE_WITHIN_S, step_s=0.05, what=f"a decision after {what}")
        self._noted(self._away_s, what, outage.lasted_s)
        self._noted(self._goes_on_s, what, decided_us / 1_000_000 - struck_at)
        self._noted(self._after_writable_s, what, (decided_us - writable_us) / 1_000_000)
        self._write_down()

    def worst_after_writable_s(self, *, but: str = "") -> float:
        """The longest that decisions waited although the store took writes; leaving out one kind of fault."""
        return max(one for what, many in self._after_writable_s.items() if what != but for one in many)

    async def _asked(self, sql: str) -> Any:
        try:
            return await asyncio.to_thread(self._ask, sql)
        except Exception:
            return None

    def _noted(self, figures: dict[str, list[float]], what: str, value: float) -> None:
        figures.setdefault(what, []).append(round(value, 2))

    def _write_down(self) -> None:
        everything = [one for many in self._goes_on_s.values() for one in many]
        self._cluster.figures |= {
            "store_away_s": self._away_s,
            "goes_on_s": self._goes_on_s,
            "goes_on_after_writable_s": self._after_writable_s,
            "failover_s": spread(everything),
        }
        print("store:", {name: self._cluster.figures[name] for name in ("store_away_s", "goes_on_after_writable_s")})
