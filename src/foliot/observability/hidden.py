"""Log lines without secrets: those of addresses, and what the parts of this process know to be secret (SEC-19)."""

from collections.abc import Callable
from typing import Final

from foliot.domain.redaction import redacted

_covers: Final[list[Callable[[str], str]]] = []


def hide_in_logs(hidden: Callable[[str], str]) -> None:
    """Apply this to every line that the process logs from now on. The lines go to one stream, so all share one list."""
    _covers.append(hidden)


def without_secrets(text: str) -> str:
    """The text as a log may hold it."""
    for hidden in _covers:
        text = hidden(text)
    return redacted(text)
