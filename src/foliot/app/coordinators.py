"""The coordinator of a server: which backend holds its elections, chosen by the scheme of a URL."""

from typing import Final

from foliot.app.plugins import PartNotLoaded, known, load
from foliot.app.settings import ServerSettings
from foliot.domain.errors import FoliotError
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.coordinator import Coordinator, ElectionParts, ElectionTimes, MakeCoordinator
from foliot.ports.store import Store

GROUP: Final = "foliot.coordinators"
STORE: Final = "store"


def coordinator_name(settings: ServerSettings) -> str:
    """The backend's name: `redis` of `redis://10.0.0.7`. What follows it may hold a password, and is never shown."""
    return settings.coordinator_url.partition(":")[0]


def make_coordinator(store: Store, settings: ServerSettings, *, clock: Clock, chance: Chance) -> Coordinator:
    """The backend that holds elections and carries wake-ups; the store's own, unless another is named."""
    name = coordinator_name(settings)
    make: MakeCoordinator = load(GROUP, name)
    timing = settings.timing
    times = ElectionTimes(term_us=timing.leader_ttl_us, session_us=timing.session.ttl_us)
    parts = ElectionParts(terms=store.nodes, times=times, wakeups=store.wakeups, clock=clock, chance=chance)
    try:
        return make(parts, url=settings.coordinator_url)
    except FoliotError:
        raise
    except Exception as error:  # noqa: BLE001  a package's own code, and its message may hold the URL
        raise PartNotLoaded("coordinator", name, known(GROUP)[name], type(error).__name__) from None
