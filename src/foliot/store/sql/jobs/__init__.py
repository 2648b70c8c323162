"""Jobs, their versions, lanes and calendars: what an edit, a pause or a delete does to them and to what waits.

Writes `jobs`, `job_versions`, `lanes`, `calendars`, `calendar_uses`, `job_alerts`; `cursors` when a job is made;
`store_meta` for the numbers of lanes; of `skips` and `runs` what an edit, a resume or a reschedule changes; of `codes`
that its workers are asked to declare their jobs again.

Locks, in this order: `store_meta` when a lane is new; the job's `cursors` row, before anything about it is believed;
parent runs, then `runs`, when an edit forbids an overlap. Limits come last (`leasing.limits`). The steps after an edit
pass over runs that are locked.
"""
