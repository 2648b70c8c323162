"""The form of a definition, for the OpenAPI document alone: `domain.definition` reads and judges what is sent."""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

Duration = Annotated[str | float, Field(description="`90s`, `15m`, `1h30m`, or a number of seconds.", examples=["30m"])]
Handler = Annotated[
    dict[str, str],
    Field(description="The kind and its name.", max_length=1, examples=[{"python": "billing.jobs:settle"}]),
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


class PlaceForm(_Form):
    """Where runs may be, and how many at once."""

    require: dict[str, str] | None = None
    concurrency: dict[str, int] | None = Field(None, examples=[{"settle-db": 4}])
    max_running: int | None = None
    priority: int | None = Field(None, description="1 to 10, 10 is most urgent.")


class DefinitionForm(_Form):
    """What a version of a job says, in the form of job files. Only `run` is needed."""

    run: Handler
    merge: Handler | None = None
    description: str | None = None
    owner: str | None = None
    group: str | None = None
    tags: dict[str, str] | None = None
    schedule: str | ScheduleForm | list[str | ScheduleForm] | None = None
    timezone: str | None = None
    params: dict[str, Any] | None = None
    shards: int | None = None
    timeout: Duration | None = None
    grace: Duration | None = None
    start_within: Duration | None = None
    isolation: Literal["loop", "process", "thread"] | None = None
    exclusive: bool | None = None
    retries: int | RetriesForm | None = None
    overlap: Literal["allow", "skip", "queue", "queue_all", "replace"] | None = None
    misfire: str | MisfireForm | None = None
    on_lost: Literal["rerun", "fail"] | None = None
    max_lost: int | None = None
    place: PlaceForm | None = None
    alert: dict[str, Any] | None = None


SCHEMA_MARK: Final = "x-foliot-form"
FORMS: Final[dict[str, type[BaseModel]]] = {"DefinitionForm": DefinitionForm}
"""What a field with `SCHEMA_MARK` refers to in the OpenAPI document."""
