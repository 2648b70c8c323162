"""Checks on a JSON answer, one line each: `$.status == "ok"`, `$.items[0].id exists`, `$.code in [0, 200]`.

A small part of JSON Path: keys and places, no wildcards and no expressions. What is compared is JSON.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

CHECK_MAX: Final = 500  # characters of one check
STEPS_MAX: Final = 32

_STEP: Final = re.compile(r'\.([A-Za-z_][A-Za-z0-9_-]*)|\[([0-9]{1,9})\]|\["([^"\\]*)"\]')
_OPERATOR: Final = re.compile(r"\s*(==|!=|<=|>=|<|>|in\b|exists\b|missing\b)\s*")
_MISSING: Final = object()


class BadCheck(ValueError):
    """A check that cannot be read; its words say why."""


@dataclass(frozen=True, slots=True)
class JsonCheck:
    """One check: a path, an operator and what the value is compared with."""

    written: str
    path: tuple[str | int, ...]
    operator: str
    wanted: Any

    def holds(self, answer: Any) -> bool:
        """Whether the answer passes."""
        found = _found(answer, self.path)
        if self.operator in ("exists", "missing"):
            return (found is not _MISSING) is (self.operator == "exists")
        return found is not _MISSING and _COMPARE[self.operator](found, self.wanted)


def check_from(written: str) -> JsonCheck:
    """Read a check; `BadCheck` says what is wrong with it."""
    text = written.strip()
    if len(text) > CHECK_MAX:
        raise BadCheck(f"a check has more than {CHECK_MAX} characters")
    path, at = _path(text)
    operator = _OPERATOR.match(text, at)
    if operator is None:
        raise BadCheck('a check is a path, an operator and a value: $.status == "ok"')
    rest = text[operator.end() :]
    if operator[1] in ("exists", "missing"):
        if rest:
            raise BadCheck(f"nothing may follow {operator[1]}")
        return JsonCheck(text, path, operator[1], None)
    wanted = _wanted(rest)
    if operator[1] == "in" and not isinstance(wanted, list):
        raise BadCheck('behind "in" stands a list: ["ok", "done"]')
    return JsonCheck(text, path, operator[1], wanted)


def path_from(written: str) -> tuple[str | int, ...]:
    """Read a path alone: `$.job.result`; `BadCheck` says what is wrong with it."""
    text = written.strip()
    path, end = _path(text)
    if end != len(text):
        raise BadCheck("a path is $ and steps: $.job.result")
    return path


def value_at(answer: Any, path: tuple[str | int, ...]) -> Any:
    """The value at a path; None when there is none."""
    found = _found(answer, path)
    return None if found is _MISSING else found


def _path(text: str) -> tuple[tuple[str | int, ...], int]:
    """The steps of the path a check begins with, and where it ends."""
    if not text.startswith("$"):
        raise BadCheck("a path begins with $")
    steps: list[str | int] = []
    at = 1
    while (step := _STEP.match(text, at)) is not None:
        key, place, quoted = step.groups()
        steps.append(int(place) if place is not None else key or quoted or "")
        at = step.end()
    if len(steps) > STEPS_MAX:
        raise BadCheck(f"a path has more than {STEPS_MAX} steps")
    return tuple(steps), at


def _wanted(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadCheck('what is compared is not JSON: text stands in double quotes, "ok"') from None


def _found(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        in_list = isinstance(step, int) and isinstance(value, list) and step < len(value)
        in_mapping = isinstance(step, str) and isinstance(value, Mapping) and step in value
        if not in_list and not in_mapping:
            return _MISSING
        value = value[step]
    return value


def _same(found: Any, wanted: Any) -> bool:
    """Equal as JSON: `true` is not `1`, while `1` and `1.0` are one number."""
    return isinstance(found, bool) is isinstance(wanted, bool) and found == wanted


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def both(found: Any, wanted: Any) -> bool:
        if _is_number(found) and _is_number(wanted):
            return compare(found, wanted)
        return isinstance(found, str) and isinstance(wanted, str) and compare(found, wanted)

    return both


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "==": _same,
    "!=": lambda found, wanted: not _same(found, wanted),
    "in": lambda found, wanted: any(_same(found, one) for one in wanted),
    "<": _ordered(lambda found, wanted: found < wanted),
    "<=": _ordered(lambda found, wanted: found <= wanted),
    ">": _ordered(lambda found, wanted: found > wanted),
    ">=": _ordered(lambda found, wanted: found >= wanted),
}
