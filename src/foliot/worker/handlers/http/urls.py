"""URLs, read strictly: what two parsers could understand in two ways is refused (SEC-11)."""

import ipaddress
import re
from typing import Final, NamedTuple, Self
from urllib.parse import urljoin

URL_MAX: Final = 8_000
PORTS: Final = {"http": 80, "https": 443}

_URL: Final = re.compile(r"(https?)://([^/?#]*)([^?#]*)(?:\?([^#]*))?\Z", re.IGNORECASE)
_HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?\Z")
_LABELS: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9_-]{1,63}(?<!-))*\Z")
_NUMBER: Final = re.compile(r"(?:[0-9]+|0x[0-9a-f]*)\Z")
_SAFE: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_WRITTEN: Final = frozenset(map(chr, _SAFE)) | frozenset("!$&'()*+,;=:@/?%[]")
_DOT: Final = re.compile("%2e", re.IGNORECASE)


class BadUrl(ValueError):
    """Not a URL that a job may call; its words say why."""


class HttpUrl(NamedTuple):
    """Where a request goes. `path` and `query` are as they are sent."""

    scheme: str
    host: str  # a name in small letters without its last dot, or an address without brackets
    port: int
    path: str
    query: str = ""

    @classmethod
    def read(cls, text: str) -> Self:
        """Read a whole URL; `BadUrl` says what is wrong."""
        scheme, authority, path, query = split(text)
        host, port = host_and_port(scheme, authority)
        return cls(scheme, host, port, path_checked(path), query)

    @property
    def address(self) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
        """The host, when it is written as an address."""
        try:
            return ipaddress.ip_address(self.host)
        except ValueError:
            return None

    @property
    def netloc(self) -> str:
        """Host and port as the header `Host` has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.netloc}"

    @property
    def target(self) -> str:
        """Path and query, as the request line has them."""
        return f"{self.path}?{self.query}" if self.query else self.path

    def __str__(self) -> str:
        return self.origin + self.target

    def joined(self, location: str) -> "HttpUrl":
        """Where a redirect from here leads."""
        written = "".join(letter if letter.isascii() else percent_encoded(letter) for letter in location.strip())
        return HttpUrl.read(urljoin(str(self), written.partition("#")[0]))


def split(text: str) -> tuple[str, str, str, str]:
    """Scheme, authority, path and query; `BadUrl` for what is not a URL of the web."""
    if len(text) > URL_MAX:
        raise BadUrl(f"it has more than {URL_MAX} characters")
    if any(letter.isspace() or not letter.isprintable() or letter == "\\" for letter in text):
        raise BadUrl("it holds a blank, a backslash or an invisible character")
    if "#" in text:
        raise BadUrl("it has a part behind #, which is never sent")
    found = _URL.match(text)
    if found is None:
        raise BadUrl("it does not begin with http:// or https://")
    return found[1].lower(), found[2], found[3] or "/", found[4] or ""


def host_and_port(scheme: str, authority: str) -> tuple[str, int]:
    """The host of a URL and its port; `BadUrl` for a user, a number that is no address, letters beyond ASCII."""
    if "@" in authority:
        raise BadUrl("it holds a user or a password")
    if not authority.isascii():
        raise BadUrl("its host has letters beyond ASCII; write the form that begins with xn--")
    found = _HOST.match(authority)
    if found is None:
        raise BadUrl("its host is not a name or an address")
    port = int(found[2] or PORTS[scheme])
    if not 0 < port < 65536:
        raise BadUrl("its port is not between 1 and 65535")
    return _host_checked(found[1]), port


def path_checked(path: str) -> str:
    """Refuse a path whose segments lead elsewhere: `.` and `..`, also when they are encoded."""
    for segment in path.split("/"):
        if _DOT.sub(".", segment) in (".", ".."):
            raise BadUrl("its path has a segment . or ..")
    return path


def percent_encoded(text: str) -> str:
    """The text as one part of a path or a query: nothing in it has a meaning there."""
    return "".join(chr(byte) if byte in _SAFE else f"%{byte:02X}" for byte in text.encode(errors="strict"))


def encoded_rest(text: str) -> str:
    """A part of a URL as somebody wrote it; characters that no URL holds are encoded."""
    return "".join(letter if letter in _WRITTEN else percent_encoded(letter) for letter in text)


def _host_checked(written: str) -> str:
    host = written.lower().removesuffix(".")
    if host.startswith("["):
        try:
            return str(ipaddress.IPv6Address(host[1:-1]))
        except ValueError:
            raise BadUrl("its host is not an IPv6 address") from None
    if _NUMBER.match(host.rpartition(".")[2]):  # what ends in a number is an address, in whichever form
        try:
            return str(ipaddress.IPv4Address(host))
        except ValueError:
            raise BadUrl("its host is an address in an unusual form; write four numbers, 192.0.2.1") from None
    if len(host) > 253 or not _LABELS.match(host):
        raise BadUrl("its host is not a name or an address")
    return host
