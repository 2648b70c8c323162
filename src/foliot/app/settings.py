"""Settings, read once at the edge into frozen trees; each part gets only its piece. Relations are checked here."""

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from foliot.app.notify_settings import NotifySettings
from foliot.domain.effective_settings import EffectiveSetting
from foliot.domain.errors import InvalidInput
from foliot.domain.health import HealthRules, usual_rules
from foliot.domain.instants import DAY, MILLISECOND, SECOND, Micros
from foliot.domain.restarts import NO_RESTARTS, Restarts
from foliot.operations.services import SessionTimes
from foliot.ports.spans import SpanSink

DEFAULT_PORT: Final = 7171


class BadSetting(InvalidInput):
    """Settings that cannot work together."""

    code = "FOL-1030"


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How quickly the cluster notices and acts. The relations that keep it safe are checked on creation."""

    session: SessionTimes = field(default_factory=SessionTimes)
    grace_us: Micros = 2 * SECOND  # beyond a session's or a run's time before others act on it
    leader_ttl_us: Micros = 5 * SECOND
    tick_us: Micros = 500 * MILLISECOND
    pulse_us: Micros = SECOND
    health: HealthRules | None = None  # None: the usual ones for the session's ttl

    @property
    def bands(self) -> HealthRules:
        """Which node is in which band."""
        return self.health or usual_rules(self.session.ttl_us)

    def __post_init__(self) -> None:
        ttl = self.session.ttl_us
        if self.session.beat_every_us > ttl // 3:
            raise BadSetting("A beat must come at least three times per session ttl.", hint="lower beat or raise ttl")
        if self.session.margin_us < ttl // 10:
            raise BadSetting("The margin must be at least a tenth of the session ttl.", hint="raise margin")
        if self.leader_ttl_us + 4 * self.tick_us > ttl // 2:
            raise BadSetting(
                "leader_ttl + 4 ticks must fit in half a session ttl, or amnesty comes too late.",
                hint="lower leader_ttl or raise session ttl",
            )
        if self.bands.ttl_us != ttl:
            raise BadSetting("The thresholds of health are for another session ttl.", hint="make them for this ttl")


TEST_TIMING: Final = Timing(
    session=SessionTimes(ttl_us=4 * SECOND, margin_us=800 * MILLISECOND),
    grace_us=400 * MILLISECOND,
    leader_ttl_us=1500 * MILLISECOND,
    tick_us=100 * MILLISECOND,
)
TIMINGS: Final = {"prod": Timing(), "test": TEST_TIMING}


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsFiles:
    """Where a server's certificate (with its chain) and its private key lie, in PEM."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """One server."""

    store_url: str
    node_name: str  # "": host and port, so that two servers on one machine have two names
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    timing: Timing = field(default_factory=Timing)
    keep_us: Micros = 30 * DAY
    behind_proxy: bool = False
    tls: TlsFiles | None = None
    insecure_http: bool = False  # the user wants tokens to cross a network unencrypted
    public_url: str = ""  # where other systems reach the servers; empty: where a worker reaches them
    advertise: str = ""  # where workers reach this server; beats tell it to all workers
    keeps_removed: bool = False  # a job that no code declares any more goes on; the leader's word counts
    coordinator_url: str = "store"  # its scheme names the backend that holds elections
    allows_drills: bool = False  # admins may break this process on purpose
    replica_url: str = ""  # of the store's database: answers reads while the store is away; empty: there is none
    is_standby: bool = False  # it fires and leases nothing until it is promoted
    restarts: Restarts = NO_RESTARTS  # by a supervisor
    spans: SpanSink | None = None  # where spans of triggers go; None: nobody wants any
    metrics_per_job: int = 0  # of so many jobs the metrics have series of their own
    notify: NotifySettings = field(default_factory=NotifySettings)  # channels: what they may reach, secrets, own ones
    told: tuple[EffectiveSetting, ...] = ()  # these settings for users to see
    fault_point: str | None = None  # tests only: where this process breaks itself

    @property
    def is_protected(self) -> bool:
        """Whether clients on other machines come by TLS."""
        return self.behind_proxy or self.tls is not None

    @property
    def is_plain(self) -> bool:
        """Whether clients on other machines send their tokens unencrypted."""
        return not self.is_protected and not is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine reach this address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
