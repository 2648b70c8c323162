"""Named limits: how many runs may hold a resource at once, whose a limit is, and who may change it (SEC-05).

A limit that a job names is of the job's namespace: two namespaces may use one name and never meet. A limit of the
whole cluster has no namespace; an admin makes it, and from then on jobs that are saved with its name count in it.

An admin may also limit a group of workers or a namespace. Every run there counts in it, and no job names it.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import Denied, InvalidInput

KEY_LENGTH_MAX: Final = 250


class LimitKind(StrEnum):
    """What a limit is of."""

    NAMED = "named"  # a resource that jobs name
    GROUP = "group"  # every run on the workers of a group
    NAMESPACE = "namespace"  # every run of a namespace
    JOB = "job"  # the job's own
    KEY = "key"  # the runs of a job with one value of a parameter
    WORKER = "worker"  # the runs of a job on one worker


_PREFIXES: Final = {
    "res": LimitKind.NAMED,
    "grp": LimitKind.GROUP,
    "ns": LimitKind.NAMESPACE,
    "job": LimitKind.JOB,
    "rate": LimitKind.JOB,
    "c": LimitKind.KEY,
    "r": LimitKind.KEY,
    "w": LimitKind.WORKER,
}


def kind_of(key: str) -> LimitKind:
    """What the limit with this key is of."""
    return _PREFIXES[key.partition(":")[0]]


def scope_key(kind: LimitKind, name: str) -> str:
    """What the limit of a whole group or namespace is called in the store."""
    return f"grp:{name}" if kind is LimitKind.GROUP else f"ns:{name}"


def limit_key(name: str, namespace: str | None) -> str:
    """What a limit is called in lanes and in the store. `namespace` None: of the whole cluster."""
    if namespace is None:
        return f"res:{name}"
    key = f"res:{namespace}/{name}"
    if len(key) <= KEY_LENGTH_MAX:
        return key
    short = hashlib.sha256(namespace.encode()).hexdigest()[:32]
    return f"res:{short}/{name}"


def job_key(job_id: int) -> str:
    """What the limit of a job's own runs (`max_running`) is called in lanes and in the store."""
    return f"job:{job_id}"


def rate_key(job_id: int) -> str:
    """What the rate of a job is called in lanes and in the store."""
    return f"rate:{job_id}"


def worker_key(job_id: int, session: str) -> str:
    """What counts the runs of a job on one worker."""
    return f"w:{job_id}:{session}"


def is_rate_alone(key: str) -> bool:
    """Whether a limit lets any number of runs execute, and only counts starts."""
    return key.startswith("rate:")


def is_of_the_cluster(key: str) -> bool:
    """Whether this is the key of a limit of the whole cluster: no name of a limit has a slash."""
    return key.startswith("res:") and "/" not in key


def is_of_an_admin(key: str) -> bool:
    """Whether an admin makes this limit and takes it away: one that is not there holds up no run."""
    return is_of_the_cluster(key) or kind_of(key) in (LimitKind.GROUP, LimitKind.NAMESPACE)


def limit_name(key: str) -> str:
    """A limit as people know it."""
    kind, _, rest = key.partition(":")
    if kind == "job":
        return "max_running"
    if kind == "rate":
        return "rate"
    return rest.rpartition("/")[2] or key


@lru_cache(maxsize=4096)
def tokens_of(keys: tuple[str, ...]) -> Mapping[str, int]:
    """How much of each limit a run of a lane takes: a lane names a limit once for each token.

    So a server from before weights, which gives back and counts one for each name, does it right.
    """
    return Counter(keys)


class LimitTooSmall(InvalidInput):
    """A run would take more of a limit than there is."""

    code = "FOL-1242"

    def __init__(self, name: str, *, takes: int, max_: int) -> None:
        super().__init__(
            f"A run would take {takes} of the limit {name}, which has {max_}: no run could ever start.",
            hint=f"write a place.takes.{name} of {max_} at most, or raise the limit",
            name=name,
            takes=takes,
            max=max_,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitChange:
    """A maximum that a save would change."""

    name: str
    namespace: str | None  # None: of the whole cluster
    max: int
    wanted: int


class LimitNotYours(Denied):
    """A token that may not change a limit saved a job with another maximum for it."""

    code = "FOL-4011"

    def __init__(self, change: LimitChange) -> None:
        whose = "the whole cluster" if change.namespace is None else f"namespace {change.namespace}"
        super().__init__(
            f"The limit {change.name} is of {whose} and lets {change.max} runs through; "
            f"this token may not change it to {change.wanted}.",
            name=change.name,
            namespace=change.namespace,
            max=change.max,
            wanted=change.wanted,
        )


def check_change(who: Principal, change: LimitChange) -> None:
    """Raise `LimitNotYours` unless this token may change this limit.

    Jobs of every group count in a limit of their namespace, so a token of one group leaves it as it is.
    """
    if change.namespace is None:
        is_allowed = Scope.ADMIN in who.may and not who.is_limited
    else:
        is_allowed = who.group is None and who.sees(change.namespace)
    if not is_allowed:
        raise LimitNotYours(change)
