"""Checks shared by everything read from documents: unknown keys and unknown choices, with the nearest known one."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, TypeVar

from foliot.domain.errors import InvalidInput

_Choice = TypeVar("_Choice", bound=StrEnum)


def check_keys(document: Mapping[str, Any], known: Iterable[str], what: str, error: type[InvalidInput]) -> None:
    """Refuse a key nobody reads: most likely it is misspelt."""
    known = tuple(known)
    for key in document:
        if key not in known:
            raise error(
                f'{what}: "{key}" is not known.',
                hint=did_you_mean(str(key), known),
                problem="unknown_key",
                key=str(key),
                known=known,
            )


def choice(kind: type[_Choice], value: object, what: str, error: type[InvalidInput]) -> _Choice:
    """One of a few words."""
    try:
        return kind(str(value))
    except ValueError:
        known = tuple(one.value for one in kind)
        sentence, hint = f'{what} "{value}" is not known.', did_you_mean(str(value), known)
        raise error(sentence, hint=hint, problem="choice", value=str(value), known=known) from None


def did_you_mean(written: str, known: tuple[str, ...]) -> str:
    """The nearest known word, or all of them."""
    close = get_close_matches(written[:100], known, n=1, cutoff=0.6)
    return f"did you mean {close[0]}?" if close else f"known: {', '.join(known)}"
