"""The fields of a definition: one table, from which everything about a field follows.

Reading, writing and the bounds (`domain.definition`), the options of `@job` (`sdk.options`), the form of the API
(`api.models.definition`), `foliot job show` and the tables of the reference pages. Only two things are written by hand
beside a row: the attribute of `Definition`, and the typed option of `@job`; tests compare them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any, Final, TypeVar

from foliot.domain.bounds import (
    HOLDERS,
    PRIORITY_MIN,
    RUNNING_MAX,
    SHARDS_MAX,
    TAKES,
    WAITING_MAX,
    Between,
    Bound,
    Json,
    Labels,
    Lasting,
    Named,
    Preferences,
    ShardCount,
    Text,
    check_debounce,
    check_misfire,
    check_retries,
    check_throttle,
)
from foliot.domain.document_values import duration, in_one_form, mapping, name, text, texts, truth, whole, word
from foliot.domain.handler import NO_HANDLER, JobHandler, check_handler, handler_from
from foliot.domain.instants import DAY, MILLISECOND, format_duration, parse_duration
from foliot.domain.job import EACH_WORKER, PRIORITY_MAX, Definition, Isolation, OnLost, Shards
from foliot.domain.own_parameters import check_own_parameters, read_own_parameters
from foliot.domain.policies.alert import AlertPolicy, alert_from, written_alert
from foliot.domain.policies.misfire import misfire_from, written_misfire
from foliot.domain.policies.overlap import Overlap
from foliot.domain.policies.retry import RetryPolicy, retries_from, written_retries
from foliot.domain.policies.windows import debounce_from, throttle_from, written_debounce, written_throttle
from foliot.domain.rates import BURST_MAX, check_rate, rate_from
from foliot.domain.routing.choice import check_route, route_from, written_route
from foliot.domain.routing.wishes import prefer_from, written_prefer
from foliot.domain.schedule import Schedule
from foliot.domain.texts import DESCRIPTION_BYTES_MAX, NAME_BYTES_MAX, OWNER_BYTES_MAX

Word = TypeVar("Word", bound=StrEnum)


def _as_it_is(value: Any, path: str = "") -> Any:
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldKind:
    """What the values of a field are, in a job file, in a `Definition` and as an option of `@job`."""

    called: str
    read: Callable[[Any, str], Any] = _as_it_is  # from a job file: the value, which is never null, and its path
    write: Callable[[Any], Any] = _as_it_is  # for a job file; empty: left out
    take: Callable[[Any, str], Any] = _as_it_is  # from an option of `@job`, and its name
    words: tuple[str, ...] = ()  # the only ones there are


def _words(kind: type[Word]) -> FieldKind:
    read = partial(word, kind)
    return FieldKind(called="word", read=read, write=lambda value: value.value, take=read, words=tuple(kind))


def _read_resources(written: Any, path: str) -> dict[str, int]:
    return {
        in_one_form(resource): whole(1 if most is None else most, f"{path}.{resource}")
        for resource, most in mapping(written, path).items()
    }


def _read_shards(written: Any, path: str) -> Shards:
    return EACH_WORKER if written == EACH_WORKER else whole(written, path)


def _read_alert(written: Any, _: str) -> AlertPolicy | None:
    return alert_from(written)


def _retries_taken(given: RetryPolicy | int, _: str) -> RetryPolicy:
    return given if isinstance(given, RetryPolicy) else RetryPolicy(max=given)


TEXT: Final = FieldKind(called="text", read=text)
NAME: Final = FieldKind(called="text", read=name)
TEXTS: Final = FieldKind(called="texts", read=texts, write=dict, take=lambda given, _: dict(given))
WHOLE: Final = FieldKind(called="whole", read=whole)
SHARDS: Final = FieldKind(called="shards", read=_read_shards)
TRUTH: Final = FieldKind(called="truth", read=truth)
DURATION: Final = FieldKind(
    called="duration", read=duration, write=format_duration, take=lambda given, _: parse_duration(given)
)
MAPPING: Final = FieldKind(called="mapping", read=mapping, write=dict)
PARAMETERS: Final = FieldKind(called="mapping", read=read_own_parameters, write=dict, take=read_own_parameters)
HANDLER: Final = FieldKind(called="handler", read=handler_from, write=JobHandler.to_document)
SCHEDULE: Final = FieldKind(called="schedule", write=Schedule.to_document)  # read together with `timezone`
RETRIES: Final = FieldKind(called="retries", read=retries_from, write=written_retries, take=_retries_taken)
MISFIRE: Final = FieldKind(called="misfire", read=misfire_from, write=written_misfire)
RESOURCES: Final = FieldKind(called="resources", read=_read_resources, write=dict, take=lambda given, _: dict(given))
PREFERENCES: Final = FieldKind(called="preferences", read=prefer_from, write=written_prefer, take=prefer_from)
ROUTE: Final = FieldKind(called="route", read=route_from, write=written_route, take=route_from)
DEBOUNCE: Final = FieldKind(called="debounce", read=debounce_from, write=written_debounce, take=debounce_from)
THROTTLE: Final = FieldKind(called="throttle", read=throttle_from, write=written_throttle, take=throttle_from)
RATE: Final = FieldKind(called="rate", read=rate_from, write=str, take=rate_from)
ALERT: Final = FieldKind(called="mapping", read=_read_alert, write=written_alert, take=_read_alert)


@dataclass(frozen=True, slots=True)
class JobField:
    """One field of a definition."""

    name: str  # in job files; `place.priority` stands in the mapping `place`
    kind: FieldKind
    meaning: str
    check: Bound | None = None
    attribute: str = ""  # of `Definition`; the field's own name unless it is said
    is_option: bool = True  # of `@job`, by its own name
    usual_is: str = ""  # the usual value in words, where the value alone does not say it
    usual: Any = field(init=False)

    def __post_init__(self) -> None:
        if not self.attribute:
            object.__setattr__(self, "attribute", self.own_name)
        object.__setattr__(self, "usual", getattr(_USUAL, self.attribute, None))

    @property
    def own_name(self) -> str:
        """Its name without that of the mapping it stands in."""
        return self.name.rpartition(".")[2]


_USUAL: Final = Definition(handler=NO_HANDLER)

FIELDS: Final = (
    JobField(
        "description", TEXT, "for people", Text(DESCRIPTION_BYTES_MAX, is_one_line=False), usual_is="the docstring"
    ),
    JobField("owner", TEXT, "for people", Text(OWNER_BYTES_MAX)),
    JobField("group", NAME, "which workers run it", Named("group")),
    JobField("tags", TEXTS, "for people, and for finding jobs", Labels()),
    JobField("run", HANDLER, "what it executes", check_handler, attribute="handler", is_option=False),
    JobField("merge", HANDLER, "what runs once after every shard succeeded", check_handler, is_option=False),
    JobField("schedule", SCHEDULE, "when it is due", is_option=False),
    JobField("timezone", TEXT, "the zone of a schedule that names none", is_option=False, usual_is="UTC"),
    JobField("params", MAPPING, "values for parameters that a trigger or fire does not give", Json()),
    JobField(
        "parameters",
        PARAMETERS,
        "what a job that is no Python function takes: a JSON Schema with `properties` and `required`; "
        "a `default` is filled in",
        check_own_parameters,
        is_option=False,
    ),
    JobField(
        "shards",
        SHARDS,
        "into how many shards a run is split; [`each_worker`](broadcast.md): one for each live worker that fits",
        ShardCount(SHARDS_MAX),
    ),
    JobField(
        "timeout",
        DURATION,
        "how long an attempt may take, from its reported start",
        Lasting(MILLISECOND, 366 * DAY),
        attribute="timeout_us",
    ),
    JobField(
        "grace",
        DURATION,
        "how long an attempt has between being asked to stop and being killed",
        Lasting(0, DAY),
        attribute="grace_us",
    ),
    JobField(
        "start_within",
        DURATION,
        "how long a leased run may take to start; the first beat of the worker after that decides (one every 5 s)",
        Lasting(100 * MILLISECOND, DAY),
        attribute="start_within_us",
    ),
    JobField(
        "isolation",
        _words(Isolation),
        "where a handler executes",
        usual_is="`loop` for async functions, else `process`",
    ),
    JobField(
        "exclusive",
        TRUTH,
        "at most one run alive anywhere, killed when its lease is in doubt; a trigger may not overlap. "
        "Shards of that run go side by side, each with a token of its own",
    ),
    JobField(
        "retries",
        RETRIES,
        'a number, or `Retry(3, backoff="30s..10m", jitter=True, on=(ConnectionError,))`',
        check_retries,
        attribute="retry",
        usual_is="0",
    ),
    JobField(
        "overlap",
        _words(Overlap),
        "what a due fire does while an earlier run is open",
        usual_is="`skip`; without a schedule `allow`",
    ),
    JobField(
        "misfire",
        MISFIRE,
        "what becomes of missed fires: `latest(within)`, `all(within, limit)`, `skip` from `foliot.misfire`",
        check_misfire,
        usual_is='`latest("1h")`',
    ),
    JobField(
        "debounce",
        DEBOUNCE,
        "triggers that come within this time of each other become one run after the last: "
        "`10s`, or a [mapping](policies.md#debounce-and-throttle-close-together) with `quiet`, `at_most` and `by`",
        check_debounce,
    ),
    JobField(
        "throttle",
        THROTTLE,
        "so many runs of triggers in a time, further ones are answered with the newest: "
        "`1/10s`, or a [mapping](policies.md#debounce-and-throttle-close-together) with `rate` and `by`",
        check_throttle,
    ),
    JobField("on_lost", _words(OnLost), "what follows when a worker vanished with a run"),
    JobField("max_lost", WHOLE, "how many workers a run may cost", Between(1, 1000)),
    JobField("place.require", TEXTS, "labels that a worker must have", Labels()),
    JobField(
        "place.prefer",
        PREFERENCES,
        'labels of workers that are [preferred](routes.md#wishes): `{"disk": "ssd"}`, or '
        '`{"disk": {"value": "ssd", "weight": 5}}`',
        Preferences(),
    ),
    JobField(
        "place.avoid",
        TEXTS,
        "labels of workers that get a run only when there is [no other](routes.md#wishes)",
        Labels(),
    ),
    JobField(
        "place.spread",
        NAME,
        "the label over whose values its runs are [spread](routes.md#wishes) evenly",
        Named("label"),
    ),
    JobField(
        "place.route",
        ROUTE,
        "which of the fitting workers gets a run: a [route](routes.md), or a mapping with `name` and `by`, a parameter",
        check_route,
        usual_is="`any`: whoever asks first",
    ),
    JobField(
        "place.concurrency",
        RESOURCES,
        'runs that may hold a [named resource](policies.md#named-limits): `{"settle-db": 4}`',
        HOLDERS,
        attribute="limits",
    ),
    JobField(
        "place.takes",
        RESOURCES,
        'how much of a named resource [each run takes](policies.md#weights), 1 unless it is said: `{"settle-db": 3}`',
        TAKES,
    ),
    JobField("place.max_running", WHOLE, "runs of this job at a time", Between(1, RUNNING_MAX)),
    JobField(
        "place.max_per_worker",
        WHOLE,
        "runs of this job [on one worker](policies.md#by-worker-and-by-key) at a time",
        Between(1, RUNNING_MAX),
    ),
    JobField(
        "place.max_per_key",
        WHOLE,
        "runs at a time for [each value](policies.md#by-worker-and-by-key) of the parameter `concurrency_by`",
        Between(1, RUNNING_MAX),
    ),
    JobField("place.concurrency_by", TEXT, "the parameter that `max_per_key` goes by", Text(NAME_BYTES_MAX)),
    JobField(
        "place.rate",
        RATE,
        "how many of its runs may [start in a time](policies.md#rates): `100/m`, `5/s`, `1/10s`",
        check_rate,
    ),
    JobField(
        "place.rate_burst",
        WHOLE,
        "how many of them may start at once after a quiet time",
        Between(1, BURST_MAX),
        usual_is="as many as `rate` has in a second",
    ),
    JobField("place.rate_by", TEXT, "`rate` is for each value of this parameter", Text(NAME_BYTES_MAX)),
    JobField(
        "place.max_waiting",
        WHOLE,
        "runs of this job that [may wait](policies.md#max_waiting-too-many-wait) at a time: beyond it a trigger is "
        "refused, and a fire is left out and recorded",
        Between(1, WAITING_MAX),
    ),
    JobField("place.priority", WHOLE, "how urgent its runs are, 10 the most", Between(PRIORITY_MIN, PRIORITY_MAX)),
    JobField(
        "alert",
        ALERT,
        'what deserves attention: `{"late": "10m", "slower_than": "p95*2", "failed": True}`; '
        "kept and versioned with the job",
    ),
    JobField(
        "keep_when_removed",
        TRUTH,
        "it goes on when its module no longer declares it; usually it is [retired](../how-to/deploy-code.md) then",
    ),
)

BY_NAME: Final = {row.name: row for row in FIELDS}
OPTIONS: Final = {row.own_name: row for row in FIELDS if row.is_option}
"""The options of `@job`."""


def names_in(mapping_name: str) -> tuple[str, ...]:
    """The names of the fields that stand in a mapping, here `place`, or in the document itself (an empty name)."""
    if mapping_name:
        within = f"{mapping_name}."
        return tuple(row.own_name for row in FIELDS if row.name.startswith(within))
    return tuple(dict.fromkeys(row.name.partition(".")[0] for row in FIELDS))


def usual_overlap(schedule: Schedule | None) -> Overlap:
    """What overlapping runs of a job do unless its definition says."""
    return Overlap.SKIP if schedule is not None else Overlap.ALLOW
