"""What becomes of alerts in a round: pure, from what was open, what rules see now, and what people said.

Everything that a round goes by stands in rows: since when an alert is seen, who was told, which step of its escalation
was taken. So the next leader goes on where the last one stood, and a notice has the same key on both.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final

from foliot.domain.alerts.alert import Alert, AlertCause, Notice
from foliot.domain.alerts.builtin_rules import JOB_RULE
from foliot.domain.alerts.channel import Channel
from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.alerts.escalation import with_clock
from foliot.domain.alerts.level import AlertState
from foliot.domain.alerts.observation import Sighting
from foliot.domain.alerts.rule import Action, Rule
from foliot.domain.alerts.rule_book import RuleBook
from foliot.domain.alerts.silence import Silence
from foliot.domain.alerts.voice import Voice, silence_of
from foliot.domain.instants import DAY, MINUTE, Instant, Micros

SUBJECTS_MAX: Final = 500
"""Subjects that one alert keeps; more of them are counted as seen and not named."""
RECENT_MAX: Final = 100
FRESH_US: Final[Micros] = MINUTE
"""A trouble that simply lasts is written anew this often, not in every round."""
STALE_US: Final[Micros] = 7 * DAY
"""A failure of which nothing was heard for so long is over: its job runs no more, or nobody runs it."""
TOLD_OF_THE_FIRST: Final = ("run", "lasts_us", "band", "grade", "about", "type", "value", "node")
"""What a list says of the first subject of an alert."""
CAUSES_MAX: Final = 100
"""Open alerts of one rule. What comes above that is one more alert: nobody reads a thousand of them."""
MANY: Final = "many"
COUNTED_FOR_US: Final[Micros] = DAY
"""How long a pending alert counts when its rule says no time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSubject:
    """A subject of an alert, as its row has it."""

    key: str
    subject: str
    namespace: str | None
    job_id: int | None
    run_id: int | None
    count: int
    first_at: Instant
    last_at: Instant
    ended_at: Instant | None = None
    recent: tuple[Instant, ...] = ()  # when it began, the latest times
    data: Mapping[str, Any] = field(default_factory=dict)
    is_well: bool = False  # of a failure: the job succeeded since, or it is gone


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAlert:
    """An alert, as its rows have it. Its id is 0 while it is not in the store."""

    alert: Alert
    subjects: Mapping[str, KnownSubject]
    told: tuple[tuple[str, str], ...] = ()  # namespace and name of each channel that was told
    acted: int = 0
    unkept: int = 0  # subjects above `SUBJECTS_MAX`

    @property
    def open_subjects(self) -> list[KnownSubject]:
        return [one for one in self.subjects.values() if one.ended_at is None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """Something that Foliot does by itself about an alert. `number`: the how-manieth of the alert."""

    alert_key: str
    rule: Rule
    action: Action
    number: int
    subject: KnownSubject


@dataclass(slots=True)
class Decision:
    """What a round writes. Notices and acts name their alert by its key; `{id}` in a notice's key is its id."""

    opened: list[KnownAlert] = field(default_factory=list)
    changed: list[KnownAlert] = field(default_factory=list)
    resolved: list[KnownAlert] = field(default_factory=list)
    subjects: list[tuple[str, KnownSubject]] = field(default_factory=list)  # new or changed, by the alert's key
    notices: list[tuple[str, Notice]] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    events: list[tuple[str, str]] = field(default_factory=list)  # kind of event, the alert's key

    def leave_out_acts(self, left_out: Sequence[Act]) -> None:
        """These are not done, and do not count for their alerts either. They are the last ones of each alert."""
        self.acts = [act for act in self.acts if act not in left_out]
        fewer = Counter(act.alert_key for act in left_out)
        for known in (self.opened, self.changed):
            known[:] = [replace(one, acted=one.acted - fewer[one.alert.key]) for one in known]

    @property
    def is_empty(self) -> bool:
        return not (self.opened or self.changed or self.resolved or self.subjects)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a round goes by besides what it sees."""

    now: Instant
    book: RuleBook
    silences: Sequence[Silence] = ()
    channels: Sequence[Channel] = ()
    looked: frozenset[ConditionKind] = frozenset()
    """What was looked at in this round: what of it is not seen any more is over."""


def alert_key(sighting: Sighting) -> str:
    """One trouble: the same rule, the same cause, the same channels, the same namespace. While it is open it is unique.

    Rules that jobs bring along are one rule here, so that many jobs with one cause are one alert.
    """
    rule, seen = sighting.rule, sighting.seen
    parts = (
        rule.name,
        rule.namespace or "",
        seen.namespace or "",
        str(rule.when.kind),
        seen.cause.key,
        ",".join(rule.to),
        str(rule.recover) if rule.name == JOB_RULE else "",
    )
    return f"{rule.when.kind}:{sha256(chr(0).join(parts).encode()).hexdigest()[:32]}"


def decide(known: Sequence[KnownAlert], sightings: Sequence[Sighting], scene: Scene) -> Decision:
    """What becomes of every alert. Same arguments, same decision."""
    decision = Decision()
    seen_of = _by_alert(known, sightings)
    voice = Voice(scene.now, scene.channels)
    for alert in known:
        _go_on(alert, seen_of.pop(alert.alert.key, []), scene, voice, decision)
    for key, seen in seen_of.items():
        _begin(key, seen, scene, voice, decision)
    return decision


def _by_alert(known: Sequence[KnownAlert], sightings: Sequence[Sighting]) -> dict[str, list[Sighting]]:
    """Sightings by the key of their alert. A rule with very many causes has one alert for those above a bound."""
    by_key = {one.alert.key: one for one in known}
    open_of: Counter[tuple[str, str | None]] = Counter((one.alert.rule, one.alert.namespace) for one in known)
    seen_of: dict[str, list[Sighting]] = {}
    for one in sightings:
        key = alert_key(one)
        rule = (one.rule.name, one.seen.namespace)
        if key not in by_key and key not in seen_of:
            rest = replace(one, seen=replace(one.seen, cause=replace(one.seen.cause, key=MANY)))
            rest_key = alert_key(rest)
            of_rest = by_key.get(rest_key)
            is_there = of_rest is not None and one.seen.subject_key in of_rest.subjects
            if is_there or open_of[rule] >= CAUSES_MAX:
                one, key = rest, rest_key  # noqa: PLW2901  the same, under the alert of the rest
            if key not in by_key and key not in seen_of:
                open_of[rule] += 1
        seen_of.setdefault(key, []).append(one)
    return seen_of


# ------------------------------------------------------------------------------------------------------ one alert


def _begin(key: str, seen: Sequence[Sighting], scene: Scene, voice: Voice, decision: Decision) -> None:
    """A trouble that is seen for the first time."""
    first = seen[0]
    rule = first.rule
    fresh = Alert(
        id=0,
        key=key,
        rule=rule.name,
        kind=rule.when.kind,
        namespace=first.seen.namespace,
        level=rule.level,
        state=AlertState.PENDING,
        cause=_told_cause(first),
        to=rule.to,
        began_at=min(one.seen.at for one in seen),
        fired_at=None,
        last_at=scene.now,
        seen=0,
        job_id=first.seen.job_id if rule.name == JOB_RULE else None,
        runbook=rule.runbook,
        ver=0,
    )
    before = KnownAlert(alert=fresh, subjects={})
    after = _with_seen(before, seen, scene)
    after = _moved(after, seen, rule, scene, voice, decision)
    decision.opened.append(after)
    decision.subjects += [(key, subject) for subject in after.subjects.values()]


def _told_cause(first: Sighting) -> AlertCause:
    """The cause with what a list says of the alert: its first subject, and what was seen of that."""
    seen = first.seen
    told = {name: seen.data[name] for name in TOLD_OF_THE_FIRST if seen.data.get(name) is not None}
    return replace(seen.cause, data={**told, "subject": seen.subject, **seen.cause.data})


def _go_on(before: KnownAlert, seen: Sequence[Sighting], scene: Scene, voice: Voice, decision: Decision) -> None:
    """A trouble that is known."""
    alert = before.alert
    rule = seen[0].rule if seen else _rule_of(before, scene.book)
    after = _with_seen(before, seen, scene)
    after = _with_ended(after, {one.seen.subject_key for one in seen}, scene)
    if not after.open_subjects and not _still_counts(after, rule, scene.now):
        _resolve(after, rule, voice, decision)
        return
    after = _moved(after, seen, rule, scene, voice, decision)
    changed = [one for key, one in after.subjects.items() if one != before.subjects.get(key)]
    decision.subjects += [(alert.key, one) for one in changed]
    if changed or after != before:
        decision.changed.append(replace(after, alert=replace(after.alert, last_at=_last_at(after, seen, scene))))


def _rule_of(known: KnownAlert, book: RuleBook) -> Rule | None:
    """The rule of an alert that nothing adds to now; None: it is gone."""
    alert = known.alert
    if alert.rule != JOB_RULE:
        return book.find(alert.rule, alert.namespace)
    jobs = [alert.job_id, *(one.job_id for one in known.subjects.values())]
    return next((rule for job in jobs if (rule := book.of_job(job, alert.kind)) is not None), None)


def _last_at(after: KnownAlert, seen: Sequence[Sighting], scene: Scene) -> Instant:
    return scene.now if seen else after.alert.last_at


def _with_seen(before: KnownAlert, seen: Sequence[Sighting], scene: Scene) -> KnownAlert:
    """The alert with what rules see now. What lasts is written anew once a minute."""
    subjects = dict(before.subjects)
    news = 0
    unkept = before.unkept
    for one in seen:
        key = one.seen.subject_key
        known = subjects.get(key)
        if known is None and len(subjects) >= SUBJECTS_MAX:
            unkept += 1
            news += one.seen.comes_once
            continue
        is_new = known is None or known.ended_at is not None or one.seen.comes_once
        if known is not None and not is_new and scene.now - known.last_at < FRESH_US:
            continue
        news += is_new
        subjects[key] = _seen_subject(known, one, scene.now, is_new=is_new)
    alert = before.alert if not news else replace(before.alert, seen=before.alert.seen + news)
    return replace(before, alert=alert, subjects=subjects, unkept=unkept)


def _seen_subject(known: KnownSubject | None, one: Sighting, now: Instant, *, is_new: bool) -> KnownSubject:
    seen = one.seen
    recent = () if known is None else known.recent
    if is_new:
        recent = (*recent, seen.at)[-RECENT_MAX:]
    return KnownSubject(
        key=seen.subject_key,
        subject=seen.subject,
        namespace=seen.namespace,
        job_id=seen.job_id,
        run_id=seen.run_id if seen.run_id is not None or known is None else known.run_id,
        count=(0 if known is None else known.count) + int(is_new),
        first_at=seen.at if known is None else known.first_at,
        last_at=now,
        recent=recent,
        data=seen.data,
    )


def _with_ended(before: KnownAlert, seen: set[str], scene: Scene) -> KnownAlert:
    """What is not seen any more, and what went well, is over."""
    is_event = before.alert.kind is ConditionKind.FAILED
    subjects = dict(before.subjects)
    for key, one in before.subjects.items():
        if one.ended_at is not None or key in seen:
            continue
        is_over = before.alert.kind in scene.looked
        if is_event:
            is_over = one.is_well or scene.now - one.last_at > STALE_US
        if is_over:
            subjects[key] = replace(one, ended_at=scene.now)
    return replace(before, subjects=subjects)


def _still_counts(after: KnownAlert, rule: Rule | None, now: Instant) -> bool:
    """A pending alert of a rule that counts ("2 in 24h") is kept while it may still come to that."""
    if rule is None or rule.after <= 1 or after.alert.state is not AlertState.PENDING:
        return False
    return now - after.alert.last_at < (rule.within_us or COUNTED_FOR_US)


def _is_enough(after: KnownAlert, seen: Sequence[Sighting], rule: Rule, now: Instant) -> bool:
    """Whether some subject was seen as often as its rule wants. Failures were counted before they came here."""
    if rule.after <= 1 or rule.when.kind is ConditionKind.FAILED:
        return True
    wanted = {one.seen.subject_key: one.rule for one in seen}
    for key, subject in after.subjects.items():
        own = wanted.get(key, rule)
        since = 0 if own.within_us is None else now - own.within_us
        if sum(at >= since for at in subject.recent) >= own.after:
            return True
    return False


def _moved(
    after: KnownAlert, seen: Sequence[Sighting], rule: Rule | None, scene: Scene, voice: Voice, decision: Decision
) -> KnownAlert:
    """Fire, tell, remind, escalate and act, as far as it is time for it."""
    now = scene.now
    alert = after.alert
    if rule is None:
        return after
    is_inhibited = bool(seen) and all(one.inhibited_by for one in seen)
    silence = silence_of(scene.silences, after.alert, after.subjects.values(), now)
    silence_id = None if silence is None else silence.id
    if alert.silence_id != silence_id:
        alert = replace(alert, silence_id=silence_id)
    is_firing_now = False
    if alert.state is AlertState.PENDING:
        lasted = now - alert.began_at >= rule.for_us
        if not lasted or is_inhibited or not after.open_subjects or not _is_enough(after, seen, rule, now):
            return replace(after, alert=alert)
        alert = replace(alert, state=AlertState.FIRING, fired_at=now)
        decision.events.append(("alert.fired", alert.key))
        is_firing_now = True
    alert = with_clock(alert, now, is_silent=silence_id is not None)
    after = replace(after, alert=alert)
    if alert.state is AlertState.FIRING and silence_id is None:
        after = voice.tell(after, rule, decision.notices, decision.events)
    if silence_id is None:
        after = _acted(after, seen, rule, decision, is_firing_now=is_firing_now)
    return after


def _acted(
    after: KnownAlert, seen: Sequence[Sighting], rule: Rule, decision: Decision, *, is_firing_now: bool
) -> KnownAlert:
    """What Foliot does by itself: when the alert begins to fire, and for failures at each one after that."""
    action = rule.do
    if action is None or after.alert.state is not AlertState.FIRING or after.acted >= action.most:
        return after
    if is_firing_now:
        news = after.open_subjects  # what was seen before it lasted long enough, too
    else:
        again = (after.subjects.get(one.seen.subject_key) for one in seen if one.seen.comes_once)
        news = [one for one in again if one is not None]
    acted = after.acted
    for subject in news[: action.most - acted]:
        acted += 1
        decision.acts.append(Act(alert_key=after.alert.key, rule=rule, action=action, number=acted, subject=subject))
    return replace(after, acted=acted)


def _resolve(after: KnownAlert, rule: Rule | None, voice: Voice, decision: Decision) -> None:
    """The trouble is over. Who was told of it hears that, unless the rule says no."""
    alert = replace(after.alert, state=AlertState.RESOLVED, resolved_at=voice.now)
    over = replace(after, alert=alert)
    decision.resolved.append(over)
    if alert.fired_at is not None:
        decision.events.append(("alert.resolved", alert.key))
    is_wanted = rule is None or rule.recover
    if is_wanted and alert.told_at is not None:
        voice.tell_end(over, rule, decision.notices)
