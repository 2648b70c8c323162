"""Idle: 100 000 jobs of which none is due. What a leader and a follower cost then.

A leader is watched alone, then with a follower beside it; what the second adds is the follower's. On SQLite there is
one server. Statements are those PostgreSQL counts (where pg_stat_statements is at hand) or MariaDB does; memory is
looked at with a few jobs first, then with all.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from foliot.store.sql.kernel.statement import Statement
from foliot_bench.benchmark import Figures, Setting, bar
from foliot_bench.cost import Cost, memory_mb
from foliot_bench.ground import Ground, ground
from foliot_bench.moments import CLOCK, next_second, pause
from foliot_bench.places import connection_to, kind_of
from foliot_bench.processes import Cluster, cluster
from foliot_bench.troubles import BenchFailed

PER_S: Final = {"leader": 7.0, "follower": 2.0}
CPU_PERCENT: Final = 1.0
GROWTH_MB: Final = 10.0
LEADS_WITHIN_S: Final = 60.0

LEADS: Final = Statement("SELECT n.name FROM leases l JOIN nodes n ON n.id = l.holder_session WHERE l.name = 'leader'")
HAS_COUNTS: Final = "SELECT to_regclass('pg_stat_statements') IS NOT NULL"
COUNTS: Final = """
    SELECT coalesce(sum(calls), 0)::bigint,
           coalesce(sum(calls) FILTER (WHERE query ~* '^(begin|commit|rollback|set|show|discard)'), 0)::bigint
    FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND query NOT LIKE '%pg_stat_statements%'
"""
MARIADB_COUNTS: Final = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Questions', 'Com_commit', 'Com_begin')"


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """Nothing to do."""

    name: ClassVar = "idle"
    needs_twin: ClassVar = False

    jobs: int = 100_000
    few: int = 1000
    seconds: int = 30
    settle: int = 10  # seconds after each start and load that do not count

    async def measured(self, setting: Setting) -> Figures:
        """Leader alone, then both."""
        place, progress = setting.place, setting.progress
        async with ground(place.foliot) as ours:
            await self._load(setting, ours, self.few, known=0)
            with cluster(place.foliot) as processes:
                await processes.start_server("leader")
                await _leads(ours, "leader")
                await self._settle(setting)
                few = memory_mb(processes.pids())
                await self._load(setting, ours, self.jobs, known=self.few)
                await self._settle(setting)
                async with setting.watch(processes):
                    seen = {"leader": await self._watched(setting, processes, "leader")}
                if not place.is_sqlite:
                    await processes.start_server("follower")
                    await self._settle(setting)
                    seen["follower"] = _less(await self._watched(setting, processes, "both"), seen["leader"])
                many = memory_mb(processes.pids())
                pids = processes.pids()
            settings = await ours.settings()
        growth = {name: round(many[name] - few[name], 1) for name in few}
        progress.tell("done")
        return {
            "jobs": self.jobs,
            "few": self.few,
            "seconds": self.seconds,
            "pids": pids,
            "settings": settings,
            "verified": f"{self.jobs:,} jobs, none due, no run",
            **seen,
            "memory_mb_with_few": few,
            "memory_mb": many,
            "memory_growth_mb": growth,
            "bars": _bars(seen, growth, is_counted=ours.is_postgresql),
        }

    async def _load(self, setting: Setting, ours: Ground, jobs: int, *, known: int) -> None:
        phase = f"loading {jobs:,} jobs"
        setting.progress.tell(phase)
        await ours.load_jobs(
            jobs, {"every": "1d"}, known=known, tell=lambda done: setting.progress.tell(phase, done=done, of=jobs)
        )
        await ours.make_due(next_second(ahead_s=36_000))
        await ours.tidy()

    async def _settle(self, setting: Setting) -> None:
        setting.progress.tell("settling")
        await pause(self.settle)

    async def _watched(self, setting: Setting, processes: Cluster, who: str) -> Figures:
        """What it costs for so many seconds: CPU by process, statements of all together."""
        url = setting.place.foliot
        cost, before, began_at = Cost(processes.pids()), await _statements(url), CLOCK.monotonic()
        for second in range(self.seconds):
            setting.progress.tell(f"idle, {who}", done=second, of=self.seconds)
            processes.check()
            await pause(1)
        after, took_s = await _statements(url), CLOCK.monotonic() - began_at
        figures: Figures = {"cpu_percent": cost.percent(took_s)}
        if before is not None and after is not None:
            figures["statements_per_s"] = round((after[0] - before[0]) / took_s, 2)
            figures["of_them_transaction_control"] = round((after[1] - before[1]) / took_s, 2)
        return figures


def _less(both: Figures, alone: Figures) -> Figures:
    """What the second server adds."""
    added: Figures = {"cpu_percent": {"follower": both["cpu_percent"]["follower"]}}
    for name in ("statements_per_s", "of_them_transaction_control"):
        if name in both:
            added[name] = round(both[name] - alone[name], 2)
    return added


def _bars(seen: dict[str, Figures], growth: dict[str, float], *, is_counted: bool) -> list[Any]:
    """Statements are held against their bars on PostgreSQL: MariaDB counts a commit for every single step."""
    bars = []
    for who, figures in seen.items():
        if is_counted and "statements_per_s" in figures:
            bars.append(bar(f"{who}, statements per s", figures["statements_per_s"], at_most=PER_S[who]))
        bars.append(bar(f"{who}, % CPU", figures["cpu_percent"][who], at_most=CPU_PERCENT))
    return [*bars, bar("growth of memory, MB", max(growth.values()), at_most=GROWTH_MB)]


async def _statements(url: str) -> tuple[int, int] | None:
    """How many statements the database counts so far, and how many of them only begin or end a transaction."""
    kind = kind_of(url)
    if kind == "sqlite":
        return None
    async with connection_to(url) as connection:
        if kind == "mysql":
            async with connection.cursor() as cursor:
                await cursor.execute(MARIADB_COUNTS)
                counts = {name: int(count) for name, count in await cursor.fetchall()}
            return counts["Questions"], counts["Com_commit"] + counts["Com_begin"]
        if not await connection.fetchval(HAS_COUNTS):
            return None
        try:
            every, control = await connection.fetchrow(COUNTS)
        except Exception as error:
            if type(error).__name__ == "ObjectNotInPrerequisiteStateError":  # installed, but not loaded by the server
                return None
            raise
        return int(every), int(control)


async def _leads(ours: Ground, name: str) -> None:
    """Until this server is the leader."""
    deadline = CLOCK.monotonic() + LEADS_WITHIN_S
    while not (rows := await ours.rows(LEADS)) or rows[0][0] != name:
        if CLOCK.monotonic() > deadline:
            raise BenchFailed(f"{name} did not become leader within {LEADS_WITHIN_S:g} s.")
        await pause(0.1)
