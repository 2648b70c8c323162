"""Runs end: reports, verdicts, parents of shards, cancels, logs, and the history that is kept.

Writes `runs` (ends, returns to PENDING, cancels, merge runs), `attempts`, `run_logs`, `callbacks`, `failure_signs`; of
`cursors` the next instant of a fixed delay. Retention deletes from `runs`, `attempts`, `run_logs`, `callbacks`,
`skips`, `nodes`, `trigger_windows` and `trigger_keys`.

Locks, in this order: `cursors` and parent runs, where the end of a run touches them; `runs`; `limits` by name;
`callbacks`. A plain success locks nothing: it is one guarded update. Logs and retention wait for no row but those they
write.
"""
