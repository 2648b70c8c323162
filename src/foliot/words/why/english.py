"""Explanations in English: one sentence each."""

from collections.abc import Callable, Mapping
from typing import Final

from foliot.domain.instants import Instant, Micros
from foliot.domain.limits import limit_name
from foliot.domain.why.facts import Explanation, Hold, Neighbour, RunFacts, SkipFacts
from foliot.domain.why.reasons import read_reason
from foliot.words.humane import Clockface, human_duration
from foliot.words.why.pieces import bare, run_of, schedule_of, skip_of

Say = Callable[[Explanation, Clockface], str]


def sentence(explanation: Explanation, clock: Clockface) -> str:
    """The whole answer in one line."""
    return f"{_head(explanation, clock)}{SAY[explanation.verdict](explanation, clock)}{_kept(explanation.run)}."


# -------------------------------------------------------------------------------------------------------------- heads


def _head(said: Explanation, clock: Clockface) -> str:
    if said.is_range:
        skip = skip_of(said)
        return f"{clock.short(skip.from_at)}–{clock.full(skip.to_at, beside=skip.from_at)}  {skip.count} instants "
    if said.at is not None:
        created = f"created {said.run.id} {_late(said.late_us)}, " if said.run else ""
        return f"{clock.full(said.at)}  {created}"
    if said.run is None:  # about the job as a whole
        return ""
    return f"{said.run.id} of {said.job}{_part(said.run)}, {_origin(said.run, clock)}, "


_KEPT: Final = {
    "begun": "the run was tried before",
    "pinned": "that version was asked for",
    "shards": "the newest has another number of shards",
    "line": "another part of its run was started before",
    "merge": "the newest merges nothing",
}


def _kept(run: RunFacts | None) -> str:
    if run is None or run.kept is None:
        return ""
    return f"; it keeps version {run.kept.version} ({run.kept.newest} is the newest): {_KEPT[run.kept.reason]}"


def _part(run: RunFacts) -> str:
    if run.parent is None:
        return ""
    return f" (merge of {run.parent})" if run.shard is None else f" (shard {run.shard} of {run.parent})"


def _origin(run: RunFacts, clock: Clockface) -> str:
    if run.is_scheduled:
        return f"due at {clock.short(run.due_at)}"
    why = f" ({run.reason})" if run.reason else ""
    if run.is_backfill:
        return f"a backfill of {clock.short(run.due_at)}{why}"
    return f"triggered by {run.triggered_by or 'nobody known'} at {clock.short(run.created_at)}{why}"


def _late(late_us: Micros | None) -> str:
    return f"({'+' if (late_us or 0) >= 0 else ''}{human_duration(late_us or 0)})"


# --------------------------------------------------------------------------------------------------------------- runs


def _succeeded(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    tries = f" at attempt {run.attempt}" if run.attempt > 1 else ""
    count = sum(run.shards.values())
    shards = f" with {count} shard{'s' * (count != 1)}" if count else ""
    return f"succeeded in {_took(run)}{_on(run)}{tries}{shards}"


def _failed(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    if run.attempt > 1:
        return f"failed after {run.attempt} attempts: {_error(run)}"
    return f"failed after {_took(run)}{_on(run)}: {_error(run)}"


def _timeout(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    tries = f" (attempt {run.attempt})" if run.attempt > 1 else ""
    return f"ran out of time after {_took(run)}{_on(run)}{tries}"


def _lost(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    node = (run.last_try and run.last_try.node) or run.node or "its worker"
    return f"lost: {node} stopped answering while running it, and nobody knows whether it finished (on_lost is fail)"


def _rejected(said: Explanation, clock: Clockface) -> str:
    return f"rejected before it started: {_error(run_of(said))}"


def _poison(said: Explanation, clock: Clockface) -> str:
    return f"given up: {run_of(said).deaths} workers vanished while running it"


def _cancelled(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    at = clock.short(run.ended_at or run.cancel_at or said.now, beside=said.at)
    return f"cancelled at {at} " + ("before it started" if run.started_at is None else f"after {_took(run)}{_on(run)}")


def _running(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    since = f" for {human_duration(said.now - run.started_at)}" if run.started_at is not None else ""
    tries = f" as attempt {run.attempt}" if run.attempt > 1 else ""
    return f"running{_on(run)}{since}{tries}{_last_try(run)}{_shards(run)}"


def _shards(run: RunFacts) -> str:
    if not run.shards:
        return ""
    left = {state: run.shards[state] for state in ("RUNNING", "PENDING", "FAILED") if run.shards.get(state)}
    words = {"RUNNING": "running", "PENDING": "waiting", "FAILED": "failed"}
    others = "".join(f", {count} {words[state]}" for state, count in left.items())
    return f": {run.shards.get('SUCCEEDED', 0)} of {sum(run.shards.values())} shards succeeded{others}"


def _last_try(run: RunFacts) -> str:
    last = run.last_try
    if last is None or run.attempt <= 1:
        return ""
    if last.cause in ("lost", "start_missing"):
        return f"; {last.node or 'its worker'} stopped answering during attempt {last.attempt}"
    return f"; attempt {last.attempt} failed: {last.error or last.cause}"


def _starting(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    assert run.leased_at is not None
    return f"handed to {run.node or 'a worker'} {human_duration(said.now - run.leased_at)} ago, not started yet"


def _cancelling(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    assert run.cancel_at is not None
    return f"asked to stop {human_duration(said.now - run.cancel_at)} ago, still running{_on(run)}"


def _thread_goes_on(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    assert run.cancel_at is not None
    asked = human_duration(said.now - run.cancel_at)
    return f"asked to stop {asked} ago; it has not checked ctx.cancelled. Threads cannot be killed"


def _retrying(said: Explanation, clock: Clockface) -> str:
    run = run_of(said)
    last = run.last_try
    if last is not None and last.cause in ("lost", "start_missing"):
        what = f"{last.node or 'its worker'} stopped answering during attempt {run.attempt}"
    else:
        what = f"attempt {run.attempt} failed: {(last and last.error) or _error(run)}"
    return f"{what}. Attempt {run.attempt + 1} starts at {clock.short(run.not_before, beside=said.at)}"


def _later(said: Explanation, clock: Clockface) -> str:
    return f"waits for its time: {clock.short(run_of(said).not_before, beside=said.at)}"


def _paced(said: Explanation, clock: Clockface) -> str:
    return f"catches up, at {clock.short(run_of(said).not_before, beside=said.at)}: late runs are spread out"


def _held(what: Callable[[Hold, Explanation, Clockface], str]) -> Say:
    def say(said: Explanation, clock: Clockface) -> str:
        assert said.hold is not None
        return f"held {human_duration(said.hold.held_us)}: {what(said.hold, said, clock)}"

    return say


def _line(hold: Hold, said: Explanation, clock: Clockface) -> str:
    ahead = hold.ahead
    assert ahead is not None
    which = f"{ahead.id} of {clock.short(ahead.due_at, beside=said.at)}"
    if ahead.state == "RUNNING":
        since = f" ({human_duration(hold.ahead_for_us)})" if hold.ahead_for_us is not None else ""
        return f"{which} is still running{since}, and overlap is {hold.overlap}"
    return f"{which} is waiting in front of it, and overlap is {hold.overlap}"


def _handler(hold: Hold, said: Explanation, clock: Clockface) -> str:
    near = f"; nearest: {bare(hold.nearest[0])} on {hold.nearest[1]}" if hold.nearest else ""
    return f"no worker offers {bare(hold.handler)} ({hold.online} online{near})"


def _label(hold: Hold, said: Explanation, clock: Clockface) -> str:
    needs = ", ".join(f"{key}={value}" for key, value in hold.needs)
    return f"needs {needs}; 0 of {hold.fitting} workers have it"


def _busy(hold: Hold, said: Explanation, clock: Clockface) -> str:
    workers = "1 worker" if hold.fitting == 1 else f"{hold.fitting} workers"
    return f"all slots of the workers that can run it are taken ({hold.running} of {hold.slots} on {workers})"


def _limit(hold: Hold, said: Explanation, clock: Clockface) -> str:
    assert hold.limit is not None
    return f"the limit {limit_name(hold.limit.name)} is full ({hold.limit.used} of {hold.limit.max})"


# -------------------------------------------------------------------------------------------------------------- skips


def _skipped_overlap(said: Explanation, clock: Clockface) -> str:
    skip = skip_of(said)
    if skip.overlap == "queue":
        return "skipped: another run was already waiting, and overlap is queue (one waits)"
    who = f" ({skip.open_run.id} of {clock.short(skip.open_run.due_at, beside=said.at)})" if skip.open_run else ""
    return f"skipped: an earlier run was still open{who}, and overlap is {skip.overlap}"


def _skipped_misfire(said: Explanation, clock: Clockface) -> str:
    skip = skip_of(said)
    reason = read_reason(skip.why)
    beside = clock.short(reason.instant, beside=said.at) if reason.instant is not None else ""
    words = {
        "stands_for": f"missed; the fire of {beside} ran instead",
        "was_due": f"missed; the fire of {beside} was due instead",
        "beyond_window": f"missed by more than {reason.value}",
        "newest_only": f"missed; only the newest {reason.value} were caught up",
        "policy": "missed, and misfire is skip",
        "before_pause": "missed; not yet decided when the job was paused",
        "other": reason.text,
    }[reason.kind]
    decided = f"decided at {clock.short(skip.decided_at, beside=said.at)}"
    if skip.count > 1 and not said.is_range:
        return f"skipped: {words} ({_range(skip, said.at, clock)} were {decided})"
    return f"skipped: {words} ({decided})"


def _skipped_paused(said: Explanation, clock: Clockface) -> str:
    return f"skipped: {said.job} was paused{_of_range(said, clock)}"


def _skipped_edited(said: Explanation, clock: Clockface) -> str:
    return f"skipped: the schedule of {said.job} was changed{_of_range(said, clock)}"


def _of_range(said: Explanation, clock: Clockface) -> str:
    return "" if said.is_range else f" ({_range(skip_of(said), said.at, clock)})"


def _range(skip: SkipFacts, at: Instant | None, clock: Clockface) -> str:
    if skip.count == 1:
        return "1 instant"
    first, last = clock.short(skip.from_at, beside=at), clock.short(skip.to_at, beside=at)
    return f"{skip.count} instants from {first} to {last}"


# ------------------------------------------------------------------------------------------------------ without record


def _before_creation(said: Explanation, clock: Clockface) -> str:
    assert said.facts is not None
    first = f". First fire {_neighbour(said.first, said, clock)}" if said.first else ""
    return f"no fire: {said.job} was created at {clock.short(said.facts.created_at, beside=said.at)}{first}"


def _not_due(said: Explanation, clock: Clockface) -> str:
    around = [
        f"{word} it {_neighbour(neighbour, said, clock)}"
        for word, neighbour in (("before", said.before), ("after", said.after))
        if neighbour
    ]
    told = "; ".join(around)
    return f"no fire: {said.job} is not due then" + (f". {told[0].upper()}{told[1:]}" if told else "")


def _neighbour(neighbour: Neighbour | None, said: Explanation, clock: Clockface) -> str:
    assert neighbour is not None
    shown = clock.short(neighbour.at, beside=said.at)
    if neighbour.run is not None:
        return f"{shown}, created {neighbour.run.id} {_late(neighbour.run.created_at - neighbour.at)}"
    return f"{shown}, skipped ({neighbour.skip_reason})" if neighbour.skip_reason else shown


def _paused(said: Explanation, clock: Clockface) -> str:
    facts = said.facts
    assert facts is not None
    since = f" since {clock.short(facts.paused_at, beside=said.at)}" if facts.paused_at is not None else ""
    until = f" until {clock.short(facts.paused_until, beside=said.at)}" if facts.paused_until is not None else ""
    why = f" ({facts.pause_reason})" if facts.pause_reason else ""
    return f"no fire: {said.job} is paused{since}{until}{why}"


def _before_start(said: Explanation, clock: Clockface) -> str:
    begins = clock.short(schedule_of(said).start_at or 0, beside=said.at)
    first = f". First instant {clock.short(said.after.at, beside=said.at)}" if said.after else ""
    return f"no fire: the schedule of {said.job} begins at {begins}{first}"


def _after_end(said: Explanation, clock: Clockface) -> str:
    ended = clock.short(schedule_of(said).end_at or 0, beside=said.at)
    last = f". Last instant {clock.short(said.before.at, beside=said.at)}" if said.before else ""
    return f"no fire: the schedule of {said.job} ended at {ended}{last}"


def _future(said: Explanation, clock: Clockface) -> str:
    return f"not yet: due in {human_duration((said.at or 0) - said.now)}"


def _future_closed(said: Explanation, clock: Clockface) -> str:
    return f"will be skipped by the calendar: {schedule_of(said).ruling(said.at or 0).why}"


def _undecided(said: Explanation, clock: Clockface) -> str:
    assert said.facts is not None
    alive = said.facts.servers_alive
    whose = "no server is alive" if not alive else f"{alive} {'server is' if alive == 1 else 'servers are'} alive"
    return f"due for {human_duration(said.now - (said.at or 0))} and not decided yet: {whose}"


def _troubled(said: Explanation, clock: Clockface) -> str:
    assert said.facts is not None
    return f"due, but it cannot be decided: {(said.facts.trouble or '').rstrip('.')}"


# ----------------------------------------------------------------------------------------------------- a job as a whole


def _paused_now(said: Explanation, clock: Clockface) -> str:
    facts = said.facts
    assert facts is not None
    since = f" since {clock.full(facts.paused_at)}" if facts.paused_at is not None else ""
    until = f", until {clock.full(facts.paused_until)}" if facts.paused_until is not None else ""
    why = f" ({facts.pause_reason})" if facts.pause_reason else ""
    return f"{said.job} is paused{since}{until}{why}"


def _ahead(said: Explanation, clock: Clockface) -> str:
    facts = said.facts
    assert facts is not None
    assert said.after is not None
    stands = "it is done"
    if facts.next_due_at is not None:
        stands = f"its next fire is set to {clock.full(facts.next_due_at)}"
    due = clock.full(said.after.at)
    return f"{said.job}: {stands}, though its schedule has one at {due}; this happens when the store's clock was ahead"


def _quiet(said: Explanation, clock: Clockface) -> str:
    facts = said.facts
    assert facts is not None
    assert said.since is not None
    is_young = facts.created_at > said.since
    since = f"it was created at {clock.full(facts.created_at)}" if is_young else clock.full(said.since)
    ahead = f"; next {clock.full(said.after.at)} (in {human_duration(said.after.at - said.now)})" if said.after else ""
    return f"{said.job}: nothing was due since {since}{ahead}"


# ------------------------------------------------------------------------------------------------------------- pieces


def _took(run: RunFacts) -> str:
    if run.ended_at is None or run.started_at is None:
        return human_duration(0)
    return human_duration(run.ended_at - run.started_at)


def _on(run: RunFacts) -> str:
    return f" on {run.node}" if run.node else ""


def _error(run: RunFacts) -> str:
    return (run.error or "no error was reported").rstrip(".")


SAY: Final[Mapping[str, Say]] = {
    "succeeded": _succeeded,
    "failed": _failed,
    "timeout": _timeout,
    "lost": _lost,
    "rejected": _rejected,
    "poison": _poison,
    "cancelled": _cancelled,
    "running": _running,
    "starting": _starting,
    "cancelling": _cancelling,
    "thread_goes_on": _thread_goes_on,
    "retrying": _retrying,
    "later": _later,
    "paced": _paced,
    "held_line": _held(_line),
    "held_nobody": _held(lambda hold, said, clock: "no worker is online"),
    "held_group": _held(
        lambda hold, said, clock: f"no worker is online in group {hold.group} ({hold.online} in others)"
    ),
    "held_handler": _held(_handler),
    "held_label": _held(_label),
    "held_draining": _held(
        lambda hold, said, clock: f"the workers that can run it ({hold.fitting}) are draining and take no more work"
    ),
    "held_limit": _held(_limit),
    "held_busy": _held(_busy),
    "held_ready": _held(lambda hold, said, clock: "it is ready, and a worker takes it at its next poll"),
    "skipped_overlap": _skipped_overlap,
    "skipped_misfire": _skipped_misfire,
    "skipped_calendar": lambda said, clock: f"skipped by the calendar: {skip_of(said).why}",
    "skipped_blackout": lambda said, clock: f"skipped in a closed time: {skip_of(said).why}",
    "skipped_paused": _skipped_paused,
    "skipped_edited": _skipped_edited,
    "skipped_limit": lambda said, clock: f"skipped: {skip_of(said).why}",
    "before_creation": _before_creation,
    "no_schedule": lambda said, clock: f"no fire: {said.job} has no schedule; it runs when it is triggered",
    "fixed_delay": lambda said, clock: (
        f"no fire: {said.job} is due so long after the end of its last run, not at given times"
    ),
    "before_start": _before_start,
    "after_end": _after_end,
    "not_due": _not_due,
    "used_up": lambda said, clock: f"no fire: {said.job} has used up the number of runs its schedule allows",
    "paused": _paused,
    "future": _future,
    "future_closed": _future_closed,
    "closed": lambda said, clock: f"skipped by the calendar: {schedule_of(said).ruling(said.at or 0).why}",
    "undecided": _undecided,
    "troubled": _troubled,
    "unscheduled": lambda said, clock: f"{said.job} has no schedule: it runs when it is triggered",
    "paused_now": _paused_now,
    "over": lambda said, clock: f"{said.job} is done: its schedule has no more instants",
    "quiet": _quiet,
    "ahead": _ahead,
    "forgotten": lambda said, clock: "decided, but its record is gone: finished runs are kept for a time only",
}
