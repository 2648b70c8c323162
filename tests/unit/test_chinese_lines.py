"""What commands print beside data is Chinese for readers of Chinese: headings, words in front of lines, and lines."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import foliot.cli
from foliot.domain.schedule import schedule_from_document
from foliot.observability.feed_lines import SAID_IN_SENTENCES
from foliot.words.chinese import checkup, errors, phrases, why
from foliot.words.chinese.events import EVENTS
from foliot.words.chinese.headings import HEADINGS, LABELS
from foliot.words.language import Language
from foliot.words.phrases import heading, label
from foliot.words.schedules import describe
from foliot.words.schedules.warnings import warnings_of
from foliot.words.templates import Placeholder, Template, segments_of
from tests.code_texts import texts_of, tree_of
from tests.latin import latin_words

NOW = 1_772_431_200_000_000  # 2026-03-02 06:00 UTC
CLI = {file: tree_of(file) for file in sorted(Path(foliot.cli.__path__[0]).glob("*.py"))}
CALLS = [(file, node) for file, tree in CLI.items() for node in ast.walk(tree) if isinstance(node, ast.Call)]


def name_of(call: ast.Call) -> str:
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))


def test_every_heading_has_its_chinese() -> None:
    said = {
        text
        for _, call in CALLS
        if name_of(call) in ("Column", "title") and call.args
        for text in texts_of(call.args[0])
        if text
    }
    assert said - HEADINGS.keys() == set(), "add it to src/foliot/words/chinese/headings.py: HEADINGS"
    assert HEADINGS.keys() - said == set(), "no table has it any more"
    assert heading("DUE (CST)", Language.CHINESE) == "触发点 (CST)"
    assert heading("DUE (CST)", Language.ENGLISH) == "DUE (CST)"


def labels() -> Iterator[str]:
    """The first text of each pair that is yielded or listed as a line of one thing."""
    for tree in CLI.values():
        for node in ast.walk(tree):
            match node:
                case ast.Yield(value=ast.Tuple(elts=[first, _])):
                    yield from texts_of(first)
                case ast.Call() if name_of(node) == "item" and len(node.args) > 1:
                    for pair in ast.walk(node.args[1]):
                        if isinstance(pair, ast.Tuple) and len(pair.elts) == 2:
                            yield from texts_of(pair.elts[0])


def test_every_word_in_front_of_a_line_has_its_chinese() -> None:
    said = {text.removesuffix(" X") for text in labels()} | {"merge"}  # a part of a run is named or numbered
    assert said - LABELS.keys() == set(), "add it to src/foliot/words/chinese/headings.py: LABELS"
    assert LABELS.keys() - said == set(), "no line has it any more"
    assert label("try 2", Language.CHINESE) == "尝试 2"
    assert label("timeout", Language.CHINESE) == "timeout"


# ------------------------------------------------------------------------------------------------------- printed lines

NO_WORDS = re.compile(r"foliot|pid|FOL-\w+|r-\w+|10 000|jobs,runs,nodes,cluster", re.ASCII)
"""Names that are the same in every language."""


def printed(node: ast.AST) -> Iterator[str]:
    """The texts of a line. What a function inside is called with is not printed."""
    match node:
        case ast.Constant(value=str() as text):
            yield text
        case ast.Call() if name_of(node) in ("visible_line", "visible", "cut", "pad"):
            for argument in node.args:
                yield from printed(argument)
        case ast.Call() | ast.Subscript() | ast.Compare():
            return
        case _:
            for child in ast.iter_child_nodes(node):
                yield from printed(child)


def lines() -> Iterator[tuple[str, str]]:
    """Each text that stands in a line for people, where the line is printed."""
    for file, tree in CLI.items():
        for node in ast.walk(tree):
            parts: list[ast.expr] = []
            match node:
                case ast.Call() if name_of(node) in ("echo", "Styled", "_line", "_good", "prompt", "confirm"):
                    parts = node.args[:2] if name_of(node) == "_line" else node.args  # the third is a colour
                case ast.Yield(value=ast.Tuple(elts=[_, second])):
                    parts = [second]
            for part in parts:
                for text in printed(part):
                    yield f"{file.name}:{part.lineno}", text


def test_every_line_that_a_command_prints_is_a_phrase() -> None:
    found = list(lines())
    assert len(found) > 20
    for where, text in found:
        words = re.findall(r"[A-Za-z]{3,}", NO_WORDS.sub("", text))
        assert not words, f"{where}: say it with a phrase of src/foliot/words/*/phrases.py: {text}"


# ------------------------------------------------------------------------------------------------------ every catalogue

CATALOGUES: dict[str, dict[str, Template]] = {
    f"{module.__name__} {name}": getattr(module, name)
    for module in (checkup, errors, phrases, why)
    for name in ("TITLES", "BRANCHES", "SENTENCES", "HINTS", "PIECES", "PHRASES", "STATES", "WORDS")
    if hasattr(module, name)
}


@pytest.mark.parametrize("name", CATALOGUES)
def test_a_chinese_catalogue_has_no_latin_word(name: str) -> None:
    for key, template in CATALOGUES[name].items():
        for text in (template,) if isinstance(template, str) else template:
            parts = [part for segment in segments_of(text) for part in segment.parts]
            plain = "".join("7" if isinstance(part, Placeholder) else part for part in parts)
            assert latin_words(plain) == set(), f"{key}: {text}"


# ------------------------------------------------------------------------------------------------ words of the design

GLOSSARY = Path(foliot.cli.__path__[0]).parents[2] / "docs" / "architecture" / "language.md"


def test_every_word_of_the_glossary_is_used() -> None:
    page = GLOSSARY.read_text("utf-8").partition("## Chinese")[2].partition("\n## ")[0]
    words = re.findall(r"\| ([\u4e00-\u9fff]+) (?=\|)", page)
    assert len(words) > 40
    chinese = Path(errors.__file__ or "").parent
    said = "".join(file.read_text("utf-8") for file in chinese.glob("*.py"))
    assert [word for word in words if word not in said] == []


# --------------------------------------------------------------------------------------------------------- schedules

CRONS = (
    "0 2 * * *", "*/7 * * * *", "0 9 1 * MON", "0 0 L * *", "0 0 15W * *", "0 0 * 6-8 FRI#3",
    "0 0/5 8-18 ? * MON-FRI 2026/2", "*/10 5 9 LW * ?", "0 0 31 2 *",
)  # fmt: skip
SCHEDULES: list[dict[str, Any]] = [
    *[{"cron": text} for text in CRONS],
    {"every": "90m", "phase": "5m"},
    {"every": "10m", "from_end": True},
    {"at": ["2026-01-31T17:00:00Z", "2026-02-01T17:00:00Z"]},
    {"daily": "09:00", "since": "2031-01-01"},
    {"weekly": "MON,THU", "time": "09:00"},
    {"cron": "30 2 * * *", "tz": "Europe/Berlin", "calendar": "cn-workdays", "shift": "next", "jitter": "5m"},
    {"cron": "0 2 * * *", "start": "2026-01-01T00:00:00Z", "end": "2027-01-01T00:00:00Z", "count": 3},
]  # fmt: skip


@pytest.mark.parametrize("document", SCHEDULES, ids=str)
def test_a_schedule_and_its_warnings_are_said_without_a_latin_word(document: dict[str, Any]) -> None:
    schedule = schedule_from_document(document)
    said = [describe(schedule, Language.CHINESE)]
    for warning in warnings_of(schedule, now=NOW, language=Language.CHINESE):
        said += [warning.sentence, warning.hint]
    for text in said:
        plain = re.sub(r"“[^”]*”|[A-Z][a-z]+/[A-Z]\w+|[A-Z]{3}(?:[,#]\S+)*|\b[LWH]\b", "", text)
        assert latin_words(plain) == set(), text


def warnings_and_errors() -> Iterator[str]:
    """The names of the events that Foliot logs as warnings or errors."""
    for file in Path(foliot.__path__[0]).rglob("*.py"):
        for node in ast.walk(tree_of(file)):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="log"), attr="warning" | "error" | "exception"),
                    args=[ast.Constant(value=str() as event), *_],
                ):
                    yield event


def test_every_event_that_the_feed_of_up_shows_has_its_chinese() -> None:
    without = set(warnings_and_errors()) - SAID_IN_SENTENCES - EVENTS.keys()
    assert without == set(), "add it to src/foliot/words/chinese/events.py: EVENTS"
