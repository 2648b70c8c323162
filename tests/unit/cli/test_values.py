"""Values of definitions as people read them: no Python, no None."""

from typing import Any

import pytest

from foliot.cli.values import in_words, parameters_in_words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("30m", "30m"),
        (True, "true"),
        (None, "null"),
        (3, "3"),
        ({"max": 3, "backoff": "30s..10m", "jitter": False}, "max: 3, backoff: 30s..10m, jitter: false"),
        ({"require": {"gpu": "yes"}, "zones": ["a", "b"]}, "require: (gpu: yes), zones: (a, b)"),
        (["a", {"b": None}], "a, (b: null)"),
    ],
)
def test_a_value_is_shown_without_python(value: Any, words: str) -> None:
    assert in_words(value) == words


def test_parameters_have_types_and_defaults() -> None:
    schema = {
        "type": "object",
        "properties": {
            "day": {"type": "string", "format": "date"},
            "dry_run": {"type": "boolean", "default": False},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        },
        "required": ["day"],
    }
    assert parameters_in_words(schema) == "day (date), dry_run (true/false) = false, note (text) = null"
    assert parameters_in_words(None) == parameters_in_words({"properties": 7}) == ""
