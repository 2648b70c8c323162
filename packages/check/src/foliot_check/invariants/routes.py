"""Whom routes named (I24): judged from the changes of runs, each of which says for whom the run was then."""

import itertools
from typing import Final

from foliot_check.findings import Finding, invariant
from foliot_check.history import History
from foliot_check.invariants.pieces import leases_in

ANYONE: Final = "*"


@invariant("I24")
def who_was_named_and_nobody_else(history: History, finding: Finding) -> None:
    """A run that its route meant for a worker is leased by the session of that worker alone."""
    for run_id, chain in history.changes_of_run.items():
        leases = {lease.seq for lease in leases_in(chain)}
        for earlier, later in itertools.pairwise(chain):
            named = earlier.row.get("assigned_to")
            if named in (None, ANYONE) or later.seq not in leases:
                continue
            finding.looked_at += 1
            session = later.row["session_id"]
            if session != named:
                finding.fault(f"run {run_id} was meant for session {named}, and {session} leased it")
