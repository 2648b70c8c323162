"""Parameters and results: what goes out as JSON comes back the same, and nothing given can break the reading."""

import string
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, NamedTuple, TypeVar
from uuid import UUID

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foliot.domain.parameters import BadParameters, require_fit
from foliot.domain.schema import check
from foliot.sdk.parameters import Parameters
from foliot.sdk.results import Unwritable, to_json

E = TypeVar("E", bound=Exception)


class Colour(Enum):
    RED = "red"
    BLUE = 2


class Point(NamedTuple):
    x: int
    y: float


@dataclass
class Order:
    id: int
    amount: Decimal
    colour: Colour = Colour.RED
    notes: list[str] = field(default_factory=list)


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
WHOLE = st.integers(-(2**63), 2**63 - 1)
REAL = st.floats(allow_nan=False, allow_infinity=False)
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False)

SIMPLE: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (str, TEXT),
    (int, WHOLE),
    (float, REAL),
    (bool, st.booleans()),
    (date, st.dates()),
    (datetime, st.datetimes(timezones=st.just(UTC))),
    (time, st.times()),
    (timedelta, st.timedeltas()),
    (Decimal, DECIMALS),
    (UUID, st.uuids()),
    (Colour, st.sampled_from(Colour)),
    (Literal["a", 1], st.sampled_from(["a", 1])),
    (Point, st.builds(Point, WHOLE, REAL)),
    (Order, st.builds(Order, WHOLE, DECIMALS, st.sampled_from(Colour), st.lists(TEXT, max_size=3))),
]


def listed(kind: tuple[Any, st.SearchStrategy[Any]]) -> tuple[Any, st.SearchStrategy[Any]]:
    return list[kind[0]], st.lists(kind[1], max_size=4)  # type: ignore[valid-type]


def keyed(kind: tuple[Any, st.SearchStrategy[Any]]) -> tuple[Any, st.SearchStrategy[Any]]:
    return dict[str, kind[0]], st.dictionaries(TEXT, kind[1], max_size=4)  # type: ignore[valid-type]


def maybe(kind: tuple[Any, st.SearchStrategy[Any]]) -> tuple[Any, st.SearchStrategy[Any]]:
    return kind[0] | None, st.none() | kind[1]


def paired(kind: tuple[Any, st.SearchStrategy[Any]]) -> tuple[Any, st.SearchStrategy[Any]]:
    return tuple[kind[0], str], st.tuples(kind[1], TEXT)  # type: ignore[valid-type]


KINDS = st.recursive(
    st.sampled_from(SIMPLE),
    lambda kinds: st.tuples(kinds, st.sampled_from([listed, keyed, maybe, paired])).map(lambda made: made[1](made[0])),
    max_leaves=3,
)

JSON = st.recursive(
    st.none() | st.booleans() | WHOLE | REAL | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)


def handler_with(annotations: dict[str, Any]) -> Callable[..., Any]:
    """A function with these parameters."""
    names = ", ".join(annotations)
    scope: dict[str, Any] = {}
    exec(f"def handler({names}): return dict({', '.join(f'{name}={name}' for name in annotations)})", scope)
    function: Callable[..., Any] = scope["handler"]
    function.__annotations__ = annotations
    return function


def outcome(expected: type[E], call: Callable[..., Any], *args: Any) -> tuple[Any, E | None]:
    """What a call returned, or the error of the expected kind that it raised; any other error comes out."""
    try:
        return call(*args), None
    except expected as error:
        return None, error


@given(st.data(), st.dictionaries(st.sampled_from(string.ascii_lowercase), KINDS, max_size=3))
@settings(max_examples=300)
def test_what_is_triggered_arrives(data: st.DataObject, kinds: dict[str, Any]) -> None:
    values = {name: data.draw(strategy, label=name) for name, (_, strategy) in kinds.items()}
    parameters = Parameters(handler_with({name: annotation for name, (annotation, _) in kinds.items()}), name="job")
    text = parameters.dump(values)
    assert parameters.parse(text) == values
    assert check(parameters.schema, msgspec.json.decode(text)) == []


@given(KINDS, JSON)
@settings(max_examples=300)
def test_any_json_is_read_or_refused_and_never_breaks_anything(kind: Any, value: Any) -> None:
    parameters = Parameters(handler_with({"given": kind[0]}), name="job")
    got, refused = outcome(BadParameters, parameters.read, {"given": value})
    if refused is not None:
        assert refused.sentence.startswith("job: given")
        assert refused.sentence.isprintable()
    else:
        assert parameters.parse(parameters.dump(got)) == got


@given(st.dictionaries(st.text(max_size=200), JSON, min_size=1, max_size=3))
def test_no_name_can_break_the_line_or_fill_the_screen(values: dict[str, Any]) -> None:
    parameters = Parameters(handler_with({}), name="job")
    _, refused = outcome(BadParameters, parameters.read, values)
    assert refused is not None
    assert refused.sentence.isprintable()
    assert len(refused.sentence) < 500


WORDS = ["type", "enum", "const", "anyOf", "allOf", "items", "prefixItems", "properties", "required", "$ref", "format"]


@pytest.mark.slow
@given(JSON, st.dictionaries(st.sampled_from([*WORDS, "additionalProperties", "minimum", "maxItems"]), JSON))
@settings(max_examples=300)
def test_a_foreign_schema_cannot_break_a_server(value: Any, schema: Any) -> None:
    """Schemas come from workers; what is not understood in them is left to the handler."""
    _, refused = outcome(BadParameters, require_fit, "job", schema, value)
    assert refused is None or refused.sentence.startswith("job: ")


def test_a_schema_that_leads_astray_is_left_soon() -> None:
    again = {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}
    require_fit("job", {"$ref": "#/$defs/a", "$defs": {"a": again}}, {})
    require_fit("job", {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [again, again]}}}, {})


@given(JSON)
def test_json_results_are_kept_as_they_are(value: Any) -> None:
    assert msgspec.json.decode(to_json(value, bytes_max=1_000_000)) == value


@given(
    st.recursive(JSON | st.binary() | st.floats() | st.just(object), lambda i: st.lists(i) | st.tuples(i), max_leaves=5)
)
def test_anything_returned_is_json_or_named(value: Any) -> None:
    text, refused = outcome(Unwritable, lambda: to_json(value, bytes_max=1_000_000))
    assert refused.thing if refused is not None else msgspec.json.decode(text) is not NotImplemented
