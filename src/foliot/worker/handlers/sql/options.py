"""Options of an SQL job: the connection, its statements, and how they are executed."""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

import msgspec

from foliot.domain.errors import BadDuration, BadField
from foliot.domain.instants import SECOND, parse_duration
from foliot.worker.handlers.options import read_options
from foliot.worker.handlers.sql.statement import STANDARD, WITH_BACKSLASHES, ends_transaction, names_in, only_reads

KIND: Final = "sql"
STATEMENTS_MAX: Final = 100
KEPT: Final = 50  # options that were read before
GIVEN: Final = frozenset({"run_id", "due", "attempt", "fence"})
"""Names that a statement may use without a parameter of the run."""

Text = Annotated[str, msgspec.Meta(min_length=1, description="One statement. :name is a value that is bound.")]
Count = Annotated[int, msgspec.Meta(ge=0)]


class SqlOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What stands under `run.sql`."""

    connection: Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z0-9_.-]{1,64}\Z")]
    query: Text | None = None
    statements: Annotated[list[Text], msgspec.Meta(min_length=1, max_length=STATEMENTS_MAX)] | None = None
    mode: Literal["transaction", "autocommit"] = "transaction"
    timeout: str | int | float | None = None  # of one statement
    read_only: bool = False
    isolation: Literal["read committed", "repeatable read", "serializable"] | None = None
    fetch: Literal["rows", "first", "value", "none"] = "rows"
    rows_max: Count | None = None  # that the result keeps of one statement
    bytes_max: Count | None = None  # that the result keeps of all
    log_parameters: bool = False

    @property
    def texts(self) -> list[str]:
        """The statements, in their order."""
        return [self.query] if self.query is not None else self.statements or []

    @property
    def timeout_s(self) -> float | None:
        return None if self.timeout is None else parse_duration(self.timeout) / SECOND


MEANINGS: Final = {
    "connection": "The name of a connection that workers have.",
    "query": "One statement. :name is a value that is bound.",
    "statements": "Several statements, in their order.",
    "mode": "All statements are one transaction, or each is its own.",
    "timeout": "How long one statement may take.",
    "read_only": "Only statements that read.",
    "isolation": "The isolation level of the transaction.",
    "fetch": "What the result keeps of the rows.",
    "rows_max": "How many rows of one statement the result keeps.",
    "bytes_max": "How many bytes of all rows the result keeps.",
    "log_parameters": "Write the bound values into the log.",
}
"""For people who look at the options of the kind; `foliot handler show sql` lists them."""


@lru_cache(KEPT)
def sql_options_of(text: str) -> SqlOptions:
    """The options of a run, from JSON. Runs of one job have the same."""
    return read_sql_options(json.loads(text))


def read_sql_options(written: Any) -> SqlOptions:
    """The options, or `BadField` for what no run could use."""
    options = read_options(KIND, written, SqlOptions)
    if (options.query is None) == (options.statements is None):
        raise BadField(f"run.{KIND}.query", "exactly one of query and statements is needed")
    try:
        timeout_s = options.timeout_s
    except BadDuration as error:
        raise BadField(f"run.{KIND}.timeout", error.sentence.rstrip("."), hint=error.hint) from error
    if timeout_s is not None and timeout_s <= 0:
        raise BadField(f"run.{KIND}.timeout", "it is not longer than nothing")
    for at, text in enumerate(options.texts):
        _check_statement(options, at, text)
    return options


def named_parameters(options: SqlOptions) -> Iterator[tuple[str, str]]:
    """The parameters that statements bind, each with the statement.

    Servers do not know which database a connection leads to: a name counts that every grammar finds.
    """
    for at, text in enumerate(options.texts):
        others = set(names_in(text, WITH_BACKSLASHES)) - GIVEN
        for name in names_in(text, STANDARD):
            if name in others:
                yield _path(options, at), name


def _path(options: SqlOptions, at: int) -> str:
    return f"run.{KIND}.query" if options.query is not None else f"run.{KIND}.statements[{at}]"


def _check_statement(options: SqlOptions, at: int, text: str) -> None:
    path = _path(options, at)
    if not text.strip():
        raise BadField(path, "it is empty")
    if "\0" in text:
        raise BadField(path, "it holds an invisible character", hint="remove it")
    if ends_transaction(text):
        hint = "leave it out; mode says whether all statements are one transaction"
        raise BadField(path, "it begins or ends a transaction, which Foliot does itself", hint=hint)
    if options.read_only and not only_reads(text):
        raise BadField(path, "it does not begin like a statement that reads", hint="write it without read_only")
