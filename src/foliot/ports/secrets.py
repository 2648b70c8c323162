"""Secrets that a worker holds: a job names them, `${secret:NAME}`, and only the worker that executes it has the values.

A kind of handler that uses them has an attribute `secrets`, which the worker sets before it asks for offers:

    options of a job     headers: {Authorization: "Bearer ${secret:BILLING_TOKEN}"}
    the kind, in a run   headers = await self.secrets.filled(options.headers, namespace=run.namespace, host=url.host)
"""

from typing import Any, Protocol, runtime_checkable


class Secrets(Protocol):
    """The secrets of one worker. Only its loop calls this; in child processes no secret is known."""

    async def filled(self, value: Any, *, namespace: str, host: str | None = None) -> Any:
        """A JSON value whose texts have each `${secret:NAME}` replaced by what it stands for.

        Raises an error that says which secret is missing here, or may not go to this namespace or host.
        """
        ...

    def hidden(self, text: str) -> str:
        """The text without the value of any secret that was handed out: each is `***`."""
        ...


@runtime_checkable
class KindWithSecrets(Protocol):
    """A kind of handler whose jobs may name secrets."""

    secrets: Secrets
