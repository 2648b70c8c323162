"""Alert rules as JSON."""

from typing import Annotated, Any

from pydantic import Field

from foliot.api.models.alerts import KINDS, LEVELS
from foliot.api.models.common import ApiInput, ApiOutput, Listed, Reason, one_of
from foliot.api.models.jobs import ChangeOut, WarningOut
from foliot.domain.alerts.builtin_rules import BUILT_IN
from foliot.domain.alerts.rule import Rule
from foliot.domain.alerts.rule_document import written_rule
from foliot.operations.alert_files import AppliedEntry
from foliot.operations.alert_rules import SavedRule
from foliot.operations.alert_trials import RuleTrial
from foliot.words.alert_rules import rule_in_words
from foliot.words.alert_trials import trial_sentence
from foliot.words.language import Language

RuleDocument = Annotated[
    dict[str, Any],
    Field(
        description="The rule, in the form of files: when, of, level, for, after, to, recover, remind, hours, "
        "escalate, do, runbook, on.",
        examples=[{"when": "failed 2 of 3", "of": {"group": "etl"}, "level": "critical", "to": ["oncall"]}],
    ),
]


class RuleIn(ApiInput):
    """A rule as a whole."""

    rule: RuleDocument
    reason: Reason = ""


class RuleOut(ApiOutput):
    """A rule: what to look for, how grave it is, and whom to tell."""

    name: str = Field(examples=["night-failures"])
    namespace: str | None = Field(description="Whose it is; null: of the whole cluster.")
    version: int = Field(description="0: it comes with Foliot.")
    origin: str = one_of("foliot", "changed", "user")
    kind: str = one_of(*KINDS)
    when: str = Field(examples=["failed 2 of 3"])
    level: str = one_of(*LEVELS)
    to: list[str] = Field(description="The channels it names; none: the default ones.")
    is_on: bool
    in_words: str = Field(description="What it does, in words.")
    rule: RuleDocument
    warnings: list[WarningOut] = Field(default_factory=list, description="In the answer to a save.")

    @classmethod
    def of(cls, rule: Rule, language: Language) -> "RuleOut":
        document = written_rule(rule)
        return cls(
            name=rule.name,
            namespace=rule.namespace,
            version=rule.version,
            origin=_origin(rule),
            kind=str(rule.when.kind),
            when=document["when"],
            level=str(rule.level),
            to=list(rule.to),
            is_on=rule.is_on,
            in_words=rule_in_words(rule, language),
            rule=document,
        )

    @classmethod
    def saved(cls, saved: SavedRule, language: Language) -> "RuleOut":
        warnings = [WarningOut.of(warning, language) for warning in saved.warnings]
        return cls.of(saved.rule, language).model_copy(update={"warnings": warnings})


def _origin(rule: Rule) -> str:
    """It comes with Foliot, stands in the place of one that does, or is a user's own."""
    if not rule.version:
        return "foliot"
    return "changed" if rule.namespace is None and rule.name in BUILT_IN else "user"


class RulesOut(Listed):
    """Rules: of the cluster, then of namespaces, by name."""

    items: list[RuleOut]


class TryRule(ApiInput):
    """Of what a rule is asked, to see whether it would fire."""

    run: str = Field(max_length=40, examples=["r-8k2f"])
    rule: RuleDocument | None = Field(None, description="Asked in the place of the saved one.")


class RuleTestOut(ApiOutput):
    """Whether a rule would fire for a run, and why."""

    would_fire: bool
    why: list[str] = Field(description="Each thing that the rule asks, and the answer.")
    to: list[str] = Field(description="The channels that it would tell.")

    @classmethod
    def of(cls, trial: RuleTrial, language: Language) -> "RuleTestOut":
        why = [trial_sentence(step.key, step.is_so, step.said, language) for step in trial.steps]
        return cls(would_fire=trial.would_fire, why=why, to=list(trial.to))


class ApplyAlerts(ApiInput):
    """Channels, rules, checks and schedules of reports as a file says them, by name."""

    channels: dict[str, Any] = Field(default_factory=dict, examples=[{"mail": {"email": {"to": "a@example.com"}}}])
    rules: dict[str, Any] = Field(default_factory=dict, examples=[{"night-failures": {"when": "failed 2 of 3"}}])
    checks: dict[str, Any] = Field(default_factory=dict, examples=[{"nightly-backup": {"every": "1d"}}])
    reports: dict[str, Any] = Field(default_factory=dict, examples=[{"morning": {"at": "08:00", "to": ["mail"]}}])
    dry_run: bool = Field(default=False, description="Only say what would change.")
    reason: Reason = ""


class AppliedEntryOut(ApiOutput):
    """What became of one entry of a file."""

    sort: str = one_of("channel", "rule", "check", "report")
    name: str
    namespace: str | None
    change: str = one_of("created", "changed", "same")
    version: int = Field(description="Afterwards.")
    changes: list[ChangeOut]
    warnings: list[WarningOut]

    @classmethod
    def of(cls, entry: AppliedEntry, language: Language) -> "AppliedEntryOut":
        return cls(
            sort=str(entry.sort),
            name=entry.name,
            namespace=entry.namespace,
            change=str(entry.change),
            version=entry.version,
            changes=[ChangeOut.of(change) for change in entry.changes],
            warnings=[WarningOut.of(warning, language) for warning in entry.warnings],
        )


class AppliedOut(ApiOutput):
    """What a file changed, or with `dry_run` would change."""

    dry_run: bool
    items: list[AppliedEntryOut]
