"""A leader's metrics on a real store: what they show, and that no look at them costs the store a statement."""

import asyncio

from foliot.app.http import build_app
from foliot.app.server import Server
from foliot.app.settings import TEST_TIMING, ServerSettings
from foliot.domain.alerts.channel import Channel
from foliot.domain.verdict import Cause
from foliot.engine.gauges import EVERY_S, JOBS_EVERY_S, REST_OF_TOOK, GaugeReading, JobNames
from foliot.engine.statistics import SETTLED_S
from foliot.ports.store.actor import Actor
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.store.gauges import ClusterGauges
from tests.clocks import DrivenClock
from tests.conformance.building import every, fire, make_due, save
from tests.conformance.working import trigger, worker
from tests.engine.test_idle_statements import counted
from tests.sql.world import CHANCE, World


def leader_of(world: World, clock: DrivenClock, *, per_job: int = 0) -> Server:
    settings = ServerSettings(store_url=world.url, node_name="s1", timing=TEST_TIMING, metrics_per_job=per_job)
    return Server(settings, world.store, clock=clock, chance=CHANCE)


async def lead(server: Server) -> None:
    for _ in range(2):
        await server.presence.step()
    await server.pulsing.step()
    await server.leading.step()
    assert server.leadership.term is not None


async def do(server: Server, name: str) -> None:
    (duty,) = [duty for duty in server._leader_duties() if duty.name == name]
    await duty.step()


async def test_a_leader_shows_jobs_queues_and_runs_that_ended(world: World, clock: DrivenClock) -> None:
    server = leader_of(world, clock, per_job=10)
    await lead(server)
    await every(world, "later")
    await save(world, "good")
    await save(world, "bad", retries={"max": 0})
    anne = await worker(world)
    await trigger(world, "good", n=2)
    await anne.complete(*await anne.lease())
    await trigger(world, "bad")
    await anne.complete(*await anne.lease(), cause=Cause.ERROR)
    await trigger(world, "good")

    counting = next(duty for duty in server._leader_duties() if duty.name == "statistics")
    for _ in range(3):
        await server.leading.step()
        await counting.step()
        await clock.advance(SETTLED_S + 1)
    await server.pulsing.step()
    await server.leading.step()
    await do(server, "gauges")

    text = server.metrics.render().decode()
    assert 'foliot_jobs{state="active"} 3.0' in text, "its term goes on"
    assert 'foliot_queue_ready_runs{group="default"}' in text
    assert 'foliot_runs_ended_total{kind="error",state="FAILED"} 1.0' in text
    assert 'foliot_job_runs_ended_total{job_name="bad",job_namespace="default",state="FAILED"} 1.0' in text
    assert 'foliot_job_last_end_timestamp_seconds{job_name="good",job_namespace="default"}' in text
    assert 'foliot_store_call_seconds_bucket{le="+Inf",pool="control"}' in text


async def test_a_leader_shows_alerts_and_what_became_of_notices(world: World, clock: DrivenClock) -> None:
    server = leader_of(world, clock)
    await lead(server)
    hook = Channel(name="hook", namespace=None, kind="webhook", settings={"url": "http://127.0.0.1:9/x"})
    await world.store.channels.save(hook, by=Actor(name="anne"))
    await save(world, "bad", retries={"max": 0}, alert={"on": ["failed"], "to": ["hook"]})
    anne = await worker(world)
    await trigger(world, "bad")
    await anne.complete(*await anne.lease(), cause=Cause.ERROR)
    await do(server, "alerting")
    await server.pulsing.step()
    await server.telling.delivering.deliver(server.leadership.term or 0)
    await do(server, "gauges")

    text = server.metrics.render().decode()
    assert 'foliot_alerts_firing{level="warning"} 1.0' in text
    assert 'foliot_alerts_firing{level="critical"} 0.0' in text
    assert 'foliot_notifications_total{channel="hook",outcome="failed"} 1.0' in text, "loopback is not allowed"
    assert "foliot_notifications_waiting 1.0" in text
    assert "foliot_notifications_oldest_seconds" in text
    assert "foliot_alert_rounds_total 1.0" in text


async def test_a_look_at_the_metrics_sends_no_statement_however_many_jobs_there_are(
    world: World, clock: DrivenClock
) -> None:
    server = leader_of(world, clock, per_job=100)
    await lead(server)
    jobs = [await every(world, f"job-{n}") for n in range(50)]
    await make_due(world, *jobs)
    server.metrics.decided(await fire(world, limit=100))
    build_app(server)
    with counted() as round_:
        await do(server, "gauges")
    assert round_.total() <= 8, round_
    with counted() as looks:
        for _ in range(20):
            server.metrics.page("")
    assert looks.total() == 0
    assert b"foliot_runs_created_total 50.0" in server.metrics.render()


class SlowGauges:
    """A store whose look at all jobs takes two seconds."""

    def __init__(self, clock: DrivenClock) -> None:
        self._clock = clock
        self.looks = 0
        self.is_away = False

    async def jobs(self) -> dict[str, int]:
        self.looks += 1
        await self._clock.advance(2.0)
        return {"active": self.looks}

    async def read(self, jobs: dict[str, int], *, kinds: int, limits: int) -> ClusterGauges:
        del kinds, limits
        if self.is_away:
            raise StoreUnavailable("away")
        return ClusterGauges(jobs=jobs, queues=[], limits=[], claims_held=0, claims_waiting=0, newest_event=0)

    async def names(self, job_ids: object) -> dict[int, tuple[str, str]]:
        raise AssertionError(job_ids)


async def test_a_look_at_all_jobs_that_takes_long_is_taken_rarely(clock: DrivenClock) -> None:
    store = SlowGauges(clock)
    told: list[ClusterGauges] = []
    reading = GaugeReading(store, clock, told=lambda _term, read: told.append(read), names=JobNames())  # type: ignore[arg-type]
    assert await reading.read(1) == EVERY_S
    await clock.advance(JOBS_EVERY_S)
    await reading.read(1)
    assert store.looks == 1, "two seconds of work are worth more than a minute of rest"
    await clock.advance(2.0 * REST_OF_TOOK)
    store.is_away = True
    assert await reading.read(1) is None
    assert (store.looks, len(told)) == (2, 2)
    await asyncio.sleep(0)
