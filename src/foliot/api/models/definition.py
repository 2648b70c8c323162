"""The form of a definition, for the OpenAPI document alone: `domain.definition` reads and judges what is sent."""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from foliot.domain import fields

Duration = Annotated[str | float, Field(description="`90s`, `15m`, `1h30m`, or a number of seconds.", examples=["30m"])]
Handler = Annotated[
    dict[str, Any],
    Field(description="A kind and its options.", max_length=1, examples=[{"python": "billing.jobs:settle"}]),
]


class _Form(BaseModel):
    model_config = ConfigDict(extra="allow")


class ScheduleForm(_Form):
    """When a job is due: one of `cron`, `every`, `at`, `daily`, `weekly`, and what goes with it."""

    cron: str | None = Field(None, examples=["0 2 * * *"])
    every: Duration | None = None
    at: str | list[str] | None = None
    daily: str | list[str] | None = Field(None, examples=["09:00"])
    weekly: str | list[str] | None = Field(None, examples=["MON-FRI"])
    tz: str | None = Field(None, examples=["Asia/Shanghai"])
    dialect: str | None = None
    phase: Duration | None = None
    anchor: str | None = None
    from_end: bool | None = None
    time: str | None = None
    every_days: int | None = None
    every_weeks: int | None = None
    since: str | None = None
    start: str | None = None
    end: str | None = None
    count: int | None = None
    jitter: Duration | None = None
    calendar: str | None = None
    shift: str | None = None
    dst_gap: str | None = None
    dst_overlap: str | None = None


class RetriesForm(_Form):
    """What follows a failed attempt."""

    max: int | None = None
    backoff: str | float | list[str | float] | None = Field(None, examples=["30s..10m"])
    jitter: bool | None = None
    on: str | list[str] | None = None
    budget_per_hour: int | None = None


class MisfireForm(_Form):
    """What becomes of missed instants."""

    latest: Duration | None = None
    all: Duration | None = None
    limit: int | None = None


class RouteForm(_Form):
    """Which of the fitting workers gets a run: the route, and the parameter that it goes by."""

    name: str = Field(examples=["consistent_hash"])
    by: str | None = Field(None, examples=["customer"])


class PreferenceForm(_Form):
    """A value of a label, and how much a worker with it is preferred."""

    value: str = Field(examples=["ssd"])
    weight: int | None = Field(None, examples=[5])


class DebounceForm(_Form):
    """Triggers that come together become one run after the last of them."""

    quiet: Duration
    at_most: Duration | None = None
    by: str | None = Field(None, examples=["customer"])


class ThrottleForm(_Form):
    """So many runs of triggers in a time."""

    rate: str = Field(examples=["1/10s"])
    by: str | None = Field(None, examples=["customer"])


_OF_KIND: Final[dict[str, Any]] = {
    "text": str,
    "texts": dict[str, str],
    "whole": int,
    "shards": int | Literal["each_worker"],
    "truth": bool,
    "duration": Duration,
    "mapping": dict[str, Any],
    "resources": Annotated[dict[str, int], Field(examples=[{"settle-db": 4}])],
    "handler": Handler,
    "schedule": str | ScheduleForm | list[str | ScheduleForm],
    "retries": int | RetriesForm,
    "misfire": str | MisfireForm,
    "route": str | RouteForm,
    "preferences": dict[str, str | PreferenceForm],
    "debounce": Duration | DebounceForm,
    "throttle": str | ThrottleForm,
    "rate": Annotated[str, Field(examples=["100/m"])],
}
"""What people write for a field, by the kind of its values in the table of fields."""


def _form_of(field: fields.JobField) -> Any:
    """The type of a field and its default, as pydantic makes a model of them."""
    written = Literal[field.kind.words] if field.kind.words else _OF_KIND[field.kind.called]
    if field.name == "run":
        return (written, ...)
    is_measured = field.kind in (fields.WHOLE, fields.SHARDS, fields.DURATION)
    description = f"{field.meaning[0].upper()}{field.meaning[1:]}: {field.check}." if is_measured else None
    return (written | None, Field(None, description=description))


PlaceForm = create_model(
    "PlaceForm",
    __base__=_Form,
    __doc__="Where runs may be, and how many at once.",
    **{name: _form_of(fields.BY_NAME[f"place.{name}"]) for name in fields.names_in("place")},
)
_OWN_FORM: Final[dict[str, Any]] = {"place": (PlaceForm | None, None)}

DefinitionForm = create_model(
    "DefinitionForm",
    __base__=_Form,
    __doc__="What a version of a job says, in the form of job files. Only `run` is needed.",
    **{name: _OWN_FORM.get(name) or _form_of(fields.BY_NAME[name]) for name in fields.names_in("")},
)

SCHEMA_MARK: Final = "x-foliot-form"
FORMS: Final[dict[str, type[BaseModel]]] = {"DefinitionForm": DefinitionForm}
"""What a field with `SCHEMA_MARK` refers to in the OpenAPI document."""
