"""The calls of the REST API as plain values. No I/O here.

Every call may be sent again when its answer was lost: reads change nothing, and writes carry an idempotency key.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from foliot.domain.instants import format_duration, parse_duration
from foliot.domain.run import format_run_id

Duration: TypeAlias = str | float | timedelta
Moment: TypeAlias = datetime | str

PREFIX: Final = "/api/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    wait_s: float = 0.0  # how long the server may hold the answer on purpose


def get(path: str, **query: Any) -> Call:
    """A read."""
    return Call(method="GET", path=PREFIX + path, query=_texts(query))


def post(path: str, body: Mapping[str, Any], *, token: str, **query: Any) -> Call:
    """A write. The token, fresh for each call and the same in all its tries, makes it safe to repeat."""
    return Call(
        method="POST",
        path=PREFIX + path,
        query=_texts(query),
        body={name: value for name, value in body.items() if value is not None},
        headers={"Idempotency-Key": token},
    )


def trigger(
    job: str,
    params: Mapping[str, Any] | None,
    *,
    key: str | None,
    token: str,
    namespace: str,
    delay: Duration | None = None,
    at: Moment | None = None,
    reason: str = "",
    overlap: str | None = None,
    priority: int | None = None,
) -> Call:
    """Ask for one run of a job. `key` is the run's own: the same key means the same run, for as long as it is kept."""
    body = {
        "key": key or token,
        "params": dict(params or {}),
        "at": moment(at),
        "delay": None if delay is None else format_duration(parse_duration(delay)),
        "reason": reason or None,
        "overlap": overlap,
        "priority": priority,
    }
    return post(f"/jobs/{name_in_path(job)}:trigger", body, token=token, namespace=namespace)


def moment(at: Moment | None) -> str | None:
    """An instant for the API: RFC 3339; a datetime without zone is this machine's local time."""
    if isinstance(at, datetime):
        return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return at


def name_in_path(name: str) -> str:
    """A name as one segment of a path."""
    return quote(name, safe="")


def run_in_path(run: str | int) -> str:
    """A run's id as one segment of a path."""
    return quote(format_run_id(run) if isinstance(run, int) else run, safe="")


def _texts(query: Mapping[str, Any]) -> dict[str, str]:
    return {name: _text(value) for name, value in query.items() if value is not None}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(moment(value) if isinstance(value, datetime) else value)
