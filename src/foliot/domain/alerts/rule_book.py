"""The rule book: every rule in force, and which of them see an observation."""

import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from foliot.domain.alerts.builtin_rules import JOB_LEVEL, JOB_RULE
from foliot.domain.alerts.condition import Condition, ConditionKind, MetricTest
from foliot.domain.alerts.condition_text import ANY_CHECK, CHECK_GRADES, NODE_BANDS
from foliot.domain.alerts.observation import Observation, Sighting
from foliot.domain.alerts.rule import Rule, Subjects
from foliot.domain.alerts.silence_document import matches
from foliot.domain.instants import DAY, Micros
from foliot.domain.policies.alert import AlertPolicy, Pace

_OPERATORS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}


class RuleBook:
    """Rules by what they look for. It is made anew when a rule changes, and asked in every round."""

    def __init__(self, rules: Iterable[Rule], of_jobs: Mapping[int, tuple[Rule, ...]] | None = None) -> None:
        self._by_kind: dict[ConditionKind, list[Rule]] = defaultdict(list)
        self._by_name: dict[tuple[str | None, str], Rule] = {}
        self.of_jobs = {} if of_jobs is None else of_jobs
        for rule in rules:
            self._by_name[rule.namespace, rule.name] = rule
            if rule.is_on:
                self._by_kind[rule.when.kind].append(rule)

    def of_kind(self, kind: ConditionKind) -> list[Rule]:
        """Rules of users and of Foliot that look for this kind; what jobs bring along is not among them."""
        return self._by_kind.get(kind, [])

    def find(self, name: str, namespace: str | None) -> Rule | None:
        """The rule of an alert: of its namespace, else of the cluster; None: it is gone, or a job brought it."""
        return self._by_name.get((namespace, name)) or self._by_name.get((None, name))

    def of_job(self, job_id: int | None, kind: ConditionKind) -> Rule | None:
        """What a job itself says about this kind."""
        own = () if job_id is None else self.of_jobs.get(job_id, ())
        return next((rule for rule in own if rule.when.kind is kind), None)

    def candidates(self, seen: Observation) -> Iterator[Rule]:
        """Rules that are asked of this subject, whatever their bound is."""
        for rule in self.of_kind(seen.kind):
            if rule.namespace in (None, seen.namespace) and is_about(rule.of, seen):
                yield rule
        if seen.job_id is not None:
            yield from (rule for rule in self.of_jobs.get(seen.job_id, ()) if rule.when.kind is seen.kind)

    def sightings(self, observations: Iterable[Observation]) -> list[Sighting]:
        """What the rules see. A failure is counted elsewhere, so each rule that is asked of its job sees it."""
        return [
            Sighting(rule=rule, seen=seen)
            for seen in observations
            for rule in self.candidates(seen)
            if is_true(rule.when, seen)
        ]


def is_about(of: Subjects, seen: Observation) -> bool:
    """Whether a rule or a silence speaks of this subject."""
    has_name = seen.job_id is not None or seen.kind is ConditionKind.HEARTBEAT
    if of.job and not (has_name and matches(of.job, seen.subject)):
        return False
    if of.node and not (seen.subject_key.startswith("node:") and matches(of.node, seen.subject)):
        return False
    if of.group and not matches(of.group, seen.group):
        return False
    return all(seen.tags.get(name) == value for name, value in of.tags.items())


def is_true(when: Condition, seen: Observation) -> bool:
    """Whether a condition holds."""
    match when.kind:
        case ConditionKind.FAILED | ConditionKind.FAILOVER | ConditionKind.CHANNEL:
            return True
        case ConditionKind.SLOWER:
            limit = slower_limit(when, seen.percentiles)
            return limit is not None and (seen.lasts_us or 0) > limit
        case ConditionKind.NODE:
            return seen.word in NODE_BANDS and NODE_BANDS.index(seen.word) >= NODE_BANDS.index(when.word)
        case ConditionKind.CHECK:
            return _is_checked(when, seen)
        case ConditionKind.ANOMALY | ConditionKind.HEARTBEAT:
            return when.word in ("", seen.word)
        case ConditionKind.METRIC:
            return when.test is not None and _is_measured(when.test, seen)
        case _:
            return (seen.lasts_us or 0) >= (when.longer_than_us or 0)


def slower_limit(when: Condition, percentiles: Mapping[int, Micros]) -> Micros | None:
    """How long a run may take; None: the job has too few runs to say so."""
    if when.pace is None:
        return when.longer_than_us
    usual = percentiles.get(when.pace.percentile)
    return None if usual is None else int(usual * when.pace.factor)


def rules_of_job(job_id: int, namespace: str, policy: AlertPolicy) -> tuple[Rule, ...]:
    """What a job's `alert=` says, as rules."""
    conditions = []
    if policy.failed:
        conditions.append(Condition(kind=ConditionKind.FAILED))
    if policy.late_us is not None:
        conditions.append(Condition(kind=ConditionKind.LATE, longer_than_us=policy.late_us))
    if isinstance(policy.slower, Pace):
        conditions.append(Condition(kind=ConditionKind.SLOWER, pace=policy.slower))
    elif policy.slower is not None:
        conditions.append(Condition(kind=ConditionKind.SLOWER, longer_than_us=policy.slower))
    return tuple(
        Rule(
            name=JOB_RULE,
            namespace=namespace,
            when=condition,
            level=JOB_LEVEL,
            after=policy.after,
            within_us=policy.within_us,
            to=policy.to,
            recover=policy.recover,
            job_id=job_id,
        )
        for condition in conditions
    )


def _is_checked(when: Condition, seen: Observation) -> bool:
    name = when.word
    if name != ANY_CHECK and name not in (seen.word, seen.word.rpartition(".")[2]):
        return False
    if when.longer_than_us is not None:  # a certificate: so many days are left
        return seen.number is not None and seen.number * DAY < when.longer_than_us
    return seen.grade in CHECK_GRADES and CHECK_GRADES.index(seen.grade) >= CHECK_GRADES.index(when.grade)


def _is_measured(test: MetricTest, seen: Observation) -> bool:
    if seen.word != test.metric or seen.number is None:
        return False
    if any(seen.labels.get(name) != value for name, value in test.labels.items()):
        return False
    return _OPERATORS[test.op](seen.number, test.number)
