"""The secrets of one worker: given to kinds of handlers by rule, read again when they are old, hidden ever after."""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from foliot.domain.secret_references import names_in, with_values
from foliot.ports.clock import Clock
from foliot.ports.handler import HandlerKind
from foliot.ports.secrets import (
    Destination,
    KindWithSecrets,
    SecretNotAllowed,
    SecretNotEncrypted,
    SecretNotReadable,
    Secrets,
    UnknownSecret,
)
from foliot.worker.capture import current_attempt
from foliot.worker.environment import EnvironmentRules
from foliot.worker.secrets.cover import Cover
from foliot.worker.secrets.settings import BadSecretSetting, SecretSettings
from foliot.worker.secrets.sources import read_value

FAILED_FOR_S: Final = 2.0
"""How long a failure to read is remembered: a thousand runs that wait for one secret do not ask a thousand times."""


@dataclass(slots=True)
class _Held:
    """One secret: its settings, and what was last read of it."""

    settings: SecretSettings
    value: str | None = field(default=None, repr=False)
    failure: SecretNotReadable | None = None
    read_at: float = float("-inf")  # monotonic
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)


class Vault:
    """Made by who starts the worker. The worker's loop reads values; a handler in another loop waits for it."""

    def __init__(self, settings: Mapping[str, SecretSettings], *, clock: Clock, environment: Mapping[str, str]) -> None:
        """`environment`: the worker's own. A variable that is not set will not be set later: that is refused now."""
        self._held = {name: _Held(each) for name, each in settings.items()}
        self._clock = clock
        self._environment = dict(environment)
        self.cover: Final = Cover()  # of the worker's own log. A run has its own: it must learn nothing of others'
        self._loop: asyncio.AbstractEventLoop | None = None  # of the worker
        for name, each in settings.items():
            if each.env is not None and not environment.get(each.env):
                raise BadSecretSetting(name, "the variable is not set", where=each.env)

    @property
    def has_secrets(self) -> bool:
        return bool(self._held)

    def give_to(self, kinds: Collection[HandlerKind]) -> None:
        """Let each kind that uses secrets ask for them. Called in the worker's loop."""
        self._loop = asyncio.get_running_loop()
        for kind in kinds:
            if isinstance(kind, KindWithSecrets):
                kind.secrets = self.for_kind(kind.kind)

    def for_kind(self, kind: str) -> Secrets:
        """The secrets as one kind of handler sees them."""
        return _OfKind(self, kind)

    def kept_from_jobs(self, rules: EnvironmentRules) -> EnvironmentRules:
        """The rules for the environment of jobs, which have none of the secrets that stand in the worker's own."""
        variables = [held.settings.env for held in self._held.values() if held.settings.env is not None]
        return replace(
            rules,
            secret_names=(*rules.secret_names, *variables),
            secrets=(*rules.secrets, *(self._environment[name] for name in variables)),
        )

    async def value(self, name: str, *, kind: str, namespace: str, to: Destination | None) -> str:
        """What a secret stands for, if it may go there."""
        held = self._held.get(name)
        if held is None:
            raise UnknownSecret(name)
        _check_allowed(name, held.settings, kind=kind, namespace=namespace, to=to)
        if self._loop in (None, asyncio.get_running_loop()):
            return await self._value(name, held)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._value(name, held), self._loop))

    async def _value(self, name: str, held: _Held) -> str:
        async with held.reading:
            await self._read_if_old(name, held)
        if held.value is None:
            assert held.failure is not None
            raise SecretNotReadable(
                **held.failure.data, hint=held.failure.hint or ""
            )  # one error a run: it keeps its trace
        return held.value

    async def _read_if_old(self, name: str, held: _Held) -> None:
        fresh_for_s = FAILED_FOR_S if held.value is None else held.settings.fresh_for_s
        if self._clock.monotonic() < held.read_at + fresh_for_s:
            return
        try:
            value = await read_value(name, held.settings, self._environment)
        except SecretNotReadable as error:
            held.value, held.failure = None, error
        else:
            self.cover.add(name, value)  # before anybody has it
            held.value, held.failure = value, None
        held.read_at = self._clock.monotonic()


class _OfKind:
    """`ports.secrets.Secrets` for one kind."""

    def __init__(self, vault: Vault, kind: str) -> None:
        self._vault = vault
        self._kind = kind

    async def filled(self, value: Any, *, namespace: str, to: Destination | None = None) -> Any:
        names = names_in(value)
        if not names:
            return value
        return with_values(value, await self.values(names, namespace=namespace, to=to))

    async def values(
        self, names: Collection[str], *, namespace: str, to: Destination | None = None
    ) -> Mapping[str, str]:
        attempt = current_attempt.get(None)
        values: dict[str, str] = {}
        for name in sorted(names):
            value = await self._vault.value(name, kind=self._kind, namespace=namespace, to=to)
            if attempt is not None:
                attempt.handed(name, value)  # before the handler has it
            values[name] = value
        return values

    def hidden(self, text: str, *, is_cut: bool = False) -> str:
        attempt = current_attempt.get(None)
        return text if attempt is None else attempt.cover.hidden(text, is_cut=is_cut)


def _check_allowed(name: str, settings: SecretSettings, *, kind: str, namespace: str, to: Destination | None) -> None:
    if not settings.may_go_to_namespace(namespace):
        raise SecretNotAllowed(name, "namespace", namespace)
    if not settings.may_go_to_kind(kind, sends_to_host=to is not None):
        raise SecretNotAllowed(name, "kind", kind)
    if to is None:
        return
    if not settings.may_go_to_host(to.host, to.port):
        raise SecretNotAllowed(name, "host", str(to))
    if not settings.may_be_read_on_the_way(to.host) and not to.is_encrypted:
        raise SecretNotEncrypted(name, str(to))
