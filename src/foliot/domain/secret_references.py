"""References to secrets in the options of a job: `${secret:NAME}` stands for a value that only the worker has.

A reference is read where the job's author wrote it, and never in parameters of a run, answers or other secrets: what
people may choose for one run must not choose a secret.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from foliot.domain.errors import BadField

NAME_MAX: Final = 100
_BEGIN: Final = "${secret:"
_NAME: Final = re.compile(rf"[A-Za-z_][A-Za-z0-9_.-]{{0,{NAME_MAX - 1}}}")
REFERENCE: Final = re.compile(rf"\$\{{secret:({_NAME.pattern})\}}")
_EXAMPLE: Final = "write ${secret:BILLING_TOKEN}: letters, digits, _, - and ."


def is_secret_name(written: str) -> bool:
    """Whether a secret may have this name."""
    return _NAME.fullmatch(written) is not None


def names_in(value: Any) -> set[str]:
    """The secrets that the texts of a JSON value name."""
    match value:
        case str():
            return set(REFERENCE.findall(value))
        case Mapping():
            return {name for inner in value.values() for name in names_in(inner)}
        case list() | tuple():
            return {name for inner in value for name in names_in(inner)}
    return set()


def with_values(value: Any, values: Mapping[str, str]) -> Any:
    """The JSON value with each reference replaced. Keys stay as they are, and values are not looked into."""
    match value:
        case str():
            return REFERENCE.sub(lambda found: values[found[1]], value)
        case Mapping():
            return {key: with_values(inner, values) for key, inner in value.items()}
        case list() | tuple():
            return [with_values(inner, values) for inner in value]
    return value


def check_references(path: str, options: Any, *, fields: Collection[str] | None) -> None:
    """Refuse a reference that cannot be read, and one where no value would be filled in.

    `fields`: the options of the kind that are filled, at the top; None: all of them.
    """
    for where, text, is_key in _texts(path, options):
        if _BEGIN not in text:
            continue
        is_filled = fields is None or (len(where) > 1 and where[1] in fields)
        if is_key or not is_filled:
            hint = f"secrets are filled in: {', '.join(sorted(fields))}" if fields else None
            raise BadField(".".join(where), "no secret is filled in here", hint=hint)
        if _BEGIN in REFERENCE.sub("", text):
            raise BadField(".".join(where), "a reference to a secret cannot be read", hint=_EXAMPLE)


def _texts(path: str, options: Any) -> Iterator[tuple[tuple[str, ...], str, bool]]:
    """Each text of a JSON value: where it stands (`path`, then keys and positions), the text, whether it is a key."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((path,), options)]
    while waiting:
        where, value = waiting.pop()
        if isinstance(value, str):
            yield where, value, False
        elif isinstance(value, Mapping):
            yield from ((where, str(key), True) for key in value)
            waiting += [((*where, str(key)), inner) for key, inner in value.items()]
        elif isinstance(value, list | tuple):
            waiting += [((*where, str(at)), inner) for at, inner in enumerate(value)]
