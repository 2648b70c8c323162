"""The options of `@job`, from the words people write to a definition."""

import inspect
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Literal, TypeAlias

from foliot.domain.bounds import check_definition
from foliot.domain.errors import BadField, UnknownField
from foliot.domain.instants import parse_duration
from foliot.domain.job import DEFAULT_GROUP, PRIORITY_DEFAULT, Definition, Isolation, OnLost
from foliot.domain.names import nearest
from foliot.domain.policies.alert import alert_from
from foliot.domain.policies.misfire import Misfire
from foliot.domain.policies.overlap import Overlap
from foliot.domain.policies.retry import RetryPolicy
from foliot.domain.reading import word
from foliot.domain.schedule import Schedule, schedule_from_document
from foliot.sdk.results import to_plain

Duration: TypeAlias = str | float | timedelta
Overlaps: TypeAlias = Literal["allow", "skip", "queue", "queue_all", "replace"]


def definition_of(
    function: Callable[..., Any],
    triggers: tuple[Schedule, ...],
    *,
    name: str,
    handler: str,
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
    alert: Mapping[str, Any] | None = None,
) -> Definition:
    """The definition these options say; `BadField` names one that is not allowed."""
    definition = Definition(
        handler=handler,
        schedule=_united(triggers, name),
        group=group,
        params={key: to_plain(value, key, typed=True) for key, value in (params or {}).items()},
        priority=priority,
        timeout_us=None if timeout is None else parse_duration(timeout),
        grace_us=parse_duration(grace),
        start_within_us=parse_duration(start_within),
        retry=retries if isinstance(retries, RetryPolicy) else RetryPolicy(max=retries),
        overlap=word(Overlap, {"overlap": overlap}, "overlap", Overlap.SKIP if triggers else Overlap.ALLOW),
        misfire=misfire or Misfire(),
        on_lost=word(OnLost, {"on_lost": on_lost}, "on_lost", OnLost.RERUN),
        max_lost=max_lost,
        exclusive=exclusive,
        isolation=_isolation(function, isolation),
        require=dict(require or {}),
        max_running=max_running,
        limits=dict(concurrency or {}),
        shards=shards,
        description=inspect.getdoc(function) or "" if description is None else description,
        owner=owner,
        tags=dict(tags or {}),
        alert=alert_from(alert),
    )
    check_definition(definition)
    return definition


def check_options(given: Mapping[str, Any]) -> None:
    """`UnknownField` for a word that is no option of a job."""
    known = tuple(inspect.signature(definition_of).parameters)[4:]
    for option in given:
        if option not in known:
            raise UnknownField(option, nearest=nearest(option, known), known=known)


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


def _isolation(function: Callable[..., Any], written: str | None) -> Isolation | None:
    isolation: Isolation | None = word(Isolation, {"isolation": written}, "isolation", None)
    if isolation is Isolation.LOOP and not inspect.iscoroutinefunction(function):
        raise BadField(
            "isolation",
            "a plain function would block the worker's loop",
            hint='write async def, or "process", "thread"',
        )
    return isolation
