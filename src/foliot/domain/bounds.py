"""Bounds: what a definition may say at most. Everything has a limit, and the refusal says which (SEC-23)."""

from collections.abc import Mapping
from typing import Final

from foliot.domain.errors import BadField, BadName, InvalidInput
from foliot.domain.instants import DAY, MILLISECOND, Micros, format_duration
from foliot.domain.job import PRIORITY_MAX, Definition, Isolation
from foliot.domain.names import check_label, check_name
from foliot.domain.payload import DEPTH_MAX, PARAMS_BYTES_MAX, json_text
from foliot.domain.policies.misfire import CATCH_UP_MAX, MISFIRE_AFTER, WITHIN_MAX, MisfireMode
from foliot.domain.policies.retry import DELAYS_MAX, PAUSE_MAX, RETRIES_MAX, BackoffKind, RetryPolicy

PRIORITY_MIN: Final = 1
TIMEOUT_MAX: Final[Micros] = 366 * DAY
GRACE_MAX: Final[Micros] = DAY
START_WITHIN_MIN: Final[Micros] = 100 * MILLISECOND
START_WITHIN_MAX: Final[Micros] = DAY
MAX_LOST_MAX: Final = 1000
SHARDS_MAX: Final = 10_000
RUNNING_MAX: Final = 100_000
RESOURCES_MAX: Final = 20
LABELS_MAX: Final = 50
HANDLER_BYTES_MAX: Final = 500
DESCRIPTION_BYTES_MAX: Final = 20_000
OWNER_BYTES_MAX: Final = 200
ERROR_NAMES_MAX: Final = 50
BUDGET_MAX: Final = 1_000_000


def check_definition(definition: Definition) -> None:
    """Refuse what is out of bounds or does not fit together; the error names the field as job files do."""
    _check_texts(definition)
    _check_numbers(definition)
    _check_retries(definition.retry)
    _check_misfire(definition)
    _check_place(definition)
    _check_together(definition)


def _check_texts(definition: Definition) -> None:
    _check_handler("run", definition.handler)
    if definition.merge is not None:
        _check_handler("merge", definition.merge)
    _check_name("group", "group", definition.group)
    _check_text("owner", definition.owner, OWNER_BYTES_MAX)
    _check_text("description", definition.description, DESCRIPTION_BYTES_MAX, is_one_line=False)
    _check_labels("tags", definition.tags)
    try:
        json_text(definition.params, bytes_max=PARAMS_BYTES_MAX, depth_max=DEPTH_MAX, what="params")
    except InvalidInput as error:
        raise BadField("params", error.sentence.rstrip("."), hint=error.hint) from error


def _check_numbers(definition: Definition) -> None:
    _check_between("place.priority", definition.priority, PRIORITY_MIN, PRIORITY_MAX)
    _check_between("max_lost", definition.max_lost, 1, MAX_LOST_MAX)
    _check_between("shards", definition.shards, 0, SHARDS_MAX)
    if definition.timeout_us is not None:
        _check_duration("timeout", definition.timeout_us, MILLISECOND, TIMEOUT_MAX)
    _check_duration("grace", definition.grace_us, 0, GRACE_MAX)
    _check_duration("start_within", definition.start_within_us, START_WITHIN_MIN, START_WITHIN_MAX)


def _check_retries(retry: RetryPolicy) -> None:
    backoff = retry.backoff
    _check_between("retries.max", retry.max, 0, RETRIES_MAX)
    if backoff.kind is BackoffKind.LIST:
        _check_between("retries.backoff", len(backoff.delays_us), 1, DELAYS_MAX)
        for delay_us in backoff.delays_us:
            _check_duration("retries.backoff", delay_us, 0, PAUSE_MAX)
    else:
        _check_duration("retries.backoff", backoff.first_us, 0, PAUSE_MAX)
        _check_duration("retries.backoff", backoff.cap_us, 0, PAUSE_MAX)
    if retry.budget_per_hour is not None:
        _check_between("retries.budget_per_hour", retry.budget_per_hour, 0, BUDGET_MAX)
    _check_between("retries.on", len(retry.on), 0, ERROR_NAMES_MAX)
    for name in retry.on:
        _check_text("retries.on", name, OWNER_BYTES_MAX)


def _check_misfire(definition: Definition) -> None:
    misfire = definition.misfire
    if misfire.mode is MisfireMode.SKIP:
        return
    if misfire.within_us < MISFIRE_AFTER:  # nothing younger counts as missed, so such a window would never catch up
        raise BadField(
            f"misfire.{misfire.mode}",
            f"{format_duration(misfire.within_us)} is shorter than {format_duration(MISFIRE_AFTER)}, "
            "before which no fire counts as missed",
            hint="write misfire: skip, or a longer time",
        )
    _check_duration(f"misfire.{misfire.mode}", misfire.within_us, MISFIRE_AFTER, WITHIN_MAX)
    _check_between("misfire.limit", misfire.limit, 1, CATCH_UP_MAX)


def _check_place(definition: Definition) -> None:
    _check_labels("place.require", definition.require)
    if definition.max_running is not None:
        _check_between("place.max_running", definition.max_running, 1, RUNNING_MAX)
    _check_between("place.concurrency", len(definition.limits), 0, RESOURCES_MAX)
    for name, most in definition.limits.items():
        _check_name("place.concurrency", "resource", name)
        _check_between(f"place.concurrency.{name}", most, 1, RUNNING_MAX)


def _check_together(definition: Definition) -> None:
    if definition.merge is not None and not definition.shards:
        raise BadField("merge", "there is nothing to merge without shards", hint="add shards: 16, or leave merge out")
    if not definition.exclusive:
        return
    if not definition.is_serial:
        raise BadField("exclusive", "runs side by side (overlap: allow) exclude nothing", hint="write overlap: queue")
    if definition.isolation in {Isolation.LOOP, Isolation.THREAD}:
        raise BadField(
            "isolation",
            f"a {definition.isolation} cannot be killed, and an exclusive job must be when its lease is in doubt",
            hint="write isolation: process",
        )


def _check_handler(path: str, handler: str) -> None:
    kind, _, name = handler.partition(":")
    if not kind.replace("_", "a").replace("-", "a").isalnum() or not kind.isascii() or not name:
        raise BadField(path, f'"{handler[:80]}" is not a kind and a name', hint='write {python: "billing.jobs:settle"}')
    _check_text(path, handler, HANDLER_BYTES_MAX)


def _check_labels(path: str, labels: Mapping[str, str]) -> None:
    _check_between(path, len(labels), 0, LABELS_MAX)
    for key, value in labels.items():
        _check_name(path, "label", key)
        try:
            check_label(value)
        except BadName as error:
            raise BadField(f"{path}.{key}", error.sentence.rstrip("."), hint=error.hint) from error


def _check_name(path: str, kind: str, name: str) -> None:
    try:
        check_name(kind, name)
    except BadName as error:
        raise BadField(path, error.sentence.rstrip("."), hint=error.hint) from error


def _check_text(path: str, text: str, bytes_max: int, *, is_one_line: bool = True) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise BadField(path, "text holds half a character (a lone surrogate)", hint="remove it") from None
    if size > bytes_max:
        raise BadField(path, f"it has {size} bytes; the limit is {bytes_max}")
    if "\0" in text or (is_one_line and not text.isprintable()):
        raise BadField(path, "it holds an invisible character", hint="remove it")


def _check_between(path: str, value: int, least: int, most: int) -> None:
    if type(value) is not int or not least <= value <= most:
        raise BadField(path, f"{str(value)[:40]} is not a whole number from {least} to {most}")


def _check_duration(path: str, value_us: Micros, least: Micros, most: Micros) -> None:
    if not least <= value_us <= most:
        bounds = f"{format_duration(least)} to {format_duration(most)}"
        raise BadField(path, f"{format_duration(value_us)} is out of bounds", hint=f"from {bounds}")
