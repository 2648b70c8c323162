"""Failures that must be counted before they are told: twice in a day, or two of the last three."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.alerts.observation import Sighting
from foliot.ports.store.alert_rounds import FailureQuestion


async def counted(
    sightings: Sequence[Sighting],
    failures: Callable[[Sequence[FailureQuestion]], Awaitable[Mapping[FailureQuestion, int]]],
) -> list[Sighting]:
    """Failures of jobs that failed as often as their rules want; asked of the store where once is not enough."""
    asked = {question for question in map(_question, sightings) if question is not None}
    if not asked:
        return list(sightings)
    counts = await failures(sorted(asked))
    return [one for one in sightings if _is_enough(one, counts)]


def _question(one: Sighting) -> FailureQuestion | None:
    """What must be counted for a failure; None: once is enough."""
    rule, job_id = one.rule, one.seen.job_id
    if rule.when.kind is not ConditionKind.FAILED or job_id is None:
        return None
    if rule.when.of_last > 1:
        return FailureQuestion(job_id, rule.when.of_last, 0)
    if rule.after <= 1:
        return None
    if rule.within_us is None:
        return FailureQuestion(job_id, rule.after, 0)
    return FailureQuestion(job_id, 0, rule.within_us)


def _is_enough(one: Sighting, counts: Mapping[FailureQuestion, int]) -> bool:
    question = _question(one)
    if question is None:
        return True
    wanted = one.rule.when.times if one.rule.when.of_last > 1 else one.rule.after
    return counts.get(question, 0) >= wanted
