"""Remembered answers: a write repeated with the same Idempotency-Key gets the answer of the first (R5)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from foliot.domain.errors import InvalidInput
from foliot.domain.instants import Micros


class KeyReused(InvalidInput):
    """The key belongs to another request."""

    code = "FOL-1082"

    def __init__(self) -> None:
        super().__init__(
            "This key was used for a request with another body.",
            hint="use another key, or send the same body",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer that was given."""

    status: int
    headers: Mapping[str, str]
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """The request is the first with its key: answer it, then `keep` the answer."""

    claim: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """The same request was answered before."""

    reply: Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class StillRunning:
    """The same request is being answered at this moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherRequest:
    """The key belongs to a request with another body."""


class ReplyStore(Protocol):
    """Keeps answers for a day."""

    async def claim(
        self, key_hash: str, request_hash: str, claim: str, *, keep_us: Micros, give_up_us: Micros
    ) -> Claimed | Replayed | StillRunning | OtherRequest:
        """Whose turn it is. A claim older than `give_up_us` without an answer (its server died) is taken over."""
        ...

    async def keep(self, key_hash: str, claim: str, reply: Reply) -> None:
        """Remember the answer, if the claim still holds."""
        ...

    async def release(self, key_hash: str, claim: str) -> None:
        """No answer worth keeping: the next request with the key is the first again."""
        ...

    async def forget(self, *, older_us: Micros, limit: int, term: int | None = None) -> int:
        """Delete answers older than this; how many."""
        ...
