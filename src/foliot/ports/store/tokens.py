"""Tokens and login codes, as the store keeps them: hashed, never the secret itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from foliot.domain.access import Scope
from foliot.domain.instants import Instant, Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRecord:
    """A token without its secret."""

    id: str
    name: str
    hash: str  # sha256 of the whole token, in hexadecimal digits
    scopes: frozenset[Scope]
    namespace: str | None
    group: str | None
    created_at: Instant
    created_by: str
    expires_at: Instant
    last_used_at: Instant | None = None
    revoked_at: Instant | None = None  # may lie ahead: a rotated token in its time of grace
    line: str = ""  # the id of the first token of those that took each other's place by rotation

    def is_good(self, now: Instant) -> bool:
        """Whether it opens anything at this store time."""
        return now < self.expires_at and (self.revoked_at is None or now < self.revoked_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """A token to keep."""

    id: str
    name: str
    hash: str
    scopes: frozenset[Scope]
    namespace: str | None
    group: str | None
    created_by: str
    lives_us: Micros
    line: str | None = None  # of the token whose place it takes; None: it begins one


class TokenStore(Protocol):
    """Keeps tokens and one-time login codes. Lifetimes are judged by store time."""

    async def add(self, token: NewToken, *, only_if_none: bool = False) -> TokenRecord | None:
        """Keep a token. `only_if_none`: unless the store ever had one; then None.

        `TokenNameTaken` when a good token has the name.
        """
        ...

    async def find(self, token_hash: str, *, urgent: bool = False) -> tuple[TokenRecord | None, Instant]:
        """The token with this hash, good or not, and store time. `urgent`: ahead of what people ask for."""
        ...

    async def by_id(self, token_id: str) -> TokenRecord | None:
        """The one token with this id, good or not, and never one whose name this is; None: there is none."""
        ...

    async def named(self, name_or_id: str) -> TokenRecord:
        """The good token with this name or id, else `TokenNotFound`."""
        ...

    async def list(self, *, include_gone: bool = False) -> Sequence[TokenRecord]:
        """Newest first, at most 1000."""
        ...

    async def revoke(self, token_id: str, *, in_us: Micros = 0) -> TokenRecord:
        """End a token now, or in a while; `TokenNotFound` when there is none. An earlier end stays."""
        ...

    async def revoke_all(self, name: str) -> Sequence[TokenRecord]:
        """End now every good token with this name: the newest secret, and older ones in their time of grace.

        Newest first; empty when there is none.
        """
        ...

    async def replace(self, old_id: str, new: NewToken, *, grace_us: Micros) -> TokenRecord:
        """A new secret under the same name; the old one goes on for `grace_us`."""
        ...

    async def used(self, token_id: str) -> None:
        """Note that a token was used just now. A hint for people: nothing rests on it."""
        ...

    async def add_code(self, code_hash: str, *, lives_us: Micros, created_by: str) -> Instant:
        """Keep a one-time login code; until when it is good. Codes that are over are forgotten."""
        ...

    async def redeem(self, code_hash: str, token: NewToken) -> TokenRecord | None:
        """Use up a code and keep the token it buys, in one transaction; None when the code is not good."""
        ...
