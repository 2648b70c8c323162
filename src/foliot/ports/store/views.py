"""Saved views of the console: an address with a name, of one person or of everybody."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from foliot.domain.errors import NotFound
from foliot.domain.instants import Instant

SHARED = ""
"""The owner of a view that everybody sees."""


class ViewNotFound(NotFound):
    """No saved view has this name."""

    code = "FOL-2030"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A page of the console with its filters, under a name."""

    owner: str  # the name of a token; `SHARED`: everybody's
    name: str
    path: str
    saved_at: Instant
    saved_by: str


class ViewStore(Protocol):
    """Keeps views, one for each owner and name."""

    async def list(self, owners: Sequence[str]) -> Sequence[View]:
        """Views of these owners, by name."""
        ...

    async def save(self, owner: str, name: str, path: str, *, by: str, most: int) -> View | None:
        """Keep it, or replace the one of this name. None: the owner has `most` already, and nothing changed."""
        ...

    async def remove(self, owner: str, name: str) -> bool:
        """Forget one; False: there was none."""
        ...
