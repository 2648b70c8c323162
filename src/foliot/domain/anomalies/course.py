"""The course of anomalies: what is new, what goes on, what is over. One that goes on is one, however long."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from foliot.domain.anomalies import count, duration, failures, lateness, silence
from foliot.domain.anomalies.anomaly import Anomaly, AnomalyKind, Deviation
from foliot.domain.anomalies.history import JobHistory

QUIET_MAX: Final = 5
"""After so many judged hours without it an anomaly is over."""

JUDGES: Final[Mapping[AnomalyKind, Callable[[JobHistory], Deviation | None]]] = {
    AnomalyKind.SILENCE: silence.judge,
    AnomalyKind.COUNT: count.judge,
    AnomalyKind.FAILURES: failures.judge,
    AnomalyKind.DURATION: duration.judge,
    AnomalyKind.LATENESS: lateness.judge,
}


class Course(NamedTuple):
    """What an hour changed."""

    opened: Sequence[Anomaly]
    continued: Sequence[Anomaly]  # seen again, or quiet for an hour more
    ended: Sequence[Anomaly]


def judge(history: JobHistory) -> dict[AnomalyKind, Deviation]:
    """Everything in which a job differs from its baseline in the hour that is judged."""
    if history.latest is None:  # nothing ended, so nothing ended late or badly
        found = silence.judge(history)
        return {} if found is None else {AnomalyKind.SILENCE: found}
    judged = ((kind, of_kind(history)) for kind, of_kind in JUDGES.items())
    return {kind: found for kind, found in judged if found is not None}


def course(history: JobHistory, open_: Iterable[Anomaly]) -> Course:
    """Judge the hour, and compare with the anomalies of the job that are open."""
    found = judge(history)
    continued: list[Anomaly] = []
    ended: list[Anomaly] = []
    for anomaly in open_:
        deviation = found.pop(anomaly.kind, None)
        if deviation is not None:
            continued.append(replace(anomaly, seen_at=history.end_at, facts=deviation.facts, quiet=0))
        elif _is_over(anomaly, history):
            ended.append(replace(anomaly, ended_at=history.end_at))
        elif history.latest is not None:
            continued.append(replace(anomaly, quiet=anomaly.quiet + 1))
    opened = [
        Anomaly(
            job_id=history.job_id,
            kind=kind,
            began_at=deviation.begin_at,
            seen_at=history.end_at,
            facts=deviation.facts,
        )
        for kind, deviation in found.items()
    ]
    return Course(opened, continued, ended)


def _is_over(anomaly: Anomaly, history: JobHistory) -> bool:
    """Silence ends with the next run; the others when some hours with runs are as usual."""
    if not history.is_active:
        return True
    if history.latest is None:
        return False
    return anomaly.kind is AnomalyKind.SILENCE or anomaly.quiet + 1 >= QUIET_MAX
