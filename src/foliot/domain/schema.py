"""JSON Schema, as far as parameters need it: check a value, say in plain words what is wrong, name a type for people.

The same check runs in a worker before a handler is called, in `job.trigger()` before anything is sent, and on a server,
which knows of a handler only its schema. Keywords that are not understood are left to the handler.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple, TypeAlias

from foliot.domain.formats import FORMATS

Schema: TypeAlias = Mapping[str, Any]

SHOWN_MAX: Final = 60
PATH_MAX: Final = 100
PROBLEMS_MAX: Final = 20
STEPS_MAX: Final = 200_000
WORDS_STEPS_MAX: Final = 5000
CHOICES_SHOWN_MAX: Final = 20
PROPERTIES_SHOWN_MAX: Final = 50
_PER_STEP: Final = 16  # things that are merely compared, or letters of a reference: as many cost one step
_DEPTH_MAX: Final = 100
_PATH_GROWS_TO: Final = 1000
_AS_JSON: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str)


class SchemaProblem(NamedTuple):
    """One thing that is wrong: where, and what, in words that follow the place (`is not a date`)."""

    path: str
    said: str
    value: Any = None
    shows_value: bool = False

    def __str__(self) -> str:
        place = self.path[:PATH_MAX]
        text = f"{place}={shown(self.value)} {self.said}" if self.shows_value else f"{place} {self.said}"
        return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


class NotUnderstood(Exception):
    """A schema that is none, or that leads the check astray: what it wants is left to the handler."""


class TakesLong(Exception):
    """A check that takes more steps than its caller can wait for: check again where that matters to nobody."""


def check(schema: Schema, value: Any, *, path: str = "", patience: int = STEPS_MAX) -> list[SchemaProblem]:
    """What is wrong with the value, in the order of the schema, up to PROBLEMS_MAX; empty when it fits.

    A schema that cannot be understood refuses nothing: the worker that offered it will judge. `TakesLong` after more
    steps than `patience`, when that is less than the most a check may take.
    """
    walk = _Walk(schema, patience)
    try:
        return list(islice(_problems(schema, value, path, walk, 0), PROBLEMS_MAX))
    except NOT_A_SCHEMA:
        if walk.left < 0 and patience < STEPS_MAX:
            raise TakesLong from None
        return []


class SharedCheck:
    """Several checks by one schema and its parts that have their steps together; `TakesLong` when these are used up."""

    def __init__(self, root: Schema, *, steps_max: int) -> None:
        self._walk = _Walk(root, steps_max)

    def problems(self, schema: Schema, value: Any) -> list[SchemaProblem]:
        """As `check`; references begin at the root."""
        try:
            return list(islice(_problems(schema, value, "", self._walk, 0), PROBLEMS_MAX))
        except NOT_A_SCHEMA:
            if self._walk.left < 0:
                raise TakesLong from None
            return []


def fits(schema: Schema, value: Any, *, root: Schema | None = None) -> bool:
    """Whether the value is what the schema says."""
    return next(_problems(schema, value, "", _Walk(root or schema), 0), None) is None


def property_words(schema: Schema) -> list[tuple[str, str]]:
    """The first properties of an object with their types as people say them: `date`, `true/false`, `list of text`.

    That one may be empty is not said.
    """
    walk = _Walk(schema, WORDS_STEPS_MAX)
    named = islice(schema.get("properties", {}).items(), PROPERTIES_SHOWN_MAX)
    return [(name, _words(part, walk, 0)) for name, part in named]


NOT_A_SCHEMA: Final = (NotUnderstood, TypeError, AttributeError, ValueError, KeyError)


class _Walk:
    """One walk through a schema: where references begin, and how many more steps it may take."""

    __slots__ = ("left", "root")

    def __init__(self, root: Schema, steps_max: int = STEPS_MAX) -> None:
        self.root = root
        self.left = steps_max

    def step(self, schema: Any, depth: int) -> None:
        """Schemas come from anywhere: each step is counted, so that none leads astray for long."""
        self.left -= 1
        if self.left < 0 or depth > _DEPTH_MAX or not isinstance(schema, Mapping):
            raise NotUnderstood

    def look_at(self, things: int) -> None:
        """Count a look at many things at once, before it begins: choices, names, letters."""
        self.left -= things // _PER_STEP
        if self.left < 0:
            raise NotUnderstood


def shown(value: Any) -> str:
    """The value as JSON, shortened."""
    text = ""
    for piece in _AS_JSON.iterencode(value):  # piece by piece: of a long value only its beginning is written
        text += piece
        if len(text) > SHOWN_MAX:
            return f"{text[: SHOWN_MAX - 1]}…"
    return text


# ----------------------------------------------------------------------------------------------------------- checking

_TYPES: Final[Mapping[str, tuple[str, Callable[[Any], bool]]]] = {
    "null": ("null", lambda value: value is None),
    "boolean": ("true/false", lambda value: isinstance(value, bool)),
    "integer": ("whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    "number": (
        "number",
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value),
    ),
    "string": ("text", lambda value: isinstance(value, str)),
    "array": ("list", lambda value: isinstance(value, list)),
    "object": ("object", lambda value: isinstance(value, dict)),
}


TYPE_NAMES: Final = tuple(_TYPES)


def _problems(schema: Schema, value: Any, path: str, walk: _Walk, depth: int) -> Iterator[SchemaProblem]:
    walk.step(schema, depth)
    if "$ref" in schema:
        yield from _problems(_resolved(schema["$ref"], walk), value, path, walk, depth + 1)
    for part in schema.get("allOf", ()):
        yield from _problems(part, value, path, walk, depth + 1)
    branches = schema.get("anyOf") or schema.get("oneOf")
    if branches:
        yield from _choice(branches, value, path, walk, depth + 1)
    if (wrong := _wrong_itself(schema, value, path, walk)) is not None:
        yield wrong
    elif isinstance(value, dict):
        yield from _in_object(schema, value, path, walk, depth + 1)
    elif isinstance(value, list):
        yield from _in_array(schema, value, path, walk, depth + 1)


def _wrong_itself(schema: Schema, value: Any, path: str, walk: _Walk) -> SchemaProblem | None:
    choices = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if choices is not None:
        walk.look_at(len(choices))
        if any(_same(value, choice) for choice in choices):
            return None
        said = f"is not {'one of ' if len(choices) > 1 else ''}{', '.join(_some(choices))}"
        return SchemaProblem(path, said, value, True)
    types = schema.get("type")
    names = [types] if isinstance(types, str) else types or []
    walk.look_at(len(names))
    if names and not any(_TYPES[name][1](value) for name in names if name in _TYPES):
        return SchemaProblem(path, f"is not {_article(_words(schema, walk, 0))}", value, True)
    if not _reads(schema.get("format"), value):
        return SchemaProblem(path, f"is not {_article(_words(schema, walk, 0))}", value, True)
    said = _bounds_missed(schema, value)
    return SchemaProblem(path, said, value, True) if said else None


def _reads(format_name: str | None, value: Any) -> bool:
    if (
        format_name is None
        or format_name not in FORMATS
        or not isinstance(value, str | int | float)
        or isinstance(value, bool)
    ):
        return True
    try:
        FORMATS[format_name][1](value)
    except (ValueError, TypeError, OverflowError):
        return False
    return True


def _bounds_missed(schema: Schema, value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        for keyword, holds, words in _NUMBER_BOUNDS:
            if keyword in schema and not holds(value, schema[keyword]):
                return f"{words} {schema[keyword]}"
    size = len(value) if isinstance(value, str | list) else None
    unit, least, most = (
        ("letters", "minLength", "maxLength") if isinstance(value, str) else ("items", "minItems", "maxItems")
    )
    if size is not None and size < schema.get(least, 0):
        return f"has fewer than {schema[least]} {unit}"
    if size is not None and size > schema.get(most, size):
        return f"has more than {schema[most]} {unit}"
    return ""


_NUMBER_BOUNDS: Final[Sequence[tuple[str, Callable[[Any, Any], bool], str]]] = (
    ("minimum", lambda value, bound: value >= bound, "is less than"),
    ("maximum", lambda value, bound: value <= bound, "is more than"),
    ("exclusiveMinimum", lambda value, bound: value > bound, "is not more than"),
    ("exclusiveMaximum", lambda value, bound: value < bound, "is not less than"),
)


def _in_object(schema: Schema, value: dict[str, Any], path: str, walk: _Walk, depth: int) -> Iterator[SchemaProblem]:
    known: Schema = schema.get("properties", {})
    needed: Sequence[str] = schema.get("required", ())
    walk.look_at(len(known) + len(needed) + len(value))
    for name, part in known.items():
        if name in value:
            yield from _problems(part, value[name], _below(path, name), walk, depth)
    for name in needed:
        if not isinstance(name, str):
            raise NotUnderstood(name)
        if name not in value:
            yield SchemaProblem(_below(path, name), "is missing")
    names, rest = schema.get("propertyNames"), schema.get("additionalProperties", True)
    if rest is True and not names:
        return
    for name, part in value.items():
        if name in known:
            continue
        if rest is False:
            yield SchemaProblem(_below(path, name), "is unknown")
        elif names and next(_problems(names, name, "", walk, depth), None):
            yield SchemaProblem(_below(path, name), f"is not {_article(_words(names, walk, 0))}")
        elif isinstance(rest, Mapping):
            yield from _problems(rest, part, _below(path, name), walk, depth)


def _in_array(schema: Schema, value: list[Any], path: str, walk: _Walk, depth: int) -> Iterator[SchemaProblem]:
    walk.look_at(len(value))
    first: Sequence[Schema] = schema.get("prefixItems", ())
    rest = schema.get("items", True)
    for i, item in enumerate(value):
        part = first[i] if i < len(first) else rest
        if part is False:
            yield SchemaProblem(f"{path}[{i}]", "is one too many")
        elif isinstance(part, Mapping):
            yield from _problems(part, item, f"{path}[{i}]", walk, depth)


def _choice(branches: Sequence[Schema], value: Any, path: str, walk: _Walk, depth: int) -> Iterator[SchemaProblem]:
    tried = [list(islice(_problems(branch, value, path, walk, depth), PROBLEMS_MAX)) for branch in branches]
    if any(not problems for problems in tried):
        return
    inside = [problems for problems in tried if any(problem.path != path for problem in problems)]
    if len(inside) == 1:  # one branch has the right form and something inside it is wrong: say that
        yield from inside[0]
        return
    said = [problems for problems, branch in zip(tried, branches, strict=True) if branch.get("type") != "null"]
    if len(said) == 1:
        yield from said[0]
        return
    yield SchemaProblem(path, f"is not {_article(_words({'anyOf': branches}, walk, 0))}", value, True)


# -------------------------------------------------------------------------------------------------------------- words


def _words(schema: Schema, walk: _Walk, depth: int) -> str:
    walk.step(schema, depth)
    if "$ref" in schema:
        return _words(_resolved(schema["$ref"], walk), walk, depth + 1)
    if "enum" in schema:
        return "/".join(_some(schema["enum"], as_text=str))
    if "const" in schema:
        return next(_some([schema["const"]], as_text=str))
    branches = schema.get("anyOf") or schema.get("oneOf")
    if branches:
        meant = islice((branch for branch in branches if branch.get("type") != "null"), CHOICES_SHOWN_MAX)
        return " or ".join(dict.fromkeys(_words(branch, walk, depth + 1) for branch in meant))
    if schema.get("format") in FORMATS:
        return FORMATS[schema["format"]][0]
    return _type_words(schema, walk, depth)


def _type_words(schema: Schema, walk: _Walk, depth: int) -> str:
    types = schema.get("type")
    names = [types] if isinstance(types, str) else types or []
    if names == ["array"] and isinstance(schema.get("items"), Mapping) and schema["items"]:
        return f"list of {_words(schema['items'], walk, depth + 1)}"
    if names == ["object"]:
        return str(schema.get("title", "object"))[:SHOWN_MAX]
    known = (_TYPES[name][0] for name in names if name in _TYPES and name != "null")
    return " or ".join(dict.fromkeys(known)) or "anything"


def _article(words: str) -> str:
    if " or " in words:
        return " or ".join(map(_article, words.split(" or ")))
    if words in ("text", "true/false", "anything", "null") or "/" in words:
        return words
    return f"{'an' if words[0].lower() in 'aeio' else 'a'} {words}"


def _some(choices: Sequence[Any], *, as_text: Callable[[str], str] = shown) -> Iterator[str]:
    """The first choices as text, and a sign when there are more: a sentence names no thousands of them."""
    for choice in islice(choices, CHOICES_SHOWN_MAX):
        yield as_text(choice[:SHOWN_MAX]) if isinstance(choice, str) else shown(choice)
    if len(choices) > CHOICES_SHOWN_MAX:
        yield "…"


def _same(value: Any, choice: Any) -> bool:
    return value == choice and isinstance(value, bool) == isinstance(choice, bool)


def _below(path: str, name: str) -> str:
    """The path of a member. One that nobody could read grows no longer: a value may have thousands of members."""
    if len(path) > _PATH_GROWS_TO:
        return path
    name = name[:_PATH_GROWS_TO]
    return f"{path}.{name}" if path else name


def _resolved(ref: str, walk: _Walk) -> Schema:
    walk.look_at(len(ref))
    node: Any = walk.root
    for part in ref.removeprefix("#/").split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        node = node.get(key) if isinstance(node, Mapping) else None
    return node if isinstance(node, Mapping) else {}
