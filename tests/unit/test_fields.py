"""The table of a job's fields and what is written by hand beside it agree: attributes, options, and a new field."""

import dataclasses
import inspect
from typing import Any, get_overloads, get_type_hints

import pytest

from foliot.domain import definition as documents
from foliot.domain import fields
from foliot.domain.bounds import Between
from foliot.domain.errors import BadField
from foliot.domain.handler import python_function
from foliot.domain.job import Definition
from foliot.sdk import options
from foliot.sdk.job import JobOptions, job

RUN = {"run": {"python": "billing.jobs:settle"}}
ONLY_WRITTEN = {"timezone"}  # it ends up in the schedule
ONLY_OF_THE_FUNCTION = {"name", "namespace"}


def typed_options() -> dict[str, inspect.Parameter]:
    """The options of `@job` as type checkers and editors see them."""
    parameters = inspect.signature(get_overloads(job)[-1]).parameters
    return {
        name: parameter
        for name, parameter in parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and name not in ONLY_OF_THE_FUNCTION
    }


def test_every_attribute_of_a_definition_is_a_field() -> None:
    attributes = {one.name for one in dataclasses.fields(Definition)}
    assert {field.attribute for field in fields.FIELDS} - ONLY_WRITTEN == attributes


def test_the_typed_options_of_a_job_are_those_of_the_table() -> None:
    assert set(typed_options()) == set(fields.OPTIONS)


def test_jobs_that_are_no_functions_have_the_same_options() -> None:
    types = get_type_hints(JobOptions)
    assert types == {name: hint for name, hint in get_type_hints(get_overloads(job)[-1]).items() if name in types}
    assert set(types) == set(fields.OPTIONS)


@pytest.mark.parametrize("option", fields.OPTIONS)
def test_a_typed_option_has_the_usual_value_of_its_field(option: str) -> None:
    field, default = fields.OPTIONS[option], typed_options()[option].default
    if default is None:  # the usual value is empty, or it depends on the function or the schedule
        assert field.usual_is or not field.usual
    else:
        assert field.kind.take(default, option) == field.usual


def test_every_usual_value_is_within_its_bounds() -> None:
    documents.check_definition(Definition(handler=python_function("jobs:tick")))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Weighed(Definition):
    """A definition with one attribute more."""

    weight: int = 1


WEIGHT = fields.JobField("weight", fields.WHOLE, "how much of a worker it needs", Between(1, 100))


@pytest.fixture
def weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an attribute and one row of the table do: nothing else is changed here."""
    object.__setattr__(WEIGHT, "usual", 1)
    rows = (*fields.FIELDS, WEIGHT)
    monkeypatch.setattr(fields, "FIELDS", rows)
    monkeypatch.setattr(documents, "Definition", Weighed)
    monkeypatch.setattr(options, "Definition", Weighed)
    monkeypatch.setitem(fields.BY_NAME, "weight", WEIGHT)
    monkeypatch.setitem(fields.OPTIONS, "weight", WEIGHT)
    monkeypatch.setattr(documents, "_KNOWN", dict.fromkeys(fields.names_in("")))
    written = ("", "weight", "weight", 1, WEIGHT.kind.write)
    monkeypatch.setattr(documents, "_WRITTEN", (*documents._WRITTEN, written))
    monkeypatch.setitem(documents._CHECKS, "weight", ("weight", WEIGHT.check))


@pytest.mark.usefixtures("weighed")
def test_a_new_field_is_read_written_checked_and_taken_by_its_row() -> None:
    read: Any = documents.from_document({**RUN, "weight": 7})
    assert read.weight == 7
    assert documents.to_document(read) == {**RUN, "weight": 7}
    assert documents.to_document(documents.from_document({**RUN, "weight": 1})) == RUN
    with pytest.raises(BadField, match="weight: 101 is not a whole number from 1 to 100"):
        documents.from_document({**RUN, "weight": 101})
    taken: Any = options.definition_of(lambda: None, (), name="tick", handler=python_function("jobs:tick"), weight=7)
    assert taken.weight == 7
