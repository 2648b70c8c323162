"""What a server is made with and says of itself: its introduction, the times of its cluster, the installed routes."""

import os
import socket

from foliot import __version__
from foliot.app.coordinators import STORE, coordinator_name
from foliot.app.plugins import Installed
from foliot.app.settings import ServerSettings, Timing
from foliot.domain.failover import ClusterTimes
from foliot.domain.locks import TTL_USUAL
from foliot.domain.routing import Route, Routes
from foliot.domain.schedule import tzdata_version
from foliot.ports.clock import Clock
from foliot.ports.worker_link import PROTOCOL, Hello
from foliot.worker.load import process_up_us


def server_hello(
    settings: ServerSettings, clock: Clock, session: str, *, schema: str, drills: tuple[str, ...]
) -> Hello:
    """A session of a server introduces itself."""
    labels = {"tzdata": tzdata_version(), "schema": schema}  # what its decisions were made by
    coordinator = coordinator_name(settings)
    if coordinator != STORE:
        labels["coordinator"] = coordinator
    return Hello(
        session=session,
        name=settings.node_name,
        group="",
        slots=0,
        handlers=(),
        labels=labels,
        version=__version__,
        protocol=PROTOCOL,
        pid=os.getpid(),
        host=socket.gethostname(),
        up_us=process_up_us(clock),
        address=settings.advertise,
        drills=drills,
    )


def cluster_times(timing: Timing) -> ClusterTimes:
    """The times that policies of failovers are compared with."""
    return ClusterTimes(
        beat_every_us=timing.session.beat_every_us,
        session_ttl_us=timing.session.ttl_us,
        grace_us=timing.grace_us,
        leader_ttl_us=timing.leader_ttl_us,
        lock_ttl_us=TTL_USUAL,
    )


def installed_routes() -> Routes:
    """Foliot's own routes and those of installed packages, for the planner."""

    def as_it_is(_name: str, route: Route) -> Route:
        return route

    return Installed("foliot.routes", as_it_is)
