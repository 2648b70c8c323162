"""The metrics of a server: where each figure that other parts keep is read from."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from foliot import __version__
from foliot.app.coordinators import STORE, coordinator_name
from foliot.domain.instants import SECOND
from foliot.domain.traces import own_trace, read_traceparent
from foliot.observability.metrics import ServerMetrics
from foliot.observability.node_figures import NodeGauge
from foliot.ports.clock import Clock
from foliot.ports.coordinator import Coordinator
from foliot.ports.worker_link import LeasedRun

if TYPE_CHECKING:
    from foliot.app.server import Server


def metrics_of(
    server: "Server", clock: Clock, coordinator: Coordinator, seen_nodes: Callable[[], Iterable[NodeGauge]]
) -> ServerMetrics:
    """The metrics of a server that is being built: its parts are asked when somebody looks."""
    metrics = ServerMetrics(per_job=server.settings.metrics_per_job, version=__version__)
    metrics.monotonic = clock.monotonic
    if server.settings.spans is not None:
        metrics.trace_of = _trace_of
    metrics.watch_store(server.store.troubles, server.store.calls)
    metrics.registry.register(server.health)
    if (name := coordinator_name(server.settings)) != STORE:
        metrics.watch_coordinator(name, coordinator.health)
    metrics.cluster.term = lambda: server.leadership.term
    metrics.watch_nodes(lambda: seen_nodes() if server.leadership.term is not None else ())
    metrics.watch_pulse_age(server.tide.age_s)
    metrics.watch_waiting(lambda: server.leasing.parked, lambda: server.lock_waiting.parked)
    metrics.pulse_took.set_function(lambda: server.tide.took_s)
    metrics.clock_offset.set_function(lambda: (server.step_guard.offset.us or 0) / SECOND)
    return metrics


def _trace_of(run: LeasedRun) -> str:
    parent = read_traceparent(run.trace)
    if parent is not None:
        return parent.trace_id
    return own_trace(run_id=run.run_id, namespace=run.namespace, job=run.job, due_at=run.due_at)
