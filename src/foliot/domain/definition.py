"""The document of a definition: the form it has in job files, in the store and in its hash.

    description, owner, group, tags                         run: {python: "billing.jobs:settle"}   merge: {python: ...}
    schedule: {cron: "0 2 * * *", tz: Asia/Shanghai}        a mapping or a list; `timezone` where it names no tz
    params: {dry_run: false}                                shards: 16
    timeout: 30m   grace: 10s   start_within: 1m            isolation: process   exclusive: true
    retries: {max: 3, backoff: 30s..10m, jitter: true, on: [ConnectionError], budget_per_hour: 100}      or just 3
    overlap: queue                                          on_lost: fail   max_lost: 3
    misfire: {latest: 6h}, {all: 1d, limit: 100} or skip
    place: {require: {zone: cn-east}, concurrency: {settle-db: 4}, max_running: 2, priority: 7}
    alert: {on: [failed, late 10m, slower p95*2], after: 2 in 24h, recover: true, to: [oncall]}

Canonical: what is as usual is left out, so two ways to write one definition have one document and one hash.
"""

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from foliot.domain.bounds import check_definition
from foliot.domain.errors import BadField, InvalidInput
from foliot.domain.instants import Micros, format_duration
from foliot.domain.job import DEFAULT_GROUP, Definition, Isolation, OnLost
from foliot.domain.payload import canonical_json as canonical_json  # noqa: PLC0414  it belongs to the hash
from foliot.domain.policies.alert import alert_from, written_alert
from foliot.domain.policies.misfire import Misfire, MisfireMode
from foliot.domain.policies.overlap import Overlap
from foliot.domain.policies.retry import RetryPolicy, format_backoff, parse_backoff
from foliot.domain.reading import duration, mapping, name, parsed, text, texts, truth, whole, word
from foliot.domain.schedule import Calendar, Schedule, schedule_from_document

_USUAL: Final = Definition(handler="")
_FIELDS: Final = (
    "description", "owner", "group", "tags", "run", "merge", "schedule", "timezone", "params", "shards", "timeout",
    "grace", "start_within", "isolation", "exclusive", "retries", "overlap", "misfire", "on_lost", "max_lost", "place",
    "alert",
)  # fmt: skip
_RETRIES: Final = ("max", "backoff", "jitter", "on", "budget_per_hour")
_MISFIRE: Final = ("latest", "all", "limit")
_PLACE: Final = ("require", "concurrency", "max_running", "priority")


def definition_hash(definition: Definition) -> str:
    """What tells two definitions apart: sha256 of the canonical document, in hexadecimal."""
    return hashlib.sha256(canonical_json(to_document(definition)).encode()).hexdigest()


def to_document(definition: Definition) -> dict[str, Any]:
    """The canonical document."""
    document = {
        "description": definition.description,
        "owner": definition.owner,
        "group": definition.group if definition.group != DEFAULT_GROUP else None,
        "tags": dict(definition.tags),
        "run": _written_handler(definition.handler),
        "merge": None if definition.merge is None else _written_handler(definition.merge),
        "schedule": None if definition.schedule is None else definition.schedule.to_document(),
        "params": dict(definition.params),
        "shards": definition.shards,
        "timeout": None if definition.timeout_us is None else format_duration(definition.timeout_us),
        "grace": _unusual_duration(definition.grace_us, _USUAL.grace_us),
        "start_within": _unusual_duration(definition.start_within_us, _USUAL.start_within_us),
        "isolation": definition.isolation and definition.isolation.value,
        "exclusive": definition.exclusive,
        "retries": _written_retries(definition.retry),
        "overlap": _unusual(definition.overlap, _usual_overlap(definition.schedule)),
        "misfire": _written_misfire(definition.misfire),
        "on_lost": _unusual(definition.on_lost, _USUAL.on_lost),
        "max_lost": definition.max_lost if definition.max_lost != _USUAL.max_lost else None,
        "place": _written_place(definition),
        "alert": written_alert(definition.alert),
    }
    return {field: value for field, value in document.items() if value}


def from_document(document: Any, *, job: str = "", calendars: Mapping[str, Calendar] = {}) -> Definition:
    """Read and check a definition. `job` is the job's name (it places `H` in a cron expression).

    What is not known or not allowed raises `InvalidInput` that names the field: `place.priority`, `retries.backoff`.
    """
    fields = mapping(document, "", _FIELDS)
    schedule = _schedule(fields, job, calendars)
    place = mapping(fields.get("place"), "place", _PLACE)
    definition = Definition(
        handler=_handler(fields, "run") or _missing_run(),
        schedule=schedule,
        group=name(text(fields, "group", _USUAL.group)),
        params=mapping(fields.get("params"), "params"),
        priority=whole(place, "priority", _USUAL.priority, "place.priority"),
        timeout_us=duration(fields, "timeout"),
        grace_us=duration(fields, "grace", _USUAL.grace_us),
        start_within_us=duration(fields, "start_within", _USUAL.start_within_us),
        retry=_retries(fields.get("retries")),
        overlap=word(Overlap, fields, "overlap", _usual_overlap(schedule)),
        misfire=_misfire(fields.get("misfire")),
        on_lost=word(OnLost, fields, "on_lost", _USUAL.on_lost),
        max_lost=whole(fields, "max_lost", _USUAL.max_lost),
        exclusive=truth(fields, "exclusive", False),
        isolation=word(Isolation, fields, "isolation", None),
        require=texts(place.get("require"), "place.require"),
        max_running=whole(place, "max_running", None, "place.max_running"),
        limits={
            name(resource): whole({"most": most}, "most", 1, f"place.concurrency.{resource}")
            for resource, most in mapping(place.get("concurrency"), "place.concurrency").items()
        },
        shards=whole(fields, "shards", 0),
        merge=_handler(fields, "merge"),
        description=text(fields, "description", ""),
        owner=text(fields, "owner", ""),
        tags=texts(fields.get("tags"), "tags"),
        alert=alert_from(fields.get("alert")),
    )
    check_definition(definition)
    return definition


def of_ending(document: Any) -> Definition:
    """How often a run goes again, by a definition of which other fields cannot be read here."""
    fields = mapping(document, "")
    known = {field: fields[field] for field in ("retries", "max_lost") if field in fields}
    return from_document({"run": {"python": "nobody:nothing"}, **known})


# ------------------------------------------------------------------------------------------------------------ reading


def _schedule(fields: Mapping[str, Any], job: str, calendars: Mapping[str, Calendar]) -> Schedule | None:
    written = fields.get("schedule")
    if written is None:
        return None
    try:
        return schedule_from_document(written, calendars=calendars, job=job, tz=text(fields, "timezone", "UTC"))
    except InvalidInput as error:
        error.data.setdefault("path", "schedule")
        raise


def _retries(written: Any) -> RetryPolicy:
    if written is None:
        return _USUAL.retry
    if isinstance(written, int):
        return RetryPolicy(max=whole({"max": written}, "max", 0, "retries"))
    fields = mapping(written, "retries", _RETRIES)
    usual = _USUAL.retry
    backoff, on = fields.get("backoff"), fields.get("on") or ()
    errors = on if isinstance(on, list | tuple) else (on,)
    return RetryPolicy(
        max=whole(fields, "max", usual.max, "retries.max"),
        backoff=usual.backoff if backoff is None else parsed(parse_backoff, backoff, "retries.backoff"),
        jitter=truth(fields, "jitter", usual.jitter, "retries.jitter"),
        on=tuple(text({"on": error}, "on", "", "retries.on") for error in errors),
        budget_per_hour=whole(fields, "budget_per_hour", None, "retries.budget_per_hour"),
    )


def _misfire(written: Any) -> Misfire:
    if written is None:
        return _USUAL.misfire
    if isinstance(written, str):
        return Misfire(mode=word(MisfireMode, {"misfire": written}, "misfire", MisfireMode.LATEST))
    fields = mapping(written, "misfire", _MISFIRE)
    modes = [mode for mode in (MisfireMode.LATEST, MisfireMode.ALL) if mode in fields]
    if len(modes) != 1 or ("limit" in fields and modes[0] is MisfireMode.LATEST):
        raise BadField("misfire", "it is not one policy", hint="write {latest: 6h}, {all: 1d, limit: 100} or skip")
    mode = modes[0]
    within_us = duration(fields, mode.value, _USUAL.misfire.within_us, f"misfire.{mode}")
    return Misfire(mode=mode, within_us=within_us, limit=whole(fields, "limit", _USUAL.misfire.limit, "misfire.limit"))


def _usual_overlap(schedule: Schedule | None) -> Overlap:
    return Overlap.SKIP if schedule is not None else Overlap.ALLOW


def _handler(fields: Mapping[str, Any], field: str) -> str | None:
    """`{python: "billing.jobs:settle"}` becomes `python:billing.jobs:settle`."""
    written = fields.get(field)
    if written is None:
        return None
    if not isinstance(written, Mapping) or len(written) != 1:
        raise BadField(field, "it is not one kind and its name", hint='write {python: "billing.jobs:settle"}')
    ((kind, called),) = written.items()
    if not isinstance(called, str):
        raise BadField(f"{field}.{kind}", "it is not text", hint='write {python: "billing.jobs:settle"}')
    return f"{kind}:{called}"


def _missing_run() -> str:
    raise BadField("run", "it is missing", hint='write run: {python: "billing.jobs:settle"}')


# ------------------------------------------------------------------------------------------------------------ writing


def _written_handler(handler: str) -> dict[str, str]:
    kind, _, called = handler.partition(":")
    return {kind: called}


def _written_retries(retry: RetryPolicy) -> dict[str, Any]:
    usual = _USUAL.retry
    written = {
        "max": retry.max or None,
        "backoff": format_backoff(retry.backoff) if retry.backoff != usual.backoff else None,
        "jitter": None if retry.jitter else False,
        "on": list(retry.on) or None,
        "budget_per_hour": retry.budget_per_hour,
    }
    return {field: value for field, value in written.items() if value is not None}


def _written_misfire(misfire: Misfire) -> dict[str, Any] | str | None:
    if misfire.mode is MisfireMode.SKIP:
        return MisfireMode.SKIP.value
    if misfire.mode is MisfireMode.LATEST:
        within = _unusual_duration(misfire.within_us, _USUAL.misfire.within_us)
        return None if within is None else {"latest": within}
    limit = {} if misfire.limit == _USUAL.misfire.limit else {"limit": misfire.limit}
    return {"all": format_duration(misfire.within_us), **limit}


def _written_place(definition: Definition) -> dict[str, Any]:
    written = {
        "require": dict(definition.require) or None,
        "concurrency": dict(definition.limits) or None,
        "max_running": definition.max_running,
        "priority": definition.priority if definition.priority != _USUAL.priority else None,
    }
    return {field: value for field, value in written.items() if value is not None}


def _unusual(word: StrEnum, usual: StrEnum) -> str | None:
    return None if word is usual else word.value


def _unusual_duration(value_us: Micros, usual_us: Micros) -> str | None:
    return None if value_us == usual_us else format_duration(value_us)
