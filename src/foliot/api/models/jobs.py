"""Jobs, versions, fires, explanations and figures as JSON."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple

from fastapi import Body
from pydantic import Field

from foliot.api.models.alerts import AlertOut
from foliot.api.models.common import ApiInput, ApiOutput, Listed, Moment, Name, Reason, Seconds, moment, seconds
from foliot.api.models.definition import SCHEMA_MARK
from foliot.api.models.latest_runs import LastRunOut, RankOut, StripOut
from foliot.api.models.states import DecisionWord, JobWord, RunWord
from foliot.domain.bounds import PRIORITY_MIN
from foliot.domain.errors import FoliotError
from foliot.domain.job import PRIORITY_MAX
from foliot.domain.run import format_run_id
from foliot.domain.schedule import expressions_of
from foliot.domain.texts import KEY_BYTES_MAX
from foliot.domain.why.facts import Hold
from foliot.operations.diff import FieldChange
from foliot.operations.fires import FireEntry, schedule_of
from foliot.ports.store.lookups import JobRow, VersionRow
from foliot.words.errors import tell
from foliot.words.language import Language
from foliot.words.retirement import reason_of
from foliot.words.schedules import describe, zones_of
from foliot.words.unserved import unserved_in_words

Document = Annotated[dict[str, Any], Field(json_schema_extra={SCHEMA_MARK: "DefinitionForm"})]
"""The definition, in the form of job files."""
Patch = Annotated[
    dict[str, Any],
    Field(
        description="Fields of the definition; null takes one away, mappings are merged.",
        examples=[{"timeout": "30m", "owner": None}],
    ),
]


class NewJob(ApiInput):
    """A job to create."""

    name: Name
    definition: Document
    reason: Reason = ""


class JobChange(ApiInput):
    """A definition as a whole."""

    definition: Document
    reason: Reason = ""


class JobPatch(ApiInput):
    """The fields of a definition that change."""

    definition: Patch
    reason: Reason = ""


class CheckJob(ApiInput):
    """A definition to look at, without saving it."""

    name: Name = "job"
    definition: Document


class TryJob(ApiInput):
    """A definition to execute once, without saving it."""

    name: Name = "job"
    definition: Document
    params: dict[str, Any] | None = Field(None, examples=[{"day": "2026-01-31"}])
    reason: Reason = ""


class PauseJob(ApiInput):
    """How to pause."""

    until: Moment | None = None
    reason: Reason = ""


class ResumeJob(ApiInput):
    """How to go on."""

    catch_up: bool = False
    reason: Reason = ""


class CloneJob(ApiInput):
    """A new job from another."""

    name: Name
    namespace: Name | None = None
    changes: Patch | None = None
    reason: Reason = ""


class RollbackJob(ApiInput):
    """Which version to go back to."""

    to: int = Field(ge=1, le=2**31 - 1, examples=[7])
    reason: Reason = ""


class TriggerJob(ApiInput):
    """A run to ask for."""

    params: dict[str, Any] | None = Field(None, examples=[{"day": "2026-01-31"}])
    at: Moment | None = None
    delay: str | float | None = Field(None, examples=["10m"])
    overlap: Literal["allow"] | None = None
    priority: int | None = Field(None, ge=PRIORITY_MIN, le=PRIORITY_MAX)
    key: str | None = Field(None, min_length=1, max_length=KEY_BYTES_MAX, examples=["refund-7"])
    reason: Reason = ""
    dry_run: bool = False
    test: bool = Field(default=False, description="Execute once beside everything else; it counts in no statistics.")


MaybePauseJob = Annotated[PauseJob, Body(default_factory=PauseJob)]
MaybeResumeJob = Annotated[ResumeJob, Body(default_factory=ResumeJob)]
MaybeTriggerJob = Annotated[TriggerJob, Body(default_factory=TriggerJob)]
"""A body whose fields can all be left out can be left out itself."""


class DryRunOut(ApiOutput):
    """What a trigger with `dry_run` checked; no run was made."""

    dry_run: Literal[True]
    job: str
    version: int


class WarningOut(ApiOutput):
    """Something that works, but perhaps not as meant."""

    code: str
    message: str
    hint: str | None = None

    @classmethod
    def of(cls, warning: FoliotError, language: Language) -> "WarningOut":
        message, hint = tell(warning, language)
        return cls(code=warning.code, message=message, hint=hint)

    @classmethod
    def of_hold(cls, hold: Hold, language: Language) -> "WarningOut":
        """That no live worker would take the runs of a job."""
        said = unserved_in_words(hold, language)
        return cls(code=said.code, message=said.sentence, hint=said.hint)


class JobOut(ApiOutput):
    """A job."""

    name: str = Field(examples=["settle"])
    namespace: str = Field(examples=["default"])
    version: int
    hash: str
    source: str
    state: JobWord
    group: str
    owner: str
    tags: dict[str, str]
    description: str
    schedule: str | None = Field(description="In words.", examples=["every day at 02:00"])
    cron: list[str] = Field(
        default_factory=list,
        description="The cron expressions of its schedule, as they are written.",
        examples=[["0 2 * * *"]],
    )
    timezone: str
    zones: list[str] = Field(
        default_factory=list,
        description="That its schedule goes by: of wall clocks, and where a calendar counts days. Intervals have none.",
        examples=[["Asia/Shanghai"]],
    )
    next_at: Moment | None = Field(description="When the next instant is decided: due, plus jitter.")
    next_due_at: Moment | None
    created_at: Moment
    updated_at: Moment
    updated_by: str
    paused_at: Moment | None = None
    paused_until: Moment | None = None
    paused_by: str | None = None
    pause_reason: str = ""
    module: str | None = Field(None, description="That declares it in code.", examples=["billing.jobs"])
    retired_at: Moment | None = Field(
        None, description="Paused because no live worker has declared it since, though its module is loaded."
    )
    renamed_to: str | None = Field(None, description="Of a retired job: the nearest name that its module declares.")
    trouble: str | None = None
    last_run: LastRunOut | None = None
    rank: RankOut | None = Field(None, description="In a list sorted by `fails` or `p95`.")
    strip: StripOut | None = Field(None, description="Its latest runs, where `strip` asks for them.")
    executes: str | None = Field(
        None, description="In a few words, where one job is read.", examples=["python: billing.jobs:settle"]
    )
    parameters: dict[str, Any] | None = Field(
        None, description="What it takes, as JSON Schema, where one job is read; null while no live worker says."
    )
    waiting: int | None = Field(
        None, description="Runs that wait, as `max_waiting` counts them, where one job is read that has it."
    )
    alerting: str | None = Field(
        default=None,
        description="Its own alert policy in words, where one job is read.",
        examples=["a run failed; tells oncall"],
    )
    alerts: list[AlertOut] | None = Field(default=None, description="Its open alerts, where one job is read.")
    warnings: list[WarningOut] = Field(
        default_factory=list, description="In the answer to a save; about its schedule, where one job is read."
    )
    unserved: WarningOut | None = Field(
        default=None, description="Why no live worker would take its runs, where one job is read."
    )
    definition: Document | None = None

    @classmethod
    def of(
        cls,
        job: JobRow,
        *,
        language: Language,
        warnings: Sequence[FoliotError] = (),
        executes: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        waiting: int | None = None,
        full: bool = True,
    ) -> "JobOut":
        document = job.document
        words, tz, cron, zones = in_words(job, language)
        return cls(
            name=job.name,
            namespace=job.namespace,
            version=job.version,
            hash=job.hash,
            source=job.source,
            state=job.state,
            group=document.get("group", "default"),
            owner=document.get("owner", ""),
            tags=document.get("tags", {}),
            description=document.get("description", ""),
            schedule=words,
            cron=list(cron),
            timezone=tz,
            zones=list(zones),
            next_at=moment(job.next_at),
            next_due_at=moment(job.next_due_at),
            created_at=moment(job.created_at) or "",
            updated_at=moment(job.updated_at) or "",
            updated_by=job.updated_by,
            paused_at=moment(job.paused_at),
            paused_until=moment(job.paused_until),
            paused_by=job.paused_by,
            pause_reason=_pause_reason(job, language),
            module=job.module,
            retired_at=moment(job.retired_at),
            renamed_to=job.renamed_to,
            trouble=job.trouble,
            last_run=LastRunOut.of_job(job),
            rank=RankOut.of_job(job),
            strip=StripOut.of(job.strip) if job.strip is not None else None,
            executes=executes,
            parameters=None if parameters is None else dict(parameters),
            waiting=waiting,
            warnings=[WarningOut.of(warning, language) for warning in warnings],
            definition=dict(document) if full else None,
        )


class InWords(NamedTuple):
    """What a list says of a schedule."""

    sentence: str | None
    tz: str
    cron: tuple[str, ...]
    zones: tuple[str, ...]


def in_words(job: JobRow, language: Language) -> InWords:
    """Return the schedule of a job in words. Each definition is put into words once, then remembered."""
    key = (job.hash, job.name, language)
    found = _WORDS.get(key)
    if found is not None:
        return found
    schedule = schedule_of(job.document, job.name)
    found = InWords(None, "UTC", (), ())
    if schedule is not None:
        found = InWords(describe(schedule, language), schedule.tz, expressions_of(schedule), zones_of(schedule))
    if len(_WORDS) >= WORDS_MAX:
        _WORDS.clear()
    _WORDS[key] = found
    return found


def _pause_reason(job: JobRow, language: Language) -> str:
    """Why it is paused: a user's words as they are, a retirement in the reader's language."""
    if job.retired_at is None:
        return job.pause_reason
    return reason_of(job.module or "", job.retired_at, job.renamed_to, language)


WORDS_MAX: Final = 10_000
_WORDS: Final[dict[tuple[str, str, Language], InWords]] = {}


class VersionOut(ApiOutput):
    """One version of a job."""

    version: int
    hash: str
    created_at: Moment
    created_by: str
    reason: str
    definition: Document

    @classmethod
    def of(cls, version: VersionRow) -> "VersionOut":
        return cls(
            version=version.version,
            hash=version.hash,
            created_at=moment(version.created_at) or "",
            created_by=version.created_by,
            reason=version.reason,
            definition=dict(version.document),
        )


class ChangeOut(ApiOutput):
    """One field that differs."""

    path: str = Field(examples=["timeout"])
    before: Any = None
    after: Any = None

    @classmethod
    def of(cls, change: FieldChange) -> "ChangeOut":
        return cls(path=change.path, before=change.before, after=change.after)


class DiffOut(ApiOutput):
    """What changed between two versions."""

    before: int
    after: int
    changes: list[ChangeOut]


class ValidOut(ApiOutput):
    """What a definition means."""

    definition: Document
    hash: str
    schedule: str | None
    next: list[Moment]
    warnings: list[WarningOut]
    exists_at_version: int | None
    changes: list[ChangeOut]
    is_offered: bool = Field(description="Some live worker may run it: group, offer and labels fit.")


class FireOut(ApiOutput):
    """One due instant, or a range of skipped ones."""

    due_at: Moment
    decision: DecisionWord
    run: str | None = None
    run_state: RunWord | None = None
    lateness_s: Seconds | None = None
    from_at: Moment | None = None
    to_at: Moment | None = None
    count: int | None = None
    reason: str | None = None
    why: str | None = None

    @classmethod
    def of(cls, fire: FireEntry) -> "FireOut":
        run, skip = fire.run, fire.skip
        return cls(
            due_at=moment(fire.due_at) or "",
            decision=fire.decision,
            run=format_run_id(run.run_id) if run else None,
            run_state=run.state if run else None,
            lateness_s=seconds(run.created_at - run.due_at) if run else None,
            from_at=moment(skip.from_at) if skip else None,
            to_at=moment(skip.to_at) if skip else None,
            count=skip.count if skip else None,
            reason=skip.reason if skip else None,
            why=skip.why if skip else None,
        )


class FiresOut(Listed):
    """Past fires, newest first, and those to come, soonest first."""

    now: Moment
    past: list[FireOut]
    future: list[FireOut]


class CandidateOut(ApiOutput):
    """A worker between which the route of a waiting run chooses."""

    node: str
    score: float | None = Field(None, description="What the route compares; null: it compares none.", examples=[0.41])
    chosen: bool = Field(description="Whether the run is meant for it.")


class WhyOut(ApiOutput):
    """An explanation."""

    verdict: str = Field(examples=["skipped_overlap"])
    sentence: str = Field(
        examples=["02:00:00 CST  skipped: an earlier run was still open (r-77aa of 01:00:00), and overlap is skip."]
    )
    hint: str | None = None
    code: str | None = Field(None, examples=["FOL-2002"])
    at: Moment | None = None
    from_at: Moment | None = Field(None, description="Of a range of skipped instants: the first; `at` is the last.")
    count: int | None = Field(None, description="Of a range of skipped instants: how many they are.")
    job: str
    run: str | None = None
    timezone: str
    candidates: list[CandidateOut] = Field(
        [], description="Of a waiting run of a job with a route: the workers between which it chooses, by name."
    )


class WhyListOut(ApiOutput):
    """Explanations of several instants, oldest first."""

    items: list[WhyOut]
    next_cursor: str | None = None


class WhyRunsOut(ApiOutput):
    """Explanations of several runs, in the order asked."""

    items: list[WhyOut]


class ParametersOut(ApiOutput):
    """What a job's handler takes, as JSON Schema; null while no live worker says."""

    handler: str
    parameters: dict[str, Any] | None
