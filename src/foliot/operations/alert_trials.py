"""Trials of alert rules: would a rule fire for a run, and why? Nothing is told, and nothing changes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from foliot.domain.access import Principal, Scope
from foliot.domain.alerts.condition import Condition, ConditionKind
from foliot.domain.alerts.rule import Rule
from foliot.domain.alerts.rule_document import OF_JOBS
from foliot.domain.alerts.silence import Silence
from foliot.domain.alerts.silence_document import is_in_force, matches
from foliot.domain.instants import Instant, Micros
from foliot.operations.alert_rules import find_rule, read_rule
from foliot.operations.names import find_job, find_run, group_of
from foliot.operations.services import Services
from foliot.ports.store.lookups import JobRow, RunFilter, RunRow, start_delay_of

PACE_RUNS: Final = 200
"""Runs of a job that a pace is reckoned from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialStep:
    """One thing that a rule asks, and the answer. `said` is what `words` needs for the sentence."""

    key: str
    is_so: bool
    said: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTrial:
    """Whether a rule would fire for a run."""

    would_fire: bool
    steps: Sequence[TrialStep]
    to: Sequence[str]


async def try_rule(
    services: Services,
    who: Principal,
    name: str,
    run_id: int,
    *,
    document: Mapping[str, Any] | None,
    namespace: str | None,
    everywhere: bool | None,
) -> RuleTrial:
    """Ask a saved rule, or one that is not saved yet (`document`), of a run."""
    who.demand(Scope.READ)
    if document is None:
        rule = await find_rule(services, who, name, namespace=namespace, everywhere=everywhere)
    else:
        rule = read_rule(who, name, document, namespace=namespace, everywhere=everywhere)
    run = await find_run(services, who, run_id)
    job = await find_job(services, who, run.namespace, run.job)
    now = await services.store.lookups.now()
    steps = [*_asked_of(rule, job), await _condition(services, rule.when, run, now)]
    steps += [*await _counted(services, rule, run, now), *await _silent(services, rule, job, now)]
    to = await _told(services, rule, run.namespace)
    return RuleTrial(
        would_fire=all(step.is_so for step in steps),
        steps=steps,
        to=to,
    )


def _asked_of(rule: Rule, job: JobRow) -> Iterator[TrialStep]:
    """Whether the rule is asked of this job at all."""
    if not rule.is_on:
        yield TrialStep(key="on", is_so=False, said={"rule": rule.name})
    if rule.namespace not in (None, job.namespace):
        yield TrialStep(key="namespace", is_so=False, said={"rule": rule.namespace, "job": job.namespace})
    of = rule.of
    if of.job:
        yield TrialStep(key="job", is_so=matches(of.job, job.name), said={"pattern": of.job, "name": job.name})
    if of.group:
        group = group_of(job)
        yield TrialStep(key="group", is_so=matches(of.group, group), said={"pattern": of.group, "name": group})
    tags = job.document.get("tags") or {}
    for tag, value in sorted(of.tags.items()):
        said = {"tag": tag, "wanted": value, "found": tags.get(tag)}
        yield TrialStep(key="tag", is_so=tags.get(tag) == value, said=said)


async def _condition(services: Services, when: Condition, run: RunRow, now: Instant) -> TrialStep:
    """What the condition finds at the run."""
    match when.kind:
        case ConditionKind.FAILED:
            return await _failed(services, when, run)
        case ConditionKind.LATE:
            return _late(when, run, now)
        case ConditionKind.SLOWER:
            return await _slower(services, when, run, now)
        case ConditionKind.SILENT:
            return await _success(services, when, run)
        case _:
            is_of_jobs = when.kind in OF_JOBS
            return TrialStep(key="unknown" if is_of_jobs else "not_of_runs", is_so=False, said={"kind": str(when.kind)})


async def _failed(services: Services, when: Condition, run: RunRow) -> TrialStep:
    said: dict[str, Any] = {"state": run.state, "times": when.times, "of_last": when.of_last}
    if when.of_last == 1:
        return TrialStep(key="failed", is_so=run.state == "FAILED", said=said)
    runs = await _runs_until(services, run, limit=when.of_last)
    failed = sum(one.state == "FAILED" for one in runs)
    said["failed"] = failed
    said["runs"] = len(runs)
    is_so = run.state == "FAILED" and failed >= when.times
    return TrialStep(key="failed_of", is_so=is_so, said=said)


async def _runs_until(services: Services, run: RunRow, *, limit: int) -> Sequence[RunRow]:
    """The finished runs of its job up to this one, newest first."""
    states = ("SUCCEEDED", "FAILED", "CANCELLED")
    wanted = RunFilter(job_ids=(run.job_id,), states=states, until=run.created_at + 1, tests=False)
    return (await services.store.lookups.runs(wanted, limit=limit)).items


def _late(when: Condition, run: RunRow, now: Instant) -> TrialStep:
    delay = start_delay_of(run)
    late_us = now - run.due_at if delay is None else delay
    assert when.longer_than_us is not None
    said = {"late_us": late_us, "longer_than_us": when.longer_than_us}
    return TrialStep(key="late", is_so=late_us > when.longer_than_us, said=said)


async def _slower(services: Services, when: Condition, run: RunRow, now: Instant) -> TrialStep:
    took_us = _took(run, now)
    if took_us is None:
        return TrialStep(key="not_started", is_so=False, said={})
    said: dict[str, Any] = {"took_us": took_us}
    if when.pace is None:
        assert when.longer_than_us is not None
        said["longer_than_us"] = when.longer_than_us
        return TrialStep(key="slower", is_so=took_us > when.longer_than_us, said=said)
    runs = await _runs_until(services, run, limit=PACE_RUNS)
    durations = [_took(one, now) for one in runs if one.state == "SUCCEEDED" and one.run_id != run.run_id]
    usual_us = _percentile([one for one in durations if one is not None], when.pace.percentile)
    if usual_us is None:
        return TrialStep(key="no_pace", is_so=False, said={})
    bound_us = round(usual_us * when.pace.factor)
    said |= {"usual_us": usual_us, "percentile": when.pace.percentile, "longer_than_us": bound_us}
    return TrialStep(key="slower_pace", is_so=took_us > bound_us, said=said)


def _took(run: RunRow, now: Instant) -> Micros | None:
    if run.started_at is None:
        return None
    return (now if run.ended_at is None else run.ended_at) - run.started_at


def _percentile(durations: Sequence[Micros], percentile: int) -> Micros | None:
    if not durations:
        return None
    ordered = sorted(durations)
    return ordered[min(len(ordered) - 1, len(ordered) * percentile // 100)]


async def _success(services: Services, when: Condition, run: RunRow) -> TrialStep:
    assert when.longer_than_us is not None
    wanted = RunFilter(job_ids=(run.job_id,), states=("SUCCEEDED",), until=run.created_at + 1, tests=False)
    found = (await services.store.lookups.runs(wanted, limit=1)).items
    until = run.ended_at or run.created_at
    if run.state == "SUCCEEDED" or not found:
        return TrialStep(key="silent_unknown" if not found else "silent_over", is_so=False, said={})
    silent_us = until - (found[0].ended_at or found[0].created_at)
    said = {"silent_us": silent_us, "longer_than_us": when.longer_than_us}
    return TrialStep(key="silent", is_so=silent_us > when.longer_than_us, said=said)


async def _counted(services: Services, rule: Rule, run: RunRow, now: Instant) -> Sequence[TrialStep]:
    """How often it must be seen, where that can be counted: failures of the job."""
    if rule.after <= 1:
        return []
    said: dict[str, Any] = {"after": rule.after, "within_us": rule.within_us}
    if rule.when.kind is not ConditionKind.FAILED:
        return [TrialStep(key="after_unknown", is_so=True, said=said)]
    since = None
    if rule.within_us is not None:
        since = (run.ended_at or now) - rule.within_us
    wanted = RunFilter(
        job_ids=(run.job_id,),
        states=("FAILED",),
        since=since,
        until=run.created_at + 1,
        tests=False,
    )
    found = await services.store.lookups.runs(wanted, limit=rule.after)
    said["failed"] = len(found.items)
    return [TrialStep(key="after", is_so=len(found.items) >= rule.after, said=said)]


async def _silent(services: Services, rule: Rule, job: JobRow, now: Instant) -> Sequence[TrialStep]:
    found = await services.store.alerts.silences(namespace=job.namespace)
    for one in found:
        if is_in_force(one, now) and one.alert_id is None and _covers(one, rule, job):
            return [TrialStep(key="silence", is_so=False, said={"id": one.id, "reason": one.reason})]
    return []


def _covers(silence: Silence, rule: Rule, job: JobRow) -> bool:
    of, tags = silence.of, job.document.get("tags") or {}
    return (
        silence.namespace in (None, job.namespace)
        and not of.node
        and matches(silence.rule, rule.name)
        and matches(of.job, job.name)
        and matches(of.group, group_of(job))
        and all(tags.get(tag) == value for tag, value in of.tags.items())
    )


async def _told(services: Services, rule: Rule, namespace: str) -> Sequence[str]:
    """The channels that would be told: those that the rule names, or the default ones, if they take this level."""
    channels = await services.store.channels.list(namespace=namespace)
    usable = [one for one in channels if one.namespace in (None, namespace) and one.is_on]
    named = [one for one in usable if (one.name in rule.to if rule.to else one.is_default)]
    fitting = [one.name for one in named if rule.level.rank >= one.level_min.rank]
    return list(dict.fromkeys(fitting))
