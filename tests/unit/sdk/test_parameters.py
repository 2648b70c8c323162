"""Parameters: from annotations to a schema, from JSON to arguments, and every mistake named."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Annotated, Any, Literal, NamedTuple, NewType, NotRequired, TypedDict
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from foliot.domain.parameters import BadParameters, require_fit
from foliot.sdk.ctx import Ctx
from foliot.sdk.parameters import Parameters, UnsupportedParameter
from tests.unit.sdk.ports import Listening, ctx_of


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 9


class Mode(StrEnum):
    FAST = "fast"


@dataclass
class Money:
    amount: Decimal
    currency: str = "EUR"


@dataclass
class Tree:
    name: str
    children: "list[Tree]" = field(default_factory=list)


class Movie(TypedDict):
    title: str
    year: NotRequired[int]


class Point(NamedTuple):
    x: int
    y: int = 0


class Customer(BaseModel):
    name: str
    age: int = Field(ge=0)


Account = NewType("Account", int)


def read(annotation: Any, value: Any) -> Any:
    """What a parameter with this annotation becomes when JSON says `value`."""

    def handler(given: Any) -> None: ...

    handler.__annotations__["given"] = annotation
    return Parameters(handler, name="job").read({"given": value})["given"]


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [
        (str, "x", "x"),
        (int, 7, 7),
        (int, 2**60, 2**60),
        (float, 1, 1.0),
        (float, 1.5, 1.5),
        (bool, True, True),
        (date, "2026-01-31", date(2026, 1, 31)),
        (datetime, "2026-01-31T17:00:00Z", datetime(2026, 1, 31, 17, tzinfo=UTC)),
        (datetime, "2026-01-31T17:00:00", datetime(2026, 1, 31, 17)),  # noqa: DTZ001
        (time, "17:30", time(17, 30)),
        (timedelta, "1h30m", timedelta(minutes=90)),
        (timedelta, "PT1H30M", timedelta(minutes=90)),
        (timedelta, "-PT5S", timedelta(seconds=-5)),
        (timedelta, 90, timedelta(seconds=90)),
        (Decimal, "0.10", Decimal("0.10")),
        (Decimal, 3, Decimal(3)),
        (UUID, "12345678-1234-5678-1234-567812345678", UUID("12345678-1234-5678-1234-567812345678")),
        (Colour, "red", Colour.RED),
        (Level, 9, Level.HIGH),
        (Mode, "fast", Mode.FAST),
        (Literal["a", 1, True], "a", "a"),
        (Literal["a", 1], 1, 1),
        (date | None, None, None),
        (date | None, "2026-01-31", date(2026, 1, 31)),
        (int | str, "7", "7"),
        (date | str, "2026-01-31", date(2026, 1, 31)),
        (date | str, "soon", "soon"),
        (float | int, 1, 1),
        (list[date], ["2026-01-31"], [date(2026, 1, 31)]),
        (Sequence[int], [1, 2], [1, 2]),
        (list, [1, "a"], [1, "a"]),
        (set[int], [1, 1, 2], {1, 2}),
        (frozenset[str], ["a"], frozenset({"a"})),
        (tuple[int, str], [1, "a"], (1, "a")),
        (tuple[int, ...], [1, 2, 3], (1, 2, 3)),
        (dict[str, date], {"a": "2026-01-31"}, {"a": date(2026, 1, 31)}),
        (dict[int, str], {"7": "a"}, {7: "a"}),
        (Mapping[Mode, int], {"fast": 1}, {Mode.FAST: 1}),
        (dict[date, int], {"2026-01-31": 1}, {date(2026, 1, 31): 1}),
        (dict, {"a": [1]}, {"a": [1]}),
        (Any, {"a": [1]}, {"a": [1]}),
        (Money, {"amount": "9.99"}, Money(Decimal("9.99"))),
        (list[Money], [{"amount": "1", "currency": "CNY"}], [Money(Decimal(1), "CNY")]),
        (Tree, {"name": "a", "children": [{"name": "b"}]}, Tree("a", [Tree("b")])),
        (Movie, {"title": "M", "year": 1931}, {"title": "M", "year": 1931}),
        (Movie, {"title": "M"}, {"title": "M"}),
        (Point, [1], Point(1)),
        (Point, [1, 2], Point(1, 2)),
        (Account, 7, 7),
        (Annotated[int, "how many"], 7, 7),
        (Annotated[int, Field(ge=1)], 7, 7),
        (Customer, {"name": "Li", "age": 3}, Customer(name="Li", age=3)),
        (list[Customer] | None, [{"name": "Li", "age": 3}], [Customer(name="Li", age=3)]),
    ],
)
def test_json_becomes_what_the_annotation_says(annotation: Any, value: Any, expected: Any) -> None:
    got = read(annotation, value)
    assert got == expected
    assert type(got) is type(expected)


@pytest.mark.parametrize(
    ("annotation", "value", "said"),
    [
        (str, 7, "given=7 is not text"),
        (int, "7", 'given="7" is not a whole number'),
        (int, True, "given=true is not a whole number"),
        (int, 1.5, "given=1.5 is not a whole number"),
        (float, "x", 'given="x" is not a number'),
        (bool, 1, "given=1 is not true/false"),
        (date, "2026-13-01", 'given="2026-13-01" is not a date'),
        (date | None, "2026-13-01", 'given="2026-13-01" is not a date'),
        (datetime, "2026-01-31", 'given="2026-01-31" is not a date and time'),
        (time, "25:00", 'given="25:00" is not a time'),
        (timedelta, "soon", 'given="soon" is not a duration'),
        (timedelta, "P1Q", 'given="P1Q" is not a duration'),
        (Decimal, "NaN", 'given="NaN" is not a decimal number'),
        (Decimal, 0.1, "given=0.1 is not a decimal number"),
        (UUID, "7", 'given="7" is not a UUID'),
        (Colour, "green", 'given="green" is not one of "red", "blue"'),
        (Literal[1, 2], True, "given=true is not one of 1, 2"),
        (Mode, "slow", 'given="slow" is not "fast"'),
        (int | date, "x", 'given="x" is not a whole number or a date'),
        (list[int], [1, "x"], 'given[1]="x" is not a whole number'),
        (list[int], {"a": 1}, 'given={"a":1} is not a list of whole number'),
        (tuple[int, str], [1], "given=[1] has fewer than 2 items"),
        (tuple[int, str], [1, "a", 2], 'given=[1,"a",2] has more than 2 items'),
        (dict[int, str], {"x": "a"}, "given.x is not a whole number"),
        (Money, {"currency": "EUR", "much": 1}, "given.amount is missing; given.much is unknown"),
        (Money, {"amount": "many"}, 'given.amount="many" is not a decimal number'),
        (Tree, {"name": "a", "children": [{"name": 1}]}, "given.children[0].name=1 is not text"),
        (Money | None, {"amount": "many"}, 'given.amount="many" is not a decimal number'),
        (Money, "much", 'given="much" is not a Money'),
        (Annotated[int, Field(ge=1)], 0, "given=0 is less than 1"),
        (Customer, {"name": "Li", "age": -1}, "given.age=-1 is less than 0"),
        (str, None, "given=null is not text"),
    ],
)
def test_a_mistake_is_named_with_its_place(annotation: Any, value: Any, said: str) -> None:
    with pytest.raises(BadParameters) as refused:
        read(annotation, value)
    assert refused.value.sentence == f"job: {said}."


def settle(ctx: Ctx, day: date | None = None, dry_run: bool = False) -> None: ...


def test_the_message_names_every_mistake_and_all_parameters() -> None:
    with pytest.raises(BadParameters) as refused:
        Parameters(settle, name="settle").parse('{"day": "2026-13-01", "dry-run": true}')
    error = refused.value
    assert error.code == "FOL-1006"
    assert error.sentence == 'settle: day="2026-13-01" is not a date; dry-run is unknown.'
    assert error.hint == "parameters: day (date), dry_run (true/false)"
    assert error.data["errors"] == [
        {"path": "day", "message": "is not a date"},
        {"path": "dry-run", "message": "is unknown"},
    ]


def test_a_server_that_knows_only_the_schema_says_the_same() -> None:
    schema = Parameters(settle, name="settle").schema
    with pytest.raises(BadParameters, match=r'day="2026-13-01" is not a date; dry-run is unknown'):
        require_fit("settle", schema, {"day": "2026-13-01", "dry-run": True})
    require_fit("settle", schema, {"day": "2026-01-31"})


def test_a_job_without_parameters_says_so() -> None:
    def tick() -> None: ...

    with pytest.raises(BadParameters) as refused:
        Parameters(tick, name="tick").parse('{"x": 1}')
    assert str(refused.value) == "tick: x is unknown. (it takes no parameters)"


@pytest.mark.parametrize("payload", ["{", "[1]", '"x"', "7", "[" * 100_000])
def test_a_payload_that_is_no_object_is_refused(payload: str) -> None:
    with pytest.raises(BadParameters, match="the payload is not"):
        Parameters(settle, name="settle").parse(payload)


@pytest.mark.parametrize("payload", [None, "", "{}", "null"])
def test_no_payload_means_no_parameters(payload: str | None) -> None:
    assert Parameters(settle, name="settle").parse(payload) == {}


def test_a_long_value_is_shortened_in_the_message() -> None:
    with pytest.raises(BadParameters) as refused:
        read(int, "x" * 10_000)
    assert len(refused.value.sentence) < 120


def test_countless_mistakes_are_not_all_told() -> None:
    with pytest.raises(BadParameters) as refused:
        read(list[int], ["x"] * 1000)
    assert refused.value.sentence.count("whole number") == 20


def test_the_schema_is_what_a_form_needs() -> None:
    def handler(
        ctx: Ctx,
        day: Annotated[date, "which day"],
        colour: Colour = Colour.RED,
        limit: int | None = None,
        money: Money | None = None,
    ) -> None: ...

    schema = Parameters(handler, name="job").schema
    assert schema == {
        "type": "object",
        "properties": {
            "day": {"type": "string", "format": "date", "description": "which day"},
            "colour": {"title": "Colour", "enum": ["red", "blue"], "default": "red"},
            "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
            "money": {"anyOf": [{"$ref": "#/$defs/Money"}, {"type": "null"}], "default": None},
        },
        "required": ["day"],
        "additionalProperties": False,
        "$defs": {
            "Money": {
                "type": "object",
                "title": "Money",
                "properties": {
                    "amount": {"type": ["string", "integer"], "format": "decimal"},
                    "currency": {"type": "string"},
                },
                "required": ["amount"],
                "additionalProperties": False,
            }
        },
    }


# -- signatures


def call(function: Callable[..., Any], payload: str) -> Any:
    parameters = Parameters(function, name="job")
    here = ctx_of(Listening())
    args, kwargs = parameters.arguments(parameters.parse(payload), here)
    return function(*args, **kwargs)


def test_the_ctx_is_injected_wherever_it_is_annotated() -> None:
    def first(ctx: Ctx, n: int) -> tuple[str, int]:
        return ctx.job, n

    def last(n: int, *, context: Ctx) -> tuple[str, int]:
        return context.job, n

    def maybe(n: int, ctx: Ctx | None = None) -> tuple[str, int]:
        assert ctx is not None
        return ctx.job, n

    for function in (first, last, maybe):
        assert call(function, '{"n": 3}') == ("tick", 3)


def test_positional_only_and_open_parameters() -> None:
    def handler(ctx: Ctx, a: int, b: int = 2, /, *more: int, c: int = 3, **others: date) -> Any:
        return ctx.job, a, b, more, c, others

    assert call(handler, '{"a": 1, "c": 5, "x": "2026-01-31"}') == ("tick", 1, 2, (), 5, {"x": date(2026, 1, 31)})
    with pytest.raises(BadParameters, match='x="soon" is not a date'):
        call(handler, '{"a": 1, "x": "soon"}')


def test_without_annotation_any_json_is_taken() -> None:
    def handler(thing, other=1):  # type: ignore[no-untyped-def]
        return thing, other

    assert call(handler, '{"thing": [1, {"a": null}]}') == ([1, {"a": None}], 1)


def test_annotations_may_name_what_is_defined_below() -> None:
    def handler(later: "Later") -> Any:
        return later

    assert call(handler, '{"later": {"n": 1}}') == Later(1)


@dataclass
class Later:
    n: int


class Lock: ...


@pytest.mark.parametrize(
    ("annotation", "called"),
    [
        (Lock, "Lock"),
        (Callable[[], int], r"collections\.abc\.Callable\[\[\], int\]"),
        (list[Lock], "Lock"),
        (dict[float, int], "a mapping whose keys are not text or whole numbers"),
    ],
)
def test_what_json_cannot_fill_is_refused_by_name(annotation: Any, called: str) -> None:
    with pytest.raises(UnsupportedParameter, match=rf"parameter given \({called}\) cannot be filled from JSON"):
        read(annotation, None)


def test_a_dataclass_that_refuses_its_own_fields_is_a_wrong_parameter() -> None:
    with pytest.raises(BadParameters, match="the payload was refused: end before start"):
        read(Span, {"start": 5, "end": 1})


@dataclass
class Span:
    start: int
    end: int

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError("end before start")


def test_a_merge_function_takes_what_it_names_of_the_runs_parameters() -> None:
    def report(parts: list[int], day: date | None = None) -> None: ...

    parameters = Parameters(report, name="settle (merge)", ignores_unknown=True)
    assert parameters.parse('{"parts": [1, 2], "day": "2026-01-31", "dry_run": true}') == {
        "parts": [1, 2],
        "day": date(2026, 1, 31),
    }


# -- before queueing


def test_python_values_are_written_as_the_payload_of_a_trigger() -> None:
    def handler(day: date, money: Money, wait: timedelta, customer: Customer, names: list[str]) -> None: ...

    parameters = Parameters(handler, name="job")
    text = parameters.dump(
        {
            "day": date(2026, 1, 31),
            "money": Money(Decimal("0.10")),
            "wait": timedelta(minutes=90),
            "customer": Customer(name="Li", age=3),
            "names": ("a", "b"),
        }
    )
    assert text == (
        '{"customer":{"age":3,"name":"Li"},"day":"2026-01-31","money":{"amount":"0.10","currency":"EUR"},'
        '"names":["a","b"],"wait":"PT5400S"}'
    )
    assert parameters.parse(text)["money"] == Money(Decimal("0.10"))


def test_wrong_values_are_refused_before_anything_is_sent() -> None:
    parameters = Parameters(settle, name="settle")
    with pytest.raises(BadParameters, match="day=7 is not a date"):
        parameters.dump({"day": 7})
    with pytest.raises(BadParameters, match='day is an "object", which is not JSON'):
        parameters.dump({"day": object()})


def test_a_jobs_own_defaults_count_as_given() -> None:
    def handler(day: date, region: str) -> None: ...

    parameters = Parameters(handler, name="job")
    assert parameters.dump({"day": date(2026, 1, 31)}, defaults={"region": "eu"}) == '{"day":"2026-01-31"}'
    with pytest.raises(BadParameters, match="region is missing"):
        parameters.dump({"day": date(2026, 1, 31)})
