"""A connection to a database as an SQL job uses it; each kind of database has its own file."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from foliot.worker.handlers.sql.values import RowPreview

Notice = Callable[[str, str], None]
"""Told of what the database says beside its answer: a level and a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How the statements of one run are executed."""

    read_only: bool
    looks_harmless: bool  # every statement begins like one that reads; no promise
    is_transaction: bool
    timeout_s: float  # of one statement
    isolation: str | None = None


class SqlSession(Protocol):
    """One connection. Only one run uses it at a time; what it raises is `ConnectionLost` or `StatementRefused`."""

    limits_itself: bool
    """Whether the database ends any statement that takes too long; else Foliot does."""

    async def is_own_store(self) -> bool:
        """Whether a store of Foliot's is here, and this user can read it."""
        ...

    async def begin(self, manner: Manner, notice: Notice) -> None:
        """Set the limits, and begin the transaction if there is to be one."""
        ...

    async def execute(self, text: str, values: Mapping[str, Any], fresh: Callable[[], RowPreview]) -> list[RowPreview]:
        """Execute one statement; a preview for each of its results, made by `fresh`."""
        ...

    def is_in_transaction(self) -> bool: ...

    async def commit(self) -> None: ...

    async def rollback(self) -> None: ...

    async def stop(self, work: "asyncio.Task[Any]") -> None:
        """End on the database what `work` executes there, and wait for it. Bounded by whoever calls it."""
        ...

    async def check(self) -> None:
        """Ask for a sign of life."""
        ...

    async def reset(self) -> None:
        """As it was when it was new: nothing of a run is left for the next."""
        ...

    def cut(self) -> None:
        """Drop it at once. The database rolls back what was not committed."""
        ...

    async def close(self) -> None: ...
