"""Bounds of metrics: how many values a label has at most where users choose them."""

from typing import Final

NODES_SHOWN: Final = 1000
GROUPS_SHOWN: Final = 100
LIMITS_SHOWN: Final = 200
CHANNELS_SHOWN: Final = 100
JOBS_SHOWN_MAX: Final = 1000
"""The greatest value of `--metrics-per-job`."""
