"""Statistics: runs that ended are read in the order of their ids and counted into figures of minutes, hours and days.

Writes `stats` (one row a resolution, start, job and node), `stats_progress` (one row: up to which id runs are counted)
and `stats_left` (runs that had not ended when they were passed). Writes the load of nodes into `node_loads`, what
differs from a job's baseline into `anomalies`, and into `history_progress` how far both are done. Writes when which
report is sent into `report_schedules`.

Locks the one row of `stats_progress` first, and so one round of counting comes after the other. A minute of load and
a page of judged jobs lock their row of `history_progress` first in the same way. Runs are read without a lock: a run
that ended never changes.
"""
