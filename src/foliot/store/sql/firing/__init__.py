"""Runs come to be: of fires, triggers and backfills, each with its place in the job's line.

Writes `runs` (every insert but that of a merge run), `cursors`, `skips`, `backfills`, `trigger_windows`,
`trigger_keys`; of `jobs` the end of a pause and whether it has a fixed delay.

Locks, in this order: `cursors`, before anything of a job's line is read; then `runs`. A server that fires passes over
cursors that are locked, for another server has them; it waits only for those overdue by half a second. An insert of a
run waits for nothing but its cursor. The sweep passes over whatever is locked.
"""
