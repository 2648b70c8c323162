"""Texts that people and workers choose and the store keeps as they are: how long each may be (SEC-23).

The API's models refer to these limits, `operations` checks what the models cannot see (bytes, not letters), and the
store only asserts them. No store keeps NUL or half a character (F20).
"""

from typing import Final

from foliot.domain.errors import BadField

NAME_BYTES_MAX: Final = 200  # of a job, a namespace, a group, a label, a token, a node
LABEL_BYTES_MAX: Final = 200  # of the value of a label or tag
ACTOR_BYTES_MAX: Final = 200  # of the one who did something, as the store records it
KEY_BYTES_MAX: Final = 200  # of an idempotency key
REASON_BYTES_MAX: Final = 2000
OWNER_BYTES_MAX: Final = 200
DESCRIPTION_BYTES_MAX: Final = 20_000
OFFER_BYTES_MAX: Final = 500  # of what a worker must offer: `python:billing.jobs:settle`
SESSION_BYTES_MAX: Final = 32
ERROR_TYPE_MAX: Final = 1000  # of the names of an error and its bases, as a worker reports them
NOTE_MAX: Final = 500  # of a word about progress


def check_key(key: str) -> None:
    """Refuse an idempotency key that is empty, cannot be kept, or that not every engine tells from another.

    MariaDB compares as if spaces at the end were not there; elsewhere they count.
    """
    _check_letters("key", key)
    if not 0 < len(key.encode()) <= KEY_BYTES_MAX:
        raise BadField("key", f"it is empty or longer than {KEY_BYTES_MAX} bytes")
    if pads(key):
        raise BadField("key", "it ends with a space", hint="leave it out")


def check_reason(reason: str) -> None:
    """Refuse a reason that is too long or that no store keeps."""
    _check_letters("reason", reason)
    if len(reason.encode()) > REASON_BYTES_MAX:
        raise BadField("reason", f"it is longer than {REASON_BYTES_MAX} bytes")


def actor_name(name: str) -> str:
    """A name as the one who did something, cut where it is too long."""
    return name.encode()[:ACTOR_BYTES_MAX].decode(errors="ignore")


def is_kept(text: str, bytes_max: int) -> bool:
    """Whether every store keeps this text as it is."""
    try:
        return "\0" not in text and len(text.encode()) <= bytes_max
    except UnicodeEncodeError:
        return False


def is_key(text: str, bytes_max: int) -> bool:
    """Whether every store keeps this text and tells it from every other."""
    return bool(text) and is_kept(text, bytes_max) and not pads(text)


def pads(text: str) -> bool:
    """Whether it ends in what an engine may overlook; no name and no key that is kept does."""
    return text.endswith(" ")


def _check_letters(field: str, text: str) -> None:
    if "\0" in text:
        raise BadField(field, "it holds the character NUL, which no store keeps", hint="remove it")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadField(field, "it holds half a character (a lone surrogate)", hint="remove it") from None
