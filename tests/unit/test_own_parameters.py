"""A job that is no Python function says its own parameters: what is a schema, what fits it, what is filled in."""

import contextlib
from typing import Any

import pytest

from foliot.domain import schema as schemas
from foliot.domain.definition import from_document, to_document
from foliot.domain.errors import BadField, InvalidInput
from foliot.domain.own_parameters import check_steps_max, usual_params
from foliot.domain.payload import PARAMS_BYTES_MAX
from foliot.words.errors import tell
from foliot.words.language import Language

DAY = {"type": "string", "format": "date"}
LIMIT = {"type": "integer", "minimum": 1, "default": 100}


def job(parameters: Any, **fields: Any) -> dict[str, Any]:
    return {"run": {"http": {"url": "https://example.org"}}, "parameters": parameters, **fields}


def test_the_schema_of_an_object_is_kept_and_refuses_other_names_unless_it_says_otherwise() -> None:
    schema = {"properties": {"day": DAY}, "required": ["day"]}
    definition = from_document(job(schema))
    assert definition.parameters == {"type": "object", "additionalProperties": False, **schema}
    assert from_document(to_document(definition)) == definition
    lax = from_document(job(schema | {"additionalProperties": True}))
    assert lax.parameters["additionalProperties"] is True


def test_no_schema_is_no_field() -> None:
    assert "parameters" not in to_document(from_document(job({})))


def test_defaults_are_filled_in_below_what_the_definition_says() -> None:
    schema = {"properties": {"limit": LIMIT, "shop": {"default": "eu"}, "day": DAY}}
    definition = from_document(job(schema, params={"limit": 7}))
    assert usual_params(definition) == {"limit": 7, "shop": "eu"}
    assert definition.params == {"limit": 7}  # as it is written


@pytest.mark.parametrize(
    ("schema", "path", "said"),
    [
        ({"type": "string"}, "parameters.type", "is an object"),
        ({"propertys": {}}, "parameters.propertys", "not a field"),
        ({"properties": {"day": {"type": "strng"}}}, "parameters.properties.day.type", '"strng" is not known'),
        ({"properties": {"day": {"pattern": "x"}}}, "parameters.properties.day.pattern", "not a field"),
        ({"properties": {"day": {"format": "dat"}}}, "parameters.properties.day.format", '"dat" is not known'),
        ({"properties": {"day": "date"}}, "parameters.properties.day", '"date" is not a schema'),
        ({"properties": {"n": {"minimum": "1"}}}, "parameters.properties.n.minimum", '"1" is not a number'),
        ({"properties": {"n": {"maxLength": -1}}}, "parameters.properties.n.maxLength", "not a whole number from 0"),
        ({"properties": {"n": {"enum": []}}}, "parameters.properties.n.enum", "names no choice"),
        ({"properties": {"n": {"anyOf": 7}}}, "parameters.properties.n.anyOf", "7 is not a list"),
        ({"properties": {"n": {"$ref": "http://x"}}}, "parameters.properties.n.$ref", "not a reference"),
        ({"properties": {"n": {"items": {"type": 7}}}}, "parameters.properties.n.items.type", "7 is not known"),
        ({"properties": {}, "required": ["n"]}, "parameters.required", '"n" is not among the properties'),
        ({"properties": {"n": LIMIT | {"default": 0}}}, "parameters.properties.n.default", "does not fit"),
        ("date", "parameters", "is not a mapping"),
        ({"properties": {"n": {"title": "x" * 100_000}}}, "parameters", "the limit is"),
        ({"properties": {"x" * 201: {}}}, f"parameters.properties.{'x' * 20}…", "more than 200 letters"),
        ({"$defs": {str(at): {} for at in range(2001)}}, "parameters", "more than 2000 schemas inside"),
    ],
)
def test_what_is_no_schema_is_refused_at_its_place(schema: Any, path: str, said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        from_document(job(schema))
    assert refused.value.data["path"] == path
    assert said in refused.value.sentence


def test_a_schema_nested_without_end_is_refused() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(25):
        schema = {"items": schema}
    with pytest.raises(BadField, match="nested"):
        from_document(job({"properties": {"n": schema}}))


def doubling(levels: int) -> dict[str, Any]:
    """Definitions of which each asks the next one twice: a check takes 2 to the power of `levels` steps."""
    twice = {f"a{at}": {"anyOf": [{"$ref": f"#/$defs/a{at + 1}"}] * 2} for at in range(levels)}
    return {**twice, f"a{levels}": {"type": "integer"}}


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"n": {"$ref": "#/$defs/a0", "default": 1}}, "$defs": doubling(20)},
        {"properties": {f"n{at}": {"$ref": "#/$defs/a0", "default": 1} for at in range(100)}, "$defs": doubling(8)},
        {"properties": {"n": {"anyOf": [{"$defs": doubling(20), "$ref": "#/$defs/a0", "default": 1}] * 20}}},
    ],
    ids=["one default", "many defaults", "inner definitions"],
)
def test_the_checks_of_one_definition_have_few_steps_together(
    schema: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = count_steps(monkeypatch)
    with contextlib.suppress(InvalidInput):
        from_document(job(schema))
    assert len(steps) <= check_steps_max(from_document(job(schema), is_saved=True)) + 1


def test_defaults_and_params_that_take_too_long_to_check_are_refused() -> None:
    part = {"$ref": "#/$defs/a0"}
    with pytest.raises(BadField, match=r"takes more than [4-6]\d{3} steps") as refused:
        from_document(job({"properties": {"n": {**part, "default": 1}}, "$defs": doubling(20)}))
    assert refused.value.path == "parameters"
    assert "步" in tell(refused.value, Language.CHINESE)[0]
    assert "steps" not in tell(refused.value, Language.CHINESE)[0]
    with pytest.raises(BadField, match=r"takes more than [4-6]\d{3} steps"):
        from_document(job({"properties": {"n": part}, "$defs": doubling(20)}, params={"n": 1}))


def test_no_list_that_fits_into_params_takes_too_long() -> None:
    longest = [1] * (PARAMS_BYTES_MAX // 2 - 10)
    number = {"anyOf": [{"type": "null"}, {"type": "integer"}]}
    schema: dict[str, Any] = {"properties": {"days": {"type": "array", "items": number}}}
    assert from_document(job(schema, params={"days": longest})).params["days"] == longest
    schema = {"properties": {"days": {"type": "array", "items": {"type": "integer"}}}}
    with pytest.raises(BadField, match="is not a whole number"):
        from_document(job(schema, params={"days": [*longest[:-5], "x"]}))


def test_a_definition_of_another_day_can_be_read_whatever_the_limits_are_now() -> None:
    unusual = {"properties": {"x" * 300: {"type": "integer", "default": "no number"}}, "required": ["y"]}
    saved = {"run": {"http": {"url": "https://example.org"}}, "parameters": unusual, "params": {"z": 1}}
    with pytest.raises(BadField):
        from_document(saved)
    assert from_document(saved, is_saved=True).params == {"z": 1}


def test_what_was_saved_is_not_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    document = to_document(from_document(job({"properties": {"limit": LIMIT}}, params={"limit": 7})))
    steps = count_steps(monkeypatch)
    assert from_document(document, is_saved=True).parameters == document["parameters"]
    assert not steps


def test_a_default_is_checked_by_what_it_refers_to() -> None:
    schema = {"properties": {"n": {"$ref": "#/$defs/count", "default": "x"}}, "$defs": {"count": {"type": "integer"}}}
    with pytest.raises(BadField, match="does not fit"):
        from_document(job(schema))


def count_steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    steps: list[int] = []
    step = schemas._Walk.step

    def counted(walk: Any, schema: Any, depth: int) -> None:
        steps.append(depth)
        step(walk, schema, depth)

    monkeypatch.setattr(schemas._Walk, "step", counted)
    return steps


def test_params_that_do_not_fit_are_refused_when_the_job_is_saved() -> None:
    with pytest.raises(BadField) as refused:
        from_document(job({"properties": {"limit": LIMIT}}, params={"limit": 0}))
    assert refused.value.path == "params.limit"
    with pytest.raises(BadField, match=r"params\.shop: is unknown"):
        from_document(job({"properties": {"limit": LIMIT}}, params={"shop": "eu"}))


def test_a_schedule_needs_a_value_for_each_required_parameter_and_a_trigger_gives_it_else() -> None:
    schema = {"properties": {"day": DAY}, "required": ["day"]}
    with pytest.raises(BadField, match=r"params\.day: a fire of the schedule would lack it"):
        from_document(job(schema, schedule={"every": "1h"}))
    from_document(job(schema))
    from_document(job(schema, schedule={"every": "1h"}, params={"day": "2026-01-31"}))


def test_a_python_function_says_its_own() -> None:
    with pytest.raises(BadField, match="annotations"):
        from_document({"run": {"python": "jobs:tick"}, "parameters": {"properties": {"day": DAY}}})
