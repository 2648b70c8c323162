"""The pages name commands, options, variables and files that exist."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click

import foliot
from foliot.cli import main
from foliot.domain.settings_table import OTHER_VARIABLES, VARIABLES

SRC = Path(foliot.__path__[0])
ROOT = SRC.parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
OURS = re.compile(r"^(?:\$ )?((?:[A-Z_]+=\S* )*)foliot (?!\.)([^\n]*)$", re.MULTILINE)


def blocks(text: str) -> Iterator[str]:
    """What stands between fences, and each piece of code in a line."""
    for language, body in re.findall(r"```(\w*)\n(.*?)```", text, re.DOTALL):
        if language in ("", "console", "bash", "sh", "text"):
            yield body.replace("\\\n", " ")
    for piece in re.findall(r"(?<!`)`(foliot [^`]+)`(?!`)", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        yield " ".join(piece.split())


def command_lines() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for block in blocks(page.read_text("utf-8")):
            for found in OURS.finditer(block):
                yield page.name, found[2]


def words_of(line: str) -> list[str]:
    """The words of a command, up to what belongs to the shell."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";|&<>")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    words: list[str] = []
    for word in lexer:
        if set(word) <= set(";|&<>"):
            break
        words.append(word)
    return words


def check(words: list[str]) -> None:
    """Refuse a command or an option that is not there, as the command line would."""
    command: click.Command = main
    path = ["foliot"]
    while isinstance(command, click.Group) and words and not words[0].startswith(("-", "[")):
        name, *words = words
        found = command.get_command(click.Context(command), name)
        assert found is not None, f"{' '.join(path)} has no command {name}"
        command, path = found, [*path, name]
    if words and words[0].startswith("["):  # the form of a command, not a command
        return
    parser = command.make_parser(click.Context(command, info_name=" ".join(path)))
    is_option_named = bool(words) and words[-1].startswith("-")  # named, not used: its value may be missing
    try:
        parser.parse_args([*words])  # the parser takes the list to pieces
    except click.BadOptionUsage:
        assert is_option_named, words


LINES = sorted(set(command_lines()))


def test_every_command_on_a_page_can_be_typed() -> None:
    assert len(LINES) > 60
    wrong = []
    for page, line in LINES:
        try:
            check(words_of(line))
        except (AssertionError, click.UsageError, ValueError) as error:
            wrong.append(f"{page}: foliot {line}: {error}")
    assert wrong == []


def test_every_variable_that_the_code_reads_is_in_the_table_and_the_other_way_round() -> None:
    table = SRC / "domain" / "settings_table.py"
    given = SRC / "worker" / "handlers" / "shell"  # names variables that commands read
    named: set[str] = set()
    for file in SRC.rglob("*"):
        if file.suffix in (".py", ".txt") and file != table and "words" not in file.parts and given not in file.parents:
            named |= set(re.findall(r"(?<!_)FOLIOT_[A-Z]+(?:_[A-Z]+)*", file.read_text("utf-8")))
    assert named - VARIABLES == set(), "add it to src/foliot/domain/settings_table.py"
    assert OTHER_VARIABLES.keys() - named == set(), "nothing reads it"


def test_every_variable_on_a_page_is_one_that_something_reads() -> None:
    read = VARIABLES | {"FOLIOT_BENCH_DB"}
    for folder in ("tests", "bench"):
        for file in (ROOT / folder).rglob("*"):
            if file.suffix in (".py", ".c"):
                read |= set(re.findall(r"FOLIOT_[A-Z]+(?:_[A-Z]+)*", file.read_text("utf-8")))
    for page in PAGES:
        said = set(re.findall(r"(?<!_)FOLIOT_[A-Z]+(?:_[A-Z]+)*", page.read_text("utf-8")))
        assert said - read == set(), page


def test_every_file_of_the_tree_that_a_page_names_is_there() -> None:
    named = re.compile(r"`((?:src|tests|docs|bench|examples|packages|changes|locks)/[\w./-]*\w/?)`")
    for page in PAGES:
        for path in named.findall(page.read_text("utf-8")):
            is_example = path.rpartition("/")[2].startswith("m16_")  # a mutant that the reader is to write
            assert is_example or (ROOT / path).exists(), f"{page.name} names {path}"


def test_pages_name_pytest_where_tests_are_run() -> None:
    for page in ("docs/how-to/test-your-jobs.md", "docs/how-to/run-the-tests.md"):
        assert re.search(r"^\$ .*pytest", (ROOT / page).read_text("utf-8"), re.MULTILINE), page
