"""Python functions: what a worker has loaded of them, where to load it from again, and the jobs the code declares."""

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
class PythonHandlers:
    """What a worker has loaded, and what its child processes load in turn."""

    handlers: Mapping[str, Handler] = field(default_factory=dict)
    sources: tuple[str, ...] = ()  # files and modules
    jobs: tuple[DeclaredJob, ...] = ()
    is_whole: bool = True  # False: a source does not load, and what is here of it is its last good version
    offers: tuple[HandlerOffer, ...] = field(init=False)  # made now: a file may change while its code runs on

    def __post_init__(self) -> None:
        object.__setattr__(self, "offers", tuple(handler.offer() for handler in self.handlers.values()))

    @property
    def has_plain_functions(self) -> bool:
        """Whether some function is not async: those run in child processes."""
        return any(not handler.is_async for handler in self.handlers.values())

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
