"""Names: what may be one, and which known one is meant."""

import pytest

from foliot.domain.errors import BadName
from foliot.domain.names import NAME_BYTES_MAX, check_label, check_name, nearest


@pytest.mark.parametrize(
    "name",
    ["settle", "a", "_private", "billing.settle-eu_2", "结算任务", "été", "job٣", "नमस्ते", "x" * NAME_BYTES_MAX, "7up"],
)
def test_names_of_any_language_are_fine(name: str) -> None:
    assert check_name("job", name) == name


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "empty"),
        ("a b", "a space"),
        ("a/b", '"/"'),
        ("a:b", '":"'),
        ("a\nb", "U+000A"),
        ("a\0b", "U+0000"),
        ("a\u200bb", "U+200B"),
        ("a\u202eb", "U+202E"),
        ("rm;ls", '";"'),
        ("-rf", "begin"),
        (".hidden", "begin"),
        ("\u0301a", "begin"),
        ("\ud800", "half a character"),
        ("x" * (NAME_BYTES_MAX + 1), "200 bytes"),
        ("结" * 67, "200 bytes"),
        ("x" * 1_000_000, "200 bytes"),
    ],
)
def test_what_cannot_be_a_name_is_refused_with_the_reason(name: str, said: str) -> None:
    with pytest.raises(BadName) as refused:
        check_name("job", name)
    assert said in refused.value.sentence
    assert refused.value.sentence.isprintable()
    assert len(refused.value.sentence) < 300


def test_two_ways_to_write_a_letter_are_one_name() -> None:
    assert check_name("job", "e\u0301te") == check_name("job", "éte") == "éte"


def test_a_label_value_may_be_any_line_of_text_or_none() -> None:
    assert check_label("") == ""
    assert check_label("cn-east 1, rack #4: 机房") == "cn-east 1, rack #4: 机房"


@pytest.mark.parametrize("value", ["two\nlines", "nul\0", "tab\t", "\ud800", "x" * 201])
def test_a_label_value_is_one_line_and_not_endless(value: str) -> None:
    with pytest.raises(BadName):
        check_label(value)


@pytest.mark.parametrize(
    ("written", "candidates", "meant"),
    [
        ("gret", ["greet", "tick"], "greet"),
        ("GREET", ["greet", "great"], "greet"),
        ("dry-run", ["day", "dry_run"], "dry_run"),
        ("overlaps", ["overlap", "owner"], "overlap"),
        ("结算任", ["结算任务", "对账任务"], "结算任务"),
        ("zzz", ["greet", "tick"], None),
        ("x", [], None),
    ],
)
def test_the_nearest_name_is_the_one_a_person_meant(written: str, candidates: list[str], meant: str | None) -> None:
    assert nearest(written, candidates) == meant
