"""Pieces of every model."""

from typing import Annotated, Any, Final, Generic, TypeVar
from urllib.parse import quote, urlencode

from pydantic import BaseModel, ConfigDict, Field

from foliot.domain.instants import SECOND, Instant, Micros, isoformat
from foliot.domain.texts import NAME_BYTES_MAX, REASON_BYTES_MAX

T = TypeVar("T")
PREFIX: Final = "/api/v1"

Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"}, examples=["2026-03-02T06:02:20Z"])]
"""RFC 3339 in UTC."""
Seconds = Annotated[float, Field(examples=[4.25])]
Name = Annotated[str, Field(min_length=1, max_length=NAME_BYTES_MAX, examples=["settle"])]
Reason = Annotated[str, Field(max_length=REASON_BYTES_MAX, examples=["month end"])]


def one_of(*words: str) -> Any:
    """Text that is one of these words, for the schema."""
    return Field(json_schema_extra={"enum": list(words)})


class ApiInput(BaseModel):
    """What somebody sends."""

    model_config = ConfigDict(extra="forbid", strict=True, str_strip_whitespace=False)


class ApiOutput(BaseModel):
    """What is answered."""

    model_config = ConfigDict(extra="forbid")


class ErrorItem(ApiOutput):
    """One thing that is wrong, and where."""

    path: str
    message: str
    code: str = ""


class Problem(ApiOutput):
    """An error (RFC 9457)."""

    type: str = Field(examples=["urn:foliot:error:FOL-2001"])
    title: str = Field(examples=["No job has this name"])
    status: int = Field(examples=[404])
    detail: str = Field(examples=['No job "gret" in namespace "default".'])
    instance: str = Field(examples=["/api/v1/jobs/gret"])
    code: str = Field(examples=["FOL-2001"])
    trace_id: str
    hint: str | None = Field(None, examples=["did you mean greet?"])
    errors: list[ErrorItem] | None = None
    nearest: str | None = None
    current: dict[str, Any] | None = None
    changes: list[dict[str, Any]] | None = None


class Listed(ApiOutput):
    """A list that is given as a whole, or with `limit` page by page."""

    next_cursor: str | None = Field(None, description="Of a page: where the next one begins.")


class Page(ApiOutput, Generic[T]):
    """One page of a list. With a `next_cursor` there may be more, even when the page is short."""

    items: list[T]
    next_cursor: str | None = None


def located(*path: str, **query: str) -> str:
    """An address of this API for `Location`: letters that a header cannot carry are written as their bytes."""
    return "/".join([PREFIX, *(quote(part, safe="") for part in path)]) + (f"?{urlencode(query)}" if query else "")


def moment(instant: Instant | None) -> str | None:
    """An instant as the API writes it."""
    return None if instant is None else isoformat(instant)


def seconds(micros: Micros | None) -> float | None:
    """A duration as the API writes it."""
    return None if micros is None else micros / SECOND
