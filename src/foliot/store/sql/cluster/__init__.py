"""Servers and workers: the leader, the store's clock, dead sessions, workers' code, a store that came from a backup.

Writes `leases`, `nodes`; `codes`, `code_modules`, `code_jobs`: what the code of workers declares; `worker_kinds`: the
kinds of handlers that they offer; of `store_meta` the tick, epoch and what is known of the clock; of `runs` the start
that a beat reports, and after a restore every lease; `failovers`: what failed, and `failover_policies`: when a failure
needs a person; `drills`: failures that users made on purpose.

Locks: a beat passes over runs that are locked, and its session was renewed before, in a transaction of its own. A
verdict on the clock and a term are guarded updates, one statement a transaction; a restore goes by the order of tables.
A failover is written after everything else that its transaction locks, and before the journal.
"""
