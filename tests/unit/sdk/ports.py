"""A place for handlers to execute in that keeps what they say."""

from collections.abc import Mapping
from typing import Any

from foliot.sdk.ctx import Ctx, CtxFacts
from foliot.sdk.log import Level
from foliot.sdk.stop_signal import StopSignal


class Listening:
    """`sdk.ctx.CtxPort` over a real stop signal; everything said is kept."""

    def __init__(self) -> None:
        self.stop = StopSignal()
        self.lines: list[tuple[Level, str, dict[str, Any]]] = []
        self.progress: list[tuple[int, int | None, str]] = []
        self.saved: list[str] = []

    def write_log(self, level: Level, event: str, fields: Mapping[str, Any]) -> None:
        self.lines.append((level, event, dict(fields)))

    def report_progress(self, done: int, total: int | None, note: str) -> None:
        self.progress.append((done, total, note))

    def save_checkpoint(self, document: str) -> None:
        self.saved.append(document)

    def is_cancelled(self) -> bool:
        return self.stop.is_asked

    def wait_cancelled(self, timeout_s: float) -> bool:
        return self.stop.wait(timeout_s)

    async def wait_cancelled_async(self, timeout_s: float | None) -> bool:
        return await self.stop.wait_async(timeout_s)


def ctx_of(port: Listening, **facts: Any) -> Ctx:
    """A Ctx of run 1 of a job named tick."""
    known: dict[str, Any] = {"run_id": 270_415, "job": "tick", "due_at": 1_769_878_800_000_000}
    return Ctx(CtxFacts(**(known | facts)), port)
