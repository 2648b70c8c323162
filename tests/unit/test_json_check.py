"""Checks on a JSON answer: what holds, what does not, what cannot be read."""

import pytest

from foliot.domain.json_check import CHECK_MAX, BadCheck, check_from

ANSWER = {"state": "ok", "n": 3, "half": 1.0, "yes": True, "none": None, "list": [1, {"a": "x"}], "odd key": {"b": 2}}


@pytest.mark.parametrize(
    "check",
    [
        '$.state == "ok"',
        '$.state=="ok"',
        '  $.state  ==  "ok"  ',
        '$.state != "no"',
        "$.n == 3",
        "$.n == 3.0",
        "$.half == 1",
        "$.n > 2",
        "$.n >= 3",
        "$.n < 4",
        "$.n <= 3",
        '$.state > "oh"',
        "$.yes == true",
        "$.none == null",
        "$.none exists",
        "$.nothing missing",
        "$.n.deeper missing",
        '$.list[1].a == "x"',
        "$.list[0] in [1, 2]",
        '$["odd key"].b == 2',
        "$.list[9] missing",
        "$ exists",
        '$.list == [1, {"a": "x"}]',
        "$.yes != 1",
    ],
)
def test_it_holds(check: str) -> None:
    assert check_from(check).holds(ANSWER)


@pytest.mark.parametrize(
    "check",
    [
        '$.state == "no"',
        "$.nothing == null",
        "$.nothing != 1",
        "$.yes == 1",
        "$.n == true",
        '$.n > "2"',
        "$.state > 1",
        "$.none > 0",
        "$.yes > 0",
        "$.nothing exists",
        "$.state missing",
        "$.n in []",
        "$.list.0 exists",
        "$[0] exists",
    ],
)
def test_it_does_not_hold(check: str) -> None:
    try:
        assert not check_from(check).holds(ANSWER)
    except BadCheck:
        assert ".0" in check


@pytest.mark.parametrize(
    "check",
    [
        "",
        "state == 1",
        "$",
        "$.a",
        "$.a ==",
        "$.a = 1",
        "$.a == ok",
        "$.a == 'ok'",
        "$.a exists 1",
        "$.a in 1",
        "$..a == 1",
        "$.* == 1",
        "$[?(@.a)] == 1",
        "$.a == 1; drop",
        "$.a == __import__('os')",
        "$.a[-1] == 1",
        "$.a == NaN1",
        "$.a matches x",
        "$." + "a" * CHECK_MAX + " exists",
        "$" + ".a" * 40 + " exists",
        "$.a == " + "[" * 400,
    ],
)
def test_what_cannot_be_read_is_refused(check: str) -> None:
    with pytest.raises(BadCheck):
        check_from(check)
