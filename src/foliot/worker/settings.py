"""Settings of a worker."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from foliot.domain.job import DEFAULT_GROUP, Isolation
from foliot.domain.restarts import NO_RESTARTS, Restarts
from foliot.ports.spans import SpanSink
from foliot.ports.worker_link import WEIGHT_MAX, KindFailure
from foliot.worker.execution import WAITING_MAX
from foliot.worker.isolation.wire import ChildLimits
from foliot.worker.logs import LOG_MAX, PENDING_MAX
from foliot.worker.spool import SPOOL_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSettings:
    """Read once, at the edge; checked here."""

    name: str
    group: str = DEFAULT_GROUP
    slots: int = 8
    weight: int = 1  # its share of work beside other workers
    own_slots: Mapping[str, int] = field(default_factory=dict)  # of kinds of handlers that do not share `slots`
    waiting_max: int = WAITING_MAX  # runs that wait for others without a slot
    labels: Mapping[str, str] = field(default_factory=dict)
    version: str = ""
    host: str = ""
    failed_kinds: tuple[KindFailure, ...] = ()  # kinds of handlers that are installed and do not work here
    isolation: Isolation = Isolation.PROCESS  # of plain functions whose job does not say
    drain_timeout_s: float = 30.0
    restarts: Restarts = NO_RESTARTS  # by a supervisor
    drills: tuple[str, ...] = ()  # types of drills that it takes part in
    release_within_s: float = 5.0  # after the drain timeout, for runs that are given back to stop
    flush_within_s: float = 5.0  # for the last reports
    poll_wait_s: float = 20.0
    call_within_s: float = 10.0
    spool: Path | None = None  # folder; None: ends are kept in memory only
    spool_max_bytes: int = SPOOL_MAX
    log_max_bytes: int = LOG_MAX
    log_pending_max_bytes: int = PENDING_MAX
    processes_warm: int = 2
    process_runs_max: int = 1000
    process_growth_max_bytes: int = 256 * 1024 * 1024
    process_environment: Mapping[str, str] | None = None  # of jobs in child processes; None: the worker's own
    limits: ChildLimits = field(default_factory=ChildLimits)
    takes_over: bool = False  # jobs that live workers of another module declare
    spans: SpanSink | None = None  # where its spans go; None: nobody wants any
    capture: bool = True  # route print, stderr and logging of handlers in this process to their runs

    def __post_init__(self) -> None:
        assert all(slots > 0 for slots in (self.slots, *self.own_slots.values())), self.slots
        assert 1 <= self.weight <= WEIGHT_MAX, self.weight
        assert self.isolation is not Isolation.LOOP, "plain functions cannot run in the loop"
        assert self.drain_timeout_s >= 0, self.drain_timeout_s
