"""Where a cluster is asked: its servers, the token, the authority; what `foliot up` wrote for this folder."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx2
import msgspec

from foliot.client.loopback import is_on_this_machine
from foliot.client.private import READ_MAX, read_private_file
from foliot.domain.errors import InvalidInput

CLIENT_FILE: Final = Path(".foliot") / "client.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Servers that serve one cluster, and the token that opens them."""

    urls: tuple[str, ...]
    token: str | None = None
    ca_file: str | None = None  # certificates of who signs theirs; None: the system's
    insecure_http: bool = False  # the user wants tokens to cross a network unencrypted
    said_by: str = "the caller"

    @classmethod
    def of(
        cls,
        url: str | Sequence[str],
        token: str | None = None,
        *,
        ca_file: str | None = None,
        insecure_http: bool = False,
        said_by: str = "the caller",
    ) -> "Endpoint":
        """From one URL, several, or several in one text with commas.

        `FOLIOT_CA_FILE` counts where no file is given, `FOLIOT_INSECURE_HTTP` where plain HTTP is not asked for.
        """
        given = url.split(",") if isinstance(url, str) else url
        urls = tuple(part.strip().rstrip("/") for part in given if part.strip())
        for part in urls:
            if not _is_address(part):
                raise BadServer(part, said_by)
        if not urls:
            raise BadServer("", said_by)
        return cls(
            urls=urls,
            token=token or None,
            ca_file=ca_file or os.environ.get("FOLIOT_CA_FILE"),
            insecure_http=insecure_http or is_yes(os.environ.get("FOLIOT_INSECURE_HTTP", "")),
            said_by=said_by,
        )

    def demand_safe_way(self) -> None:
        """Raise `PlainHttp` where a secret would cross a network unencrypted and nobody asked for that (SEC-27)."""
        if self.insecure_http:
            return
        for url in self.urls:
            if url.startswith("http://") and not is_on_this_machine(url):
                raise PlainHttp(url)


def _is_address(written: str) -> bool:
    """Whether requests can be made to it: a whole URL of HTTP with a host, and a port if it names one."""
    if not written.startswith(("http://", "https://")) or not written.isprintable():
        return False
    try:
        parts = urlsplit(written)
        host, port = parts.hostname or "", parts.port
        httpx2.URL(written)
        host.encode("idna")
    except (ValueError, httpx2.InvalidURL):  # UnicodeError among them
        return False
    return bool(host) and " " not in host and port != 0


def is_yes(written: str) -> bool:
    """What a variable says that switches something on."""
    return written.lower() in ("1", "true", "yes", "on")


class PlainHttp(InvalidInput):
    """A token would cross a network unencrypted."""

    code = "FOL-1097"

    def __init__(self, url: str) -> None:
        super().__init__(
            f"The token would go to {url} unencrypted: everybody on the way could read and use it.",
            hint="use https://; if you do want this: --insecure-http, FOLIOT_INSECURE_HTTP=1 or insecure_http=True",
            url=url,
        )


class BadServer(InvalidInput):
    """What was given as a server's address cannot be one."""

    code = "FOL-1075"

    def __init__(self, written: str, said_by: str) -> None:
        super().__init__(
            f'"{written}" (from {said_by}) is not the address of a server.',
            hint="write http://host:7171, several with commas between",
            written=written,
        )


def read_client_file(folder: Path) -> Endpoint | None:
    """How to reach the `foliot up` of a folder, if it runs.

    `foliot up` writes the file for its own user and listens on this machine alone. A file that is another's, or that
    names a server elsewhere, was not written by it.
    """
    try:
        said = msgspec.json.decode(read_private_file(folder / CLIENT_FILE), type=dict[str, str])
        found = Endpoint.of(said["url"], said.get("token"), said_by=str(CLIENT_FILE))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, msgspec.DecodeError, KeyError) as error:
        raise UnreadableAccess(str(CLIENT_FILE), str(error)) from error
    if not all(is_on_this_machine(url) for url in found.urls):
        raise UnreadableAccess(str(CLIENT_FILE), "it names a server on another machine")
    return found


class UnreadableAccess(InvalidInput):
    """A file that should say how to reach a server, and cannot be read."""

    code = "FOL-1076"

    def __init__(self, file: str, why: str) -> None:
        is_ours = file == str(CLIENT_FILE)
        hint = "foliot up writes it anew" if is_ours else "name a file that this user may read"
        super().__init__(f"{file} cannot be read: {why}.", hint=hint, file=file)


def read_secret(file: str | Path) -> str:
    """The one line in a file of the user's: a token, or an address with its password."""
    try:
        with Path(file).expanduser().open("rb") as opened:
            return opened.read(READ_MAX).decode().strip()  # a device may have no end
    except OSError as error:
        raise UnreadableAccess(str(file), error.strerror or str(error)) from error
    except (UnicodeDecodeError, RuntimeError) as error:  # RuntimeError: a ~ of a user without a home
        why = "it is not text" if isinstance(error, UnicodeDecodeError) else str(error).rstrip(".")
        raise UnreadableAccess(str(file), why) from error
