"""Results: what is written as JSON, and what is said when it cannot be kept."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from pydantic import BaseModel

from foliot.domain.payload import RESULT_BYTES_MAX
from foliot.sdk.results import ResultNotJson, ResultTooLarge, encode_result


class Colour(Enum):
    RED = "red"


class Point(NamedTuple):
    x: int
    y: int


@dataclass
class Receipt:
    total: Decimal
    day: date
    parts: list[Point]


class Customer(BaseModel):
    name: str


def encoded(value: Any) -> str:
    return encode_result(value, function="refund", run="r-77aa")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (5, "5"),
        (1.5, "1.5"),
        ("你好", '"你好"'),
        ([1, (2, 3)], "[1,[2,3]]"),
        ({"b": 1, "a": None}, '{"a":null,"b":1}'),
        ({1: "a"}, '{"1":"a"}'),
        ({3, 1, 2}, "[1,2,3]"),
        (date(2026, 1, 31), '"2026-01-31"'),
        (datetime(2026, 1, 31, 17, tzinfo=UTC), '"2026-01-31T17:00:00Z"'),
        (time(17, 30), '"17:30:00"'),
        (timedelta(minutes=90), '"PT5400S"'),
        (UUID(int=7), '"00000000-0000-0000-0000-000000000007"'),
        (Colour.RED, '"red"'),
        ({Colour.RED: 1}, '{"red":1}'),
        (Point(1, 2), "[1,2]"),
        (
            Receipt(Decimal("9.90"), date(2026, 1, 31), [Point(1, 2)]),
            '{"day":"2026-01-31","parts":[[1,2]],"total":"9.90"}',
        ),
        (Customer(name="Li"), '{"name":"Li"}'),
    ],
)
def test_it_is_written_as_json(value: Any, text: str) -> None:
    assert encoded(value) == text


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (Decimal("9.90"), 'refund returned a "Decimal", which is not JSON.'),
        ({"orders": [{"amount": Decimal(1)}]}, 'refund returned a "Decimal" (at orders[0].amount), which is not JSON.'),
        (Path("x"), 'refund returned a "PosixPath", which is not JSON.'),
        (b"x", 'refund returned a "bytes", which is not JSON.'),
        (float("nan"), 'refund returned "nan", which is not JSON.'),
        (2**64, "refund returned a whole number beyond 64 bits, which is not JSON."),
        ("\ud800", "refund returned text that no store keeps (NUL, or half a character), which is not JSON."),
        ({(1, 2): 3}, 'refund returned a mapping with a "tuple" as key, which is not JSON.'),
        (object, 'refund returned a "type", which is not JSON.'),
        (object(), 'refund returned an "object", which is not JSON.'),
    ],
)
def test_what_json_has_no_form_for_is_named(value: Any, said: str) -> None:
    with pytest.raises(ResultNotJson) as refused:
        encoded(value)
    assert refused.value.sentence == f"{said} The run succeeded, the result was not kept."
    assert refused.value.code == "FOL-1008"
    assert refused.value.hint == "return str(value), or a dataclass"


def test_a_structure_that_contains_itself_is_named() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(ResultNotJson, match="a structure that is nested too deeply"):
        encoded(loop)


def test_a_result_that_is_too_large_is_measured() -> None:
    encoded("x" * (RESULT_BYTES_MAX - 2))
    with pytest.raises(ResultTooLarge) as refused:
        encoded("x" * (RESULT_BYTES_MAX - 1))
    assert refused.value.sentence == (
        "Result of r-77aa is 65537 bytes; the limit is 65536 bytes (64 KiB). "
        "The run succeeded, the result was not kept."
    )
    with pytest.raises(ResultTooLarge, match=r"is 3\.2 MiB"):
        encoded("x" * 3_355_443)


def test_size_is_counted_in_bytes() -> None:
    with pytest.raises(ResultTooLarge):
        encoded("你" * (RESULT_BYTES_MAX // 2))
