"""Alerts and silences as JSON."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import Field

from foliot.api.models.common import ApiInput, ApiOutput, Listed, Moment, Name, Reason, moment, one_of
from foliot.api.models.states import AlertWord
from foliot.domain.alerts.alert import Alert, AlertSubject
from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.alerts.level import AlertLevel, AlertState
from foliot.domain.alerts.silence import Silence
from foliot.domain.instants import Instant
from foliot.domain.run import format_run_id
from foliot.domain.texts import NAME_BYTES_MAX
from foliot.words.alerts import alert_next_step, alert_sentence
from foliot.words.language import Language

LEVELS: Final = tuple(str(level) for level in AlertLevel)
STATES: Final = tuple(str(state) for state in AlertState)
KINDS: Final = tuple(str(kind) for kind in ConditionKind)
SUBJECTS_SHOWN: Final = 100


class AlertSubjectOut(ApiOutput):
    """One job, node or part of the cluster that an alert touches."""

    subject: str = Field(examples=["settle"])
    namespace: str | None
    run: str | None = Field(description="Of a job: its latest run that was seen.", examples=["r-8k2f"])
    count: int = Field(description="How often it was seen.")
    first_at: Moment
    last_at: Moment
    ended_at: Moment | None = Field(description="Since when it is well again.")
    data: dict[str, Any] = Field(description="What was seen, in numbers and names.")

    @classmethod
    def of(cls, subject: AlertSubject) -> "AlertSubjectOut":
        return cls(
            subject=subject.subject,
            namespace=subject.namespace,
            run=None if subject.run_id is None else format_run_id(subject.run_id),
            count=subject.count,
            first_at=moment(subject.first_at) or "",
            last_at=moment(subject.last_at) or "",
            ended_at=moment(subject.ended_at),
            data=dict(subject.data),
        )


class AlertOut(ApiOutput):
    """One trouble, from its first sign to its end."""

    id: int
    state: AlertWord
    level: str = one_of(*LEVELS)
    title: str = Field(description="What it is, in words.", examples=["settle failed: connection refused"])
    hint: str = Field(description="What a person can do first.")
    rule: str = Field(description="That saw it.", examples=["night-failures"])
    kind: str = one_of(*KINDS)
    namespace: str | None = Field(description="null: of the whole cluster.")
    cause: dict[str, Any] = Field(description="Why, in numbers and names.")
    to: list[str] = Field(description="The channels that it tells.", examples=[["oncall"]])
    began_at: Moment = Field(description="Its first sign.")
    fired_at: Moment | None = Field(description="When people were told first; null: nobody was told.")
    last_at: Moment = Field(description="When something was last seen.")
    told_at: Moment | None = Field(description="The last notice.")
    resolved_at: Moment | None
    acked_at: Moment | None
    acked_by: str | None
    ack_note: str
    silence: int | None = Field(description="The silence that keeps it from being told.")
    step: int = Field(description="How many steps of the escalation were taken.")
    seen: int = Field(description="How often something was seen.")
    subject_count: int = Field(description="How many jobs or nodes it touches.")
    open_count: int = Field(description="How many of them are not well.")
    runbook: str
    subjects: list[AlertSubjectOut] = Field(
        description=f"What it touches: where one alert is read the first {SUBJECTS_SHOWN}, in lists the first."
    )

    @classmethod
    def of(cls, alert: Alert, language: Language) -> "AlertOut":
        return cls(
            id=alert.id,
            state=alert.state,
            level=str(alert.level),
            title=alert_sentence(alert, language),
            hint=alert_next_step(alert, language),
            rule=alert.rule,
            kind=str(alert.kind),
            namespace=alert.namespace,
            cause=dict(alert.cause.data),
            to=list(alert.to),
            began_at=moment(alert.began_at) or "",
            fired_at=moment(alert.fired_at),
            last_at=moment(alert.last_at) or "",
            told_at=moment(alert.told_at),
            resolved_at=moment(alert.resolved_at),
            acked_at=moment(alert.acked_at),
            acked_by=alert.acked_by or None,
            ack_note=alert.ack_note,
            silence=alert.silence_id,
            step=alert.step,
            seen=alert.seen,
            subject_count=alert.subject_count,
            open_count=alert.open_count,
            runbook=alert.runbook,
            subjects=[AlertSubjectOut.of(one) for one in alert.subjects[:SUBJECTS_SHOWN]],
        )


class AlertCountsOut(ApiOutput):
    """How many alerts fire, by level. Those that are silent or acknowledged are not counted."""

    critical: int = 0
    warning: int = 0
    info: int = 0

    @classmethod
    def of(cls, counts: Mapping[AlertLevel, int]) -> "AlertCountsOut":
        return cls(**{str(level): count for level, count in counts.items()})


class AckAlert(ApiInput):
    """How a person says that they look after an alert."""

    note: Reason = Field("", description="For the others who look at it.", examples=["I restart the database"])


class ResolveAlert(ApiInput):
    """How a person says that an alert is over."""

    reason: Reason = ""


class SubjectsForm(ApiInput):
    """Of what. Patterns know `*` and `?`; what is left out is any."""

    job: str = Field(default="", max_length=NAME_BYTES_MAX, examples=["settle*"])
    group: str = Field(default="", max_length=NAME_BYTES_MAX)
    node: str = Field(default="", max_length=NAME_BYTES_MAX)
    tags: dict[str, str] = Field(default_factory=dict, max_length=20, examples=[{"team": "data"}])

    def written(self) -> dict[str, Any]:
        """As files say it: what is left out is not there."""
        return {name: value for name, value in self.model_dump().items() if value}


class SilenceIn(ApiInput):
    """What is to be silent, and until when: `for` a time or `until` an instant."""

    of: SubjectsForm = SubjectsForm()
    rule: str = Field(default="", max_length=NAME_BYTES_MAX, description="Alerts of this rule; a pattern.")
    alert: int | None = Field(None, ge=1, lt=2**63, description="This alert alone.")
    namespace: Name | None = Field(None, description="Where it holds; the token's own, or default.")
    everywhere: bool | None = Field(
        None, description="It holds for the whole cluster. Left out: where a node is named, or as the alert."
    )
    everything: bool = Field(default=False, description="Yes, everything there: nothing else is named.")
    from_: Moment | None = Field(None, alias="from", description="When it begins; left out: now.")
    for_: str | float | None = Field(None, alias="for", examples=["2h"])
    until: Moment | None = None
    reason: str = Field(min_length=1, max_length=2000, examples=["the database moves"])


class SilenceOut(ApiOutput):
    """Alerts that nobody is told of, until an instant and for a reason."""

    id: int
    namespace: str | None = Field(description="null: of every namespace and of the cluster.")
    of: SubjectsForm
    rule: str
    alert: int | None
    from_at: Moment
    until: Moment
    reason: str
    made_by: str
    ended_by: str | None = Field(description="Who ended it before its time.")
    is_active: bool = Field(description="It holds now.")

    @classmethod
    def of_silence(cls, silence: Silence, now: Instant) -> "SilenceOut":
        of = silence.of
        is_active = silence.from_at <= now < silence.until and not silence.ended_by
        return cls(
            id=silence.id,
            namespace=silence.namespace,
            of=SubjectsForm(job=of.job, group=of.group, node=of.node, tags=dict(of.tags)),
            rule=silence.rule,
            alert=silence.alert_id,
            from_at=moment(silence.from_at) or "",
            until=moment(silence.until) or "",
            reason=silence.reason,
            made_by=silence.made_by,
            ended_by=silence.ended_by or None,
            is_active=is_active,
        )


class SilencesOut(Listed):
    """Silences, the newest first."""

    items: list[SilenceOut]
