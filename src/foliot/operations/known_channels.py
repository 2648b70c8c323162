"""Channels that jobs, rules and policies name: which of them there are not."""

from collections.abc import Iterable, Sequence

from foliot.domain.errors import InvalidInput
from foliot.domain.job import Definition
from foliot.domain.names import nearest
from foliot.operations.services import Services


class UnknownChannel(InvalidInput):
    """A channel that is named does not exist: what names it is saved with this warning, and nobody is told there."""

    code = "FOL-1391"

    def __init__(self, name: str, *, nearest: str | None) -> None:
        super().__init__(
            f'There is no channel "{name}": until somebody makes it, nobody is told there.',
            hint=f"did you mean {nearest}?" if nearest else "make it",
            name=name,
            nearest=nearest,
        )


async def unknown_channels(services: Services, namespace: str | None, names: Iterable[str]) -> Sequence[UnknownChannel]:
    """A warning for each of these channels that a namespace cannot use because it is not there."""
    named = list(dict.fromkeys(names))
    if not named:
        return []
    found = await services.store.channels.list(namespace=namespace)
    known = {channel.name for channel in found if channel.namespace in (None, namespace)}
    return [UnknownChannel(name, nearest=nearest(name, sorted(known))) for name in named if name not in known]


async def alert_warnings(services: Services, namespace: str, definition: Definition) -> Sequence[UnknownChannel]:
    """The same for what a job's own alert policy names."""
    alert = definition.alert
    return [] if alert is None else await unknown_channels(services, namespace, alert.to)
