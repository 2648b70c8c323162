"""The channel that people mean by a name: the namespace's own before one of the whole cluster."""

from foliot.domain.access import Principal, Scope
from foliot.domain.alerts.channel import Channel, ChannelNotFound
from foliot.domain.names import nearest
from foliot.operations.names import home_of
from foliot.operations.services import Services


async def found_channel(services: Services, who: Principal, name: str, *, namespace: str | None) -> Channel:
    """Find it among those that the token sees."""
    who.demand(Scope.READ)
    home = home_of(who, namespace)
    if not who.sees(home):
        raise ChannelNotFound(name, namespace=home)
    channel = await services.store.channels.find(name, namespace=home)
    if channel is None:
        known = [one.name for one in await services.store.channels.list(namespace=home)]
        raise ChannelNotFound(name, namespace=home, nearest=nearest(name[:200], known))
    return channel
