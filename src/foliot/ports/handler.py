"""Kinds of handlers: what a job of a kind says, what a worker offers of it, and what executes its runs.

A kind is one class, named in the table `HANDLERS` of `app/plugins.py` or by an entry point `foliot.handlers`. It is
made without arguments; a worker then sets its `settings`, if it has any. Servers ask it about the options of a job;
workers ask it for offers, and for what executes a run. Its version and the schema of its options travel with the
offers, so that a server without the package knows them, too:

    job file        run: {http: {url: "https://example.org", method: GET}}        the kind `http`, and its options
    lane            needs the offer `http`: the options are data of the job, and two jobs share one lane
    worker          leases the run, asks the kind `http` for its handler, and calls that where the job wants it

Which offer a job needs is no matter of the kind: every server must say the same (`domain.handler`).
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from foliot.domain.errors import FoliotError, InvalidInput
from foliot.domain.job import Definition
from foliot.ports.worker_link import HandlerOffer, LeasedRun


class BadHandlerSetting(InvalidInput):
    """A worker has a setting for a kind of handler that the kind does not know or cannot use."""

    code = "FOL-1111"

    def __init__(self, kind: str, key: str, why: str, *, known: str = "", meant: str | None = None) -> None:
        where = f"handlers.{kind}.{key}" if key else f"handlers.{kind}"
        advice = f"did you mean {meant}? " if meant else ""
        super().__init__(
            f"The setting {where} is not allowed: {why}.",
            hint=f"{advice}known are: {known}" if known else "see what the kind's package says of its settings",
            where=where,
            why=why,
            known=known,
            meant=meant,
        )


class Unfit(Exception):
    """A call raises this when it finds, before it did anything, that its run cannot be executed.

    The run is rejected then, as if `bind` had raised: it is not tried again.
    """


class Invocable(Protocol):
    """What executes a run: a Python function, or a kind with the options of one job. `sdk.invocation` calls it."""

    @property
    def title(self) -> str:
        """The name that messages about its result use: `settle`."""
        ...

    @property
    def is_async(self) -> bool:
        """True: it runs in the worker's loop unless its job says otherwise. False: it blocks, and never runs there."""
        ...

    def bind(self, params: str | None, ctx: Any) -> Callable[[], Any]:
        """The call, ready to be made: it returns the result, or when `is_async` a coroutine of it.

        `params` is JSON text, `ctx` a `foliot.Ctx`. What this raises rejects the run: nothing was started. What the
        call raises is an error of the run, which may be tried again, unless it is `Unfit`. A call that is asked to stop
        is cancelled where it awaits, or sees `ctx.cancelled`.
        """
        ...


class HandlerKind(Protocol):
    """One kind of handler. `validate` and `describe` are pure; the rest is asked on workers alone, from their loop."""

    @property
    def kind(self) -> str:
        """Its word in job files: `python`, `http`."""
        ...

    @property
    def version(self) -> str:
        """The version of its package. People see it beside each worker."""
        ...

    @property
    def options_schema(self) -> Mapping[str, Any] | None:
        """The JSON Schema of a job's options; None: the kind says nothing of them.

        Workers send it when they register. Servers check the options of jobs by it, and people see it as a table.
        """
        ...

    def validate(self, options: Any) -> None:
        """Raise `BadField` for options that no run could use; its path begins with `run.<kind>`."""
        ...

    def describe(self, options: Any) -> str:
        """What a job of these options does, in a few words for people: `GET https://example.org`. No secrets."""
        ...

    def offers(self) -> Sequence[HandlerOffer]:
        """What this worker can execute of the kind: the kind's own name, or names that begin with `<kind>:`."""
        ...

    def handler_of(self, run: LeasedRun) -> Invocable | None:
        """What executes this run (`run.options` holds the options as JSON text); None: it is not here (any more)."""
        ...

    async def close(self) -> None:
        """The worker ends: give back connections and whatever else the kind holds."""
        ...


@runtime_checkable
class KindWithParameters(Protocol):
    """A kind whose options name parameters of the run: one that no run can have is refused when the job is saved."""

    def parameters_in(self, options: Any) -> Iterable[tuple[str, str]]:
        """Each parameter that the options name, with the field: `("run.http.url", "day")`. Asked after `validate`."""
        ...


@runtime_checkable
class KindWithAdvice(Protocol):
    """A kind that knows what works, but perhaps not as the author of a job means it."""

    def advice(self, definition: Definition) -> Iterable[FoliotError]:
        """What to look at again, as errors that nobody raises: a code, a sentence and a next step. After `validate`."""
        ...


@runtime_checkable
class KindWithCallbackResults(Protocol):
    """A kind whose jobs say whether a server keeps the result that another system sends to a callback."""

    def keeps_callback_result(self, options: Any) -> bool:
        """Servers ask when a message comes. A kind that does not say keeps all."""
        ...


@runtime_checkable
class KindWithSettings(Protocol):
    """A kind that a worker can be told something of: connections, allow lists, where scripts lie.

    A kind without settings has no such attribute.
    """

    @property
    def kind(self) -> str: ...

    settings: Any
    """A dataclass or `msgspec.Struct` of the kind's own, with a default for each field.

    Its fields are the keys of `[handlers.<kind>]`. A worker puts what it was told in its place before it asks for
    offers, and so does each child process. Servers are told nothing: `validate` and `describe` do not go by it.
    """


class HandlerKinds(Protocol):
    """The kinds that this process knows; each is imported when it is first used."""

    def names(self) -> Collection[str]:
        """Their words in job files."""
        ...

    def is_own(self, kind: str) -> bool:
        """Whether a kind comes with Foliot: then every server checks its options in the same way."""
        ...

    def find(self, kind: str) -> HandlerKind | None:
        """A kind; None: it is not known here, or cannot be loaded."""
        ...
