"""Output becomes lines: cut, made safe, stamped."""

import itertools
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foliot.worker.lines import LINE_MAX, LineCutter, OutputLine, encode_record, format_line, format_stamp, safe_text


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"\n\n", ["", ""]),
        (b"10%\r20%\rdone\n", ["10%\n20%\ndone"]),
        (b"caf\xe9\n", ["caf\\xe9"]),
        ("café ✔\n".encode(), ["café ✔"]),
        (b"nul \x00 here\n", ["nul \\x00 here"]),
        (b"\xff\xfe\xfd\n", ["\\xff\\xfe\\xfd"]),
    ],
)
def test_output_is_cut_into_safe_lines(data: bytes, expected: list[str]) -> None:
    assert [line.text for line in LineCutter().feed(data)] == expected


def test_a_line_without_an_end_waits_for_it() -> None:
    cutter = LineCutter()
    assert cutter.feed(b"half ") == []
    assert cutter.feed(b"a line\nand") == [OutputLine("OUT", "half a line")]
    assert cutter.end() == [OutputLine("OUT", "and")]
    assert cutter.end() == []


def test_a_line_that_never_ends_is_cut_between_characters() -> None:
    cutter = LineCutter()
    text = "é" * LINE_MAX  # twice as many bytes
    lines = cutter.feed(text.encode()) + cutter.end()
    assert "".join(line.text for line in lines) == text
    assert max(len(line.text.encode()) for line in lines) <= LINE_MAX
    assert len(lines) == 2


def test_records_come_between_plain_lines_with_their_level() -> None:
    data = b"before\n" + encode_record("WARNING", "odd\nindeed") + b"after\n"
    assert LineCutter().feed(data) == [
        OutputLine("OUT", "before"),
        OutputLine("WARNING", "odd\nindeed"),
        OutputLine("OUT", "after"),
    ]


def test_what_only_looks_like_a_record_is_plain_output() -> None:
    assert LineCutter().feed(b"\x1eNONSENSE\x1ftext\n") == [OutputLine("OUT", "\x1eNONSENSE\x1ftext")]
    assert LineCutter().feed(b"\x1eno unit\n") == [OutputLine("OUT", "\x1eno unit")]


@given(st.text())
def test_safe_text_can_be_stored_anywhere(text: str) -> None:
    safe = safe_text(text)
    assert safe.encode() and "\x00" not in safe and "\r" not in safe if text else safe == ""


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=5))
def test_pieces_do_not_change_the_lines(data: bytes, cuts: list[int]) -> None:
    whole = LineCutter()
    pieces = LineCutter()
    expected = whole.feed(data) + whole.end()
    edges = [0, *sorted(cuts), len(data)]
    found = [line for a, b in itertools.pairwise(edges) for line in pieces.feed(data[a:b])]
    assert found + pieces.end() == expected


def test_a_kept_line_begins_with_its_time_and_origin() -> None:
    stamp = format_stamp(datetime(2026, 1, 31, 2, 3, 4, 567_891, tzinfo=UTC))
    assert format_line(stamp, OutputLine("INFO", "tick  i=0")) == "2026-01-31T02:03:04.567Z  INFO  tick  i=0\n"
