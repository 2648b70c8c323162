"""Runs end: reports, verdicts, parents of shards, cancels, logs, and the history that is kept."""
