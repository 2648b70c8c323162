"""Due runs go to workers: candidates, slots for them, limits and what a merge run gets.

Writes `runs` (the lease), `limits`; of `cursors` the fence of exclusive jobs.

Locks, in this order: `cursors` of exclusive jobs, whose runs were picked without a lock before; `runs`, passing over
those that are locked; `limits` by name, waiting for them.
"""
