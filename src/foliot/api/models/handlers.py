"""Kinds of handlers as JSON."""

from typing import Any

from pydantic import Field

from foliot.api.models.common import ApiOutput, Listed
from foliot.operations.handlers import FailedAt, KindSeen, KindVersion


class KindVersionOut(ApiOutput):
    """One version of a kind."""

    version: str
    nodes: list[str] = Field(description="Live workers that offer it.")
    options_schema: dict[str, Any] | None = Field(None, description="JSON Schema; where one kind is read.")

    @classmethod
    def of(cls, seen: KindVersion, *, full: bool) -> "KindVersionOut":
        schema = dict(seen.options) if full and seen.options is not None else None
        return cls(version=seen.version, nodes=list(seen.nodes), options_schema=schema)


class KindFailedOut(ApiOutput):
    """A node where the kind does not work."""

    node: str
    package: str
    version: str
    why: str

    @classmethod
    def of(cls, seen: FailedAt) -> "KindFailedOut":
        failed = seen.failed
        return cls(node=seen.node, package=failed.package, version=failed.version, why=failed.why)


class HandlerOut(ApiOutput):
    """A kind of handler."""

    kind: str = Field(examples=["http"])
    is_own: bool = Field(description="It comes with Foliot, not with another package.")
    versions: list[KindVersionOut] = Field(description="That live workers offer; the newest worker's first.")
    failed: list[KindFailedOut] = Field(description="Nodes where a package's kind does not work.")
    options_schema: dict[str, Any] | None = Field(
        None, description="JSON Schema of a job's options, where one kind is read: of the newest worker that says it."
    )

    @classmethod
    def of(cls, seen: KindSeen, *, full: bool) -> "HandlerOut":
        schema = dict(seen.options) if full and seen.options is not None else None
        return cls(
            kind=seen.kind,
            is_own=seen.is_own,
            versions=[KindVersionOut.of(one, full=full) for one in seen.versions],
            failed=[KindFailedOut.of(one) for one in seen.failed],
            options_schema=schema,
        )


class HandlersOut(Listed):
    """Kinds of handlers, by name."""

    items: list[HandlerOut]
