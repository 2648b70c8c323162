"""Names: what a job, namespace, group or label may be called, and which known name a misspelt one is nearest to.

Names are identity. They are compared by bytes, so a written name is brought into one Unicode form (NFC) first.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from heapq import nlargest
from typing import Final

from foliot.domain.errors import BadName
from foliot.domain.texts import NAME_BYTES_MAX

_BETWEEN: Final = frozenset("_-.")  # no "/" and ":" (they have a meaning in addresses), no spaces (in command lines)
_ALIKE_ENOUGH: Final = 0.6
_COMPARED_MAX: Final = 20


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
    """The candidate most like `name`, for "did you mean"; None when none is alike.

    Comparing is dear with long names. Only those are compared that have most letters in common.
    """
    wanted = name.casefold()
    promising = nlargest(_COMPARED_MAX, _promising(wanted, candidates))
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    best: tuple[float, int, str] | None = None
    for most, order, candidate in promising:
        if best is not None and most < best[0]:
            break
        matcher.set_seq1(candidate.casefold())
        found = (matcher.ratio(), order, candidate)
        if found[0] >= _ALIKE_ENOUGH and (best is None or found > best):
            best = found
    return best[2] if best is not None else None


def _promising(wanted: str, candidates: Iterable[str]) -> Iterator[tuple[float, int, str]]:
    """How alike each can be at most, by length and by letters, where that is enough; the earlier one goes first."""
    letters = Counter(wanted)
    for n, candidate in enumerate(candidates):
        folded = candidate.casefold()
        both = len(folded) + len(wanted)
        if 2 * min(len(folded), len(wanted)) < _ALIKE_ENOUGH * both:
            continue
        common = sum(min(count, folded.count(letter)) for letter, count in letters.items())
        if 2 * common >= _ALIKE_ENOUGH * both:
            yield 2 * common / max(both, 1), -n, candidate


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
