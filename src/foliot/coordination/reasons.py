"""Why a service does not serve this server, in words for the log.

The text of an error is never told: it may hold a password.
"""

import ssl
from collections.abc import Iterator
from typing import Final

_ANOTHER_HOST: Final = (62, 64)  # what OpenSSL calls a certificate for another name, or another address
_NO_ENTRY: Final = frozenset(
    {"AuthenticationError", "NoPermissionError", "NoAuthError", "AuthFailedError", "EtcdRefused"}
)
"""Errors of the clients' packages, which may not be installed."""


def reason(error: BaseException) -> str:
    """What is wrong, as far as an error, or one that led to it, says."""
    causes = list(_causes(error))
    if any(getattr(one, "verify_code", 0) in _ANOTHER_HOST for one in causes):
        return "its certificate is for another host"
    for one in causes:
        if isinstance(one, ssl.SSLCertVerificationError):
            return "its certificate is not trusted"
        if isinstance(one, ssl.SSLError):
            return "the two do not agree on TLS"
        if type(one).__name__ in _NO_ENTRY:
            return "it refuses the user or the password"
        if isinstance(one, ConnectionRefusedError):
            return "nobody answers there"
    return "no answer in time" if isinstance(error, TimeoutError) else type(error).__name__


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, and what led to it."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__
