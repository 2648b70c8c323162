"""Server-sent events, as text."""

from collections.abc import Mapping
from typing import Final

HEADERS: Final[Mapping[str, str]] = {
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # proxies: pass it on as it comes
    "Connection": "keep-alive",
}


def event(data: str, *, name: str | None = None, event_id: str | None = None, retry_ms: int | None = None) -> str:
    """One event; data of several lines stays several lines."""
    parts = []
    if event_id is not None:
        parts.append(f"id: {event_id}")
    if name is not None:
        parts.append(f"event: {name}")
    if retry_ms is not None:
        parts.append(f"retry: {retry_ms}")
    parts += [f"data: {line}" for line in data.split("\n")]
    return "\n".join(parts) + "\n\n"


def comment(text: str) -> str:
    """Something that keeps a quiet stream alive."""
    return f": {text}\n\n"
