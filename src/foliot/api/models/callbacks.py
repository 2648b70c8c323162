"""Callbacks as JSON: what a system that a run waits for sends."""

from typing import Annotated, Any, Literal

import msgspec
from pydantic import BeforeValidator, Field

from foliot.api.models.common import ApiInput, ApiOutput
from foliot.domain.errors import BadField
from foliot.domain.texts import NOTE_MAX
from foliot.operations.callbacks import Said

ERROR_MAX = 64 * 1024
_NUMBER_MAX = 2**53


def _in_capitals(written: Any) -> Any:
    return written.upper() if isinstance(written, str) else written


CallbackState = Literal["SUCCEEDED", "FAILED", "PROGRESS"]


class CallbackProgressIn(ApiInput):
    """How far the work is."""

    done: int = Field(ge=0, le=_NUMBER_MAX, examples=[3])
    total: int | None = Field(None, ge=0, le=_NUMBER_MAX, examples=[10])
    note: str = Field("", max_length=NOTE_MAX, pattern=r"^[^\x00]*$")


class CallbackIn(ApiInput):
    """How the work of a waiting run ended, or how far it is."""

    state: Annotated[CallbackState, BeforeValidator(_in_capitals)] = Field(description="In capitals or not.")
    result: Any = Field(None, description="Of SUCCEEDED and FAILED: the result of the run.")
    error: str | None = Field(None, max_length=ERROR_MAX, description="Of FAILED: what went wrong.")
    progress: CallbackProgressIn | None = Field(None, description="Of PROGRESS.")

    def said(self) -> Said:
        """The message for the operation; `BadField` when what it speaks of is missing."""
        if self.state == "PROGRESS" and self.progress is None:
            raise BadField("progress", "it is missing")
        return Said(
            state=self.state,
            result=None if self.result is None else msgspec.json.encode(self.result).decode(),
            error=self.error,
            progress=None if self.progress is None else self.progress.model_dump(),
        )


class CallbackOut(ApiOutput):
    """The message was taken; the same end sent again gets the same answer."""

    run: str = Field(examples=["r-8k2f"])
    state: CallbackState
