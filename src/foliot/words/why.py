"""Explanations in words: the values of an explanation, put into the templates of a language."""

from collections.abc import Mapping
from typing import Any, Final

from foliot.domain.handler import PYTHON, kind_of
from foliot.domain.health import BandCause, Health
from foliot.domain.instants import SECOND, Instant, Micros, format_duration
from foliot.domain.late_work import SURPLUS_AFTER
from foliot.domain.limits import LimitKind, limit_name
from foliot.domain.limits import kind_of as kind_of_limit
from foliot.domain.maintenance import Maintenance
from foliot.domain.routing.fastest import PROBE_EVERY
from foliot.domain.routing.least_load import MOVES_BELOW
from foliot.domain.routing.reasons import RouteReason
from foliot.domain.routing.wishes import Wishes
from foliot.domain.run import RunState, format_run_id
from foliot.domain.verdict import Cause
from foliot.domain.why import Explanation
from foliot.domain.why.facts import CandidateFacts, Hold, JobFacts, LimitFacts, Neighbour, RunFacts, SkipFacts
from foliot.domain.why.verdicts import WhyVerdict
from foliot.words.chinese import why as chinese
from foliot.words.english import why as english
from foliot.words.humane import Clockface
from foliot.words.language import Language
from foliot.words.templates import Catalogue, Speech

CODES: Final[Mapping[WhyVerdict, str]] = {
    WhyVerdict.HELD_HANDLER: "FOL-2002",
    WhyVerdict.HELD_LABEL: "FOL-5005",
    WhyVerdict.LOST: "FOL-6001",
    WhyVerdict.THREAD_GOES_ON: "FOL-6002",
}
"""Verdicts that are messages of their own, by code."""

_PIECES: Final = {Language.ENGLISH: english.PIECES, Language.CHINESE: chinese.PIECES}
_SENTENCES: Final = {Language.ENGLISH: english.SENTENCES, Language.CHINESE: chinese.SENTENCES}
_HINTS: Final = {Language.ENGLISH: english.HINTS, Language.CHINESE: chinese.HINTS}
CANDIDATES_SHOWN: Final = 10
_CAUSES: Final[Mapping[BandCause, str]] = {
    BandCause.SILENT: "strained.by_silence",
    BandCause.MEMORY: "strained.by_memory",
    BandCause.STRAINED: "strained.by_load",
    BandCause.WATCHED: "strained.before",
}
_VANISHED: Final = (Cause.LOST, Cause.START_MISSING)  # a try is over because its worker fell silent


def skip_word(reason: str, language: Language) -> str:
    """Why instants were left out, in a word or two; a reason that is not known as it is."""
    return str(_PIECES[language].get(f"reason.{reason}", reason))


def sentence(said: Explanation, *, tz: str, language: Language = Language.ENGLISH) -> str:
    """The whole answer in one line, its times in this zone."""
    return _Teller(said, tz, language).sentence()


def hint(said: Explanation, language: Language = Language.ENGLISH) -> str | None:
    """What to do next, where there is something to do."""
    return _Teller(said, "UTC", language).hint()


class _Teller:
    """One explanation for one reader."""

    def __init__(self, said: Explanation, tz: str, language: Language) -> None:
        self._said = said
        self._language = language
        self._clock = Clockface(tz, now=said.now)
        self._speech = Speech(language, clock=self._clock, beside=said.at)

    def sentence(self) -> str:
        values = self._values()
        template = _found(_SENTENCES[self._language], self._said)
        assert template is not None, self._said.verdict
        head = self._piece(self._head_key(), values) if self._head_key() else ""
        return head + self._speech.fill(template, values) + self._route() + self._piece("tail", values)

    def hint(self) -> str | None:
        said, hints = self._said, _HINTS[self._language]
        template = _found(hints, said)
        if template is not None:
            return self._speech.fill(template, self._values())
        kept = said.run.kept if said.run is not None and said.run.parent is None else None
        if kept is None or kept.reason == "begun":
            return None
        return self._speech.fill(hints["kept"], self._values())

    def _head_key(self) -> str:
        said = self._said
        if said.is_range:
            return "head.range"
        if said.at is not None:
            return "head.instant"
        return "head.run" if said.run is not None else ""  # without either: about the job as a whole

    def _piece(self, key: str, values: Mapping[str, Any] | None = None) -> str:
        return self._speech.fill(_PIECES[self._language][key], values or {})

    # ----------------------------------------------------------------------------------------------------------- values

    def _values(self) -> dict[str, Any]:
        """Every value a template may name; None where the explanation has none."""
        said = self._said
        values: dict[str, Any] = {"job": said.job, "at": said.at, "late": said.late_us, "since": said.since}
        if said.at is not None:
            values |= {"second_later": said.at + SECOND, "due_in": said.at - said.now, "overdue": said.now - said.at}
        if said.run is not None:
            values |= self._run(said.run)
        if said.hold is not None:
            values |= _hold(said.hold) | _maintained(said.hold.maintenance) | self._strained(said.hold)
        if said.skip is not None:
            values |= self._skip(said.skip)
        if said.facts is not None:
            values |= self._job(said.facts) | _maintained(said.facts.maintenance)
        return values | self._neighbours()

    def _run(self, run: RunFacts) -> dict[str, Any]:
        return {
            "run": run.id,
            "attempt": run.attempt,
            "next_attempt": run.attempt + 1,
            "tries": run.attempt if run.attempt > 1 else None,
            "deaths": run.deaths,
            "cancelled_by": run.cancelled_by,
            "cancel_reason": run.cancel_reason,
            "not_before": run.not_before,
            "debounce": run.debounce,
            **_surplus(run),
            "late_work": self._piece("late_work") if run.catch_up else None,
            "error": self._error(run),
            "by_callback": self._piece("by_callback") if run.by_callback else None,
            "why_lost": self._piece("lost.test" if run.is_test else "lost.job"),
            **self._workers(run),
            **_durations(run, self._said.now),
            **_lock(run, self._said.now),
            **self._origin(run),
            **self._kept(run),
            **self._last_try(run),
            **_parts(run),
        }

    def _workers(self, run: RunFacts) -> dict[str, Any]:
        """The worker of a run by its name, or in words while it has none."""
        return {
            "node": run.node,
            "worker": run.node or self._piece("a_worker"),
            "worker_node": run.node or self._piece("its_worker"),
        }

    def _origin(self, run: RunFacts) -> dict[str, Any]:
        if self._said.at is not None:  # the head names the instant instead
            return {}
        values = {
            "due_at": run.due_at,
            "created_at": run.created_at,
            "by": run.triggered_by or self._piece("nobody_known"),
            "reason": run.reason,
            "retry_of": run.retry_of,
        }
        if run.is_scheduled:
            return {"origin": self._piece("origin.schedule", values)}
        if run.retry_of:
            return {"origin": self._piece("origin.retry", values)}
        if run.is_test:
            return {"origin": self._piece("origin.test", values)}
        return {"origin": self._piece("origin.backfill" if run.is_backfill else "origin.trigger", values)}

    def _kept(self, run: RunFacts) -> dict[str, Any]:
        if run.kept is None:
            return {}
        kept = run.kept
        return {"kept": kept.version, "newest": kept.newest, "kept_why": self._piece(f"kept.{kept.reason}")}

    def _route(self) -> str:
        """What the route of a waiting run said, and between whom it chooses; of others how they came to a worker."""
        if self._said.hold is None:
            return self._went()
        route = self._said.hold.route
        if route is None:
            return ""
        shown = [self._candidate(worker) for worker in route.candidates[:CANDIDATES_SHOWN]]
        if len(route.candidates) > CANDIDATES_SHOWN:
            shown.append("…")
        values = {
            "route": route.name,
            "assignee": route.worker,
            "until": route.until,
            "before": ", ".join(route.before) or None,
            "among": ", ".join(shown) or None,
            "because": self._because(route.reason),
        }
        if route.is_broadcast:
            return self._piece("broadcast.open" if route.worker is None else "broadcast.own", values)
        decided = "route.named" if route.until is not None else "route.anyone"
        return self._piece("route.open" if route.worker is None else decided, values) + self._wishes(route.wishes)

    def _because(self, reason: RouteReason | None) -> str | None:
        """Why the route named this worker."""
        if reason is None:
            return None
        values = {
            "other": reason.other,
            "key": reason.key,
            "score": _score(reason.score),
            "score_of_other": _score(reason.score_of_other),
            "below": MOVES_BELOW,
            "every": PROBE_EVERY,
            "band": Health.WARNING,
        }
        return self._piece(f"because.{reason.kind}", values)

    def _went(self) -> str:
        """By which route a run came to the worker that has or had it."""
        went = self._said.run.went if self._said.run is not None else None
        if went is None or self._said.run is None:
            return ""
        values: dict[str, Any] = {
            "route": went.route,
            "node": self._said.run.node,
            "before": ", ".join(went.before) or None,
        }
        if went.moved is None:
            return self._piece("route.went", values)
        moved = {
            "from": went.moved.before,
            "moved_at": went.moved.at,
            "score": _score(went.moved.score_before),
            "score_after": _score(went.moved.score_after),
        }
        return self._piece("route.moved", values | moved)

    def _wishes(self, wishes: Wishes) -> str:
        """What the job wishes of its workers: the reason why its route chooses among some of them."""
        prefer = [
            f"{label}={wish.value}" + (f" ({wish.weight})" if wish.weight != 1 else "")
            for label, wish in wishes.prefer.items()
        ]
        values = {
            "prefer": ", ".join(prefer) or None,
            "avoid": ", ".join(f"{label}={value}" for label, value in wishes.avoid.items()) or None,
            "spread": wishes.spread,
        }
        return self._piece("route.wishes", values)

    def _candidate(self, worker: CandidateFacts) -> str:
        values = {
            "name": worker.name,
            "running": worker.running,
            "slots": worker.slots,
            "waiting": worker.waiting or None,
            "load": None if worker.load is None else f"{worker.load:.2f}",
            "score": _score(worker.score),
            "weight": worker.weight if worker.weight != 1 else None,
            "health": self._warning(worker),
            "preferred": worker.preferred or None,
            "avoided": self._piece("route.avoided") if worker.is_avoided else None,
            "part": worker.part,
            "own": worker.own,
            "pace": worker.pace_us,
        }
        return self._piece("route.candidate", values)

    def _warning(self, worker: CandidateFacts) -> str | None:
        if not worker.is_in_warning or worker.cause is None:
            return Health.WARNING if worker.is_in_warning else None
        return self._piece("strained.candidate", {"band": Health.WARNING, "why": self._piece(_CAUSES[worker.cause])})

    def _strained(self, hold: Hold) -> dict[str, Any]:
        """The workers that could run it and get less work, each with the reason."""
        shown = [
            self._piece("strained.worker", {"name": name, "why": self._piece(_CAUSES[cause])})
            for name, cause in hold.strained[:CANDIDATES_SHOWN]
        ]
        if len(hold.strained) > CANDIDATES_SHOWN:
            shown.append("…")
        return {"strained": self._piece("strained", {"workers": ", ".join(shown)}) if shown else None}

    def _last_try(self, run: RunFacts) -> dict[str, Any]:
        """The newest try without success, and by which worker's silence it was lost, if it was."""
        last = run.last_try
        last_node = (last.node if last is not None else None) or run.node or self._piece("its_worker")
        if last is None:
            return {"last_node": last_node, "retry_error": self._error(run)}
        values = {"last_node": last_node, "retry_error": last.error or self._error(run)}
        silent = last.node or self._piece("its_worker")
        if last.cause in _VANISHED:
            values["retry_lost_by"] = silent
        if run.attempt <= 1:
            return values
        if last.cause in _VANISHED:
            return {**values, "lost_by": silent, "lost_try": last.attempt}
        return {**values, "failed_try": last.attempt, "failed_error": last.error or last.cause}

    def _error(self, run: RunFacts) -> str:
        return (run.error or self._piece("no_error")).rstrip(".")

    def _skip(self, skip: SkipFacts) -> dict[str, Any]:
        is_range = self._said.is_range
        values = {"from_at": skip.from_at, "to_at": skip.to_at, "several": skip.count if skip.count > 1 else None}
        shown = None if is_range else self._piece("range", values)
        return {
            "count": skip.count,
            "first_at": self._clock.short(skip.from_at),
            "last_at": self._clock.full(skip.to_at, beside=skip.from_at),
            "range": shown,
            "among": shown if skip.count > 1 else None,
            "decided_at": skip.decided_at,
            "skip_overlap": skip.overlap,
            "cause": self._cause(skip),
            "open_run": skip.open_run.id if skip.open_run else None,
            "open_at": skip.open_run.due_at if skip.open_run else None,
        }

    def _cause(self, skip: SkipFacts) -> str:
        cause = skip.cause
        window = None if cause.within_us is None else format_duration(cause.within_us)
        values = {"fire_at": cause.at, "window": window, "most": cause.most, "text": cause.text or skip.why}
        return self._piece(f"cause.{cause.kind}", values)

    def _job(self, facts: JobFacts) -> dict[str, Any]:
        said, schedule = self._said, facts.schedule
        is_young = said.since is not None and facts.created_at > said.since
        values: dict[str, Any] = {
            "born_at": facts.created_at,
            "young_at": facts.created_at if is_young else None,
            "paused_at": facts.paused_at,
            "paused_until": facts.paused_until,
            "paused_by": facts.paused_by,
            "pause_reason": facts.pause_reason,
            "retired_at": facts.retired_at,
            "retired_by": facts.module if facts.retired_at is not None else None,
            "renamed_to": facts.renamed_to,
            "next_due_at": facts.next_due_at,
            "alive": facts.servers_alive or None,
            "trouble": (facts.trouble or "").rstrip("."),
        }
        if schedule is None:
            return values
        values |= {"start_at": schedule.start_at, "end_at": schedule.end_at}
        if said.verdict in (WhyVerdict.CLOSED, WhyVerdict.FUTURE_CLOSED):
            values["ruling"] = schedule.ruling(said.at or 0).why
        return values

    def _neighbours(self) -> dict[str, Any]:
        said = self._said
        return {
            "first": self._neighbour(said.first),
            "before": self._neighbour(said.before),
            "after": self._neighbour(said.after),
            "before_at": said.before.at if said.before else None,
            "after_at": said.after.at if said.after else None,
            "after_in": said.after.at - said.now if said.after else None,
        }

    def _neighbour(self, neighbour: Neighbour | None) -> str | None:
        if neighbour is None:
            return None
        values: dict[str, Any] = {"at": neighbour.at}
        if neighbour.run is not None:
            values |= {"run": neighbour.run.id, "late": neighbour.run.created_at - neighbour.at}
        elif neighbour.skip_reason:
            values["skipped"] = self._piece(f"reason.{neighbour.skip_reason}")
        return self._piece("neighbour", values)


def _score(score: float | None) -> str | None:
    """What a route compares: a count as it is, anything else with two places."""
    if score is None:
        return None
    return str(int(score)) if score == int(score) else f"{score:.2f}"


def _found(catalogue: Catalogue, said: Explanation) -> Any:
    """The template of a verdict; a skip has some that depend on the job's policy, or on why it was missed."""
    kinds = [said.skip.overlap, said.skip.cause.kind] if said.skip is not None else []
    keys = [*(f"{said.verdict}.{kind}" for kind in kinds), str(said.verdict)]
    return next((catalogue[key] for key in keys if key in catalogue), None)


def _waited(run: RunFacts, what: str, now: Instant) -> Micros | None:
    """How long a run has waited for this outside of its worker; None: it does not."""
    if run.waits_for != what or run.waits_since is None:
        return None
    return max(0, now - run.waits_since)


def _durations(run: RunFacts, now: Instant) -> dict[str, Any]:
    """How long a run took or has been at it; None where it has not come so far."""
    started_at = run.started_at
    took = 0
    if run.ended_at is not None and started_at is not None:
        took = run.ended_at - started_at
    return {
        "took": took,
        "ran": None if started_at is None else took,
        "over_at": run.ended_at or run.cancel_at or now,
        "running_for": _since(started_at, now),
        "leased_for": _since(run.leased_at, now),
        "asked_for": _since(run.cancel_at, now),
        "callback_for": _waited(run, "callback", now),
        "poll_for": _waited(run, "poll", now),
    }


def _lock(run: RunFacts, now: Instant) -> dict[str, Any]:
    """The lock that a run waits for."""
    lock = run.lock
    if lock is None:
        return {}
    return {
        "lock": lock.name,
        "lock_for": max(0, now - lock.since),
        "lock_ahead": lock.ahead or None,
        "lock_holder": lock.holder,
        "lock_run": lock.holder_run,
        "lock_token": lock.token,
        "lock_held_at": lock.held_since,
    }


def _since(at: Instant | None, now: Instant) -> Micros | None:
    return None if at is None else now - at


def _parts(run: RunFacts) -> dict[str, Any]:
    """Which part of a sharded run it is, or how its own parts are doing."""
    if run.shard is not None:
        return {"shard": run.shard, "parent": run.parent}
    if not run.shards:
        return {"merge_of": run.parent}
    return {
        "merge_of": run.parent,
        "sharded_run": run.id,
        "shards": sum(run.shards.values()),
        "shards_succeeded": run.shards.get(RunState.SUCCEEDED, 0),
        "shards_running": run.shards.get(RunState.RUNNING) or None,
        "shards_pending": run.shards.get(RunState.PENDING) or None,
        "shards_failed": run.shards.get(RunState.FAILED) or None,
    }


def _surplus(run: RunFacts) -> dict[str, Any]:
    """What a run that gives way to others has before it: runs of its job, or shards of the same run."""
    if not run.is_surplus:
        return {}
    if run.shard is not None and run.shard >= SURPLUS_AFTER:
        return {"surplus_shards": SURPLUS_AFTER}
    return {"surplus": SURPLUS_AFTER}


def _maintained(found: Maintenance | None) -> dict[str, Any]:
    """The cluster's maintenance; nothing when none is on."""
    if found is None:
        return {}
    return {
        "maintained_at": found.since,
        "maintained_until": found.until,
        "maintained_by": found.by,
        "maintained_for": found.reason or None,
    }


def _hold(hold: Hold) -> dict[str, Any]:
    ahead, limit = hold.ahead, hold.limit
    is_python = kind_of(hold.handler) == PYTHON
    return {
        "held": hold.held_us,
        "ahead": ahead.id if ahead else None,
        "ahead_running": ahead.id if ahead and ahead.state is RunState.RUNNING else None,
        "ahead_at": ahead.due_at if ahead else None,
        "ahead_for": hold.ahead_for_us,
        "overlap": hold.overlap,
        "handler": _bare(hold.handler),
        "other_offer": None if is_python else hold.handler,
        "other_kind": None if is_python else kind_of(hold.handler),
        "group": hold.group,
        "needs": [f"{key}={value}" for key, value in hold.needs],
        "online": hold.online,
        "fitting": hold.fitting,
        "nearest": _bare(hold.nearest[0]) if hold.nearest else None,
        "nearest_on": hold.nearest[1] if hold.nearest else None,
        "limit": limit_name(limit.name) if limit else None,
        "limit_used": limit.used if limit else None,
        "limit_max": limit.max if limit else None,
        **_weighed(limit),
        **_of_what(limit),
        "slots": hold.slots,
        "running": hold.running,
    }


def _weighed(limit: LimitFacts | None) -> dict[str, Any]:
    """What is said of a limit of which a run takes more than one, or that is kept for another."""
    if limit is None:
        return {}
    return {
        "limit_takes": limit.takes if limit.free < limit.takes and limit.takes > 1 else None,
        "limit_never": limit.takes if limit.takes > limit.max else None,
        "limit_free": limit.free,
        "limit_kept": limit_name(limit.name) if limit.is_kept and limit.free >= limit.takes else None,
    }


def _of_what(limit: LimitFacts | None) -> dict[str, Any]:
    """Of what a limit is that holds a run up: one of these, by its number (full) or by its rate (spent)."""
    if limit is None:
        return {}
    kind, name = kind_of_limit(limit.name), limit_name(limit.name)
    is_spent = limit.next_in_us is not None and limit.free >= limit.takes
    if kind is LimitKind.KEY:
        holder = None if limit.holder is None else format_run_id(limit.holder)
        said = limit.said or "null"
        state = "spent" if is_spent else "full"
        return {f"key_{state}": said, "key_holder": holder, "limit_next": limit.next_in_us}
    if kind is LimitKind.WORKER:
        return {"per_worker": limit.max, "full_on": limit.full_on}
    state = "spent" if is_spent else "full"
    said = f"place.{name}" if kind is LimitKind.JOB else name
    return {"limit_rate": limit.rate, "limit_next": limit.next_in_us, f"limit_{state}_{kind}": said}


def _bare(handler: str) -> str:
    """`python:billing.jobs:settle` as people write it: `billing.jobs:settle`."""
    return handler.removeprefix("python:")
