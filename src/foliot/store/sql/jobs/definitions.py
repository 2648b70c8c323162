"""Definitions, compiled once: a bounded cache by (job, version), and the lanes their runs go to.

A version never changes, so what is cached is never stale. Memory is bounded by the cache, not by the number of jobs.
"""

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from foliot.domain.definition import from_document
from foliot.domain.job import Definition, Lane, LoadedJob
from foliot.domain.payload import canonical_json
from foliot.ports.worker_link import LeasedRun
from foliot.store.sql.firing.run_shape import shape_of
from foliot.store.sql.jobs.calendars import pins_of, read, with_calendars
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys

CACHE_MAX: Final = 50_000
"""With more jobs than this in turn a server compiles each anew at each fire, which then costs three times as much."""
CACHE_BYTES_MAX: Final = 32 * 1024 * 1024  # of documents; what is compiled from them takes a few times that

T = TypeVar("T")
Key: TypeAlias = tuple[int, int]
"""(job_id, version)"""

VERSIONS: Final = Statement(
    """
    SELECT v.job_id, v.version, j.namespace, j.name, v.definition, v.lane_id, v.merge_lane_id
    FROM {d}
    JOIN job_versions v ON v.job_id = d.job_id AND v.version = d.version
    JOIN jobs j ON j.id = v.job_id
    """,
    RowSet("d", job_id=BIGINT, version=BIGINT),
)

LANES_BY_HASH: Final = Statement(
    "SELECT lanes.hash, lanes.id FROM {d} JOIN lanes ON lanes.hash = d.hash", RowSet("d", hash=TEXT)
)

DRAW_LANES: Final = Statement("UPDATE store_meta SET lane_seq = lane_seq + :n WHERE id = 1")
LANES_DRAWN: Final = Statement("SELECT lane_seq FROM store_meta WHERE id = 1")

INSERT_LANES: Final = Statement(
    "INSERT INTO lanes (id, hash, document) SELECT d.id, d.hash, d.document FROM {d}",
    RowSet("d", id=BIGINT, hash=TEXT, document=TEXT),
)

LANES_AFTER: Final = Statement("SELECT id, document FROM lanes WHERE id > :after ORDER BY id")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredJob(LoadedJob):
    """A job version with what every fire needs of it, worked out once."""

    size: int = field(default=1000, compare=False, repr=False)  # bytes of its document
    shape: int = field(init=False, compare=False, repr=False)  # of its fires, see `firing.run_shape`
    needs_situation: bool = field(init=False, compare=False, repr=False)  # its plan depends on what is open
    tz: str = field(init=False, compare=False, repr=False)  # of its schedule, for its workers; empty: it has none
    lease_form: LeasedRun | None = field(default=None, init=False, compare=False, repr=False)  # by its first lease

    def __post_init__(self) -> None:
        LoadedJob.__post_init__(self)
        definition = self.definition
        is_limited = definition.max_waiting is not None
        object.__setattr__(self, "needs_situation", definition.is_serial or definition.is_delayed or is_limited)
        object.__setattr__(self, "shape", shape_of(self))
        object.__setattr__(self, "tz", definition.schedule.tz if definition.schedule is not None else "")

    def keep_form(self, form: LeasedRun) -> None:
        """Keep what all its runs look like to workers (`leasing.leased_runs`)."""
        object.__setattr__(self, "lease_form", form)


class Found(NamedTuple):
    """What became of a wish for definitions: those that compiled, and why the others did not."""

    jobs: Mapping[Key, StoredJob]
    troubles: Mapping[Key, Exception]


class Definitions:
    """Compiled job versions, the least used forgotten first. Shared by the threads of one store."""

    def __init__(self, *, count_max: int = CACHE_MAX, bytes_max: int = CACHE_BYTES_MAX) -> None:
        self._count_max = count_max
        self._bytes_max = bytes_max
        self._bytes = 0
        self._kept: OrderedDict[Key, StoredJob] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, tx: Tx, keys: Iterable[Key]) -> Found:
        """Compiled versions of all keys; misses are read in one statement of this transaction, calendars in another.

        One that cannot be compiled (a zone this machine lacks, a field of a newer Foliot) harms no other. A store that
        cannot be read says nothing about any of them: that is raised.
        """
        jobs, missing = self._known(keys if isinstance(keys, Sequence) else list(keys))
        if not missing:
            return Found(jobs, {})
        troubles: dict[Key, Exception] = {}
        for key in missing:
            troubles[key] = LookupError(f"version {key[1]} is not in the store")
        rows = {(row.job_id, row.version): row for row in tx.rows(VERSIONS, d=missing)}
        written = _each(rows, lambda key: _written(rows[key]), troubles)
        pins = {pin for _, pins in written.values() for pin in pins}
        calendars = read(tx, sorted(pins)) if pins else {}
        compiled = _each(written, lambda key: _compiled(rows[key], written[key][0], calendars), troubles)
        self._keep(compiled.items())
        return Found(jobs | compiled, troubles)

    def keep(self, job: LoadedJob) -> None:
        """Remember a version that was just saved: it will be wanted soon."""
        stored = StoredJob(
            job_id=job.job_id,
            version=job.version,
            namespace=job.namespace,
            name=job.name,
            definition=job.definition,
            lane_id=job.lane_id,
            merge_lane_id=job.merge_lane_id,
        )
        self._keep([((job.job_id, job.version), stored)])

    def _known(self, keys: Sequence[Key]) -> tuple[dict[Key, StoredJob], list[Key]]:
        """What is kept of these, and what is not. Order of use matters only when something must go: on a miss."""
        kept = self._kept
        with self._lock:
            found = dict(zip(keys, map(kept.get, keys), strict=True))
            jobs = {key: job for key, job in found.items() if job is not None}
            if len(jobs) < len(found):
                for key in jobs:
                    kept.move_to_end(key)
        return jobs, [key for key in found if key not in jobs] if len(jobs) < len(found) else []

    def _keep(self, loaded: Iterable[tuple[Key, StoredJob]]) -> None:
        with self._lock:
            for key, job in loaded:
                before = self._kept.pop(key, None)
                self._bytes += job.size - (before.size if before is not None else 0)
                self._kept[key] = job
            while len(self._kept) > self._count_max or self._bytes > self._bytes_max:
                _, gone = self._kept.popitem(last=False)
                self._bytes -= gone.size


def _each(keys: Iterable[Key], make: Callable[[Key], T], troubles: dict[Key, Exception]) -> dict[Key, T]:
    """What can be made of these; of the others, why not. Nothing in here asks the store."""
    made = {}
    for key in keys:
        try:
            made[key] = make(key)
        except Exception as error:  # noqa: BLE001  whatever is wrong with one definition, the others fire
            troubles[key] = error
        else:
            troubles.pop(key, None)
    return made


def _written(row: Any) -> tuple[Definition, tuple[str, ...]]:
    """A definition as it is kept, and the calendars it needs."""
    definition = from_document(json.loads(row.definition), job=row.name, is_saved=True)
    return definition, pins_of(definition)


def _compiled(row: Any, definition: Definition, calendars: Mapping[str, Any]) -> StoredJob:
    return StoredJob(
        job_id=row.job_id,
        version=row.version,
        namespace=row.namespace,
        name=row.name,
        definition=with_calendars(definition, calendars),
        lane_id=row.lane_id,
        merge_lane_id=row.merge_lane_id,
        size=len(row.definition),
    )


# -------------------------------------------------------------------------------------------------------------- lanes


def lane_ids(tx: Tx, lanes: Sequence[Lane]) -> list[int]:
    """The ids of these lanes, made where missing.

    Ids are drawn from `store_meta`, the first row in the order of locks, and stay locked until commit: so who has seen
    lane n has seen every lane before it (R14).
    """
    documents = {lane_hash(lane): _document(lane) for lane in lanes}
    known = _known_lanes(tx, documents)
    if len(known) < len(documents):
        tx.change(DRAW_LANES, {"n": len(documents)})
        known = _known_lanes(tx, documents)  # again: whoever held the row may have made them
        missing = [hash_ for hash_ in documents if hash_ not in known]
        first = int(tx.rows(LANES_DRAWN)[0][0]) - len(documents) + 1
        new = [(first + n, hash_, documents[hash_]) for n, hash_ in enumerate(missing)]
        if new and tx.change(INSERT_LANES, d=new) != len(new):
            raise TryAgain("a lane was made by somebody else")
        known |= {hash_: lane_id for lane_id, hash_, _ in new}
    return [known[lane_hash(lane)] for lane in lanes]


def lanes_after(tx: Tx, after: int) -> dict[int, Lane]:
    """Lanes with a greater id."""
    documents = tx.pairs(LANES_AFTER, {"after": after})
    return {lane_id: lane_from(document) for lane_id, document in documents.items()}


def _known_lanes(tx: Tx, hashes: Iterable[str]) -> dict[str, int]:
    return tx.pairs(LANES_BY_HASH, d=keys(hashes))


def _document(lane: Lane) -> str:
    document: dict[str, Any] = {
        "group": lane.group,
        "handler": lane.offer,  # its key since before there were offers: the hash of a lane stays
        "require": dict(lane.require),
        "limits": list(lane.limits),
        "exclusive": lane.exclusive,
        "at_most_once": lane.at_most_once,
    }
    if lane.namespace is not None:
        document["namespace"] = lane.namespace
    if lane.routed:
        document["routed"] = True
    if lane.rates:
        document["rates"] = list(lane.rates)
    if lane.keyed is not None:
        document["keyed"] = lane.keyed
    if lane.per_worker is not None:
        document["per_worker"] = list(lane.per_worker)
    return canonical_json(document)


def lane_hash(lane: Lane) -> str:
    """What tells two lanes apart."""
    return hashlib.sha256(_document(lane).encode()).hexdigest()


def lane_from(document: str) -> Lane:
    """A lane as it was kept."""
    told = json.loads(document)
    per_worker = told.get("per_worker")
    return Lane(
        group=told["group"],
        offer=told["handler"],
        require=tuple(sorted(told["require"].items())),
        limits=tuple(told["limits"]),
        exclusive=told["exclusive"],
        at_most_once=told["at_most_once"],
        namespace=told.get("namespace"),
        routed=told.get("routed", False),
        rates=tuple(told.get("rates", ())),
        keyed=told.get("keyed"),
        per_worker=None if per_worker is None else (per_worker[0], per_worker[1]),
    )
