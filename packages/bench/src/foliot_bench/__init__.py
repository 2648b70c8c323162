"""Benchmarks, each beside its raw twin: the same row work as bare set-based SQL on the same tables, in the same run."""
