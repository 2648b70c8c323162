"""What goes wrong between a caller and the store."""

from foliot.domain.errors import ClusterTrouble, Unanswered


class DataRefused(Exception):
    """The store takes no such data, such as text with the character NUL. Nothing of the call was kept."""


class StoreUnavailable(Unanswered):
    """The store cannot be reached or is not writable."""


class StoreBusy(ClusterTrouble):
    """Locks, pool or time limits did not let this transaction through; nothing changed."""

    code = "FOL-5011"


class OutcomeUnknown(StoreUnavailable):
    """The answer to a commit was lost: it may or may not have happened."""

    code = "FOL-5012"
