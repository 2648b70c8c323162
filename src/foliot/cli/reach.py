"""Where a server listens, and how its traffic is protected: the options that `foliot server` and `foliot up` share."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from foliot.app.settings import DEFAULT_PORT, TlsFiles
from foliot.cli.refusal import refusals
from foliot.domain.errors import InvalidInput

Command = TypeVar("Command", bound=Callable[..., Any])

FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
PORT_MAX: Final = 65535
_ADDRESS: Final = re.compile(r"(?P<host>\[[^\[\]]+\]|[^\[\]]+):(?P<port>[0-9]{1,5})", re.ASCII)

ADVERTISED_MAX: Final = 200
_ADVERTISED: Final = re.compile(r"https?://[A-Za-z0-9.:_\[\]-]+/?", re.ASCII)
_PUBLIC_URL: Final = re.compile(r"https?://[A-Za-z0-9.:_\[\]-]+(/[A-Za-z0-9._~/-]*)?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Where a server listens, and who may read what it says."""

    host: str
    port: int
    behind_proxy: bool
    insecure_http: bool
    tls: TlsFiles | None
    public_url: str = ""


_OPTIONS: Final = (
    click.option(
        "--listen", default=f"127.0.0.1:{DEFAULT_PORT}", show_default=True, help="HOST:PORT; port 0 picks a free one."
    ),
    click.option(
        "--behind-proxy", is_flag=True, help="A proxy in front speaks TLS: listening beyond this machine is allowed."
    ),
    click.option(
        "--insecure-http", envvar="FOLIOT_INSECURE_HTTP", is_flag=True, help="Take tokens unencrypted over a network."
    ),
    click.option(
        "--public-url",
        envvar="FOLIOT_PUBLIC_URL",
        default="",
        metavar="URL",
        help="Where systems that jobs wait for reach the servers (callbacks); default: where the worker reaches them.",
    ),
    click.option("--tls-cert", type=FILE, help="The certificate and its chain (PEM); read again when it is renewed."),
    click.option("--tls-key", type=FILE, help="The certificate's private key (PEM, without a password)."),
)


def reach_options(command: Command) -> Command:
    """The options, which the command gets as one `reach`."""

    @wraps(command)
    def run(
        *,
        listen: str,
        behind_proxy: bool,
        insecure_http: bool,
        public_url: str,
        tls_cert: Path | None,
        tls_key: Path | None,
        **own: Any,
    ) -> None:
        with refusals():
            host, port = read_address(listen)
            reach = Reach(
                host=host,
                port=port,
                behind_proxy=behind_proxy,
                insecure_http=insecure_http,
                tls=_tls(tls_cert, tls_key),
                public_url=read_public_url(public_url),
            )
        command(reach=reach, **own)

    for option in reversed(_OPTIONS):
        run = option(run)
    return run  # type: ignore[return-value]


def read_address(written: str) -> tuple[str, int]:
    """Host and port of `127.0.0.1:7171` or `[::1]:7171`."""
    found = _ADDRESS.fullmatch(written)
    if found is None or int(found["port"]) > PORT_MAX:
        raise InvalidInput(
            f'"{written}" is not an address to listen on.', hint="write HOST:PORT, such as 127.0.0.1:7171"
        )
    return found["host"].strip("[]"), int(found["port"])


def read_public_url(written: str) -> str:
    """An address that other systems call: `https://foliot.example.org`; empty: not given."""
    if written and not _PUBLIC_URL.fullmatch(written):
        raise InvalidInput(
            f'"{written}" is not an address that other systems can call.', hint="write https://HOST, with a port if any"
        )
    return written.rstrip("/")


def read_advertised(written: str, *, is_plain: bool) -> str:
    """Where workers reach a server, as it is told to them. `is_plain`: it speaks HTTP without TLS."""
    if not written:
        return ""
    scheme = "http" if is_plain else "https"
    if len(written) > ADVERTISED_MAX or not _ADVERTISED.fullmatch(written) or not written.startswith(f"{scheme}://"):
        raise BadAdvertisement(written, scheme)
    return written.rstrip("/")


class BadAdvertisement(InvalidInput):
    """An address under which workers cannot reach the server."""

    code = "FOL-1187"

    def __init__(self, written: str, scheme: str) -> None:
        super().__init__(
            f'Workers cannot reach this server at "{written[:ADVERTISED_MAX]}": it speaks {scheme}.',
            hint=f"write --advertise {scheme}://HOST:PORT",
            written=written,
            scheme=scheme,
        )


def _tls(certificate: Path | None, key: Path | None) -> TlsFiles | None:
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise InvalidInput("A certificate and its key belong together.", hint="give both --tls-cert and --tls-key")
    return TlsFiles(certificate=certificate, key=key)
