"""The document of a definition: the form it has in job files, in the store and in its hash.

    description, owner, group, tags                         run: {python: "billing.jobs:settle"}   merge: {python: ...}
    schedule: {cron: "0 2 * * *", tz: Asia/Shanghai}        a mapping or a list; `timezone` where it names no tz
    params: {dry_run: false}                                shards: 16
    parameters: {properties: {day: {type: string, format: date}}, required: [day]}       of what is no Python function
    timeout: 30m   grace: 10s   start_within: 1m            isolation: process   exclusive: true
    retries: {max: 3, backoff: 30s..10m, jitter: true, on: [ConnectionError], budget_per_hour: 100}      or just 3
    overlap: queue                                          on_lost: fail   max_lost: 3
    debounce: {quiet: 10s, at_most: 1m, by: customer}       throttle: {rate: 1/10s, by: customer}
    misfire: {latest: 6h}, {all: 1d, limit: 100} or skip
    place: {require: {zone: cn-east}, prefer: {disk: ssd}, concurrency: {settle-db: 4}, priority: 7,
            max_running: 2, max_waiting: 100}
    alert: {on: [failed, late 10m, slower p95*2], after: 2 in 24h, recover: true, to: [oncall]}

Canonical: what is as usual is left out, so two ways to write one definition have one document and one hash.
"""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from foliot.domain.bounds import check_together
from foliot.domain.document_values import mapping
from foliot.domain.errors import BadField, InvalidInput
from foliot.domain.fields import BY_NAME, FIELDS, JobField, names_in, usual_overlap
from foliot.domain.job import Definition
from foliot.domain.own_parameters import check_params
from foliot.domain.payload import canonical_json as canonical_json  # noqa: PLC0414  it belongs to the hash
from foliot.domain.schedule import Calendar, Schedule, schedule_from_document

_KNOWN: Final = dict.fromkeys(names_in(""))  # in order, and quick to look up
_KNOWN_IN_PLACE: Final = dict.fromkeys(names_in("place"))
_CHECKS: Final = {field.attribute: (field.name, field.check) for field in FIELDS if field.check is not None}
_WRITTEN: Final = tuple(
    (field.name.rpartition(".")[0], field.own_name, field.attribute, field.usual, field.kind.write)
    for field in FIELDS
    if field.name != "timezone"  # it is in `schedule`
)


def definition_hash(definition: Definition) -> str:
    """What tells two definitions apart: sha256 of the canonical document, in hexadecimal."""
    return hash_of(canonical_json(to_document(definition)))


def hash_of(document: str) -> str:
    """The same of a definition that is a canonical document already."""
    return hashlib.sha256(document.encode()).hexdigest()


def to_document(definition: Definition) -> dict[str, Any]:
    """The canonical document."""
    document: dict[str, Any] = {}
    for within, name, attribute, usual, write in _WRITTEN:
        value = getattr(definition, attribute)
        if value == usual and attribute != "overlap":
            continue
        written = write(value)
        if not written:
            continue
        if within:
            document.setdefault(within, {})[name] = written
        else:
            document[name] = written
    if definition.overlap is usual_overlap(definition.schedule):
        del document["overlap"]
    return document


def from_document(
    document: Any, *, job: str = "", calendars: Mapping[str, Calendar] = {}, is_saved: bool = False
) -> Definition:
    """Read and check a definition. `job` is the job's name (it places `H` in a cron expression).

    What is not known or not allowed raises `InvalidInput` that names the field: `place.priority`, `retries.backoff`.
    `is_saved`: what it says of parameters was checked when it was saved, by the limits of that day, and is not checked
    again. Without it this may take long: the check of a schema has many steps.
    """
    values = {field.attribute: field.kind.read(written, field.name) for field, written in _written_in(document)}
    tz = values.pop("timezone", "UTC")
    if "schedule" in values:
        values["schedule"] = _schedule(values["schedule"], tz, job, calendars)
    if "handler" not in values:
        raise BadField("run", "it is missing", hint='write run: {python: "billing.jobs:settle"}')
    values.setdefault("overlap", usual_overlap(values.get("schedule")))
    definition = Definition(**values)
    _check(definition, values, is_saved=is_saved)  # the usual values of the other fields are within their bounds
    return definition


def check_definition(definition: Definition) -> None:
    """Refuse what is out of bounds or does not fit together; the error names the field as job files do."""
    _check(definition, {attribute: getattr(definition, attribute) for attribute in _CHECKS})


def of_ending(document: Any) -> Definition:
    """How often a run goes again, by a definition of which other fields cannot be read here."""
    fields = mapping(document, "")
    known = {field: fields[field] for field in ("retries", "max_lost") if field in fields}
    return from_document({"run": {"python": "nobody:nothing"}, **known})


def _written_in(document: Any) -> Iterator[tuple[JobField, Any]]:
    """The fields that a document says something about."""
    for name, written in mapping(document, "", _KNOWN).items():
        if written is None:
            continue
        if name == "place":
            for part, inner in mapping(written, name, _KNOWN_IN_PLACE).items():
                if inner is not None:
                    yield BY_NAME[f"place.{part}"], inner
        else:
            yield BY_NAME[name], written


def _schedule(written: Any, tz: str, job: str, calendars: Mapping[str, Calendar]) -> Schedule:
    try:
        return schedule_from_document(written, calendars=calendars, job=job, tz=tz)
    except InvalidInput as error:
        error.data.setdefault("path", "schedule")
        raise


def _check(definition: Definition, values: Mapping[str, Any], *, is_saved: bool = False) -> None:
    for attribute, value in values.items():
        if is_saved and attribute == "parameters":
            continue
        path, check = _CHECKS.get(attribute, ("", None))
        if check is not None and (value is not None or BY_NAME[path].usual is not None):
            check(path, value)
    if not is_saved:
        check_params(definition)
    check_together(definition)
