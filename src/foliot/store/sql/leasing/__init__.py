"""Due runs go to workers: candidates, slots for them, limits and what a merge run gets.

Writes `runs` (the lease), `limits`; `limit_keys` and `limit_runs`: limits by worker and by key, and which runs count in
them; of `cursors` the fence of exclusive jobs; of `store_meta` the number of the limits of groups and namespaces.

Locks, in this order: `cursors` of exclusive jobs, whose runs were picked without a lock before; `runs`, passing over
those that are locked; `limits` by name, waiting for them.
"""
