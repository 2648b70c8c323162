"""The leader judges jobs once an hour: when figures are whole, page by page, and tells what began and ended."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from foliot.domain.anomalies.anomaly import Anomaly
from foliot.domain.anomalies.history import WEEK, WEEKS
from foliot.domain.instants import HOUR, MINUTE, Instant
from foliot.domain.statistics.figures import RunFigures
from foliot.engine.anomalies import Judging
from foliot.ports.store.anomalies import ALL_JOBS, ComparedJob, JudgingPage, JudgingProgress
from foliot.ports.store.statistics import CountProgress, StatisticsStore
from tests.unit.anomalies.test_judges import NOON, runs


class Kept:
    """A store of jobs that ran in every hour of the weeks before, and not today."""

    def __init__(self, jobs: int) -> None:
        self.jobs = [ComparedJob(n, "default", f"job-{n}", True, True, 0) for n in range(1, jobs + 1)]
        self.busy: set[int] = set()  # jobs that ran today as well
        self.counted_id = self.newest_id = 10
        self.progressed = JudgingProgress(0, 0, 0)
        self.opened: list[Anomaly] = []
        self.pages = 0
        self.reads = 0  # besides pages
        self.with_excuse: set[int] = set()

    async def progress(self) -> CountProgress:
        self.reads += 1
        return CountProgress(ver=1, counted_id=self.counted_id, newest_id=self.newest_id, now=0, has_left=False)

    async def judging_progress(self) -> JudgingProgress:
        self.reads += 1
        return self.progressed

    async def judging_page(self, hour_at: Instant, *, after_id: int, limit: int, excused_since: Instant) -> JudgingPage:
        assert excused_since < hour_at
        self.pages += 1
        some = [job for job in self.jobs if job.job_id > after_id][:limit]
        some = [job._replace(is_excused=job.job_id in self.with_excuse) for job in some]
        hours: dict[int, dict[Instant, RunFigures]] = {}
        for job in some:
            first = 0 if job.job_id in self.busy else 1
            weeks = range(first, WEEKS + 1)
            hours[job.job_id] = {hour_at - week * WEEK - back * HOUR: runs(6) for week in weeks for back in range(3)}
        open_ = {job.job_id: [one for one in self.opened if one.job_id == job.job_id] for job in some}
        return JudgingPage(jobs=some, hours=hours, days={}, open=open_, is_last=len(some) < limit)

    async def keep_course(
        self,
        seen: JudgingProgress,
        *,
        hour_at: Instant,
        after_id: int,
        opened: Sequence[Anomaly],
        changed: Sequence[Anomaly],
        term: int,
    ) -> bool:
        if seen != self.progressed:
            return False
        self.progressed = JudgingProgress(seen.ver + 1, hour_at, after_id)
        self.opened += [replace(one, id=len(self.opened) + 1) for one in opened]
        return True


class Leader:
    def __init__(self, store: Kept, page: int = 500) -> None:
        self.told: list[list[tuple[str, bool]]] = []
        self.now = NOON + HOUR + 6 * MINUTE
        self._judging = Judging(cast("StatisticsStore", store), lambda: self.now, on_anomalies=[self._hear], page=page)

    def _hear(self, anomalies: Sequence[Anomaly]) -> None:
        self.told.append([(one.job, one.ended_at is not None) for one in anomalies])

    async def judge(self, rounds: int = 3) -> None:
        for _ in range(rounds):
            await self._judging.judge(7)


async def test_every_job_is_judged_once_an_hour_page_by_page() -> None:
    leader = Leader(store := Kept(5), page=2)
    store.busy = {1, 2, 3, 5}
    await leader.judge(10)
    assert (store.pages, store.progressed.hour_at, store.progressed.after_id) == (3, NOON, ALL_JOBS)
    assert leader.told == [[("job-4", False)]]
    assert store.reads == 2, "between its own pages a leader knows where it stands"
    await Leader(store).judge(3)
    assert store.pages == 3, "the next leader knows that the hour is done"


async def test_an_hour_waits_until_its_runs_are_counted() -> None:
    leader = Leader(store := Kept(1))
    store.newest_id = 12
    await leader.judge(2)
    assert store.pages == 0
    store.counted_id, store.newest_id = 12, 99
    await leader.judge()
    assert store.pages == 1


async def test_an_anomaly_that_ends_is_told_too() -> None:
    leader = Leader(store := Kept(2))
    store.busy = {2}
    await leader.judge()
    store.busy = {1, 2}
    leader.now += HOUR
    await leader.judge()
    assert leader.told == [[("job-1", False)], [("job-1", True)]]


async def test_silence_that_a_calendar_explains_is_none() -> None:
    leader = Leader(store := Kept(2))
    store.busy, store.with_excuse = {2}, {1}
    await leader.judge()
    assert leader.told == []


async def test_a_cluster_that_stood_still_is_no_anomaly_of_its_jobs() -> None:
    leader = Leader(store := Kept(60))
    await leader.judge()
    assert (leader.told, store.opened) == ([], [])
