"""Whose certificates a client believes: the system's, or those of an authority the user names."""

import ssl

from foliot.client.endpoint import UnreadableAccess


def trusting(ca_file: str) -> ssl.SSLContext:
    """A context that believes what this file's authorities have signed, and nothing else."""
    try:
        return ssl.create_default_context(cafile=ca_file)
    except (OSError, ssl.SSLError) as error:
        raise UnreadableAccess(ca_file, _why(error)) from error


def _why(error: OSError) -> str:
    return "it holds no certificate" if isinstance(error, ssl.SSLError) else error.strerror or str(error)
