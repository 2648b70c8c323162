"""Statements as people write them: the names in them, the word they begin with, and the text that a driver wants.

`:name` is a value that is bound. It is none inside a text ('12:30:00'), a quoted name, a comment or a body between
dollars; `::` is PostgreSQL's cast and `:=` an assignment. Statement texts are read, never put together from values.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

# Each part matches in one way only, so the time is linear in the text. PostgreSQL's E'…' and MariaDB know a backslash
# before a quote; standard SQL does not. A text of one dialect is read by its own rule.
_COMMON: Final = r"""
    (?P<comment>--[^\n]*+|/\*(?![!M])(?:[^*]|\*(?!/))*+(?:\*/)?)
  | (?P<body>\$(?P<tag>[A-Za-z_]*+)\$.*?(?:\$(?P=tag)\$|\Z))
  | (?P<quoted>%s)
  | (?P<skip>::|:=|[A-Za-z0-9_]:(?=[A-Za-z_]))
  | :(?P<name>[A-Za-z_][A-Za-z0-9_]*+)
"""
_PLAIN: Final = r"""(?<![A-Za-z0-9_])[eE]'(?:[^'\\]|\\.|'')*+'?|'(?:[^']|'')*+'?|"(?:[^"]|"")*+"?|`[^`]*+`?"""
_BACKSLASHES: Final = r"""'(?:[^'\\]|\\.|'')*+'?|"(?:[^"\\]|\\.|"")*+"?|`[^`]*+`?|\#[^\n]*+"""

STANDARD: Final = re.compile(_COMMON % _PLAIN, re.DOTALL | re.VERBOSE | re.ASCII)
WITH_BACKSLASHES: Final = re.compile(_COMMON % _BACKSLASHES, re.DOTALL | re.VERBOSE | re.ASCII)
"""How MariaDB and MySQL read a text."""

_BLANK: Final = re.compile(r"(?:\s+|--[^\n]*|\#[^\n]*|/\*(?![!M])(?:[^*]|\*(?!/))*\*/|\()*")
_WORDS: Final = re.compile(r"[A-Za-z]+(?:\s+[A-Za-z]+)?", re.ASCII)

_ENDS_TRANSACTION: Final = frozenset({"BEGIN", "START", "COMMIT", "ROLLBACK", "END", "ABORT", "XA"})
_INSIDE: Final = ("BEGIN NOT", "ROLLBACK TO")  # a body of MariaDB's, a savepoint
_READS: Final = frozenset({"SELECT", "WITH", "VALUES", "TABLE", "SHOW", "EXPLAIN", "DESCRIBE", "DESC"})


def names_in(text: str, grammar: re.Pattern[str] = STANDARD) -> list[str]:
    """The names of the values that a statement wants, each once, in their order."""
    found = (match["name"] for match in grammar.finditer(text))
    return list(dict.fromkeys(name for name in found if name))


def with_placeholders(
    text: str, placeholder: Callable[[str], str], grammar: re.Pattern[str] = STANDARD, *, percent: bool = False
) -> str:
    """The text with each `:name` as the driver wants it. `percent`: a driver that formats, and wants `%` twice."""

    def put(match: re.Match[str]) -> str:
        name = match["name"]
        return placeholder(name) if name else _plain(match[0], percent)

    parts: list[str] = []
    end = 0
    for match in grammar.finditer(text):
        parts += (_plain(text[end : match.start()], percent), put(match))
        end = match.end()
    return "".join([*parts, _plain(text[end:], percent)])


def ends_transaction(text: str) -> bool:
    """Whether a statement begins or ends a transaction, which is Foliot's to do."""
    words = first_words(text)
    return words.partition(" ")[0] in _ENDS_TRANSACTION and not words.startswith(_INSIDE)


def only_reads(text: str) -> bool:
    """Whether a statement begins like one that reads. The database has the last word: its transaction is read-only."""
    return first_words(text).partition(" ")[0] in _READS


def first_words(text: str) -> str:
    """The first two words in capitals, behind comments and brackets: `DELETE FROM`."""
    blank = _BLANK.match(text)
    words = _WORDS.match(text, blank.end() if blank else 0)
    return " ".join(words[0].upper().split()) if words else ""


def shortened(text: str, letters_max: int = 160) -> str:
    """A statement on one line, for people."""
    line = " ".join(text.split())
    return line if len(line) <= letters_max else f"{line[: letters_max - 1]}…"


def in_order(names: Sequence[str], values: Mapping[str, Any]) -> list[Any]:
    """The values of these names."""
    return [values[name] for name in names]


def _plain(text: str, percent: bool) -> str:
    return text.replace("%", "%%") if percent else text
