"""The options of `@job`, from the words people write to a definition."""

import inspect
from collections.abc import Callable, Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Any, Literal, TypeAlias, TypeVar

from foliot.domain.errors import BadField
from foliot.domain.instants import parse_duration
from foliot.domain.job import (
    DEFAULT_GROUP,
    PRIORITY_DEFAULT,
    PRIORITY_MAX,
    Definition,
    Isolation,
    OnLost,
)
from foliot.domain.names import nearest
from foliot.domain.policies.misfire import Misfire
from foliot.domain.policies.overlap import Overlap
from foliot.domain.policies.retry import RetryPolicy
from foliot.domain.schedule import Schedule, schedule_from_document
from foliot.sdk.results import to_plain

Duration: TypeAlias = str | float | timedelta
Overlaps: TypeAlias = Literal["allow", "skip", "queue", "queue_all", "replace"]
Word = TypeVar("Word", bound=StrEnum)


def definition_of(
    function: Callable[..., Any],
    triggers: tuple[Schedule, ...],
    *,
    name: str,
    description: str | None = None,
    group: str = DEFAULT_GROUP,
    owner: str = "",
    tags: Mapping[str, str] | None = None,
    params: Mapping[str, Any] | None = None,
    retries: RetryPolicy | int = 0,
    timeout: Duration | None = None,
    grace: Duration = "10s",
    start_within: Duration = "1m",
    overlap: Overlaps | None = None,
    misfire: Misfire | None = None,
    on_lost: Literal["rerun", "fail"] = "rerun",
    max_lost: int = 3,
    exclusive: bool = False,
    isolation: Literal["loop", "process", "thread"] | None = None,
    priority: int = PRIORITY_DEFAULT,
    require: Mapping[str, str] | None = None,
    max_running: int | None = None,
    concurrency: Mapping[str, int] | None = None,
    shards: int = 0,
) -> Definition:
    """The definition these options say; `BadField` names one that is not allowed. The handler's name comes later."""
    return Definition(
        handler="",
        schedule=_united(triggers, name),
        group=group,
        params={name: to_plain(value, name, typed=True) for name, value in (params or {}).items()},
        priority=_between("priority", priority, 0, PRIORITY_MAX),
        timeout_us=None if timeout is None else parse_duration(timeout),
        grace_us=parse_duration(grace),
        start_within_us=parse_duration(start_within),
        retry=RetryPolicy(max=_between("retries", retries, 0, 1000)) if isinstance(retries, int) else retries,
        overlap=_word("overlap", Overlap, overlap or ("skip" if triggers else "allow")),
        misfire=misfire or Misfire(),
        on_lost=_word("on_lost", OnLost, on_lost),
        max_lost=_between("max_lost", max_lost, 1, 1000),
        exclusive=exclusive,
        isolation=_isolation(function, isolation),
        require=dict(require or {}),
        max_running=max_running,
        limits=dict(concurrency or {}),
        shards=_between("shards", shards, 0, 10_000),
        description=inspect.getdoc(function) or "" if description is None else description,
        owner=owner,
        tags=dict(tags or {}),
    )


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


def _isolation(function: Callable[..., Any], word: str | None) -> Isolation | None:
    isolation = None if word is None else _word("isolation", Isolation, word)
    if isolation is Isolation.LOOP and not inspect.iscoroutinefunction(function):
        raise BadField(
            "isolation",
            "a plain function would block the worker's loop",
            hint='write async def, or "process", "thread"',
        )
    return isolation


def _word(field: str, kind: type[Word], word: str) -> Word:
    try:
        return kind(word)
    except ValueError:
        words = [member.value for member in kind]
        meant = nearest(str(word), words)
        raise BadField(
            field,
            f'"{word}" is not one of {", ".join(words)}',
            hint=f"did you mean {meant}?" if meant else None,
        ) from None


def _between(field: str, value: int, least: int, most: int) -> int:
    if not (type(value) is int and least <= value <= most):
        raise BadField(field, f"{value!r} is not a whole number from {least} to {most}")
    return value
