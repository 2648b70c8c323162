"""Statistics: runs that ended are read in the order of their ids and counted into figures of minutes, hours and days.

Writes `stats` (one row a resolution, start, job and node), `stats_progress` (one row: up to which id runs are counted)
and `stats_left` (runs that had not ended when they were passed).

Locks the one row of `stats_progress` first, and so one round of counting comes after the other. Runs are read without a
lock: a run that ended never changes.
"""
