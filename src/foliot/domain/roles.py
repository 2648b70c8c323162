"""Roles of servers: an active one fires, leases and may lead; a standby serves users and waits to be promoted.

Safety never depends on a role: a server that learns of its role late decides by the same guarded updates as always.

    InvalidInput
    └── BadServerRules    FOL-1200   numbers of servers that no cluster can have
    Conflict
    ├── RulesChanged      FOL-3061   somebody else changed the numbers meanwhile
    └── TooFewLeft        FOL-3075   fewer servers than the cluster needs would decide
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from foliot.domain.errors import Conflict, InvalidInput
from foliot.domain.instants import Instant

SERVERS_MAX: Final = 100


class Role(StrEnum):
    """What a server does."""

    ACTIVE = "active"
    STANDBY = "standby"


class BadServerRules(InvalidInput):
    """A number of servers that a cluster cannot have."""

    code = "FOL-1200"

    def __init__(self, setting: str, value: int, *, least: int, most: int) -> None:
        super().__init__(
            f"{value} is no {setting} of a cluster.",
            hint=f"allowed: {least} to {most}; active_min and standby_count together at most {SERVERS_MAX}",
            setting=setting,
            value=value,
            least=least,
            most=most,
            together=SERVERS_MAX,
        )


class RulesChanged(Conflict):
    """Somebody else changed the numbers of servers meanwhile."""

    code = "FOL-3061"

    def __init__(self, *, version: int) -> None:
        super().__init__(
            f"The numbers of servers have version {version} by now.",
            version=version,
        )


class TooFewLeft(Conflict):
    """Fewer servers than the cluster needs would decide."""

    code = "FOL-3075"

    def __init__(self, name: str, *, active: int, least: int) -> None:
        super().__init__(
            f"{name} must go on: {active} of at least {least} servers are active.",
            name=name,
            active=active,
            least=least,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRules:
    """How many servers a cluster is to have."""

    active_min: int = 1  # below it a standby is promoted
    standby_count: int = 0  # below it the doctor warns
    version: int = 0  # 0: as Foliot brings it


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRulesChange:
    """What a user sets. None: as it is."""

    active_min: int | None = None
    standby_count: int | None = None


def changed_rules(rules: ServerRules, change: ServerRulesChange) -> ServerRules:
    """The numbers as they are to be; an error when no cluster can have them."""
    if change.active_min is not None:
        rules = replace(rules, active_min=change.active_min)
    if change.standby_count is not None:
        rules = replace(rules, standby_count=change.standby_count)
    if not 1 <= rules.active_min <= SERVERS_MAX:
        raise BadServerRules("active_min", rules.active_min, least=1, most=SERVERS_MAX)
    most = SERVERS_MAX - rules.active_min
    if not 0 <= rules.standby_count <= most:
        raise BadServerRules("standby_count", rules.standby_count, least=0, most=most)
    return rules


# ---------------------------------------------------------------------------------------------------------- promotion


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenServer:
    """A server's session as the store has it."""

    session: str
    name: str
    role: Role
    started_at: Instant
    is_live: bool  # its session has not run out, and it does not drain


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenServers:
    """The servers at one moment, and how many there are to be."""

    servers: Sequence[SeenServer]
    rules: ServerRules = ServerRules()

    @property
    def active(self) -> int:
        return sum(one.is_live and one.role is Role.ACTIVE for one in self.servers)

    @property
    def standbys(self) -> Sequence[SeenServer]:
        """Those that could be promoted now, the oldest first. Every server sees the same order."""
        live = [one for one in self.servers if one.is_live and one.role is Role.STANDBY]
        return sorted(live, key=lambda one: (one.started_at, one.session))

    def check_goes_without(self, session: str) -> None:
        """Refuse to let this server decide no more when too few others do; `TooFewLeft`."""
        for one in self.servers:
            is_counted = one.is_live and one.role is Role.ACTIVE
            if one.session == session and is_counted and self.active <= self.rules.active_min:
                raise TooFewLeft(one.name, active=self.active, least=self.rules.active_min)

    @property
    def next_active(self) -> SeenServer | None:
        """The standby that is to be promoted; None: enough servers are active, or no standby lives."""
        if self.active >= self.rules.active_min:
            return None
        return next(iter(self.standbys), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """A standby that is active now."""

    session: str
    name: str
    at: Instant
    instead_of: str | None = None  # the name of the server that is gone; None: nobody in particular


def role_of(kept: str | None) -> Role:
    """The role in a server's row. An older Foliot writes none: its servers are active."""
    return Role.STANDBY if kept == Role.STANDBY else Role.ACTIVE


def live_counts(roles: Iterable[Role]) -> tuple[int, int]:
    """How many of these servers are active, and how many are standbys."""
    counted = list(roles)
    standbys = sum(role is Role.STANDBY for role in counted)
    return len(counted) - standbys, standbys
