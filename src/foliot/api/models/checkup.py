"""Checkups as JSON."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Body
from pydantic import Field

from foliot.api.models.common import ApiInput, ApiOutput, Moment, Reason, moment, one_of
from foliot.domain.checkup import Finding, Grade
from foliot.domain.checkup.findings import Family, Unit
from foliot.operations.checkup import Checkup, FixDone
from foliot.words.checkup import check_title, finding_hint, finding_sentence, fix_sentence, fix_title
from foliot.words.language import Language

GradeWord = Annotated[str, one_of(*Grade)]


class FindingOut(ApiOutput):
    """What one check found."""

    check: str = Field(examples=["database.latency"])
    family: Annotated[str, one_of(*Family)]
    title: str
    level: GradeWord = Field(description="`UNKNOWN` when it could not be measured.")
    value: float | None = Field(description="What was measured; of several, the worst.")
    unit: Annotated[str, one_of(*Unit)]
    threshold: float | None = Field(description="Where this level begins; of a good value, where it ends.")
    subject: str | None = Field(description="The node, table, lane, job or token that it is about.")
    others: int = Field(description="How many more are not well.")
    message: str
    hint: str | None = Field(description="The next step.")
    fix: str | None = Field(description="The safe repair that may help: `POST /api/v1/cluster/doctor:fix`.")

    @classmethod
    def of(cls, finding: Finding, language: Language) -> "FindingOut":
        return cls(
            check=finding.check,
            family=finding.family,
            title=check_title(finding.check, language),
            level=finding.grade,
            value=finding.value,
            unit=finding.unit,
            threshold=finding.threshold,
            subject=finding.subject or None,
            others=finding.others,
            message=finding_sentence(finding, language),
            hint=finding_hint(finding, language),
            fix=finding.fix,
        )


class CheckupOut(ApiOutput):
    """What the checks found, family by family, the worst of each family first."""

    at: Moment
    level: GradeWord = Field(description="The worst of all findings.")
    findings: list[FindingOut]

    @classmethod
    def of(cls, checkup: Checkup, language: Language) -> "CheckupOut":
        findings = [FindingOut.of(finding, language) for finding in checkup.findings]
        return cls(at=moment(checkup.at) or "", level=checkup.grade, findings=findings)


class FixCluster(ApiInput):
    """Why it is repaired."""

    reason: Reason = ""


MaybeFixCluster = Annotated[FixCluster, Body(default_factory=FixCluster)]


class FixOut(ApiOutput):
    """A safe repair and what it changed."""

    fix: str = Field(examples=["limits"])
    title: str
    count: int
    is_done: bool
    message: str

    @classmethod
    def of(cls, done: FixDone, language: Language) -> "FixOut":
        return cls(
            fix=done.name,
            title=fix_title(done.name, language),
            count=done.changed,
            is_done=done.why is None,
            message=fix_sentence(done.name, done.changed, done.why, language),
        )


class FixedOut(ApiOutput):
    """What the safe repairs changed."""

    fixes: list[FixOut]

    @classmethod
    def of(cls, done: Sequence[FixDone], language: Language) -> "FixedOut":
        return cls(fixes=[FixOut.of(one, language) for one in done])
