"""The life of a node, from the start of its process to its end."""

from enum import StrEnum


class Life(StrEnum):
    """How far a node is. The first two are over when the cluster first sees it."""

    STARTING = "STARTING"
    REGISTERING = "REGISTERING"  # its jobs are declared
    SYNCING = "SYNCING"  # taken in: it tells what it still has to tell, and reads what it must know
    READY = "READY"  # takes work
    DRAINING = "DRAINING"  # takes no more
    GONE = "GONE"
