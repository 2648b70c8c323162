"""The options of a kind of handler as rows for people."""

import msgspec

from foliot.domain.options import OptionRow, option_rows
from foliot.domain.parameters import from_words


class Place(msgspec.Struct):
    """Where it is.

    Nobody reads this line.
    """

    city: str


class Options(msgspec.Struct, kw_only=True):
    place: Place
    days: int = 3
    tags: list[str] = []


def test_each_option_is_a_row_with_its_type_default_and_meaning() -> None:
    assert option_rows(msgspec.json.schema(Options)) == [
        OptionRow("place", "Place", "", True, "Where it is."),
        OptionRow("days", "whole number", "3", False, ""),
        OptionRow("tags", "list of text", "[]", False, ""),
    ]


def test_what_is_no_schema_of_an_object_has_no_rows() -> None:
    for schema in ({}, {"type": "string"}, {"properties": 5}, {"properties": {"a": 5}}, {"$ref": "#/$defs/x"}):
        assert option_rows(schema) == []


def test_a_typed_value_that_fits_in_no_way_is_told_as_it_was_meant() -> None:
    schema = {"properties": {"days": {"type": "integer", "maximum": 7}, "zip": {"type": "string"}}}
    assert from_words({"days": "9", "zip": "0117"}, schema) == {"days": 9, "zip": "0117"}
