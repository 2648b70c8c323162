"""Plain lists and details for people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from foliot.domain.instants import Instant
from foliot.ports.worker_link import LogChunk


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of a list and the cursor of the next."""

    items: Sequence[Mapping[str, Any]]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Which runs to list."""

    namespace: str | None = None
    job: str | None = None
    states: tuple[str, ...] = ()
    since: Instant | None = None
    until: Instant | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


class Queries(Protocol):
    """Reads for people: lists and details. Never used to decide."""

    async def list_jobs(self, namespace: str | None, *, limit: int, cursor: str | None = None) -> Page: ...

    async def list_runs(self, wanted: RunFilter, *, limit: int, cursor: str | None = None) -> Page: ...

    async def run(self, run_id: int) -> Mapping[str, Any] | None: ...

    async def attempts(self, run_id: int) -> Sequence[Mapping[str, Any]]: ...

    async def skips(
        self, job_id: int, *, from_at: Instant, to_at: Instant, limit: int
    ) -> Sequence[Mapping[str, Any]]: ...

    async def nodes(self) -> Sequence[Mapping[str, Any]]: ...

    async def logs(self, run_id: int, *, attempt: int | None = None, offset: int = 0) -> Sequence[LogChunk]: ...
