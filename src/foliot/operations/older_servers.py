"""Servers of an older version: what they do not know must not stand in a job while they live.

A server that cannot read a definition starts no run of it. It puts off the fires and the runs that it meets, so they
come late although nothing else is wrong. docs/reference/compatibility.md.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from foliot.domain.errors import InvalidInput
from foliot.domain.job import EACH_WORKER, Definition
from foliot.operations.services import Services
from foliot.ports.store.node_row import NodeRow
from foliot.ports.worker_link import PROTOCOL_RATES, PROTOCOL_ROUTES, PROTOCOL_WEIGHTS


class NewField(NamedTuple):
    """A field, or a value of one, that servers of an older version do not know."""

    name: str
    since: int  # the protocol from which a server knows it
    is_used: Callable[[Definition], bool]


NEW_FIELDS: Final[Sequence[NewField]] = (
    NewField("place.route", PROTOCOL_ROUTES, lambda job: not job.route.is_any),
    NewField("place.prefer", PROTOCOL_ROUTES, lambda job: bool(job.prefer)),
    NewField("place.avoid", PROTOCOL_ROUTES, lambda job: bool(job.avoid)),
    NewField("place.spread", PROTOCOL_ROUTES, lambda job: job.spread is not None),
    NewField(f"shards: {EACH_WORKER}", PROTOCOL_ROUTES, lambda job: job.is_broadcast),
    NewField("place.max_waiting", PROTOCOL_ROUTES, lambda job: job.max_waiting is not None),
    NewField("debounce", PROTOCOL_ROUTES, lambda job: job.debounce is not None),
    NewField("throttle", PROTOCOL_ROUTES, lambda job: job.throttle is not None),
    NewField("place.takes", PROTOCOL_WEIGHTS, lambda job: bool(job.takes)),
    NewField("place.max_per_worker", PROTOCOL_RATES, lambda job: job.max_per_worker is not None),
    NewField("place.max_per_key", PROTOCOL_RATES, lambda job: job.max_per_key is not None),
    NewField("place.rate", PROTOCOL_RATES, lambda job: job.rate is not None),
)
NEWEST: Final = PROTOCOL_RATES
_MENTIONS: Final = tuple({f'"{field.name.partition(".")[0].partition(":")[0]}"' for field in NEW_FIELDS})


class FieldsUnknown(InvalidInput):
    """A job with fields that a live server does not know."""

    code = "FOL-1240"

    def __init__(self, server: str, version: str, fields: Sequence[str]) -> None:
        names = ", ".join(fields)
        super().__init__(
            f"{server} (foliot {version}) does not know {names} and would put off the runs of this job.",
            hint=f"upgrade or stop {server}, or leave out {names}",
            server=server,
            version=version,
            fields=names,
        )


async def oldest_server(services: Services) -> NodeRow | None:
    """The live server that knows least, if there is a new field that it does not know."""
    nodes = await services.store.lookups.nodes()
    older = [node for node in nodes if node.is_server_before(NEWEST)]
    if not older:
        return None
    now = await services.store.lookups.now()
    live = [node for node in older if node.until > now]
    return min(live, key=lambda node: node.protocol, default=None)


def has_new_fields(definition: Definition) -> bool:
    """Whether some older server may not know all of it."""
    return any(field.is_used(definition) for field in NEW_FIELDS)


def may_have_new_fields(document: str) -> bool:
    """The same of a definition as JSON text, before it is read."""
    return any(word in document for word in _MENTIONS)


def check_fields_known(definition: Definition, oldest: NodeRow | None) -> None:
    """`FieldsUnknown` for what this server does not know."""
    if oldest is None:
        return
    unknown = [field.name for field in NEW_FIELDS if oldest.protocol < field.since and field.is_used(definition)]
    if unknown:
        raise FieldsUnknown(oldest.name, oldest.version, unknown)
