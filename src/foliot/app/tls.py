"""A server's certificate: read when it starts, and again whenever its files change, so that it is renewed in place."""

import asyncio
import ssl
from typing import Final

import structlog

from foliot.app.settings import BadSetting, TlsFiles
from foliot.ports.clock import Clock

LOOK_EVERY_S: Final = 30.0

log = structlog.get_logger("foliot.http")


class Certificate:
    """The context of every connection, kept up to date with its files."""

    def __init__(self, files: TlsFiles) -> None:
        self._files = files
        self._seen: tuple[tuple[int, int], ...] = ()
        self.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            self._load()
        except OSError as error:
            raise BadSetting(
                f"The certificate {files.certificate} with the key {files.key} cannot be used: {_why(error)}.",
                hint="both are PEM files that this user may read; the certificate comes first in its chain",
            ) from error

    def _stamps(self) -> tuple[tuple[int, int], ...]:
        """What changes when either file is written or replaced."""
        found = (self._files.certificate.stat(), self._files.key.stat())
        return tuple((stat.st_mtime_ns, stat.st_ino) for stat in found)

    def _load(self) -> None:
        stamps = self._stamps()
        for context in (ssl.create_default_context(ssl.Purpose.CLIENT_AUTH), self.context):
            # First into one that nobody uses: a pair that does not fit would leave the context without any.
            context.load_cert_chain(self._files.certificate, self._files.key, _no_password)
        if self._stamps() != stamps:
            raise OSError("they were written meanwhile")
        self._seen = stamps

    def renew(self) -> bool:
        """Read the files again if they have changed; return whether they had. Bad files are logged and not used."""
        try:
            if self._stamps() == self._seen:
                return False
            self._load()
        except OSError as error:
            log.error("tls.not_renewed", certificate=str(self._files.certificate), why=_why(error))
            return False
        log.info("tls.renewed", certificate=str(self._files.certificate))
        return True

    async def keep_up(self, clock: Clock, stop: asyncio.Event) -> None:
        """Look for new files until told to stop: connections made after that get the new certificate."""
        while not await clock.wait(stop, for_s=LOOK_EVERY_S):
            self.renew()


def _no_password() -> str:
    """OpenSSL would ask at the terminal, and a server has none."""
    raise ssl.SSLError("the key has a password")


def _why(error: OSError) -> str:
    if not isinstance(error, ssl.SSLError):
        return error.strerror or str(error)
    if error.reason == "KEY_VALUES_MISMATCH":
        return "they do not belong together"
    return (error.reason or str(error)).replace("_", " ").lower()
