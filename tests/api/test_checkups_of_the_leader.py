"""The leader's checkup on a real store: grades are kept, a change is told once, metrics and probes show it."""

from foliot.domain.access import INTERNAL
from foliot.domain.checkup import Finding, Grade
from foliot.engine.checkups import Checkups
from foliot.observability.health import HealthGauges
from foliot.observability.metrics import ServerMetrics
from foliot.operations.checkup import check_up
from foliot.ports.store.journal import Event, EventFilter
from tests.api.asking import Api
from tests.api.stage import TIMES, Stage


class Leader:
    """A server that leads and examines on request."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.term: int | None = None
        self.gauges = HealthGauges(lambda: self.term)
        self._checkups = Checkups(stage.store.checkup, self._examine, on_graded=self.gauges.learn)

    async def _examine(self) -> list[Finding]:
        return list((await check_up(self.stage.services, INTERNAL)).findings)

    async def lead(self) -> "Leader":
        session = await self.stage.server(f"s-{len(self.stage.servers) + 1}")
        term = await self.stage.store.nodes.campaign(session, ttl_us=TIMES.ttl_us)
        assert term is not None
        self.term = term.number
        return self

    async def rounds(self, count: int) -> None:
        for _ in range(count):
            assert self.term is not None
            await self._checkups.check_up(self.term)
            self.stage.clock.at += 1

    async def changes(self) -> list[Event]:
        """What was noted, oldest first, of the check that the test is about."""
        found = await self.stage.store.journal.newest(EventFilter(subject="business.overdue"), limit=20)
        return list(reversed(found.items))


async def test_a_change_is_noted_once_kept_for_the_next_leader_and_shown(api: Api, stage: Stage) -> None:
    await stage.worker("w-1", ["python:jobs:settle"])
    await api.create_job("settle", schedule={"every": "1h"})
    first = await Leader(stage).lead()
    assert (await api.ask("GET", "/readyz", detail=True)).text == "ready\n"
    await first.rounds(2)
    assert await first.changes() == []

    stage.clock.at = stage.moment("15:00:30")
    second = await Leader(stage).lead()  # the first has not renewed
    await second.rounds(1)
    assert await second.changes() == [], "one look is no change"
    await second.rounds(3)

    (change,) = await second.changes()
    assert (change.kind, change.data["from"], change.data["to"]) == ("health.changed", "OK", "WARNING")
    assert change.data["value"] > 29
    kept = await stage.store.checkup.kept()
    assert kept is not None
    assert kept.grades["business.overdue"].grade is Grade.WARNING
    probe = (await api.as_token(None).ask("GET", "/readyz", detail=True)).text
    assert probe.startswith("ready\n")
    assert "WARNING business.overdue\n" in probe
    assert (await api.as_token(None).ask("GET", "/readyz")).text == "ready\n"

    await first.rounds(5)  # it does not know that its term is over
    assert len(await second.changes()) == 1

    await stage.fire()
    await second.rounds(3)
    assert [event.data["to"] for event in await second.changes()] == ["WARNING", "OK"]


async def test_only_the_leader_shows_the_grades_as_metrics(stage: Stage) -> None:
    leader = await Leader(stage).lead()
    metrics = ServerMetrics()
    metrics.registry.register(leader.gauges)
    assert b"foliot_health" not in metrics.render()
    await leader.rounds(1)
    shown = metrics.render()
    assert b'foliot_health{check="business.overdue",level="OK"} 1.0' in shown
    assert b'foliot_health{check="business.overdue",level="CRITICAL"} 0.0' in shown
    leader.term = None
    assert b"foliot_health" not in metrics.render()
