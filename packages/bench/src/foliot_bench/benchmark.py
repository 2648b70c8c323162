"""What a benchmark is: sizes, and figures measured at a place, held against a bar."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from foliot_bench.places import Place
from foliot_bench.processes import Cluster
from foliot_bench.progress import Progress

Figures = dict[str, Any]
Watch = Callable[[Cluster], AbstractAsyncContextManager[None]]


def unwatched(_processes: Cluster) -> AbstractAsyncContextManager[None]:
    """Nobody looks on."""
    return nullcontext()


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Where a benchmark is measured, who is told, and who looks on."""

    place: Place
    progress: Progress
    watch: Watch = unwatched  # a profiler, for one round


class Benchmark(Protocol):
    """One benchmark with its sizes."""

    name: ClassVar[str]
    needs_twin: ClassVar[bool]  # a second database

    async def measured(self, setting: Setting) -> Figures:
        """Work, verify every row, and tell. `BenchFailed` when a row is not as it must be."""
        ...


def bar(what: str, value: float, *, at_least: float | None = None, at_most: float | None = None) -> Mapping[str, Any]:
    """A figure beside what it must reach."""
    reached = (at_least is None or value >= at_least) and (at_most is None or value <= at_most)
    wanted = f">= {at_least:g}" if at_least is not None else f"<= {at_most:g}"
    return {"what": what, "is": value, "bar": wanted, "reached": reached}
