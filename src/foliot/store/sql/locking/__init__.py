"""Locks for users' code: claims that wait and hold, and the decisions about them (R21).

Writes `locks` (one row a lock: its highest token) and `lock_claims` (who holds it, who waits).

Locks, in this order: `locks` by id, `lock_claims`. A decision draws the next token of the lock first. So two decisions
about one lock come one after the other, on every server and on every node of a Galera cluster. A renewal touches
claims alone: it and the decision that finds a claim too old write the same row, and one of them wins.
"""
