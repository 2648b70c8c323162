"""The code a worker runs: handlers by name, where to load them from again, and the jobs they declare."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import msgspec

from foliot.domain.definition import to_document
from foliot.ports.worker_link import DeclaredJob, HandlerOffer
from foliot.sdk.handler import Handler
from foliot.sdk.registry import Loaded


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """What a worker has loaded, and what its child processes load in turn."""

    handlers: Mapping[str, Handler] = field(default_factory=dict)
    sources: tuple[str, ...] = ()  # files and modules
    jobs: tuple[DeclaredJob, ...] = ()
    is_whole: bool = True  # False: a source does not load, and what is here of it is its last good version
    offers: tuple[HandlerOffer, ...] = field(init=False)  # made now: a file may change while its code runs on

    def __post_init__(self) -> None:
        object.__setattr__(self, "offers", tuple(handler.offer() for handler in self.handlers.values()))

    @classmethod
    def of(cls, loaded: Loaded, sources: Sequence[str | Path]) -> Self:
        """What these sources gave."""
        return cls(
            handlers=loaded.handlers,
            sources=tuple(map(str, sources)),
            jobs=tuple(
                DeclaredJob(
                    namespace=declaration.namespace,
                    name=declaration.name,
                    document=msgspec.json.encode(to_document(declaration.definition)).decode(),
                )
                for declaration in loaded.declarations
            ),
            is_whole=not loaded.problems,
        )
