"""The judge of a drill: which fires were lost, doubled or early while a node was broken (I1, I3), and how long it took.

The judge sees what the ledger has, runs and skips, and reckons by each job's schedule which instants were due. It
judges only what the cursor of the job has passed: an instant that nobody decided yet is late, and not lost.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from foliot.domain.instants import SECOND, Instant, Micros

NAMED_MAX: Final = 10
"""Fires that a verdict names."""
INSTANTS_MAX: Final = 20_000
"""Due instants of one job that are looked at."""


class JudgedJob(NamedTuple):
    """A job whose fires are judged."""

    job_id: int
    name: str
    due: Callable[[Instant], Iterable[Instant]]  # the due instants after this one, without end
    decided_before: Instant  # its cursor stands here: every instant before is decided


class FiredRun(NamedTuple):
    """A run that a due instant created."""

    job_id: int
    due_at: Instant
    created_at: Instant


class SkippedRange(NamedTuple):
    """Instants that got no run, with a reason."""

    job_id: int
    from_at: Instant
    to_at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class FireVerdict:
    """What became of the due instants of a window."""

    jobs: int
    due: int = 0
    created: int = 0
    skipped: int = 0
    lost: int = 0  # neither a run nor a skip
    doubled: int = 0  # two runs, or a run and a skip
    early: int = 0  # a run that was there before its instant
    late: int = 0  # nobody has decided it yet
    worst_delay_us: Micros = 0  # from an instant to its run
    named: Sequence[str] = ()  # some of what is wrong

    @property
    def is_clean(self) -> bool:
        """Nothing was lost, doubled or early."""
        return not (self.lost or self.doubled or self.early)


def judge_fires(
    jobs: Sequence[JudgedJob],
    fired: Iterable[FiredRun],
    skipped: Iterable[SkippedRange],
    *,
    from_at: Instant,
    to_at: Instant,
) -> FireVerdict:
    """Compare what was due in [from, to) with what the ledger has."""
    runs: dict[int, list[FiredRun]] = {job.job_id: [] for job in jobs}
    skips: dict[int, list[SkippedRange]] = {job.job_id: [] for job in jobs}
    for run in fired:
        runs[run.job_id].append(run)
    for skip in skipped:
        skips[skip.job_id].append(skip)
    total: Counter[str] = Counter()
    named: list[str] = []
    for job in jobs:
        due = _due(job, from_at, to_at)
        counts = _judged(job, due, runs[job.job_id], skips[job.job_id], named)
        total.update(counts)
    every = [run for many in runs.values() for run in many]
    return FireVerdict(
        jobs=len(jobs),
        **total,
        worst_delay_us=max((run.created_at - run.due_at for run in every), default=0),
        named=tuple(named[:NAMED_MAX]),
    )


def _due(job: JudgedJob, from_at: Instant, to_at: Instant) -> list[Instant]:
    due: list[Instant] = []
    for at in job.due(from_at - 1):
        if at >= to_at or len(due) >= INSTANTS_MAX:
            break
        due.append(at)
    return due


def _judged(
    job: JudgedJob, due: Sequence[Instant], runs: Sequence[FiredRun], skips: Sequence[SkippedRange], named: list[str]
) -> Counter[str]:
    created = Counter(run.due_at for run in runs)
    counts: Counter[str] = Counter(due=len(due), created=len(runs))
    for at in due:
        is_skipped = any(skip.from_at <= at <= skip.to_at for skip in skips)
        seen = created[at] + is_skipped
        counts["skipped"] += is_skipped
        if seen == 0 and at >= job.decided_before:
            counts["late"] += 1
        elif seen == 0:
            counts["lost"] += 1
            named.append(f"{job.name} {at}")
        elif seen > 1:
            counts["doubled"] += 1
            named.append(f"{job.name} {at}")
    early = [run for run in runs if run.created_at < run.due_at]
    counts["early"] += len(early)
    named.extend(f"{job.name} {run.due_at}" for run in early)
    return counts


# -------------------------------------------------------------------------------------------------------------- times


class Occurrence(NamedTuple):
    """A failure that the cluster noted while the node was broken."""

    id: int
    type: str
    detected_at: Instant
    ended_at: Instant | None
    moves_work: bool  # other nodes took over what the node did


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillTimes:
    """How long after its beginning; None: it did not happen."""

    detected_us: Micros | None
    failed_over_us: Micros | None
    recovered_us: Micros | None


def judge_times(
    began_at: Instant, seen: Sequence[Occurrence], *, noticed_us: Micros | None, back_at: Instant | None
) -> DrillTimes:
    """When somebody noticed, when others had taken over, when everything was well. `back_at`: the node was whole."""
    detections = [one.detected_at - began_at for one in seen]
    if noticed_us is not None:
        detections.append(noticed_us)
    moved = [one.ended_at - began_at for one in seen if one.moves_work and one.ended_at is not None]
    ends = [one.ended_at for one in seen if one.ended_at is not None]
    if back_at is not None:
        ends.append(back_at)
    is_well = all(one.ended_at is not None for one in seen)
    return DrillTimes(
        detected_us=max(0, min(detections)) if detections else None,
        failed_over_us=max(moved, default=None),
        recovered_us=max(0, max(ends) - began_at) if ends and is_well else None,
    )


# --------------------------------------------------------------------------------------------------------- comparison

COMPARED: Final = ("detected_us", "failed_over_us", "recovered_us", "worst_delay_us")
NOISE: Final = 0.25
"""A time is worse or better when it differs by more than this share, and by more than half a second."""


def compare(report: Mapping[str, Any], earlier: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Each time against the median of the same time in earlier drills of this type: better, worse or same."""
    found: dict[str, str] = {}
    for name in COMPARED:
        value = report.get(name)
        before = sorted(one[name] for one in earlier if one.get(name) is not None)
        if value is None or not before:
            continue
        usual = before[len(before) // 2]
        difference = value - usual
        is_noise = abs(difference) <= max(usual * NOISE, SECOND // 2)
        found[name] = _word(difference, is_noise=is_noise)
    return found


def _word(difference: Micros, *, is_noise: bool) -> str:
    if is_noise:
        return "same"
    return "worse" if difference > 0 else "better"
