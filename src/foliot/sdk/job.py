"""`@job`: a function becomes a job and stays a function."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from datetime import datetime
from functools import update_wrapper
from typing import Any, Concatenate, Generic, Literal, ParamSpec, Protocol, TypedDict, TypeVar, get_overloads, overload

from foliot.client.awaited.run import AsyncRun
from foliot.client.blocking.run import Run
from foliot.domain.definition import check_definition
from foliot.domain.errors import UnknownField
from foliot.domain.handler import python_function
from foliot.domain.job import DEFAULT_GROUP, DEFAULT_NAMESPACE, PRIORITY_DEFAULT, Definition, Shards
from foliot.domain.names import check_name, nearest
from foliot.domain.policies.misfire import Misfire
from foliot.domain.policies.retry import RetryPolicy
from foliot.domain.schedule import Schedule
from foliot.sdk.ctx import Ctx
from foliot.sdk.handler import Handler, SourceLine, function_name
from foliot.sdk.named_parameters import check_named
from foliot.sdk.options import Duration, Overlaps, definition_of
from foliot.sdk.trigger_call import Triggerable, TriggerCall, payload

P = ParamSpec("P")
T = ParamSpec("T")
R_co = TypeVar("R_co", covariant=True)
F = TypeVar("F", bound=Callable[..., Any])


class JobFunction(Generic[P, T, R_co]):
    """A job, and still the function it was made of.

    `P` is how it is called, `T` how it is triggered (the same without a leading Ctx), `R_co` what it returns.
    """

    __name__: str
    __qualname__: str

    def __init__(self, function: Callable[P, R_co], *, name: str, namespace: str, definition: Definition) -> None:
        self.name = name
        self.namespace = namespace
        self.handler = Handler(function, job=name, tz=_zone_of(definition))
        self.merge_handler: Handler | None = None
        self._function = function
        self._definition = definition
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        return self._function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<job {self.name} at {self.place}>"

    def __reduce__(self) -> str:
        return self._function.__qualname__  # found again by its name, as functions are

    @property
    def handler_name(self) -> str:
        """`python:module:qualname`."""
        return self.handler.name

    @property
    def definition(self) -> Definition:
        """What this job's version will say."""
        return self._definition

    @property
    def place(self) -> SourceLine:
        """Where it is written."""
        return self.handler.place

    def merge(self, function: F) -> F:
        """`@settle.merge`: the function that runs once after every shard succeeded.

        It gets the shards' results as `parts`, and those of the run's parameters that it names.
        """
        merge_handler = Handler(function, job=f"{self.name} (merge)", tz=self.handler.tz, is_merge=True)
        definition = replace(self._definition, merge=python_function(function_name(function)))
        check_definition(definition)
        self.merge_handler, self._definition = merge_handler, definition
        return function

    def options(
        self,
        *,
        key: str | None = None,
        delay: Duration | None = None,
        at: datetime | str | None = None,
        reason: str = "",
        overlap: Literal["allow"] | None = None,
        priority: int | None = None,
    ) -> TriggerCall[T]:
        """How to trigger it: the same `key` means the same run; `overlap="allow"` does not wait for an open run."""
        return TriggerCall(self, key=key, delay=delay, at=at, reason=reason, overlap=overlap, priority=priority)

    def payload(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON values of a trigger's parameters; `BadParameters` names all that is wrong with them."""
        return payload(self, args, kwargs)

    def trigger(self, *args: T.args, **kwargs: T.kwargs) -> Run:
        """Ask for a run; parameters are checked before anything is sent."""
        call: TriggerCall[T] = TriggerCall(self)
        return call.trigger(*args, **kwargs)

    async def trigger_async(self, *args: T.args, **kwargs: T.kwargs) -> AsyncRun:
        """`trigger` for async code."""
        call: TriggerCall[T] = TriggerCall(self)
        return await call.trigger_async(*args, **kwargs)


class JobDecorator(Protocol):
    """What `@job(...)` does to a function."""

    @overload
    def __call__(
        self, function: Callable[Concatenate[Ctx, T], R_co], /
    ) -> JobFunction[Concatenate[Ctx, T], T, R_co]: ...
    @overload
    def __call__(self, function: Callable[P, R_co], /) -> JobFunction[P, P, R_co]: ...


@overload
def job(function: Callable[Concatenate[Ctx, T], R_co], /) -> JobFunction[Concatenate[Ctx, T], T, R_co]: ...
@overload
def job(function: Callable[P, R_co], /) -> JobFunction[P, P, R_co]: ...
@overload
def job(
    *triggers: Schedule,
    name: str | None = None,
    namespace: str = DEFAULT_NAMESPACE,
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
    debounce: Duration | Mapping[str, Any] | None = None,
    throttle: str | Mapping[str, str] | None = None,
    on_lost: Literal["rerun", "fail"] = "rerun",
    max_lost: int = 3,
    exclusive: bool = False,
    isolation: Literal["loop", "process", "thread"] | None = None,
    priority: int = PRIORITY_DEFAULT,
    require: Mapping[str, str] | None = None,
    prefer: Mapping[str, str | Mapping[str, Any]] | None = None,
    avoid: Mapping[str, str] | None = None,
    spread: str | None = None,
    route: str | Mapping[str, str] = "any",
    max_running: int | None = None,
    max_waiting: int | None = None,
    concurrency: Mapping[str, int] | None = None,
    takes: Mapping[str, int] | None = None,
    max_per_worker: int | None = None,
    max_per_key: int | None = None,
    concurrency_by: str | None = None,
    rate: str | None = None,
    rate_burst: int | None = None,
    rate_by: str | None = None,
    shards: Shards = 0,
    alert: Mapping[str, Any] | None = None,
    keep_when_removed: bool = False,
) -> JobDecorator: ...
def job(*given: Any, name: str | None = None, namespace: str = DEFAULT_NAMESPACE, **options: Any) -> Any:
    """Make a job of a function: `@job`, or `@job(every("15m"), retries=3, timeout="10m")`.

    The name is the function's unless given. Without a trigger the job runs when somebody triggers it.
    """
    is_function = len(given) == 1 and inspect.isroutine(given[0])
    is_bare = is_function and not options and name is None  # @job without brackets
    if is_bare:
        return _declare(given[0], (), name=None, namespace=namespace, options={})

    check_options(options)

    def decorate(function: Callable[..., Any]) -> JobFunction[..., ..., Any]:
        return _declare(function, given, name=name, namespace=namespace, options=options)

    return decorate


class JobOptions(TypedDict, total=False):
    """The options that `job` names, for the constructors of jobs that are no functions."""

    description: str | None
    group: str
    owner: str
    tags: Mapping[str, str] | None
    params: Mapping[str, Any] | None
    retries: RetryPolicy | int
    timeout: Duration | None
    grace: Duration
    start_within: Duration
    overlap: Overlaps | None
    misfire: Misfire | None
    debounce: Duration | Mapping[str, Any] | None
    throttle: str | Mapping[str, str] | None
    on_lost: Literal["rerun", "fail"]
    max_lost: int
    exclusive: bool
    isolation: Literal["loop", "process", "thread"] | None
    priority: int
    require: Mapping[str, str] | None
    prefer: Mapping[str, str | Mapping[str, Any]] | None
    avoid: Mapping[str, str] | None
    spread: str | None
    route: str | Mapping[str, str]
    max_running: int | None
    max_waiting: int | None
    concurrency: Mapping[str, int] | None
    takes: Mapping[str, int] | None
    max_per_worker: int | None
    max_per_key: int | None
    concurrency_by: str | None
    rate: str | None
    rate_burst: int | None
    rate_by: str | None
    shards: Shards
    alert: Mapping[str, Any] | None
    keep_when_removed: bool


@contextmanager
def collecting() -> Iterator[list[Triggerable]]:
    """Everything declared inside the block, by this thread or task."""
    found: list[Triggerable] = []
    token = _collected.set(found)
    try:
        yield found
    finally:
        _collected.reset(token)


def _declare(
    function: Callable[..., Any],
    triggers: tuple[Schedule, ...],
    *,
    name: str | None,
    namespace: str,
    options: dict[str, Any],
) -> JobFunction[..., ..., Any]:
    name = check_name("job", name or function.__name__)
    handler = python_function(function_name(function))
    definition = definition_of(function, triggers, name=name, handler=handler, **options)
    check_named(function, definition)
    declared: JobFunction[..., ..., Any] = JobFunction(
        function, name=name, namespace=check_name("namespace", namespace), definition=definition
    )
    collect(declared)
    return declared


def collect(declared: Triggerable) -> None:
    """Add a job to those that `collecting` finds."""
    found = _collected.get()
    if found is not None:
        found.append(declared)


def check_options(given: Mapping[str, Any]) -> None:
    """`UnknownField` for a word that is no option of a job: the last overload names those there are."""
    known = tuple(inspect.signature(get_overloads(job)[-1]).parameters)[3:]
    for option in given:
        if option not in known:
            raise UnknownField(option, nearest=nearest(option, known), known=known)


def _zone_of(definition: Definition) -> str:
    return definition.schedule.tz if definition.schedule else "UTC"


_collected: ContextVar[list[Triggerable] | None] = ContextVar("foliot_collected", default=None)
