"""The SQL store as a whole: opened on a URL, checked, and split into the stores of the port."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, Self

from foliot.domain.drills import Faults
from foliot.domain.duration_tally import DurationTally
from foliot.domain.errors import ClusterTrouble
from foliot.domain.instants import Instant
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.wakeups import Wakeups
from foliot.store.sql.alerts.channels import SqlChannels
from foliot.store.sql.alerts.heartbeats import SqlHeartbeats
from foliot.store.sql.alerts.rounds import SqlAlertRounds
from foliot.store.sql.alerts.store import SqlAlerts
from foliot.store.sql.checkup.gauges import SqlGauges
from foliot.store.sql.checkup.store import SqlCheckups
from foliot.store.sql.cluster.drills import SqlDrills
from foliot.store.sql.cluster.failovers import SqlFailovers
from foliot.store.sql.code_store import SqlCodeStore
from foliot.store.sql.ending.callbacks import SqlCallbacks
from foliot.store.sql.ending.ends import Ending
from foliot.store.sql.firing.backfills import SqlBackfills
from foliot.store.sql.firing_store import SqlFiringStore
from foliot.store.sql.job_store import SqlJobStore
from foliot.store.sql.jobs.calendars import SqlCalendars
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel import schema
from foliot.store.sql.kernel.connect import open_database
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.epoch import compare, warn_if_lossy
from foliot.store.sql.kernel.faulty_runner import FaultyRunner
from foliot.store.sql.kernel.statement import Statement
from foliot.store.sql.kernel.wakeups import open_wakeups
from foliot.store.sql.locking.store import SqlLocks
from foliot.store.sql.node_store import SqlNodeStore
from foliot.store.sql.people.journal import SqlJournal
from foliot.store.sql.people.lookups import SqlLookups
from foliot.store.sql.people.named_limits import SqlLimits
from foliot.store.sql.people.replies import SqlReplies
from foliot.store.sql.people.tokens import SqlTokens
from foliot.store.sql.people.views import SqlViews
from foliot.store.sql.run_store import SqlRunStore
from foliot.store.sql.statistics.report_store import SqlReports
from foliot.store.sql.statistics.store import SqlStatistics

_SETTINGS: Final = Statement("{settings}")


class UnsafeStore(ClusterTrouble):
    """The store is set up so that promises would not hold."""

    code = "FOL-5013"


class SqlStore:
    """`ports.store.Store` on a SQL database."""

    def __init__(self, database: Database, wakeups: Wakeups | None = None) -> None:
        self.database = database
        self.wakeups = wakeups
        self.troubles: Mapping[str, int] = database.troubles
        self.calls: Mapping[str, DurationTally] = database.calls
        database.runner.greet = compare
        self.definitions = Definitions()
        lanes = Lanes()
        ending = Ending(self.definitions, lanes)
        self.firing = SqlFiringStore(database, self.definitions, lanes, ending)
        self.jobs = SqlJobStore(database, self.definitions, ending)
        self.runs = SqlRunStore(database, self.definitions, lanes, ending)
        self.nodes = SqlNodeStore(database, self.definitions, ending)
        self.code = SqlCodeStore(database, self.definitions)
        self.lookups = SqlLookups(database)
        self.backfills = SqlBackfills(database, self.definitions)
        self.calendars = SqlCalendars(database)
        self.limits = SqlLimits(database, lanes)
        self.tokens = SqlTokens(database)
        self.journal = SqlJournal(database)
        self.replies = SqlReplies(database)
        self.callbacks = SqlCallbacks(database, ending)
        self.locks = SqlLocks(database)
        self.failovers = SqlFailovers(database)
        self.checkup = SqlCheckups(database, lanes)
        self.drills = SqlDrills(database)
        self.views = SqlViews(database)
        self.statistics = SqlStatistics(database)
        self.reports = SqlReports(database)
        self.alerts = SqlAlerts(database)
        self.alert_rounds = SqlAlertRounds(database)
        self.channels = SqlChannels(database)
        self.heartbeats = SqlHeartbeats(database)
        self.gauges = SqlGauges(database, lanes)
        self.schema = schema.newest()

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        clock: Clock,
        chance: Chance,
        wall: Callable[[], Instant] | None = None,
        point: Callable[[str], None] | None = None,
        faults: Faults | None = None,
    ) -> Self:
        """Open the store behind a URL; refuse it when its schema or its settings do not fit."""
        database = open_database(url, clock=clock, chance=chance, wall=wall, point=point)
        if faults is not None:
            database = replace(database, runner=FaultyRunner(database.runner, faults, clock))
        try:
            await schema.check(database)
            await check_settings(database)
            await warn_if_lossy(database)
        except BaseException:
            await database.close()
            raise
        return cls(database, open_wakeups(url, clock=clock, chance=chance))

    async def close(self) -> None:
        """Close every connection."""
        await self.database.close()


async def check_settings(database: Database) -> None:
    """R3: the isolation and the durability every promise rests on, as the connections really have them."""
    wanted = database.dialect.wanted_settings

    def work(tx: Tx) -> dict[str, str]:
        values = [str(value).lower() for value in tx.rows(_SETTINGS)[0]]
        return dict(zip(wanted, values, strict=True))

    found = await database.transact(work, pool=Pool.CONTROL)
    for name, good in wanted.items():
        if found[name] not in good:
            raise UnsafeStore(
                f"The store has {name} = {found[name]}; Foliot needs {' or '.join(sorted(good))}.",
                hint="change it in the database's configuration",
                setting=name,
                value=found[name],
            )
