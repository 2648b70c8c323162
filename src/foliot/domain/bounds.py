"""Bounds: what the fields of a definition may say at most. Everything has a limit, and the refusal says which (SEC-23).

A bound is called with the path of a field, as job files write it, and its value. Its text is for the reference page.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from foliot.domain.errors import BadField, BadName, InvalidInput
from foliot.domain.handler import PYTHON
from foliot.domain.instants import DAY, MILLISECOND, SECOND, Micros, format_duration
from foliot.domain.job import EACH_WORKER, Definition, Isolation, Shards
from foliot.domain.limits import LimitTooSmall
from foliot.domain.names import check_label, check_name
from foliot.domain.payload import DEPTH_MAX, PARAMS_BYTES_MAX, json_text
from foliot.domain.policies.misfire import CATCH_UP_MAX, MISFIRE_AFTER, WITHIN_MAX, Misfire, MisfireMode
from foliot.domain.policies.retry import DELAYS_MAX, PAUSE_MAX, RETRIES_MAX, BackoffKind, RetryPolicy
from foliot.domain.policies.windows import Debounce, TriggerRate
from foliot.domain.routing.wishes import WEIGHT_MAX, Preference, check_wishes
from foliot.domain.texts import NAME_BYTES_MAX

PRIORITY_MIN: Final = 1
SHARDS_MAX: Final = 10_000
RUNNING_MAX: Final = 100_000
TAKES_MAX: Final = 100  # a lane names a limit once for each token
WAITING_MAX: Final = 10_000  # each trigger of a limited job looks at so many rows at most
RESOURCES_MAX: Final = 20
LABELS_MAX: Final = 50
ERROR_NAMES_MAX: Final = 50
BUDGET_MAX: Final = 1_000_000


class Bound(Protocol):
    """Refuses a value of a field that is out of bounds."""

    def __call__(self, path: str, value: Any, /) -> None: ...


@dataclass(frozen=True, slots=True)
class Between:
    """A whole number from `least` to `most`."""

    least: int
    most: int

    def __call__(self, path: str, value: int) -> None:
        if type(value) is not int or not self.least <= value <= self.most:
            raise BadField(path, f"{str(value)[:40]} is not a whole number from {self}")

    def __str__(self) -> str:
        return f"{self.least} to {self.most}"


@dataclass(frozen=True, slots=True)
class ShardCount:
    """So many shards, or one for each worker."""

    most: int

    def __call__(self, path: str, value: Shards) -> None:
        if value != EACH_WORKER:
            Between(0, self.most)(path, value)

    def __str__(self) -> str:
        return f"{Between(0, self.most)}, or `{EACH_WORKER}`"


@dataclass(frozen=True, slots=True)
class Lasting:
    """A duration from `least` to `most`."""

    least: Micros
    most: Micros

    def __call__(self, path: str, value_us: Micros) -> None:
        if not self.least <= value_us <= self.most:
            raise BadField(path, f"{format_duration(value_us)} is out of bounds", hint=f"from {self}")

    def __str__(self) -> str:
        return f"{format_duration(self.least)} to {format_duration(self.most)}"


@dataclass(frozen=True, slots=True)
class Text:
    """Text that can be kept and shown."""

    bytes_max: int
    is_one_line: bool = True

    def __call__(self, path: str, text: str) -> None:
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            raise BadField(path, "text holds half a character (a lone surrogate)", hint="remove it") from None
        if size > self.bytes_max:
            raise BadField(path, f"it has {size} bytes; the limit is {self.bytes_max}")
        if "\0" in text or (self.is_one_line and not text.isprintable()):
            raise BadField(path, "it holds an invisible character", hint="remove it")

    def __str__(self) -> str:
        return f"up to {self.bytes_max} bytes"


@dataclass(frozen=True, slots=True)
class Named:
    """A name; `what` is the word for what it names."""

    what: str

    def __call__(self, path: str, name: str) -> None:
        try:
            check_name(self.what, name)
        except BadName as error:
            raise BadField(path, error.sentence.rstrip("."), hint=error.hint) from error

    def __str__(self) -> str:
        return "a name"


_LABEL: Final = Named("label")
_RESOURCE: Final = Named("resource")
_RETRIES: Final = Between(0, RETRIES_MAX)
_PAUSE: Final = Lasting(0, PAUSE_MAX)
_BUDGET: Final = Between(0, BUDGET_MAX)
_ERROR_NAME: Final = Text(NAME_BYTES_MAX)
_MISFIRE_WINDOW: Final = Lasting(MISFIRE_AFTER, WITHIN_MAX)
_CAUGHT_UP: Final = Between(1, CATCH_UP_MAX)
_QUIET: Final = Lasting(100 * MILLISECOND, DAY)
_AT_MOST: Final = Lasting(100 * MILLISECOND, 10 * DAY)
_THROTTLED: Final = Between(1, 10_000)
_PERIOD: Final = Lasting(SECOND, DAY)
_PARAMETER: Final = Text(NAME_BYTES_MAX)


def check_count(path: str, count: int, most: int, *, least: int = 0) -> None:
    """Refuse more entries than a field may have."""
    if not least <= count <= most:
        Between(least, most)(path, count)


@dataclass(frozen=True, slots=True)
class Labels:
    """Names with values."""

    most: int = LABELS_MAX

    def __call__(self, path: str, labels: Mapping[str, str]) -> None:
        check_count(path, len(labels), self.most)
        for key, value in labels.items():
            _LABEL(path, key)
            try:
                check_label(value)
            except BadName as error:
                raise BadField(f"{path}.{key}", error.sentence.rstrip("."), hint=error.hint) from error

    def __str__(self) -> str:
        return f"up to {self.most}"


@dataclass(frozen=True, slots=True)
class Preferences:
    """Names with values, and a weight for each."""

    def __call__(self, path: str, prefer: Mapping[str, Preference]) -> None:
        _LABELS(path, {label: wish.value for label, wish in prefer.items()})
        for label, wish in prefer.items():
            _WEIGHT(f"{path}.{label}.weight", wish.weight)

    def __str__(self) -> str:
        return f"up to {LABELS_MAX}, each with a weight {_WEIGHT}"


_LABELS: Final = Labels()
_WEIGHT: Final = Between(1, WEIGHT_MAX)


@dataclass(frozen=True, slots=True)
class Resources:
    """Named resources, and how many runs may hold each, or how much of each a run takes."""

    each: Between
    most: int = RESOURCES_MAX

    def __call__(self, path: str, limits: Mapping[str, int]) -> None:
        check_count(path, len(limits), self.most)
        for name, held in limits.items():
            _RESOURCE(path, name)
            self.each(f"{path}.{name}", held)

    def __str__(self) -> str:
        return f"up to {self.most}, each {self.each}"


HOLDERS: Final = Resources(Between(1, RUNNING_MAX))
TAKES: Final = Resources(Between(1, TAKES_MAX))


@dataclass(frozen=True, slots=True)
class Json:
    """A value that is kept as JSON."""

    bytes_max: int = PARAMS_BYTES_MAX

    def __call__(self, path: str, value: Any) -> None:
        try:
            json_text(value, bytes_max=self.bytes_max, depth_max=DEPTH_MAX, what=path)
        except InvalidInput as error:
            raise BadField(path, error.sentence.rstrip("."), hint=error.hint) from error

    def __str__(self) -> str:
        return f"up to {self.bytes_max // 1024} KiB as JSON"


def check_retries(path: str, retry: RetryPolicy) -> None:
    """Each number and pause of a retry policy."""
    backoff = retry.backoff
    _RETRIES(f"{path}.max", retry.max)
    if backoff.kind is BackoffKind.LIST:
        check_count(f"{path}.backoff", len(backoff.delays_us), DELAYS_MAX, least=1)
        pauses_us = backoff.delays_us
    else:
        pauses_us = (backoff.first_us, backoff.cap_us)
    for pause_us in pauses_us:
        _PAUSE(f"{path}.backoff", pause_us)
    if retry.budget_per_hour is not None:
        _BUDGET(f"{path}.budget_per_hour", retry.budget_per_hour)
    check_count(f"{path}.on", len(retry.on), ERROR_NAMES_MAX)
    for name in retry.on:
        _ERROR_NAME(f"{path}.on", name)


def check_misfire(path: str, misfire: Misfire) -> None:
    """The window and the number of a misfire policy."""
    if misfire.mode is MisfireMode.SKIP:
        return
    if misfire.within_us < MISFIRE_AFTER:  # nothing younger counts as missed, so such a window would never catch up
        raise BadField(
            f"{path}.{misfire.mode}",
            f"{format_duration(misfire.within_us)} is shorter than {format_duration(MISFIRE_AFTER)}, "
            "before which no fire counts as missed",
            hint="write misfire: skip, or a longer time",
        )
    _MISFIRE_WINDOW(f"{path}.{misfire.mode}", misfire.within_us)
    _CAUGHT_UP(f"{path}.limit", misfire.limit)


def check_debounce(path: str, debounce: Debounce) -> None:
    """Each time of a debounce, and the name of its parameter."""
    _QUIET(f"{path}.quiet", debounce.quiet_us)
    _AT_MOST(f"{path}.at_most", debounce.at_most_us)
    if debounce.at_most_us < debounce.quiet_us:
        raise BadField(f"{path}.at_most", f"it is shorter than the quiet time of {format_duration(debounce.quiet_us)}")
    _PARAMETER(f"{path}.by", debounce.by)


def check_throttle(path: str, throttle: TriggerRate) -> None:
    """The number and the time of a throttle, and the name of its parameter."""
    _THROTTLED(f"{path}.rate", throttle.runs)
    _PERIOD(f"{path}.rate", throttle.per_us)
    _PARAMETER(f"{path}.by", throttle.by)


def _check_takes(definition: Definition) -> None:
    for name, takes in definition.takes.items():
        if name not in definition.limits:
            hint = f"add {name} to place.concurrency with how much there is of it, or leave it out"
            raise BadField(f"place.takes.{name}", "place.concurrency does not name this limit", hint=hint)
        if takes > definition.limits[name]:
            raise LimitTooSmall(name, takes=takes, max_=definition.limits[name])


def _check_keys(definition: Definition) -> None:
    """A limit by key needs its parameter, and the other way round."""
    for field, needed in _NEEDED.items():
        if getattr(definition, field) is not None and getattr(definition, needed) is None:
            raise BadField(f"place.{field}", f"it needs place.{needed}", hint="write both, or none")
    if definition.is_broadcast and definition.is_keyed:
        field = "rate_by" if definition.rate_by is not None else "max_per_key"
        raise BadField(f"place.{field}", "each worker gets a shard of the same parameters", hint="leave it out")


_NEEDED: Final = {
    "max_per_key": "concurrency_by",
    "concurrency_by": "max_per_key",
    "rate_by": "rate",
    "rate_burst": "rate",
}


def check_together(definition: Definition) -> None:
    """Refuse fields that do not fit together."""
    if definition.merge is not None and not definition.shards:
        raise BadField("merge", "there is nothing to merge without shards", hint="add shards: 16, or leave merge out")
    if definition.merge is not None and definition.merge.kind != PYTHON:
        hint = 'write merge: {python: "billing.jobs:report"}'
        raise BadField("merge", "only a Python function can merge what shards returned", hint=hint)
    check_wishes(definition.wishes, definition.require)
    _check_takes(definition)
    _check_keys(definition)
    if definition.is_broadcast and definition.chooses:
        raise BadField(
            f"place.{definition.chooses}",
            "nobody is chosen where each worker gets a shard",
            hint="leave it out, or write shards: 16",
        )
    if definition.debounce is not None and definition.throttle is not None:
        raise BadField(
            "throttle",
            "a debounce makes one run of triggers that come together, so there is nothing to throttle",
            hint="write one of the two",
        )
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
