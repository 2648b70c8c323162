"""A leader that looks after alerts, on a store under test: rounds by hand, and what they left."""

from collections.abc import Sequence
from typing import Any

from foliot.domain.alerts.channel import Channel
from foliot.domain.alerts.decision import Act
from foliot.domain.alerts.rule_document import rule_from
from foliot.domain.health import Health
from foliot.domain.instants import Micros
from foliot.domain.verdict import Cause
from foliot.engine.alert_metrics import GaugesSeen
from foliot.engine.alerting import Alerting, AlertParts, AlertSource, CheckupSeen
from foliot.engine.pulse import Tide
from foliot.ports.store import Store
from foliot.ports.store.actor import Actor
from foliot.ports.store.alerts import AlertFilter
from foliot.ports.store.node_row import NodeRow
from tests.conformance.building import save
from tests.conformance.working import Worker, trigger
from tests.conformance.world import CLOCK, World

ANNE = Actor(name="anne", reason="on call")


class Leader:
    """Rounds of alerts under a term, as one server would do them."""

    def __init__(self, world: World, store: Store, term: int) -> None:
        self.world = world
        self.term = term
        self.nodes: list[NodeRow] = []
        self.dead: set[str] = set()
        self.acts: list[tuple[Act, int]] = []
        self.checkup = CheckupSeen()
        self.gauges = GaugesSeen()
        self.store = store
        self.tide = Tide(CLOCK)
        self.alerting = Alerting(self.parts())

    def parts(self, *, sources: Sequence[AlertSource] = (), gap_us: Micros = 0) -> AlertParts:
        async def nodes() -> Sequence[NodeRow]:
            return self.nodes

        async def channels() -> Sequence[Channel]:
            return await self.store.channels.list(namespace=None)

        async def act(one: Act, alert_id: int) -> None:
            self.acts.append((one, alert_id))

        async def is_drilling() -> bool:
            return bool(await self.store.drills.open())

        return AlertParts(
            rounds=self.store.alert_rounds,
            alerts=self.store.alerts,
            failovers=self.store.failovers,
            heartbeats=self.store.heartbeats,
            tide=self.tide,
            nodes=nodes,
            band_of=lambda node: Health.DEAD if node.name in self.dead else Health.ONLINE,
            checkup=self.checkup,
            channels=channels,
            sources=sources,
            leader_gap_us=lambda: gap_us,
            act=act,
            gauges=self.gauges,
            is_drilling=is_drilling,
        )

    async def round(self) -> None:
        """One round, by the store's own time."""
        self.tide.learn(await self.store.firing.pulse(), seen_at=CLOCK.monotonic())
        await self.alerting.keep(self.term)


async def leader(world: World, store: Store | None = None, *, session: str = "leader") -> Leader:
    """A leader with the next term."""
    used = world.store if store is None else store
    await world.elapse(60_000_000)  # whoever led before is gone
    term = await used.nodes.campaign(session, ttl_us=15_000_000)
    assert term is not None
    return Leader(world, used, term.number)


async def channel(world: World, name: str = "oncall", **settings: Any) -> None:
    """A channel, as a user makes it."""
    await world.store.channels.save(
        Channel(name=name, namespace=None, kind="webhook", settings={}, **settings), by=ANNE
    )


async def rule(world: World, name: str = "night", **document: Any) -> None:
    """A rule of the whole cluster, as a user makes it."""
    await world.store.alerts.save_rule(rule_from(document, name=name, namespace=None), by=ANNE)


async def failing(world: World, worker: Worker, *names: str, error: str = "no route to db-1") -> None:
    """One more run of each job, which fails for good."""
    await worker.beat()  # its session may have waited for long
    for name in names:
        await trigger(world, name)
    while runs := await worker.lease(len(names)):
        await worker.complete(*runs, cause=Cause.ERROR, error=error, error_type="OperationalError")


async def succeeding(world: World, worker: Worker, *names: str) -> None:
    """One more run of each job, which succeeds."""
    await worker.beat()  # its session may have waited for long
    for name in names:
        await trigger(world, name)
    while runs := await worker.lease(len(names)):
        await worker.complete(*runs)


async def jobs(world: World, *names: str, **document: Any) -> None:
    """Jobs that are tried once."""
    for name in names:
        await save(world, name, retries={"max": 0}, **document)


async def notices(world: World) -> list[tuple[str, str]]:
    """What waits in the outbox: kind and channel, oldest first."""
    found = await world.store.channels.deliveries(namespace=None, channel=None, limit=100)
    return [(str(one.notice.kind), one.notice.channel) for one in reversed(found)]


async def open_alerts(world: World) -> list[Any]:
    """Alerts that are open, oldest first."""
    return list(reversed((await world.store.alerts.list(AlertFilter(), limit=100)).items))
