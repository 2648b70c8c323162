"""Anomalies on generated seasonal data: nearly all faults are found, and jobs without a fault hardly ever alarm."""

from dataclasses import dataclass, field

import pytest

from foliot.domain.anomalies.anomaly import Anomaly, AnomalyKind
from foliot.domain.anomalies.course import course
from foliot.domain.anomalies.history import WEEK, JobHistory, Usual
from foliot.domain.instants import DAY, HOUR
from foliot.domain.statistics.resolution import Resolution
from tests.unit.anomalies.generated import BEGAN, JUDGED, LEARNT, PATTERNS, Fault, GeneratedJob, generated

SEEDS = (1, 2, 3)
RECALL_MIN = 0.95
FALSE_MAX_A_WEEK = 1.0  # of a hundred jobs


@dataclass
class Score:
    """What was found and what was not."""

    found: list[Fault] = field(default_factory=list)
    missed: list[Fault] = field(default_factory=list)
    false: list[Anomaly] = field(default_factory=list)

    @property
    def recall(self) -> float:
        return len(self.found) / max(1, len(self.found) + len(self.missed))

    @property
    def false_a_week(self) -> float:
        return len(self.false) / (JUDGED / WEEK) / (len(PATTERNS) / 100)


def judged(job: GeneratedJob) -> list[Anomaly]:
    """Judge every hour of two weeks, as the leader does; every anomaly that was opened."""
    opened: list[Anomaly] = []
    going_on: dict[AnomalyKind, Anomaly] = {}
    usual: Usual | None = None
    for hour_at in range(BEGAN + LEARNT, BEGAN + LEARNT + JUDGED, HOUR):
        if usual is None or not hour_at % DAY:
            usual = Usual(job.days, Resolution.DAY.start_of(hour_at))
        history = JobHistory(
            job_id=job.number,
            hour_at=hour_at,
            hours=job.hours,
            usual=usual,
            is_scheduled=job.is_scheduled,
            since_at=BEGAN,
        )
        made = course(history, going_on.values())
        opened += made.opened
        going_on |= {one.kind: one for one in (*made.continued, *made.opened)}
        for one in made.ended:
            del going_on[one.kind]
    return opened


def scored(jobs: list[GeneratedJob]) -> Score:
    score = Score()
    for job in jobs:
        anomalies = judged(job)
        fault = job.fault
        if fault is None:
            score.false += anomalies
            continue
        own = [one for one in anomalies if fault.from_at - 3 * HOUR <= one.seen_at <= fault.to_at + DAY]
        score.false += [one for one in anomalies if one not in own]
        is_found = any(one.kind is fault.kind for one in own)
        (score.found if is_found else score.missed).append(fault)
    return score


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_faults_are_found_and_usual_weeks_are_quiet(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    score = scored(generated(seed))
    with capsys.disabled():
        by_kind = {kind.value: sum(one.kind is kind for one in score.found) for kind in AnomalyKind}
        print(
            f"\nseed {seed}: recall {score.recall:.3f} of {len(score.found) + len(score.missed)} faults {by_kind},",
            end=" ",
        )
        print(f"{score.false_a_week:.1f} false alerts a week per 100 jobs")
    assert score.recall >= RECALL_MIN, score.missed
    assert score.false_a_week <= FALSE_MAX_A_WEEK, score.false
