"""What happened, as plain data: the store's rows, each recorded change, and the journals beside it."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

Row = Mapping[str, Any]

SECOND: Final = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Change:
    """One recorded change of a row: what it was after it."""

    seq: int
    at: int  # store time
    table: str
    op: str  # INSERT, UPDATE
    row: Row


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a journal: a worker's handler (start, effect, end), the nemesis, a client, or the fenced resource."""

    source: str
    what: str
    mono: float
    data: Row = field(default_factory=dict)

    def get(self, key: str) -> Any:
        return self.data.get(key)


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """What the run of the cluster was set to, as far as an invariant needs it."""

    session_ttl_us: int = 4 * SECOND
    grace_us: int = 400_000
    tick_us: int = 100_000
    catchup_rate: int = 50
    servers: int = 3
    misfire_after_us: int = 60 * SECOND
    lossy: bool = False


@dataclass(frozen=True, kw_only=True)
class History:
    """Everything the checker looks at."""

    jobs: Sequence[Row] = ()
    versions: Sequence[Row] = ()  # job_versions, `definition` decoded
    cursors: Sequence[Row] = ()
    runs: Sequence[Row] = ()
    skips: Sequence[Row] = ()
    attempts: Sequence[Row] = ()
    nodes: Sequence[Row] = ()
    leases: Sequence[Row] = ()
    lanes: Sequence[Row] = ()
    limits: Sequence[Row] = ()
    meta: Sequence[Row] = ()
    changes: Sequence[Change] = ()
    worker_lines: Sequence[Line] = ()
    nemesis_lines: Sequence[Line] = ()
    client_lines: Sequence[Line] = ()
    resource_lines: Sequence[Line] = ()
    figures: Row = field(default_factory=dict)  # metrics of the processes: pool peaks, longest transaction …
    bounds: Bounds = field(default_factory=Bounds)

    @cached_property
    def definition_of(self) -> Mapping[tuple[int, int], Row]:
        """The definition document of each (job, version)."""
        return {(row["job_id"], row["version"]): row["definition"] for row in self.versions}

    @cached_property
    def lane_documents(self) -> Mapping[int, Row]:
        """What each lane says."""
        return {lane["id"]: json.loads(lane["document"]) for lane in self.lanes}

    @cached_property
    def versions_of(self) -> Mapping[int, Sequence[Row]]:
        """The versions of each job, in order."""
        versions: dict[int, list[Row]] = defaultdict(list)
        for row in sorted(self.versions, key=lambda row: row["version"]):
            versions[row["job_id"]].append(row)
        return versions

    @cached_property
    def cursor_of(self) -> Mapping[int, Row]:
        """The cursor of each job."""
        return {row["job_id"]: row for row in self.cursors}

    @cached_property
    def last_at(self) -> int:
        """The last moment anything is known of, in store time."""
        return max((*(change.at for change in self.changes), *(run["created_at"] for run in self.runs)), default=0)

    @cached_property
    def changes_of_run(self) -> Mapping[int, Sequence[Change]]:
        """Each run's recorded changes, by its own version chain, never by id or wall time."""
        chains: dict[int, list[Change]] = defaultdict(list)
        for change in self.changes:
            if change.table == "runs":
                chains[change.row["id"]].append(change)
        return {run_id: sorted(chain, key=lambda change: change.row["ver"]) for run_id, chain in chains.items()}

    @cached_property
    def starts(self) -> Sequence[Line]:
        """Handler starts, from the journals."""
        return [line for line in self.worker_lines if line.what == "start"]

    @cached_property
    def ends(self) -> Mapping[tuple[int, int], Line]:
        """The end of each (run, attempt), from the journals."""
        return {(line.get("run"), line.get("attempt")): line for line in self.worker_lines if line.what == "end"}

    @cached_property
    def lossy(self) -> bool:
        """Whether the store may have forgotten what it acknowledged: it is of that kind, or was made to."""
        return self.bounds.lossy or any(line.get("forgot") for line in self.nemesis_lines)

    def at_most_once(self, run: Row) -> bool:
        return bool(self.definition_of.get((run["job_id"], run["version"]), {}).get("on_lost") == "fail")

    def exclusive(self, run: Row) -> bool:
        return bool(self.definition_of.get((run["job_id"], run["version"]), {}).get("exclusive"))
