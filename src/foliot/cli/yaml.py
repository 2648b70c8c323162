"""YAML of JSON values, for people who read it and programs that do."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from foliot.domain.visible import visible


def to_yaml(value: Any, indent: int = 0) -> str:
    """YAML of a JSON value. Text is quoted as JSON quotes it whenever a reader could take it for something else."""
    lines = _yaml(value, indent)
    return "\n".join(map(visible, lines))


def _yaml(value: Any, indent: int) -> Iterable[str]:
    room = " " * indent
    if isinstance(value, Mapping) and value:
        for key, below in value.items():
            if isinstance(below, Mapping | list) and below:
                yield f"{room}{_scalar(key)}:"
                yield from _yaml(below, indent + 2)
            else:
                yield f"{room}{_scalar(key)}: {_scalar(below)}"
    elif isinstance(value, list) and value:
        for item in value:
            if isinstance(item, Mapping | list) and item:
                below = list(_yaml(item, indent + 2))
                yield f"{room}- {below[0].lstrip()}"
                yield from below[1:]
            else:
                yield f"{room}- {_scalar(item)}"
    else:
        yield f"{room}{_scalar(value)}"


_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./")
_WORDS: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"})


def _scalar(value: Any) -> str:
    if isinstance(value, str) and _is_plain(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _is_plain(text: str) -> bool:
    """Whether every reader takes a text without quotes for that text."""
    begins_plainly = text[:1].isalpha()
    is_word = text.lower() in _WORDS
    return begins_plainly and set(text) <= _PLAIN and not is_word
