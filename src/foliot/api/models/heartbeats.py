"""Checks of jobs outside of Foliot as JSON."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from foliot.api.models.common import ApiInput, ApiOutput, Listed, Moment, Reason, moment, one_of, seconds
from foliot.api.models.jobs import WarningOut
from foliot.api.models.states import CheckWord
from foliot.domain.heartbeats.check import CheckState, CheckTrouble, PingKind
from foliot.domain.heartbeats.document import written_check
from foliot.domain.texts import NAME_BYTES_MAX
from foliot.operations.heartbeats import SavedCheck
from foliot.ports.store.heartbeats import PingRow, WatchedCheck
from foliot.words.heartbeats import check_sentence
from foliot.words.language import Language

STATES = tuple(str(state) for state in CheckState)
KINDS = tuple(str(kind) for kind in PingKind)
TROUBLES = tuple(str(trouble) for trouble in CheckTrouble)
TEXT_MAX = 100_000

CheckDocument = Annotated[
    dict[str, Any],
    Field(
        description="The check, in the form of files: every or cron (with timezone), grace, longest, owner, "
        "description, runbook, level, to, tags.",
        examples=[{"cron": "0 2 * * *", "timezone": "Europe/Berlin", "grace": "30m", "to": ["oncall"]}],
    ),
]


class NewCheck(ApiInput):
    """A new check."""

    name: str = Field(max_length=NAME_BYTES_MAX, examples=["nightly-backup"])
    check: CheckDocument
    reason: Reason = ""


class CheckIn(ApiInput):
    """A check as a whole."""

    check: CheckDocument
    reason: Reason = ""


class PauseCheck(ApiInput):
    """Why it is not waited for."""

    reason: Reason = ""


class ResumeCheck(ApiInput):
    """Why it is waited for again."""

    reason: Reason = ""


class PingIn(ApiInput):
    """What something outside of Foliot says of itself. What else a body says is passed over: webhooks may ping."""

    model_config = ConfigDict(extra="ignore", strict=True)

    text: str = Field("", max_length=TEXT_MAX, description="A note; of a long one the last 2000 bytes are kept.")
    exit_code: int | None = Field(None, ge=-(2**31) + 1, le=2**31 - 1)


class CheckOut(ApiOutput):
    """A check: what is waited for, what was heard of it, and how it is now."""

    name: str = Field(examples=["nightly-backup"])
    namespace: str
    version: int
    state: CheckWord
    trouble: str | None = Field(None, json_schema_extra={"enum": [*TROUBLES, None]}, description="Why it is down.")
    in_words: str = Field(description="How it is, in words.")
    check: CheckDocument
    is_paused: bool
    pings: int = Field(description="How many came so far.")
    last_at: Moment | None = Field(None, description="The last ping.")
    last_kind: str | None = Field(None, json_schema_extra={"enum": [*KINDS, None]})
    last_text: str = ""
    exit_code: int | None = None
    ok_at: Moment | None = Field(None, description="The last `ok`.")
    started_at: Moment | None = Field(None, description="Of what runs now.")
    took: float | None = Field(None, description="Seconds from start to end, the last time.")
    due_at: Moment | None = Field(None, description="When it is to be heard of next.")
    deadline_at: Moment | None = Field(None, description="Heard of by then, or down.")
    down_since: Moment | None = None
    created_at: Moment | None = None
    updated_at: Moment | None = None
    updated_by: str = ""
    reason: str = ""
    warnings: list[WarningOut] = Field(default_factory=list, description="In the answer to a save.")

    @classmethod
    def of(cls, seen: WatchedCheck, language: Language) -> "CheckOut":
        check, heard, trouble = seen.check, seen.heard, seen.trouble
        return cls(
            name=check.name,
            namespace=check.namespace,
            version=check.version,
            state=str(seen.state),
            trouble=None if trouble is None else str(trouble),
            in_words=check_sentence(seen, language),
            check=written_check(check),
            is_paused=seen.is_paused,
            pings=heard.pings,
            last_at=moment(heard.last_at),
            last_kind=None if heard.last_kind is None else str(heard.last_kind),
            last_text=heard.last_text,
            exit_code=heard.exit_code,
            ok_at=moment(heard.ok_at),
            started_at=moment(heard.started_at),
            took=seconds(heard.took_us),
            due_at=moment(heard.due_at),
            deadline_at=moment(heard.deadline_at),
            down_since=None if trouble is None else moment(heard.alarm_at),
            created_at=moment(seen.created_at),
            updated_at=moment(seen.updated_at),
            updated_by=seen.updated_by,
            reason=seen.reason,
        )

    @classmethod
    def saved(cls, saved: SavedCheck, language: Language) -> "CheckOut":
        warnings = [WarningOut.of(warning, language) for warning in saved.warnings]
        return cls.of(saved.seen, language).model_copy(update={"warnings": warnings})


class ChecksOut(Listed):
    """Checks, by namespace and name."""

    items: list[CheckOut]


class PingOut(ApiOutput):
    """A ping that came."""

    number: int = Field(description="The how-manieth of its check.")
    at: Moment
    kind: str = one_of(*KINDS)
    text: str = ""
    exit_code: int | None = None
    took: float | None = Field(None, description="Seconds since its start, if that was heard of.")
    by: str = Field("", description="The name of the token.")

    @classmethod
    def of(cls, row: PingRow) -> "PingOut":
        return cls(
            number=row.number,
            at=moment(row.at) or "",
            kind=str(row.kind),
            text=row.text,
            exit_code=row.exit_code,
            took=seconds(row.took_us),
            by=row.by,
        )


class PingsOut(Listed):
    """The last pings of a check, newest first."""

    items: list[PingOut]


class HeardOut(ApiOutput):
    """How a check is after a ping. It says no more than a token for pings may know."""

    name: str
    namespace: str
    state: CheckWord
    due_at: Moment | None = None
    deadline_at: Moment | None = None

    @classmethod
    def of(cls, seen: WatchedCheck) -> "HeardOut":
        return cls(
            name=seen.check.name,
            namespace=seen.check.namespace,
            state=str(seen.state),
            due_at=moment(seen.heard.due_at),
            deadline_at=moment(seen.heard.deadline_at),
        )
