"""Python functions: what a worker has loaded of them, where to load it from again, and the jobs the code declares."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from foliot import __version__
from foliot.domain.definition import to_document
from foliot.domain.errors import BadField
from foliot.ports.worker_link import DeclaredJob, HandlerOffer, LeasedRun
from foliot.sdk.handler import Handler
from foliot.sdk.registry import Loaded

OPTIONS_SCHEMA: Final = {"type": "string", "description": "A function: billing.jobs:settle"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonHandlers:
    """The kind `python` (`ports.handler.HandlerKind`) with the code that is loaded. New code is a new one of these."""

    handlers: Mapping[str, Handler] = field(default_factory=dict)  # by offer: python:module:function
    sources: tuple[str, ...] = ()  # files and modules, which child processes load in turn
    jobs: tuple[DeclaredJob, ...] = ()
    modules: tuple[str, ...] = ()  # users' own; none while a source does not load
    is_whole: bool = True  # False: a source does not load, and what is here of it is its last good version
    offered: tuple[HandlerOffer, ...] = ()  # made with the rest: a file may change while its code runs on
    kind: str = field(default="python", init=False)

    @classmethod
    def of(cls, loaded: Loaded, sources: Sequence[str | Path]) -> Self:
        """What these sources gave."""
        handlers = loaded.handlers
        return cls(
            handlers=handlers,
            sources=tuple(map(str, sources)),
            jobs=tuple(
                DeclaredJob(
                    namespace=declaration.namespace,
                    name=declaration.name,
                    document=msgspec.json.encode(to_document(declaration.definition)).decode(),
                    module=declaration.module,
                )
                for declaration in loaded.declarations
            ),
            modules=loaded.modules,
            is_whole=not loaded.problems,
            offered=tuple(handler.offer() for handler in handlers.values()),
        )

    @property
    def version(self) -> str:
        return __version__

    @property
    def options_schema(self) -> Mapping[str, Any]:
        return OPTIONS_SCHEMA

    @property
    def has_plain_functions(self) -> bool:
        """Whether some function is not async: those run in child processes."""
        return any(not handler.is_async for handler in self.handlers.values())

    def validate(self, options: Any) -> None:
        """Options are the function's name."""
        if not isinstance(options, str):
            hint = 'write {python: "billing.jobs:settle"}'
            raise BadField("run.python", "it is not the name of a function", hint=hint)

    def describe(self, options: Any) -> str:
        """The function's name says it all."""
        return str(options)

    def offers(self) -> Sequence[HandlerOffer]:
        """Each function, with the schema of its parameters."""
        return self.offered

    def handler_of(self, run: LeasedRun) -> Handler | None:
        """The function, by the name that the run's lane has."""
        return self.handlers.get(run.handler)

    async def close(self) -> None:
        """Nothing is held: child processes are the pool's."""
