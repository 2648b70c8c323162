"""Where a coordination service is and how a server gets in, from the URL of `--coord`. No message shows that URL."""

import ssl
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from foliot.client.endpoint import read_secret
from foliot.domain.errors import ClusterTrouble, InvalidInput

DEFAULT_PREFIX: Final = "foliot"
OPTIONS: Final = ("prefix", "password_file", "tls", "ca_file", "cert_file", "key_file")
"""What every service takes behind the question mark."""
_YES: Final = ("yes", "true", "1")
_NO: Final = ("no", "false", "0", "")


class BadCoordinatorUrl(InvalidInput):
    """The URL of a coordination service cannot be used."""

    code = "FOL-1160"

    def __init__(self, name: str, why: str, *, form: str) -> None:
        super().__init__(
            f"The URL of the coordinator {name} cannot be used: {why}.", hint=form, name=name, why=why, form=form
        )


class CoordinatorClientMissing(ClusterTrouble):
    """What speaks with a coordination service is not installed."""

    code = "FOL-5046"

    def __init__(self, name: str, module: str) -> None:
        package = f"foliot[{name}]"
        super().__init__(
            f"The coordinator {name} needs the package {module}, which is not installed.",
            hint=f'pip install "{package}"',
            name=name,
            module=module,
            package=package,
        )


def demand_client(name: str, module: str) -> None:
    """Raise `CoordinatorClientMissing` unless the package is installed."""
    if find_spec(module) is None:
        raise CoordinatorClientMissing(name, module)


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsClient:
    """How a server trusts a service, and says who it is itself: paths of PEM files, empty where there is none."""

    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""

    def context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=self.ca_file or None)
        if self.cert_file:
            context.load_cert_chain(self.cert_file, self.key_file or None)
        return context


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceAddress:
    """A service: its hosts and how to get in."""

    hosts: tuple[tuple[str, int], ...]
    path: str
    prefix: str  # of everything that is kept there: two clusters on one service have two
    user: str
    password: str = field(repr=False)
    tls: TlsClient | None
    options: Mapping[str, str]  # those of this service alone


def read_address(url: str, *, name: str, form: str, port: int, options: Collection[str] = ()) -> ServiceAddress:
    """Take the URL apart. `form`: how it should look; `port`: the usual one; `options`: of this service alone."""
    refused = Refusing(name, form)
    try:
        parts = urlsplit(url)
        pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        raise refused("it is not a URL") from None
    given = dict(pairs)
    known = (*OPTIONS, *options)
    if not set(given) <= set(known):  # an unknown one may be a part of a password: it is not shown
        raise refused(f"it has an unknown option; known are {', '.join(known)}")
    access, _, hosts = parts.netloc.rpartition("@")
    user, _, password = access.partition(":")
    password = read_secret(given["password_file"]) if given.get("password_file") else unquote(password)
    return ServiceAddress(
        hosts=_hosts(hosts, port, refused),
        path=unquote(parts.path),
        prefix=_prefix(given, refused),
        user=unquote(user),
        password=password,
        tls=_tls(parts, given, refused),
        options={key: value for key, value in given.items() if key in options},
    )


class Refusing:
    """Makes the error about one URL."""

    def __init__(self, name: str, form: str) -> None:
        self._name = name
        self._form = form

    def __call__(self, why: str) -> BadCoordinatorUrl:
        return BadCoordinatorUrl(self._name, why, form=self._form)


def _hosts(text: str, port: int, refused: Refusing) -> tuple[tuple[str, int], ...]:
    found = []
    for one in text.split(","):
        try:
            parts = urlsplit(f"//{one}")
            host, given = parts.hostname, parts.port
        except ValueError:
            raise refused("a port is not a number") from None
        if not host:
            raise refused("a host is missing")
        found.append((host, given or port))
    return tuple(found)


def _prefix(given: Mapping[str, str], refused: Refusing) -> str:
    prefix = given.get("prefix", DEFAULT_PREFIX)
    is_plain = prefix.replace("-", "").replace("_", "").replace(".", "").isalnum()
    if not is_plain or prefix.startswith("."):
        raise refused("the prefix may have letters, digits, dots, - and _ only")
    return prefix


def _tls(parts: SplitResult, given: Mapping[str, str], refused: Refusing) -> TlsClient | None:
    asked = given.get("tls", "")
    if asked not in (*_YES, *_NO):
        raise refused("tls is yes or no")
    files = TlsClient(**{key: given.get(key, "") for key in ("ca_file", "cert_file", "key_file")})
    if parts.scheme != "rediss" and asked not in _YES and files == TlsClient():
        return None
    if asked in _NO and "tls" in given:
        raise refused("tls is no, and there are files for it")
    try:
        files.context()
    except (OSError, ssl.SSLError):
        raise refused("a certificate or key cannot be read") from None
    return files
