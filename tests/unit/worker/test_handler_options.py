"""Options of a job are read as the type of its kind says, and an error names the field."""

from typing import Any

import msgspec
import pytest

from foliot.domain.errors import BadField
from foliot.worker.handlers.options import options_schema, read_options


class Limits(msgspec.Struct, forbid_unknown_fields=True):
    seconds: float = 1.0


class Call(msgspec.Struct, forbid_unknown_fields=True):
    url: str
    headers: dict[str, str] = {}
    limits: Limits = msgspec.field(default_factory=Limits)


def test_options_are_read_as_the_kind_says() -> None:
    call = read_options("call", {"url": "https://example.org", "limits": {"seconds": 5}}, Call)

    assert call == Call(url="https://example.org", limits=Limits(seconds=5.0))


@pytest.mark.parametrize(
    ("options", "path", "hint"),
    [
        ("text", "run.call", None),
        ({}, "run.call.url", None),
        ({"url": 5}, "run.call.url", None),
        ({"ulr": "x"}, "run.call.ulr", "did you mean url?"),
        ({"url": "x", "colour": 1}, "run.call.colour", "known are: headers, limits, url"),
        ({"url": "x", "limits": {"second": 1}}, "run.call.limits.second", None),
        ({"url": "x", "headers": {"A": 1}}, "run.call.headers[...]", None),
    ],
)
def test_what_is_wrong_names_its_field(options: Any, path: str, hint: str | None) -> None:
    with pytest.raises(BadField) as refused:
        read_options("call", options, Call)

    assert refused.value.path == path
    assert refused.value.hint == hint


def test_the_schema_names_every_option() -> None:
    schema = options_schema(Call)

    assert set(schema["$defs"]["Call"]["properties"]) == {"url", "headers", "limits"}
