"""Names: what a job, namespace, group or label may be called, and which known name a misspelt one is nearest to.

Names are identity. They are compared by bytes, so a written name is brought into one Unicode form (NFC) first.
"""

import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Final

from foliot.domain.errors import BadName

NAME_BYTES_MAX: Final = 200
LABEL_VALUE_BYTES_MAX: Final = 200

_BETWEEN: Final = frozenset("_-.")  # no "/" and ":" (they have a meaning in addresses), no spaces (in command lines)
_ALIKE_ENOUGH: Final = 0.6


def check_name(kind: str, written: str) -> str:
    """The name in its one form; `BadName` says what is wrong with it. `kind` is the word for people: "job"."""
    name = _stored_form(kind, written)
    if not name:
        raise BadName(kind, written, "it is empty")
    for letter in name:
        if letter not in _BETWEEN and unicodedata.category(letter)[0] not in "LMN":
            raise BadName(kind, written, f"{_called(letter)} is not allowed in it")
    if name[0] != "_" and unicodedata.category(name[0])[0] not in "LN":
        raise BadName(kind, written, "it must begin with a letter, a digit or _")
    return name


def check_label(written: str, *, kind: str = "label value") -> str:
    """The value of a label or tag in its one form: any printable text of one line, also none."""
    value = _stored_form(kind, written)
    for letter in value:
        if not letter.isprintable():
            raise BadName(kind, written, f"{_called(letter)} is not allowed in it")
    return value


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate most like `name`, for "did you mean"; None when none is alike."""
    wanted = name.casefold()
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    best, best_ratio = None, _ALIKE_ENOUGH
    for candidate in candidates:
        matcher.set_seq1(candidate.casefold())
        if matcher.real_quick_ratio() < best_ratio or matcher.quick_ratio() < best_ratio:
            continue
        ratio = matcher.ratio()
        if ratio > best_ratio or (best is None and ratio >= best_ratio):
            best, best_ratio = candidate, ratio
    return best


def _stored_form(kind: str, written: str) -> str:
    if not isinstance(written, str):
        raise BadName(kind, str(written), "it is not text")
    try:
        size = len(written.encode())
    except UnicodeEncodeError:
        raise BadName(kind, written, "it holds half a character (a lone surrogate)") from None
    if size > 4 * NAME_BYTES_MAX:  # before any work that grows with it
        raise BadName(kind, written, f"it is longer than {NAME_BYTES_MAX} bytes")
    name = unicodedata.normalize("NFC", written)
    if len(name.encode()) > NAME_BYTES_MAX:
        raise BadName(kind, written, f"it is longer than {NAME_BYTES_MAX} bytes")
    return name


def _called(letter: str) -> str:
    """A character as a person can recognise it."""
    if letter == " ":
        return "a space"
    return f'"{letter}"' if letter.isprintable() else f"the invisible character U+{ord(letter):04X}"
