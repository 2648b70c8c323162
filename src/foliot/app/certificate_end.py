"""When the certificates of a server end: read from their files, which may be replaced at any time."""

import re
import ssl
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, urlsplit

from foliot.app.settings import ServerSettings
from foliot.domain.instants import SECOND, Instant, to_instant
from foliot.ports.clock import Clock

_FIRST: Final = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)
_VERSION: Final = 0xA0  # tag of a field that old certificates do not have
_UTC_TIME: Final = 0x17  # two digits of the year
_VALIDITY: Final = 3  # behind the serial number, the algorithm and the issuer


class CertificateEnd:
    """How long the certificate in a file is still good. The file is read again when it has changed."""

    def __init__(self, file: Path, clock: Clock, *, figure: str = "certificate_left_s") -> None:
        """`figure`: under which name it is a part of a server's load."""
        self._figure = figure
        self._file = file
        self._clock = clock
        self._seen: tuple[int, int] | None = None
        self._ends_at: Instant | None = None

    def load(self) -> dict[str, float]:
        """As a part of what a server's beat says; nothing for a file that cannot be read."""
        ends_at = self._read()
        if ends_at is None:
            return {}
        left_us = ends_at - to_instant(self._clock.now())
        return {self._figure: round(left_us / SECOND)}

    def _read(self) -> Instant | None:
        try:
            found = self._file.stat()
            stamp = (found.st_mtime_ns, found.st_ino)
            if stamp != self._seen:
                self._ends_at = end_of(self._file.read_text("ascii"))
                self._seen = stamp
        except (OSError, ValueError):
            return None
        return self._ends_at


def certificates_of(settings: ServerSettings, clock: Clock) -> Sequence[CertificateEnd]:
    """What a server shows to clients, and to its coordination service. The URL of a store names no certificate."""
    own = [] if settings.tls is None else [CertificateEnd(settings.tls.certificate, clock)]
    files = parse_qs(urlsplit(settings.coordinator_url).query).get("cert_file", ())
    figure = "coordinator_certificate_left_s"
    return [*own, *(CertificateEnd(Path(file), clock, figure=figure) for file in files)]


def end_of(pem: str) -> Instant:
    """The instant at which the first certificate of a PEM text ends; `ValueError` when there is none.

    The standard library tells it of the other side of a connection only, so the few fields before it are stepped over.
    """
    first = _FIRST.search(pem)
    if first is None:
        raise ValueError("no certificate")
    try:
        ((_, certificate),) = _fields(ssl.PEM_cert_to_DER_cert(first[0]))
        _, signed = next(_fields(certificate))
        parts = [value for tag, value in _fields(signed) if tag != _VERSION]
        _, (tag, ends) = _fields(parts[_VALIDITY])
    except (IndexError, StopIteration, ValueError) as error:
        raise ValueError("not a certificate") from error
    form = "%y%m%d%H%M%SZ" if tag == _UTC_TIME else "%Y%m%d%H%M%SZ"
    return to_instant(datetime.strptime(ends.decode("ascii"), form).replace(tzinfo=UTC))


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a DER sequence: a tag, a length (of several bytes when its highest bit is set), the value."""
    at = 0
    while at < len(data):
        tag, length = data[at], data[at + 1]
        at += 2
        if length & 0x80:
            size = length & 0x7F
            length = int.from_bytes(data[at : at + size], "big")
            at += size
        yield tag, data[at : at + length]
        at += length
