"""A trigger from code: parameters are bound and checked here, before anything is sent."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Protocol

import msgspec

from foliot.client.awaited.run import AsyncRun
from foliot.client.blocking.run import Run
from foliot.client.calls import Duration, Moment
from foliot.sdk.connection import connection
from foliot.sdk.parameters import Parameters

if TYPE_CHECKING:
    from foliot.sdk.job import JobFunction

T = ParamSpec("T")


class Triggerable(Protocol):
    """A job that code declares."""

    @property
    def name(self) -> str: ...

    @property
    def namespace(self) -> str: ...

    def payload(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], /) -> dict[str, Any]:
        """The JSON values of a trigger's parameters; `BadParameters` names all that is wrong with them."""
        ...


class TriggerCall(Generic[T]):
    """A job and how to trigger it; made by `job.options(...)`, usable any number of times."""

    def __init__(
        self,
        job: Triggerable,
        *,
        key: str | None = None,
        delay: Duration | None = None,
        at: Moment | None = None,
        reason: str = "",
        overlap: str | None = None,
        priority: int | None = None,
    ) -> None:
        self._job = job
        self._how: dict[str, Any] = {
            "key": key,
            "delay": delay,
            "at": at,
            "reason": reason,
            "overlap": overlap,
            "priority": priority,
            "namespace": job.namespace,
        }

    def trigger(self, *args: T.args, **kwargs: T.kwargs) -> Run:
        """Ask for a run."""
        params = self._job.payload(args, kwargs)
        return connection.client.jobs.trigger(self._job.name, params, **self._how)

    async def trigger_async(self, *args: T.args, **kwargs: T.kwargs) -> AsyncRun:
        """`trigger` for async code."""
        params = self._job.payload(args, kwargs)
        return await connection.async_client.jobs.trigger(self._job.name, params, **self._how)


def payload(job: JobFunction[..., ..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON values of a trigger's parameters; `BadParameters` names all that is wrong with them."""
    parameters = job.handler.parameters
    given = {**named(parameters, job, args), **kwargs}
    text = parameters.dump(given, defaults=job.definition.params)
    return dict(msgspec.json.decode(text))


def named(parameters: Parameters, job: JobFunction[..., ..., Any], args: tuple[Any, ...]) -> dict[str, Any]:
    """Positional arguments by their names; the Ctx is not one of them."""
    names = [
        name
        for name, parameter in inspect.signature(job).parameters.items()
        if name not in parameters.ctx_names
        and parameter.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    ]
    if len(args) > len(names):
        raise TypeError(f"{job.name} takes {len(names)} positional parameters, {len(args)} were given")
    return dict(zip(names, args, strict=False))
