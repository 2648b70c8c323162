"""Words of people that are kept as they were said: checked before anything is stored (F20)."""

from typing import Final

from foliot.domain.errors import BadField
from foliot.ports.store.actor import Actor

NAME_BYTES_MAX: Final = 200
REASON_BYTES_MAX: Final = 2000


def check_actor(by: Actor) -> None:
    """Refuse a name or a reason that no store keeps."""
    check_stored("by", by.name, NAME_BYTES_MAX)
    check_stored("reason", by.reason, REASON_BYTES_MAX)


def check_key(field: str, text: str, bytes_max: int) -> None:
    """Refuse a key of somebody's choice that is empty, cannot be kept, or that not every engine tells from another.

    MariaDB compares as if spaces at the end were not there; elsewhere they count.
    """
    check_stored(field, text, bytes_max, needed=True)
    if pads(text):
        raise BadField(field, "it ends with a space", hint="leave it out")


def pads(text: str) -> bool:
    """Whether it ends in what an engine may overlook; no name and no key that is kept does."""
    return text.endswith(" ")


def check_stored(field: str, text: str, bytes_max: int, *, needed: bool = False) -> None:
    """Refuse text that is too long, not UTF-8, or has a NUL in it."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise BadField(field, "it holds half a character (a lone surrogate)", hint="remove it") from None
    if "\0" in text:
        raise BadField(field, "it holds the character NUL, which no store keeps", hint="remove it")
    if size > bytes_max or (needed and not size):
        raise BadField(field, f"it has {size} bytes and must have {int(needed)} to {bytes_max}")
