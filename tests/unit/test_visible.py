"""What steers a terminal is made visible, and nothing else is touched."""

import json
import unicodedata

import pytest

from foliot.domain.visible import visible, visible_line

CONTROLS = [*range(0x20), *range(0x7F, 0xA0)]
DIRECTIONS = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
OTHERS = [0x2028, 0x2029, 0xFEFF, *range(0xFFF9, 0xFFFC), 0xD800, 0xDFFF, 0xE0001, 0xE0041]


@pytest.mark.parametrize("code", [*CONTROLS, *DIRECTIONS, *OTHERS], ids=lambda code: f"U+{code:04X}")
def test_what_steers_a_terminal_is_written_out(code: int) -> None:
    shown = visible_line(f"a{chr(code)}b")
    assert shown.isprintable()
    assert shown != f"a{chr(code)}b"
    if chr(code) not in "\n\t":
        assert visible(f"a{chr(code)}b") == shown


@pytest.mark.parametrize("text", ["plain", "结算 已完成", "naïve – “quoted” …", "👩‍💻 می‌خواهم", "two\nlines\t"])
def test_text_of_people_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_no_control_is_forgotten() -> None:
    """Every character that Unicode calls a control, and every one that it gives a direction to override."""
    steering = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
    for code in range(0x110000):
        letter = chr(code)
        if unicodedata.category(letter) == "Cc" or unicodedata.bidirectional(letter) in steering:
            assert visible_line(letter) != letter, f"U+{code:04X}"


def test_the_end_of_a_line_is_no_control() -> None:
    assert visible("one\r\ntwo\r\n") == "one\ntwo\n"
    assert visible("10%\r20%\r\n") == "10%\\u000d20%\n"


def test_a_document_keeps_its_meaning() -> None:
    value = {"a": "\x1b[2J\x9b\u202e\u2028\x7f\U000e0041"}
    shown = visible(json.dumps(value, ensure_ascii=False))
    assert shown.isprintable()
    assert json.loads(shown) == value
