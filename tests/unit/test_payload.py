"""Payloads: what JSON is let in, and that nothing else is, at bounded cost (F20)."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foliot.domain.errors import BadNumber, BadText, InvalidInput, NotJson, PayloadTooLarge, TooDeep
from foliot.domain.payload import (
    DEPTH_MAX,
    INT_MAX,
    INT_MIN,
    canonical_json,
    check_json,
    check_json_text,
    json_text,
    parse_json,
)


@pytest.mark.parametrize(
    ("given_", "stored"),
    [
        ("{}", "{}"),
        (' {"b": [1, 2.5, null], "a": "é"} ', '{"a":"é","b":[1,2.5,null]}'),
        (b'{"a": "\\u00e9"}', '{"a":"é"}'),
        ({"b": (1, 2), "a": True}, '{"a":true,"b":[1,2]}'),
        (MappingProxyType({"a": MappingProxyType({"b": 1})}), '{"a":{"b":1}}'),
        ([INT_MIN, INT_MAX], f"[{INT_MIN},{INT_MAX}]"),
        (None, "null"),
        ('"text"', '"text"'),
        ('{"s": "]]]]}}}}{{[["}', '{"s":"]]]]}}}}{{[["}'),
    ],
)
def test_good_json_comes_out_canonical(given_: Any, stored: str) -> None:
    assert check_json(given_) == stored
    assert check_json(stored) == stored


@pytest.mark.parametrize(
    ("given_", "error", "said"),
    [
        ("", NotJson, "line 1"),
        ("{", NotJson, "line 1"),
        ("{}{}", NotJson, "extra data"),
        ("{'a': 1}", NotJson, "column 2"),
        ('{"a": 1, "a": 2}', NotJson, "twice"),
        ('"\n"', NotJson, "control character"),
        ("\ufeff{}", NotJson, "line 1"),
        (b"\xff\xfe", BadText, "byte 0"),
        (b'"caf\xe9"', BadText, "byte 4"),
        ('"\\ud800"', BadText, "half a character"),
        ('{"\\udfff": 1}', BadText, "half a character"),
        ('{"a": "x\\u0000y"}', BadText, "NUL"),
        ('{"\\u0000": 1}', BadText, "NUL"),
        ("NaN", BadNumber, "NaN"),
        ('{"a": [-Infinity]}', BadNumber, "-Infinity"),
        ("1e999", BadNumber, "too large"),
        ("9223372036854775808", BadNumber, "64 bits"),
        ("-9223372036854775809", BadNumber, "64 bits"),
        ("1" * 10_000, BadNumber, "64 bits"),
        ({"a": float("nan")}, BadNumber, "at a"),
        ({"a": [1, float("inf")]}, BadNumber, "at a[1]"),
        ({"a": 2**63}, BadNumber, "64 bits"),
        ({"a": 10**5000}, BadNumber, "64 bits"),
        ({"a": "\ud800"}, BadText, "half a character"),
        ({1: 2}, NotJson, '"int", not text'),
        ({"a": {"b": Decimal(1)}}, NotJson, 'at a.b: a "Decimal" is not JSON'),
        ([date(2026, 1, 31)], NotJson, '"date"'),
        ({"a": {1, 2}}, NotJson, '"set"'),
        ({"a": b"bytes"}, NotJson, '"bytes"'),
    ],
)
def test_what_would_not_survive_is_refused_with_its_place(given_: Any, error: type[InvalidInput], said: str) -> None:
    with pytest.raises(error) as refused:
        check_json(given_)
    assert type(refused.value) is error
    assert said in str(refused.value)


def nested_text(depth: int) -> str:
    return "[" * depth + "]" * depth


def test_depth_is_allowed_up_to_the_limit_and_no_deeper() -> None:
    assert check_json(nested_text(DEPTH_MAX)) == nested_text(DEPTH_MAX)
    for text in (nested_text(DEPTH_MAX + 1), nested_text(30_000), '{"a":' * 10_000, '["\\"",' * 5_000):
        with pytest.raises(TooDeep):
            check_json(text)


def test_a_value_that_holds_itself_is_too_deep_not_endless() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(TooDeep):
        check_json({"a": loop})


def test_a_small_value_that_unfolds_to_a_huge_one_is_refused_without_unfolding_it() -> None:
    laughs: list[Any] = ["ha"]
    for _ in range(DEPTH_MAX - 2):
        laughs = [laughs] * 10
    with pytest.raises(PayloadTooLarge):
        check_json(laughs)


@pytest.mark.parametrize("extra", [0, 1])
def test_the_size_limit_is_in_bytes_and_exact(extra: int) -> None:
    text = '"' + "é" * 49 + "x" * extra + '"'
    if extra:
        with pytest.raises(PayloadTooLarge) as refused:
            check_json(text, bytes_max=100)
        assert "101 B" in str(refused.value)
        with pytest.raises(PayloadTooLarge):
            json_text("é" * 49 + "x", bytes_max=100)
    else:
        assert len(check_json(text, bytes_max=100).encode()) == 100


class Endless(Mapping[str, int]):
    """A mapping that must not be walked: it says its size, and that is enough."""

    def __getitem__(self, key: str) -> int:
        return 1

    def __len__(self) -> int:
        return 10**9

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("walked a mapping that is over its limit")


def test_a_mapping_over_the_limit_is_refused_by_its_size_alone() -> None:
    with pytest.raises(PayloadTooLarge):
        check_json(Endless())


def test_the_sentence_speaks_of_what_was_given() -> None:
    with pytest.raises(PayloadTooLarge) as refused:
        json_text("x" * 70_000, what="The result of r-77aa")
    assert refused.value.sentence == "The result of r-77aa is 68.4 KiB; the limit is 64 KiB."
    assert refused.value.code == "FOL-1051"


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(INT_MIN, INT_MAX)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), inner)
    ),
    max_leaves=20,
)


@given(json_values)
def test_every_good_value_survives(value: Any) -> None:
    text = json_text(value)
    assert json.loads(text) == value
    assert json_text(parse_json(text)) == text == canonical_json(value)


@given(json_values)
def test_the_quick_check_lets_every_good_text_through(value: Any) -> None:
    check_json_text(json_text(value))
    check_json_text(json.dumps(value, indent=1))


ODD = (
    "", "{", "nonsense", "[1,]", "NaN", '{"a":-Infinity}', "1e999", "-1e999", "9" * 30, str(2**63), '"\\ud800"',
    '"\\u0000"', '"a\0"', "[" * 33 + "]" * 33, "[" * 9000, '"' + "x" * 70_000 + '"',
    '"' + "\u00e9" * 33_000 + '"', "\ud800",
)  # fmt: skip


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_the_quick_check_refuses_what_the_slow_one_does(text: str) -> None:
    with pytest.raises(InvalidInput):
        check_json(text)
    with pytest.raises(InvalidInput):
        check_json_text(text)


@given(st.text(alphabet=r'{}[]",:\u0019eE+-. NaInftyrulse\x00é') | st.text())
def test_the_quick_check_differs_in_keys_that_stand_twice_alone(text: str) -> None:
    try:
        check_json(text)
    except NotJson as refusal:
        is_twice = "twice" in refusal.sentence
    except InvalidInput:
        is_twice = False
    else:
        check_json_text(text)
        return
    if not is_twice:
        with pytest.raises(InvalidInput):
            check_json_text(text)


@given(st.text() | st.binary())
def test_no_text_crashes_it(text: str | bytes) -> None:
    with suppress(InvalidInput):  # anything else that is raised is a crash
        stored = check_json(text)
        assert check_json(stored) == stored


@pytest.mark.parametrize("much", ["[" + "[]," * 100_000 + "1]", "{" + '"a":1,' * 100_000 + '"b":1}', "," * 100_000])
def test_what_has_too_many_parts_is_not_parsed(much: str) -> None:
    """Parsed, it would let no other thread of the process work for a long while."""
    with pytest.raises(NotJson, match="more than 50000 parts"):
        parse_json(much, bytes_max=1024 * 1024)


def test_marks_inside_text_are_no_parts() -> None:
    text = json.dumps({"a": ",[{" * 20_000 + '\\"'})
    assert parse_json(text, bytes_max=1024 * 1024) == json.loads(text)
    fullest = "[" + "[]," * 21_000 + "1]"
    assert len(parse_json(fullest)) == 21_001, "what fits into a payload that is kept"
