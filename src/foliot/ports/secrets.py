"""Secrets that a worker holds: a job names them, `${secret:NAME}`, and only the worker that executes it has the values.

A kind of handler that uses them has an attribute `secrets`, which the worker sets before it asks for offers:

    options of a job     headers: {Authorization: "Bearer ${secret:BILLING_TOKEN}"}
    the kind, made       self.secrets: Secrets = NO_SECRETS
    the kind, in a run   to = Destination(url.host, url.port, is_encrypted=url.scheme == "https")
                         headers = await self.secrets.filled(options.headers, namespace=ctx.namespace, to=to)

Fill what the job's author wrote, then put in the parameters of the run: a parameter must never choose a secret. A kind
with templates of its own asks for `values` and puts in both in one pass.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

from foliot.domain.errors import Denied
from foliot.domain.secret_references import names_in
from foliot.ports.handler import Unfit


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a kind sends the values of secrets: to a port of a host, encrypted or so that the network can read them."""

    host: str  # a name, or an address without brackets
    port: int
    is_encrypted: bool

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


class UnknownSecret(Denied, Unfit):
    """A job names a secret that its worker does not have."""

    code = "FOL-4031"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"This worker has no secret {name}.",
            hint=f"write [secrets.{name}] into the worker's handler settings, or let the job run on another group",
            name=name,
        )


class SecretNotAllowed(Denied, Unfit):
    """A job names a secret that may not go where the job would send it."""

    code = "FOL-4032"

    def __init__(self, name: str, what: str, where: str) -> None:
        """`what`: namespace, host or kind."""
        super().__init__(
            f'The secret {name} may not go to the {what} "{where}".',
            hint=f"if it may, add it to {what}s of [secrets.{name}] in the worker's handler settings",
            name=name,
            what=what,
            where=where,
        )


class SecretNotEncrypted(Denied, Unfit):
    """A job would send a secret so that the network can read it."""

    code = "FOL-4035"

    def __init__(self, name: str, where: str) -> None:
        super().__init__(
            f"The secret {name} may not go to {where} over plain http: the network could read it.",
            hint=f"write https in the job; if the network may read it, write plain_http = true into [secrets.{name}]",
            name=name,
            where=where,
        )


class SecretNotReadable(Denied):
    """A worker cannot read a secret now. The run may be tried again."""

    code = "FOL-4033"

    def __init__(
        self, name: str, why: str, *, where: str = "", hint: str = "look on the machine of the worker"
    ) -> None:
        """`where`: the file or the program."""
        shown = f" ({where})" if where else ""
        super().__init__(f"The secret {name} cannot be read: {why}{shown}.", hint=hint, name=name, why=why, where=where)


class Secrets(Protocol):
    """The secrets of one worker, for one kind. Only the worker's loop asks for values.

    In a child process no secret is known.
    """

    async def filled(self, value: Any, *, namespace: str, to: Destination | None = None) -> Any:
        """A JSON value whose texts have each `${secret:NAME}` replaced. Keys of objects stay as they are.

        `to`: where the values are sent; None: the kind sends them to no host of the job's choice. Raises
        `UnknownSecret`, `SecretNotAllowed` and `SecretNotEncrypted`, which reject the run, or `SecretNotReadable`,
        which fails it.
        """
        ...

    async def values(
        self, names: Collection[str], *, namespace: str, to: Destination | None = None
    ) -> Mapping[str, str]:
        """What these secrets stand for, by name; it raises as `filled` does."""
        ...

    def hidden(self, text: str, *, is_cut: bool = False) -> str:
        """The text without the values that this run was handed: each is `***`. Called in the context of the run.

        The worker does this with the log, the error, the result and the notes of the run. A kind calls it before it
        cuts a text, because a part of a secret is not found; `is_cut` says that the end of the text is cut off already,
        so that a value may begin there. The values of other runs are not hidden: a run could find out by that what they
        are.
        """
        ...


@runtime_checkable
class KindWithSecrets(Protocol):
    """A kind of handler whose jobs may name secrets."""

    secrets: Secrets


@runtime_checkable
class KindWithSecretFields(Protocol):
    """A kind that fills secrets in some of its options alone: a reference elsewhere is refused when a job is saved."""

    secret_fields: Collection[str]


class NoSecrets:
    """What a kind has until a worker gives it secrets, and in child processes."""

    async def filled(self, value: Any, *, namespace: str, to: Destination | None = None) -> Any:
        await self.values(names_in(value), namespace=namespace, to=to)
        return value

    async def values(
        self, names: Collection[str], *, namespace: str, to: Destination | None = None
    ) -> Mapping[str, str]:
        del namespace, to
        for name in sorted(names):
            raise UnknownSecret(name)
        return {}

    def hidden(self, text: str, *, is_cut: bool = False) -> str:
        del is_cut
        return text


NO_SECRETS: Final = NoSecrets()
