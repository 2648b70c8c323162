"""Which server a client asks, and with which token, when flags, variables, contexts, a project or `foliot up` name one.

The source that names the server also says which token belongs to it. A token never goes to a server because a
project's file names that server.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import Final

from foliot.client.endpoint import CLIENT_FILE, Endpoint, is_yes, read_client_file, read_secret
from foliot.client.errors import NoServerKnown
from foliot.domain.errors import InvalidInput
from foliot.domain.settings_table import CLIENT_SETTINGS

PROJECT: Final = Path("foliot.toml")
_OF_ONE_SERVER: Final = ("server", "token", "token_file", "ca_file", "insecure_http")


class TokenForWhom(InvalidInput):
    """A token was given, and only a project's foliot.toml says for which server."""

    code = "FOL-1094"

    def __init__(self, said_by: str, server: str) -> None:
        super().__init__(
            f"{said_by} gives a token, but only {PROJECT} names the server ({server}): it is not sent there.",
            hint=f"name the server, too: --server {server} (or FOLIOT_SERVER); or foliot login {server}",
            said_by=said_by,
            server=server,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A value and who said it."""

    value: str
    said_by: str


class SourceKind(Enum):
    """Who can say something."""

    FLAGS = auto()
    ENVIRONMENT = auto()
    CONTEXT = auto()
    PROJECT = auto()  # foliot.toml: whoever wrote the project
    LOCAL = auto()  # ./.foliot: a `foliot up` of this user


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointSource:
    """What one of them says."""

    kind: SourceKind
    says: Mapping[str, Setting]

    @property
    def server(self) -> str:
        """The server it names, if any."""
        found = self.says.get("server")
        return found.value if found else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """What a command works with, and where each part comes from."""

    settings: Mapping[str, Setting] = field(default_factory=dict)
    unused_token: Setting | None = None  # given without a server, and not for the one that was chosen

    def get(self, name: str) -> str | None:
        """A value, if anybody said one."""
        found = self.settings.get(name)
        return found.value if found else None

    def flag(self, name: str) -> str | None:
        """A value that was said with this very command."""
        found = self.settings.get(name)
        return found.value if found and found.said_by == flag_of(name) else None

    def endpoint(self) -> Endpoint:
        """Where to ask, and with which token."""
        server = self.settings.get("server")
        if server is None:
            raise NoServerKnown
        if self.unused_token is not None and server.said_by == str(PROJECT):
            raise TokenForWhom(self.unused_token.said_by, server.value)
        token_file = self.get("token_file")
        return Endpoint.of(
            server.value,
            read_secret(token_file) if token_file else self.get("token"),
            ca_file=self.get("ca_file"),
            insecure_http=is_yes(self.get("insecure_http") or ""),
            said_by=server.said_by,
        )


def resolve(sources: Sequence[EndpointSource], *, chosen: EndpointSource | None = None) -> Resolved:
    """Every setting from the first who says it; what belongs to a server, from who may say it of the chosen one."""
    chosen = chosen or choose(sources)
    settings: dict[str, Setting] = {}
    unused: Setting | None = None
    for source in sources:
        for name, said in source.says.items():
            if name not in _OF_ONE_SERVER or may_say(source, name, of=chosen):
                settings.setdefault(name, said)
            elif name == "token_file" and not source.server:
                unused = unused or said
    return Resolved(settings=settings, unused_token=unused)


def choose(sources: Iterable[EndpointSource]) -> EndpointSource | None:
    """The source whose server is asked: the first that names one."""
    return next((source for source in sources if source.server), None)


def may_say(source: EndpointSource, name: str, *, of: EndpointSource | None) -> bool:
    """Whether what this source says of a server (its token, its authority) may be used for the chosen one.

    The source that names the server says what belongs to it. What the user said without a server is for one that the
    user named, in a flag, a variable or a context. A token never goes to a server because a project's file names it.
    """
    if source is of:
        return True
    if source.server or source.kind is SourceKind.PROJECT:
        return False
    if of is None or name in ("ca_file", "insecure_http"):  # these are no secrets
        return True
    if of.kind is SourceKind.LOCAL:
        return source.kind is SourceKind.FLAGS  # it has a token of its own, and a variable was set for another
    return of.kind is not SourceKind.PROJECT


def from_environment(environment: Mapping[str, str]) -> EndpointSource:
    """What the variables say."""
    says = {
        name: Setting(value=value, said_by=variable)
        for name, variable in ((one.name, one.variable) for one in CLIENT_SETTINGS)
        if (value := environment.get(variable))
    }
    return EndpointSource(kind=SourceKind.ENVIRONMENT, says=says)


def from_local(folder: Path) -> EndpointSource:
    """What the `foliot up` of a folder says, if it runs."""
    found = read_client_file(folder)
    said = {} if found is None else {"server": ",".join(found.urls), "token": found.token}
    says = {name: Setting(value=value, said_by=str(CLIENT_FILE)) for name, value in said.items() if value}
    return EndpointSource(kind=SourceKind.LOCAL, says=says)


def flag_of(name: str) -> str:
    """The flag of the command line that says a setting."""
    return f"--{name.replace('_', '-')}"
