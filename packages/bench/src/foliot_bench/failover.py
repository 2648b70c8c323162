"""Failover: one of three servers is killed (SIGKILL) again and again while jobs fire every second. What does it delay?

Each kill hits another server, the leader among them, at an odd moment around an instant; it is started again before the
next one. Extra delay is the latest decision of an instant within a second of a kill, less the usual latest one, which
is the twin here: the instants of the same run that no kill came near.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from foliot.domain.errors import InvalidInput
from foliot.domain.instants import MILLISECOND, SECOND, Instant
from foliot.store.sql.kernel.statement import Statement
from foliot_bench.benchmark import Figures, Setting, bar
from foliot_bench.cost import median
from foliot_bench.ground import ground
from foliot_bench.moments import next_second, now_s, pause, until
from foliot_bench.processes import Cluster, cluster
from foliot_bench.steady import settled

SERVERS: Final = 3
WARM_UP_S: Final = 4
SETTLE_WITHIN_S: Final = 40.0
EXTRA_MAX_MS: Final = 1000.0
MOMENTS_MS: Final = (-20, 5, 15, 30, 45, 60)  # of the kills: before an instant, and while it is fired, leased, ended

DECIDED: Final = Statement(
    """
    SELECT due_at, count(*), max(created_at - due_at), max(started_at - due_at) FROM runs
    WHERE due_at >= :begin AND due_at < :end GROUP BY due_at ORDER BY due_at
    """
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failover:
    """Servers die."""

    name: ClassVar = "failover"
    needs_twin: ClassVar = False

    jobs: int = 300
    kills: int = 6
    every: int = 4  # seconds from kill to kill
    slots: int = 100

    async def measured(self, setting: Setting) -> Figures:
        """Kill, and look at what was late."""
        if setting.place.is_sqlite:
            raise InvalidInput(
                "SQLite has one server: there is nothing to fail over to.", hint="--db postgresql://… or mariadb://…"
            )
        setting.progress.tell(f"loading {self.jobs:,} jobs")
        async with ground(setting.place.foliot) as ours:
            await ours.load_jobs(self.jobs, {"every": "1s"}, overlap="allow")
            await ours.make_due(next_second(ahead_s=3600))  # nothing happens before everybody is there
            with cluster(setting.place.foliot) as processes:
                for number in range(SERVERS):
                    setting.progress.tell("starting servers", done=number, of=SERVERS)
                    await processes.start_server(f"server-{number}")
                await processes.start_worker(ours, slots=self.slots)
                pids = processes.pids()
                first = next_second(ahead_s=1.5)
                await ours.make_due(first)
                begin = first + WARM_UP_S * SECOND
                end = begin + (self.kills + 1) * self.every * SECOND
                await until(begin)
                kills = await self._kill(setting, processes, begin)
                await until(end)
                await settled(ours, begin, end, within_s=SETTLE_WITHIN_S)
            rows = await ours.rows(DECIDED, {"begin": begin, "end": end})
            settings = await ours.settings()
        return {
            "jobs": self.jobs,
            "servers": SERVERS,
            "slots": self.slots,
            "transport": f"HTTP, {SERVERS} server processes, 1 worker process",
            "pids": pids,
            "settings": settings,
            **self._figures(rows, kills, (end - begin) // SECOND),
        }

    async def _kill(self, setting: Setting, processes: Cluster, begin: Instant) -> list[float]:
        """Kill one server after the other, each a moment around an instant; when, by the machine's clock."""
        kills: list[float] = []
        for number in range(self.kills):
            setting.progress.tell("kills", done=number, of=self.kills)
            instant = begin + (number + 1) * self.every * SECOND
            await until(instant + MOMENTS_MS[number % len(MOMENTS_MS)] * MILLISECOND)
            name = f"server-{number % SERVERS}"
            kills.append(now_s())
            processes.processes[name].kill()
            await pause(self.every / 2)
            await processes.start_server(name)
        return kills

    def _figures(self, rows: Sequence[Sequence[Any]], kills: list[float], seconds: int) -> Figures:
        """An instant belongs to a kill when it was due up to a second before it or after it."""
        struck = {int(kill) + after for kill in kills for after in (0, 1)}
        usual = [row[2] / 1000 for row in rows if row[0] // SECOND not in struck]
        hit = [row[2] / 1000 for row in rows if row[0] // SECOND in struck]
        created = sum(int(row[1]) for row in rows)
        usual_ms = median(usual, 1)
        extra = [round(max(0.0, late - usual_ms), 1) for late in hit]
        missing = self.jobs * seconds - created
        return {
            "kills": len(kills),
            "due": self.jobs * seconds,
            "verified_runs": created,
            "lost": max(missing, 0),
            "doubled": max(-missing, 0),
            "usual_latest_decision_ms": usual_ms,
            "latest_decision_at_kills_ms": round(max(hit), 1),
            "extra_delay_ms": {"worst": max(extra), "median": median(extra, 1)},
            "latest_start_ms": round(max(row[3] or 0 for row in rows) / 1000, 1),
            "bars": [
                bar("lost or doubled", abs(missing), at_most=0),
                bar("worst extra delay ms", max(extra), at_most=EXTRA_MAX_MS),
            ],
        }
