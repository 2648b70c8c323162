"""Names: what may be one, and which known one is meant."""

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foliot.domain import names
from foliot.domain.errors import BadName
from foliot.domain.names import check_label, check_name, nearest
from foliot.domain.texts import NAME_BYTES_MAX


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


def test_of_many_alike_names_few_are_compared_and_the_nearest_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    class Counting(SequenceMatcher[str]):
        def ratio(self) -> float:
            nonlocal compared
            compared += 1
            return super().ratio()

    monkeypatch.setattr(names, "SequenceMatcher", Counting)
    known = [f"{'warehouse_eu_west_nightly_aggregate_' * 4}{n * 7919 % 99991}_partition_{n}" for n in range(5000)]
    for meant in (known[0], known[2345], known[4999]):
        assert nearest(meant.replace("nightly", "nigthly", 1), known) == meant
    assert nearest("x" * 200, known) is None
    assert 0 < compared <= 3 * 20


@given(st.text("abc-", max_size=8), st.lists(st.text("abc-", max_size=8), max_size=20))
def test_of_few_names_the_nearest_is_the_one_most_alike(written: str, known: list[str]) -> None:
    ratios = [SequenceMatcher(None, name, written, autojunk=False).ratio() for name in known]
    best = max(ratios, default=0)
    assert nearest(written, known) == (known[ratios.index(best)] if best >= 0.6 else None)
