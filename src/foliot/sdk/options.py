"""The options of `@job`, from the words people write to a definition."""

import inspect
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Literal, TypeAlias

from foliot.domain.definition import check_definition
from foliot.domain.document_values import word
from foliot.domain.errors import BadField
from foliot.domain.fields import OPTIONS, JobField, usual_overlap
from foliot.domain.handler import JobHandler
from foliot.domain.job import Definition, Isolation
from foliot.domain.own_parameters import read_own_parameters
from foliot.domain.schedule import Schedule, schedule_from_document
from foliot.sdk.results import to_plain

Duration: TypeAlias = str | float | timedelta
Overlaps: TypeAlias = Literal["allow", "skip", "queue", "queue_all", "replace"]


def definition_of(
    function: Callable[..., Any] | None,
    triggers: tuple[Schedule, ...],
    *,
    name: str,
    handler: JobHandler,
    params: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    description: str | None = None,
    isolation: str | None = None,
    **options: Any,
) -> Definition:
    """The definition these options of `@job` say; `BadField` names one that is not allowed.

    The table of fields says how an option is taken. Named here are those that depend on the function; None: a job that
    is none.
    """
    schedule = _united(triggers, name)
    values: dict[str, Any] = {
        "handler": handler,
        "schedule": schedule,
        "overlap": usual_overlap(schedule),
        "params": {key: to_plain(value, key, typed=True) for key, value in (params or {}).items()},
        "parameters": read_own_parameters(parameters, "parameters"),
        "description": _description(function, description),
        "isolation": _isolation(function, isolation),
    }
    for option, given in options.items():
        field = OPTIONS[option]
        if given is None and _none_is_usual(field):
            continue
        values[field.attribute] = field.kind.take(given, option)
    definition = Definition(**values)
    check_definition(definition)
    return definition


def _none_is_usual(field: JobField) -> bool:
    """Whether `None` stands for the usual value: of a number or a text it does not."""
    return bool(field.kind.words) or not isinstance(field.usual, int | str)


def _united(triggers: tuple[Schedule, ...], job: str) -> Schedule | None:
    """One schedule of several, read again with the job's name, which places an H in a cron expression."""
    if not triggers:
        return None
    entries: list[Any] = []
    for trigger in triggers:
        if not isinstance(trigger, Schedule):
            raise BadField(
                "schedule", f"{trigger!r} is not a trigger", hint='@job(every("15m")), @job(cron("0 2 * * *"))'
            )
        written = trigger.to_document()
        entries += written if isinstance(written, list) else [written]
    return schedule_from_document(entries, job=job)


def _description(function: Callable[..., Any] | None, written: str | None) -> str:
    if written is None and function is not None:
        written = inspect.getdoc(function)
    return written or ""


def _isolation(function: Callable[..., Any] | None, written: str | None) -> Isolation | None:
    isolation = None if written is None else word(Isolation, written, "isolation")
    if function is not None and isolation is Isolation.LOOP and not inspect.iscoroutinefunction(function):
        raise BadField(
            "isolation",
            "a plain function would block the worker's loop",
            hint='write async def, or "process", "thread"',
        )
    return isolation
