"""`http_job`, `shell_job`, `sql_job`: jobs that code declares and that are no Python functions."""

import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Unpack

from foliot.client.awaited.run import AsyncRun
from foliot.client.blocking.run import Run
from foliot.domain.errors import BadField
from foliot.domain.handler import JobHandler
from foliot.domain.job import DEFAULT_NAMESPACE, Definition
from foliot.domain.names import check_name
from foliot.domain.own_parameters import usual_params
from foliot.domain.parameters import require_fit
from foliot.domain.schedule import Schedule
from foliot.sdk.handler import SourceLine, shown_path
from foliot.sdk.job import JobOptions, check_options, collect
from foliot.sdk.options import Duration, definition_of
from foliot.sdk.results import to_plain
from foliot.sdk.trigger_call import TriggerCall


class HandlerJob:
    """A job whose handler is a kind and its options. Code can trigger it; it cannot be called."""

    handler: None = None  # no function of it is in this process
    merge_handler: None = None

    def __init__(self, name: str, namespace: str, definition: Definition, place: SourceLine) -> None:
        self.name = name
        self.namespace = namespace
        self.definition = definition
        self.place = place

    def __repr__(self) -> str:
        return f"<{self.definition.handler.kind} job {self.name} at {self.place}>"

    def options(
        self,
        *,
        key: str | None = None,
        delay: Duration | None = None,
        at: datetime | str | None = None,
        reason: str = "",
        overlap: Literal["allow"] | None = None,
        priority: int | None = None,
    ) -> TriggerCall[...]:
        """How to trigger it: the same `key` means the same run; `overlap="allow"` does not wait for an open run."""
        return TriggerCall(self, key=key, delay=delay, at=at, reason=reason, overlap=overlap, priority=priority)

    def trigger(self, **params: Any) -> Run:
        """Ask for a run; parameters are checked against the job's own schema before anything is sent."""
        return self.options().trigger(**params)

    async def trigger_async(self, **params: Any) -> AsyncRun:
        """`trigger` for async code."""
        return await self.options().trigger_async(**params)

    def payload(self, args: tuple[Any, ...], params: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON values of a trigger's parameters; `BadParameters` names all that is wrong with them."""
        if args:
            raise TypeError(f"{self.name} is no function: give its parameters by name")
        given = {name: to_plain(value, name, typed=True) for name, value in params.items()}
        schema = self.definition.parameters
        if schema:
            require_fit(self.name, schema, {**usual_params(self.definition), **given})
        return given


def http_job(
    name: str,
    url: str,
    *,
    schedule: Schedule | Sequence[Schedule] | None = None,
    method: str | None = None,
    headers: Mapping[str, str] | None = None,
    query: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
    expect: Any = None,
    http: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    namespace: str = DEFAULT_NAMESPACE,
    **options: Unpack[JobOptions],
) -> HandlerJob:
    """Declare a job that calls a URL: `http_job("ping", "https://example.org/ping", schedule=every("5m"))`.

    `http` has further options of the kind by their own names: `{"timeout": "10s", "redirects": 2}`.
    """
    said = {"url": url, "method": method, "headers": headers, "query": query, "body": body, "expect": expect}
    handler = _handler("http", said, http)
    return _declared(name, namespace, handler, schedule, parameters, options)


def shell_job(
    name: str,
    argv: Sequence[str] | None = None,
    *,
    script: str | None = None,
    language: str | None = None,
    schedule: Schedule | Sequence[Schedule] | None = None,
    env: Mapping[str, str] | None = None,
    shell: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    namespace: str = DEFAULT_NAMESPACE,
    **options: Unpack[JobOptions],
) -> HandlerJob:
    """Declare a job that starts a command, or a script: `shell_job("dump", ["pg_dump", "--file", "/backup/db"])`.

    `shell` has further options of the kind by their own names. The worker's token needs the scope `script`.
    """
    if isinstance(argv, str):
        raise BadField("argv", "it is one text", hint='write a list: ["pg_dump", "sales_2"]')
    words = None if argv is None else list(argv)
    if script is not None:
        language = language or "sh"
    said = {"argv": words, "script": script, "language": language, "env": env}
    handler = _handler("shell", said, shell)
    return _declared(name, namespace, handler, schedule, parameters, options)


def sql_job(
    name: str,
    connection: str,
    query: str | Sequence[str],
    *,
    schedule: Schedule | Sequence[Schedule] | None = None,
    sql: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    namespace: str = DEFAULT_NAMESPACE,
    **options: Unpack[JobOptions],
) -> HandlerJob:
    """Declare a job that executes a statement, or several: `sql_job("prune", "reports", "delete from old")`.

    `connection` is a name that workers know. `sql` has further options of the kind by their own names. The worker's
    token needs the scope `script`.
    """
    is_one = isinstance(query, str)
    said: dict[str, Any] = {"connection": connection, "query" if is_one else "statements": query}
    handler = _handler("sql", said, sql)
    return _declared(name, namespace, handler, schedule, parameters, options)


def _handler(kind: str, said: Mapping[str, Any], more: Mapping[str, Any] | None) -> JobHandler:
    """The handler with what was said of it; None stands for what was not."""
    known = {option: value for option, value in said.items() if value is not None}
    for option in more or {}:
        if option in known:
            raise BadField(f"{kind}.{option}", "it is given twice", hint="say it once")
    return JobHandler(kind, to_plain({**known, **(more or {})}, kind))


def _declared(
    name: str,
    namespace: str,
    handler: JobHandler,
    schedule: Schedule | Sequence[Schedule] | None,
    parameters: Mapping[str, Any] | None,
    options: JobOptions,
) -> HandlerJob:
    check_options(options)
    name = check_name("job", name)
    triggers = () if schedule is None else (schedule,) if isinstance(schedule, Schedule) else tuple(schedule)
    definition = definition_of(None, triggers, name=name, handler=handler, parameters=parameters, **options)
    made = HandlerJob(name, check_name("namespace", namespace), definition, _caller())
    collect(made)
    return made


def _caller() -> SourceLine:
    """The line of the module that calls the constructor: two functions of this file lie between."""
    frame = sys._getframe(3)  # noqa: SLF001
    return SourceLine(shown_path(frame.f_code.co_filename), frame.f_lineno)
