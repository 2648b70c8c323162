"""TLS of the kind `http`: the ways that a worker's settings name, made once."""

import ssl
from collections.abc import Mapping

from foliot.ports.handler import BadHandlerSetting
from foliot.worker.handlers.http.settings import KIND, HttpSettings, HttpTls


def tls_contexts(settings: HttpSettings) -> Mapping[str, ssl.SSLContext]:
    """One context for each name; `BadHandlerSetting` for files that cannot be used."""
    return {name: _context(name, tls) for name, tls in settings.tls.items()}


def _context(name: str, tls: HttpTls) -> ssl.SSLContext:
    where = f"tls.{name}"
    if tls.client_key is not None and tls.client_certificate is None:
        raise BadHandlerSetting(KIND, f"{where}.client_key", "there is no client_certificate beside it")
    try:
        context = ssl.create_default_context(cafile=tls.ca_file)
    except OSError:  # an ssl.SSLError is one, too
        raise BadHandlerSetting(KIND, f"{where}.ca_file", "the file cannot be read as certificates") from None
    if not tls.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if tls.client_certificate is not None:
        try:
            context.load_cert_chain(tls.client_certificate, tls.client_key)
        except OSError:
            why = "the file, or that of client_key, cannot be read"
            raise BadHandlerSetting(KIND, f"{where}.client_certificate", why) from None
    return context
