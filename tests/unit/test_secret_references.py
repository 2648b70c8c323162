"""References to secrets: where they are read, filled in, and refused."""

import pytest

from foliot.domain.errors import BadField
from foliot.domain.secret_references import check_references, names_in, with_values

OPTIONS = {"url": "https://a", "headers": {"x": ["Bearer ${secret:A}", "${secret:B.c-1}${secret:A}"]}, "n": 1}


def test_every_text_of_the_options_names_secrets_and_gets_their_values() -> None:
    assert names_in(OPTIONS) == {"A", "B.c-1"}
    filled = with_values(OPTIONS, {"A": "one", "B.c-1": "two"})
    assert filled == {"url": "https://a", "headers": {"x": ["Bearer one", "twoone"]}, "n": 1}


def test_a_value_is_not_looked_into_for_more_references() -> None:
    assert with_values("${secret:A}", {"A": "${secret:B}", "B": "never"}) == "${secret:B}"


@pytest.mark.parametrize("text", ["${secret:}", "${secret:A", "${secret:a b}", "x${secret:1}", "${secret:${secret:A}}"])
def test_a_reference_that_cannot_be_read_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(BadField, match=r"run\.http\.headers\.0: a reference to a secret cannot be read"):
        check_references("run.http", {"headers": [text]}, fields=None)


def test_a_reference_where_nothing_is_filled_in_is_refused() -> None:
    check_references("run.http", OPTIONS, fields=None)
    check_references("run.http", OPTIONS, fields=("headers",))
    check_references("params", {"a": "${secrets:A} $secret:A"}, fields=())
    with pytest.raises(BadField, match=r"run\.http\.headers\.x\.\d: no secret is filled in here.*filled in: body, url"):
        check_references("run.http", OPTIONS, fields=("url", "body"))
    with pytest.raises(BadField, match=r"params\.token: no secret is filled in here"):
        check_references("params", {"token": "${secret:A}"}, fields=())
    with pytest.raises(BadField, match=r"run\.http: no secret is filled in here"):
        check_references("run.http", {"${secret:A}": 1}, fields=None)
    with pytest.raises(BadField, match=r"run\.python: no secret is filled in here"):
        check_references("run.python", "${secret:A}", fields=())
