"""What can go wrong with a benchmark that a person can mend."""

from foliot.domain.errors import ExecutionFailed, StorageTrouble
from foliot.store.sql.kernel.connect import redacted


class BenchFailed(ExecutionFailed):
    """A benchmark could not be carried through."""

    code = "FOL-6020"


class DatabaseNotEmpty(StorageTrouble):
    """A benchmark was pointed at a database that holds something."""

    code = "FOL-7010"

    def __init__(self, url: str, tables: int) -> None:
        shown = redacted(url)
        super().__init__(
            f"{shown} is not empty: it holds {tables} tables.",
            hint="a benchmark fills and clears its database: give it one of its own",
            url=shown,
            tables=tables,
        )


class NoTwinDatabase(StorageTrouble):
    """The second database of a benchmark could not be made."""

    code = "FOL-7011"

    def __init__(self, url: str, why: str) -> None:
        shown = redacted(url)
        super().__init__(
            f"No second database could be made beside {shown}: {why}.",
            hint="give an empty one with --twin-db URL, or a user that may create databases",
            url=shown,
            why=why,
        )
