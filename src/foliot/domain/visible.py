"""Text that others wrote, as it may be shown: what steers a terminal or turns the direction of reading is made visible.

A job's log, error or result can hold an escape sequence that clears the screen, hides a line or sets the clipboard, or
a direction mark that shows `exe.txt` as `txt.exe`. Each such character is shown as JSON writes it, such as `\\u001b`:
texts in JSON and YAML keep their meaning.
"""

import re
from typing import Final

# C0 and C1 controls but tab and newline; marks, embeddings, overrides and isolates of direction; line and paragraph
# separators; deprecated and annotating format characters; the byte order mark; tags; half characters (lone surrogates).
_STEERING: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
_HALF: Final = re.compile("[\ud800-\udfff]")
_LINE_ENDS: Final = {"\n": "\\n", "\t": "\\t"}


def visible(text: str) -> str:
    """A text of any number of lines. `\\r` before a newline is part of the line's end and is left out."""
    if _STEERING.search(text) is None:
        return text
    return _STEERING.sub(_written, text.replace("\r\n", "\n"))


def visible_line(text: str) -> str:
    """A text that must stay one line, such as a name: newlines and tabs are made visible, too."""
    return "".join(_LINE_ENDS.get(letter, letter) for letter in _STEERING.sub(_written, text))


def encodable(json_text: str) -> str:
    """A JSON text without half characters, which no encoding has: each is shown as JSON writes it, such as `\\ud800`.

    The backslash is doubled: a reader of the JSON sees the six letters, and has no half character either.
    """
    return _HALF.sub(_written_as_letters, json_text)


def _written_as_letters(found: re.Match[str]) -> str:
    return "\\" + _written(found)


def _written(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
