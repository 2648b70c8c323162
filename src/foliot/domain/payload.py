"""Payloads: parameters and results as JSON text that every store, worker and language carries unharmed (F20).

What passes here has a bounded size and depth, no number that changes on its way and no text that a store refuses. The
work is bounded before it begins: nothing is parsed or walked that is over its limit.
"""

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any, Final, NoReturn, TypeAlias

from foliot.domain.errors import BadNumber, BadText, NotJson, PayloadTooLarge, TooDeep

PARAMS_BYTES_MAX: Final = 64 * 1024
RESULT_BYTES_MAX: Final = 64 * 1024
CHECKPOINT_BYTES_MAX: Final = 64 * 1024
DEPTH_MAX: Final = 32
PARTS_MAX: Final = 50_000  # items and members: more than fit into any payload that is kept
INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**63 - 1

_BRACKET_OR_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)
_LARGE_NUMBER: Final = re.compile(r"[0-9](?:[0-9]{16}|[eE])")  # perhaps; or a text that looks like one
_PART_OR_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{,]', re.DOTALL)
_PERHAPS_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")  # or half of a whole one, which is fine
_ITEM_BYTES: Final = 2  # `1,` is the shortest item of a list
_MEMBER_BYTES: Final = 5  # `"":1,` is the shortest member of a mapping
_INT_DIGITS_MAX: Final = 20  # of 64 bits, with its sign
_PATH_MAX: Final = 80  # of a place in a message


def check_json(
    text_or_value: Any, *, bytes_max: int = PARAMS_BYTES_MAX, depth_max: int = DEPTH_MAX, what: str = "The payload"
) -> str:
    """Canonical JSON text of a JSON text (`str`, `bytes`) or of a value (anything else).

    A value that is itself a string is ambiguous here: give it to `json_text`.
    """
    if isinstance(text_or_value, str | bytes | bytearray):
        value = parse_json(text_or_value, bytes_max=bytes_max, depth_max=depth_max, what=what)
        return json_text(value, bytes_max=bytes_max, depth_max=depth_max, what=what)
    return json_text(text_or_value, bytes_max=bytes_max, depth_max=depth_max, what=what)


def check_json_text(
    text: str, *, bytes_max: int = RESULT_BYTES_MAX, depth_max: int = DEPTH_MAX, what: str = "The payload"
) -> None:
    """Raise for a text that is no JSON or that not every store and reader can take. Made for many small, plain ones.

    What holds nothing odd is parsed once, as fast as can be; a key that stands twice is let through then.
    """
    is_small = len(text) <= bytes_max // 4  # whatever its characters are
    if is_small and text.count("[") + text.count("{") <= depth_max and not is_odd(text):
        try:
            json.loads(text)
        except ValueError:
            pass  # said below, in words
        else:
            return
    check_json(text, bytes_max=bytes_max, depth_max=depth_max, what=what)


def is_odd(text: str) -> bool:
    """Whether a JSON text may hold what a plain parse lets through and a store or another language does not."""
    if not text.isascii() or "\\u" in text or "NaN" in text or "Infinity" in text:
        return True
    return _LARGE_NUMBER.search(text) is not None


def parse_json(
    text: str | bytes | bytearray,
    *,
    bytes_max: int = PARAMS_BYTES_MAX,
    depth_max: int = DEPTH_MAX,
    what: str = "The payload",
) -> Any:
    """The value of a JSON text from outside. Strict: one value, no NaN, no key twice, no half character."""
    _check_size(len(text), bytes_max, what)
    text = _decoded(text, what)
    _check_size(len(text.encode(errors="surrogatepass")), bytes_max, what)
    _check_parts(text, what)
    _check_text_depth(text, depth_max, what)

    def refuse_constant(word: str) -> NoReturn:
        raise BadNumber(what, f"{word} is not a number of JSON", hint='write null, or the word as text: "NaN"')

    def integer(digits: str) -> int:
        if len(digits) > _INT_DIGITS_MAX:
            raise BadNumber(what, "an integer is beyond 64 bits", hint="write it as text")
        return int(digits)

    def fraction(digits: str) -> float:
        number = float(digits)
        if not isfinite(number):
            raise BadNumber(what, "a number is too large", hint="write it as text")
        return number

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise NotJson(what, f'the key "{_repeated(pairs)[:50]}" stands there twice', hint="keep one of them")
        return found

    try:
        value = json.loads(
            text, parse_constant=refuse_constant, parse_int=integer, parse_float=fraction, object_pairs_hook=mapping
        )
    except json.JSONDecodeError as error:
        raise NotJson(what, f"{error.msg.lower()} in line {error.lineno}, column {error.colno}") from None
    if _PERHAPS_HALF.search(text) is not None:
        _check_halves(value, what)
    return value


def _check_halves(value: Any, what: str) -> None:
    """Refuse half a character (a lone surrogate) in a text or a key: no message could quote it, no store keeps it."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadText(what, "text holds half a character (a lone surrogate)", hint="remove it") from None


def _repeated(pairs: list[tuple[str, Any]]) -> str:
    """The first key that was there before. One walk, because a client may send very many pairs (SEC-32)."""
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            return name
        seen.add(name)
    raise AssertionError("no key stands there twice")


def json_text(
    value: Any, *, bytes_max: int = RESULT_BYTES_MAX, depth_max: int = DEPTH_MAX, what: str = "The payload"
) -> str:
    """Canonical JSON text of a value: sorted keys, no spaces, UTF-8."""
    _check_value(value, bytes_max=bytes_max, depth_max=depth_max, what=what)
    text = canonical_json(value)
    _check_size(len(text.encode()), bytes_max, what)
    return text


def canonical_json(value: Any) -> str:
    """The one way to write a JSON value: sorted keys, no spaces, no escapes that are not needed."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=_plain)


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(type(value).__name__)


def _check_size(size: int, bytes_max: int, what: str) -> None:
    if size > bytes_max:
        raise PayloadTooLarge(what, size=size, bytes_max=bytes_max)


def _decoded(text: str | bytes | bytearray, what: str) -> str:
    if isinstance(text, str):
        return text
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise BadText(what, f"byte {error.start} is not UTF-8") from None


def is_nested_deeper(text: str, depth_max: int) -> bool:
    """Whether a JSON text is nested deeper than so: a parser would go down as far."""
    if text.count("[") + text.count("{") <= depth_max:
        return False
    try:
        _check_text_depth(text, depth_max, "")
    except TooDeep:
        return True
    return False


def _check_parts(text: str, what: str) -> None:
    """Refuse what would be parsed for long: a parser of thousands of lists lets no other thread work meanwhile."""
    if text.count(",") + text.count("[") + text.count("{") <= PARTS_MAX:
        return
    parts = sum(text[found.start()] != '"' for found in _PART_OR_STRING.finditer(text))
    if parts > PARTS_MAX:
        raise NotJson(what, f"it has more than {PARTS_MAX} parts", hint="send less at once")


def _check_text_depth(text: str, depth_max: int, what: str) -> None:
    """Count brackets before a parser recurses into them."""
    depth = 0
    for found in _BRACKET_OR_STRING.finditer(text):
        mark = text[found.start()]
        if mark in "[{":
            depth += 1
            if depth > depth_max:
                raise TooDeep(what, f"it is nested deeper than {depth_max}", hint="flatten it")
        elif mark in "]}":
            depth -= 1


Place: TypeAlias = tuple[Any, str | int] | None
"""Where a part is: its parent's place and its key or number there. Put into words only when something is wrong."""


def _check_value(value: Any, *, bytes_max: int, depth_max: int, what: str) -> None:
    """Walk without recursion. Every part costs some bytes of text, and those are bounded, so the walk soon ends."""
    left: list[tuple[Place, Any, int]] = [(None, value, 0)]
    least = 0  # bytes that the text of what was seen so far needs
    while left:
        place, part, depth = left.pop()
        if isinstance(part, str):
            _check_text(part, place, what)
        elif part is None or part is True or part is False:
            pass
        elif isinstance(part, int):
            if not INT_MIN <= part <= INT_MAX:
                path = _path(place)
                raise BadNumber(what, "an integer is beyond 64 bits", path=path, hint="write it as text")
        elif isinstance(part, float):
            if not isfinite(part):
                path = _path(place)
                raise BadNumber(what, f"{part} is not a number of JSON", path=path, hint="use None where there is none")
        elif isinstance(part, dict | list | tuple | Mapping):  # the usual ones first: asking for a Mapping is slow
            if depth >= depth_max:
                path = _path(place)
                raise TooDeep(what, f"it is nested deeper than {depth_max}", path=path, hint="flatten it")
            least += len(part) * (_ITEM_BYTES if isinstance(part, list | tuple) else _MEMBER_BYTES)
            _check_size(least, bytes_max, what)
            left.extend(_inside(part, place, depth + 1, what))
        else:
            kind = type(part).__name__
            raise NotJson(what, f'a "{kind}" is not JSON', path=_path(place), hint="use str(value), or a dataclass")


def _inside(part: Any, place: Place, depth: int, what: str) -> list[tuple[Place, Any, int]]:
    if isinstance(part, list | tuple):
        return [((place, step), item, depth) for step, item in enumerate(part)]
    for key in part:
        if not isinstance(key, str):
            kind = type(key).__name__
            raise NotJson(what, f'a key is a "{kind}", not text', path=_path(place), hint="use str(key)")
        _check_text(key, place, what)
    return [((place, key), item, depth) for key, item in part.items()]


def _path(place: Place) -> str:
    """A place in words, as far as a message shows it: `steps[3].name`."""
    steps: list[str | int] = []
    while place is not None:
        place, step = place
        steps.append(step)
    path = ""
    for step in reversed(steps):
        path += f"[{step}]" if isinstance(step, int) else f".{step[:_PATH_MAX]}" if path else step[:_PATH_MAX]
    return path[:_PATH_MAX]


def _check_text(text: str, place: Place, what: str) -> None:
    if "\0" in text:
        path = _path(place)
        raise BadText(what, "text holds the character NUL, which no store keeps", path=path, hint="remove it")
    try:
        text.encode()
    except UnicodeEncodeError:
        path = _path(place)
        raise BadText(what, "text holds half a character (a lone surrogate)", path=path, hint="remove it") from None
