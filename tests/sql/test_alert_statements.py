"""What alerts cost a store: a quiet round, and a step of judging, have at most three statements."""

from collections.abc import Callable

from foliot.domain.anomalies.anomaly import AnomalyKind
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Instant
from foliot.domain.statistics.resolution import Resolution
from foliot.engine.alert_anomalies import anomaly_source
from foliot.engine.alerting import Alerting
from foliot.engine.anomalies import Judging
from foliot.ports.store.anomalies import AnomalyFilter
from tests.conformance.building import every, job_of, save
from tests.conformance.test_report_store import ended, keep
from tests.conformance.world import CLOCK, World
from tests.sent import sent
from tests.sql.alert_leader import channel, leader, rule

STATEMENTS_MAX = 3
JOBS = 14
PAGE = 5
SICK = ("job-1", "job-6", "job-13")  # on each page one


async def test_every_step_of_judging_has_three_statements_at_most(world: World) -> None:
    for n in range(JOBS):
        await save(world, f"job-{n}")
    sick = [(await job_of(world, name)).job_id for name in SICK]
    lead = await leader(world)
    hour_at = Resolution.HOUR.start_of(await world.now()) - 2 * HOUR
    days = [ended(job_id, hour_at - day * DAY + MINUTE) for job_id in sick for day in range(1, 13)]
    await keep(world, days)
    store = world.store.statistics
    seen: list[list[int]] = []
    found: dict[int, int] = {}
    for hour in range(2):  # new ones, and those that go on
        at = hour_at + hour * HOUR
        await keep(world, [ended(job_id, at + n * SECOND, failed=True) for job_id in sick for n in range(1, 7)])
        judging = Judging(store, standing(at + HOUR + 6 * MINUTE), on_anomalies=(), page=PAGE)
        counts = await _steps(judging, lead.term)
        seen.append(counts)
        open_ = await store.anomalies(AnomalyFilter(only_open=True), before_id=None, limit=99)
        found = {one.job_id: one.seen_at for one in open_ if one.kind is AnomalyKind.FAILURES}
        assert found == dict.fromkeys(sick, at + HOUR)
    pages = [STATEMENTS_MAX] * len(SICK)  # each page is read, moved beyond and kept
    assert seen == [[1, 3, *pages], [1, 1, *pages]]  # before: are runs counted; where judging stands, and its first row


def standing(at: Instant) -> Callable[[], Instant]:
    """A clock that stands."""
    return lambda: at


async def _steps(judging: Judging, term: int) -> list[int]:
    """How many statements each step has, until the hour is done."""
    counts: list[int] = []
    is_over = False
    while not is_over:
        with sent() as texts:
            is_over = await judging.judge(term) is None
        if not is_over:
            counts.append(len(texts))
    return counts


async def test_a_quiet_round_has_three_statements_at_most_whatever_rules_there_are(world: World) -> None:
    await channel(world)
    for number, when in enumerate(
        ("late 5m", "queue 5m", "silent 2h", "silent 9h", "anomaly", "foliot_retries_total > 9")
    ):
        await rule(world, f"rule-{number}", when=when, to="oncall")
    await every(world, "a", "1h", alert={"on": ["failed", "late 10m", "slower 1h"]})
    lead = await leader(world)
    lead.alerting = Alerting(lead.parts(sources=[anomaly_source(world.store.alert_rounds)]))
    await lead.round()  # all is read
    asked: set[str] = set()
    for _ in range(30):  # two minutes and a half
        await world.elapse(5 * SECOND)
        lead.tide.learn(await world.store.firing.pulse(), seen_at=CLOCK.monotonic())
        with sent() as texts:
            await lead.alerting.keep(lead.term)
        assert len(texts) <= STATEMENTS_MAX, texts
        asked.update(texts)
    for part in ("FROM anomalies", "c.next_due_at", "r.not_before", "stats"):
        assert any(part in text for text in asked), part
