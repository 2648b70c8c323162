"""What can go wrong with an SQL job. No text here holds a password."""

from foliot.domain.errors import ExecutionFailed, InvalidInput
from foliot.ports.handler import Unfit


class BadSqlConnection(InvalidInput):
    """A connection of a worker that cannot be used as it is written."""

    code = "FOL-1133"

    def __init__(self, name: str, why: str) -> None:
        super().__init__(
            f"The connection handlers.sql.connections.{name} cannot be used: {why}.",
            hint='write url = "postgresql://USER@HOST/DB", "mariadb://USER@HOST/DB" or "sqlite:///FILE", and the '
            "password in password_file",
            name=name,
            why=why,
        )


class SqlDriverMissing(InvalidInput):
    """A connection whose driver is not installed."""

    code = "FOL-1134"

    def __init__(self, name: str, module: str, package: str) -> None:
        super().__init__(
            f"The connection handlers.sql.connections.{name} needs the package {module}, which is not installed.",
            hint=f'pip install "{package}"',
            name=name,
            module=module,
            package=package,
        )


class BadSqlParameter(InvalidInput):
    """A run's parameters do not fit the names in its statements."""

    code = "FOL-1135"

    def __init__(self, name: str, why: str) -> None:
        super().__init__(
            f"The parameter {name} cannot be bound: {why}.",
            hint="each :name is a parameter of the run; run_id, due, attempt and fence are there already",
            name=name,
            why=why,
        )


class ConnectionNotAllowed(InvalidInput, Unfit):
    """A job may not use this connection, or not in this way."""

    code = "FOL-1136"

    def __init__(self, name: str, why: str) -> None:
        super().__init__(
            f"The connection {name} does not take this: {why}.",
            hint="use another connection, or have the worker's settings changed",
            name=name,
            why=why,
        )


def leads_to_own_store(name: str) -> ConnectionNotAllowed:
    """Jobs must not change what Foliot itself rests on (SEC-13)."""
    return ConnectionNotAllowed(name, "it leads to a store of Foliot's own")


class DatabaseAway(ExecutionFailed, ConnectionError):
    """No connection could be had, or it was lost before anything was kept: nothing has changed, another try is safe."""

    code = "FOL-6040"

    def __init__(self, name: str, why: str) -> None:
        super().__init__(
            f"The database of the connection {name} cannot be used: {why}. Nothing was changed.",
            hint="see whether the database runs and lets this worker in; retries try it again",
            name=name,
            why=why,
        )


class StatementFailed(ExecutionFailed):
    """The database refused a statement."""

    code = "FOL-6041"

    def __init__(self, number: int, why: str, state: str = "") -> None:
        shown = f" ({state})" if state else ""
        super().__init__(
            f"Statement {number} failed: {why}{shown}.",
            hint="the text is the database's own; correct the statement or its parameters",
            number=number,
            why=why,
            state=state,
        )


class StatementTimedOut(ExecutionFailed, TimeoutError):
    """A statement took longer than it may; the database has ended it."""

    code = "FOL-6042"

    def __init__(self, number: int, seconds: float) -> None:
        super().__init__(
            f"Statement {number} took longer than {seconds:g} s and was ended on the database.",
            hint="raise the option timeout, at most to the connection's timeout_max, or make the statement smaller",
            number=number,
            seconds=f"{seconds:g}",
        )


class SqlOutcomeUnknown(ExecutionFailed):
    """The connection was lost while the database made a change lasting: whether it did is not known."""

    code = "FOL-6043"

    def __init__(self, name: str, what: str) -> None:
        super().__init__(
            f"The connection {name} was lost during {what}: whether the change was made is not known.",
            hint="look at the data before it runs again; see how :run_id and :fence make a statement repeatable",
            name=name,
            what=what,
        )


class TransactionLeft(ExecutionFailed):
    """A statement ended the transaction that Foliot had begun; what follows was not executed."""

    code = "FOL-6044"

    def __init__(self, number: int) -> None:
        super().__init__(
            f"Statement {number} ended the transaction it was part of; nothing behind it was executed.",
            hint="leave BEGIN and COMMIT to Foliot, or write mode: autocommit",
            number=number,
        )


class ConnectionLost(Exception):
    """The connection is gone; the words are the driver's, without a password. Who runs the statements judges it."""


class StatementRefused(Exception):
    """The database said no; `state` is its code."""

    def __init__(self, why: str, state: str = "", *, is_timeout: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.state = state
        self.is_timeout = is_timeout
