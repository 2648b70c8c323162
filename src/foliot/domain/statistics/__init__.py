"""Statistics of runs: how durations are counted into buckets, what is known of a stretch of time, and how it is merged.

Everything here is added up: figures of two stretches, or of two nodes, make the figures of both together.
"""
