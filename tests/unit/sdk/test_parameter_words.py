"""Parameters as people type them on a command line."""

from datetime import date
from typing import Any, Literal

import pytest

from foliot.domain.parameters import from_words
from foliot.sdk.parameters import Parameters


def handler(
    text: str = "",
    number: int = 0,
    real: float = 0.0,
    truth: bool = False,
    day: date | None = None,
    either: int | str = 0,
    names: list[str] | None = None,
    mode: Literal["1", "fast"] = "fast",
    **others: Any,
) -> None: ...


SCHEMA = Parameters(handler, name="job").schema


@pytest.mark.parametrize(
    ("name", "word", "meant"),
    [
        ("text", "Foliot", "Foliot"),
        ("text", "7", "7"),
        ("text", "true", "true"),
        ("text", "null", "null"),
        ("text", '"quoted"', '"quoted"'),
        ("text", "", ""),
        ("text", "a=b", "a=b"),
        ("number", "7", 7),
        ("number", "seven", "seven"),
        ("real", "1", 1),
        ("truth", "true", True),
        ("truth", "yes", "yes"),
        ("day", "2026-01-31", "2026-01-31"),
        ("day", "null", None),
        ("either", "7", 7),
        ("either", "x", "x"),
        ("names", '["a", "b"]', ["a", "b"]),
        ("mode", "1", "1"),
        ("unknown", "7", 7),
        ("unknown", "x", "x"),
        ("number", "[" * 100, "[" * 100),
    ],
)
def test_a_word_is_what_the_parameter_takes(name: str, word: str, meant: Any) -> None:
    got = from_words({name: word}, SCHEMA)[name]
    assert (got, type(got)) == (meant, type(meant))


@pytest.mark.parametrize(("word", "meant"), [("7", 7), ("true", True), ("x", "x"), ('"x"', '"x"'), ("[1]", [1])])
def test_without_a_schema_what_is_json_is_json(word: str, meant: Any) -> None:
    assert from_words({"x": word}) == {"x": meant}


def test_a_schema_that_is_none_does_not_stop_anybody() -> None:
    assert from_words({"x": "7"}, {"properties": {"x": {"anyOf": 7}}}) == {"x": 7}
