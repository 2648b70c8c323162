"""Help in Chinese: every text of every command has its words, each word of the catalogue is used, no other is Latin."""

import ast
import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from inspect import cleandoc
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import foliot.cli
from foliot.cli import COMMANDS as TABLE
from foliot.cli import main
from foliot.cli.global_options import TITLE
from foliot.cli.language import in_language, language_of
from foliot.cli.table import width_of
from foliot.cli.translation import _SPEAKING, sentences_of
from foliot.cli.wide_help import wrapped
from foliot.words.chinese.click import CLICK, TYPES
from foliot.words.chinese.help_commands import BLOCKS, COMMANDS, EXAMPLES
from foliot.words.chinese.help_options import METAVARS, METAVARS_AS_THEY_ARE, OPTIONS
from foliot.words.chinese.usage import USAGE
from foliot.words.language import Language
from foliot.words.patterns import Patterns, holes
from tests.code_texts import texts_of, tree_of
from tests.latin import latin_words


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, group
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, name
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


ALL = dict(commands(main))


def paragraphs(text: str) -> list[str]:
    return re.split(r"\n\s*\n", cleandoc(text))


def blocks() -> Iterator[list[str]]:
    """The paragraphs of help whose lines are kept."""
    for command in ALL.values():
        for text in (command.help, command.epilog):
            for paragraph in paragraphs(text or ""):
                if paragraph.startswith("\b"):
                    yield paragraph.splitlines()[1:]


def pieces(text: str, known: Mapping[str, str]) -> set[str]:
    """What is looked up of a text: the whole of it, or its sentences."""
    whole = " ".join(text.split())
    return {whole} if whole in known else set(sentences_of(whole))


def same(said: AbstractSet[str], known: AbstractSet[str], where: str) -> None:
    """Name what has no Chinese yet, and what is in the catalogue for nothing."""
    assert said - known == set(), f"no Chinese yet: add it to src/foliot/words/chinese/{where}"
    assert known - said == set(), f"nobody says it any more: take it out of src/foliot/words/chinese/{where}"


def test_every_paragraph_about_a_command_has_its_chinese() -> None:
    said = {what for _, what in TABLE.values()}
    for command in ALL.values():
        for paragraph in paragraphs(command.help or ""):
            said |= set() if paragraph.startswith("\b") else pieces(paragraph, COMMANDS)
    same(said, COMMANDS.keys(), "help_commands.py: COMMANDS")


def test_every_option_that_says_something_has_its_chinese() -> None:
    said = {"Show this message and exit.", TITLE}
    for command in ALL.values():
        for param in command.params:
            if isinstance(param, click.Option) and param.help and not param.hidden:
                said |= pieces(param.help, OPTIONS)
    same(said, OPTIONS.keys(), "help_options.py: OPTIONS")


def test_every_value_of_an_option_or_argument_has_its_chinese() -> None:
    made, kinds = set(), set()
    for command in ALL.values():
        for param in command.params:
            kinds.add(param.type.name)
            metavar = param.make_metavar(click.Context(command)).removesuffix("...")
            if not isinstance(param.type, click.Choice):
                made.add(metavar.removeprefix("[").removesuffix("]"))
    same(made - METAVARS_AS_THEY_ARE, METAVARS.keys(), "help_options.py: METAVARS")
    assert kinds <= TYPES.keys()


def test_what_stands_behind_examples_has_its_chinese() -> None:
    whole = {" ".join(" ".join(block).split()) for block in blocks() if block[0] != "Examples:"}
    same(whole, BLOCKS.keys(), "help_commands.py: BLOCKS")
    behind = {"Examples:"}
    for block in blocks():
        if block[0] == "Examples:":
            for line in block[1:]:
                assert re.match(r"  (\w+=\S+ )*foliot", line), line
                found = re.fullmatch(r"\s*\S.*?\s{2,}(\S.*)", line)
                behind |= {found[1]} if found else set()
    same(behind, EXAMPLES.keys(), "help_commands.py: EXAMPLES")


# ---------------------------------------------------------------------------------------------------------- click's own

FOR_DEVELOPERS = (
    "DeprecationWarning", "defined twice", "Could not determine", "was given", "Unknown color", "Press any key",
    "Confirm the action", "%(prog)s", "Choice({choices})", "Invalid start character", "Show the version",
    "Arguments take exactly", "cannot use the same flag", "No options defined",
)  # fmt: skip
"""Of click's words: what a command of Foliot cannot make it say."""


def words_of_click() -> Iterator[str]:
    for module in _SPEAKING:
        assert module.__file__ is not None
        tree = ast.parse(Path(module.__file__).read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("_", "ngettext"):
                for word in node.args[:2]:
                    if isinstance(word, ast.Constant) and isinstance(word.value, str):
                        yield word.value


def test_every_word_that_click_says_has_its_chinese() -> None:
    said = set(words_of_click())
    assert len(said) > 60
    unsaid = {word for word in said - CLICK.keys() - TYPES.keys() if len(word) > 1}
    assert {word for word in unsaid if not any(one in word for one in FOR_DEVELOPERS)} == set()
    besides = {"[OPTIONS]", "COMMAND [ARGS]...", "required"}
    assert CLICK.keys() - said == besides
    for english, chinese in CLICK.items():
        assert set(re.findall(r"\{(\w+)", chinese)) == set(re.findall(r"\{(\w+)", english)), english


# --------------------------------------------------------------------------------------------------------- usage errors


def usage_errors() -> Iterator[tuple[str, str]]:
    """Each sentence that is raised as a usage error, with X for what it is filled with."""
    for file in Path(foliot.cli.__path__[0]).glob("*.py"):
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in (
                "UsageError", "BadParameter", "ClickException",
            ):  # fmt: skip
                for text in texts_of(node.args[0]):
                    yield f"{file.name}:{node.lineno}", text


def test_every_usage_error_has_its_chinese() -> None:
    known = Patterns(USAGE)
    said = list(usage_errors())
    assert len(said) > 20
    for where, text in said:
        assert known.find(text) is not None, f"{where}: no Chinese in src/foliot/words/chinese/usage.py for: {text}"
    for english, chinese in USAGE.items():
        assert holes(english) == holes(chinese), english
        assert latin_words(chinese) == set(), english


# ----------------------------------------------------------------------------------------------------------- every page


@pytest.mark.parametrize("path", ALL, ids=[" ".join(path) or "foliot" for path in ALL])
def test_a_page_of_help_has_no_latin_word(path: tuple[str, ...]) -> None:
    said = asked(*path, "--help")
    for line in without_code(said):
        assert latin_words(line) == set(), line
    for line in said.splitlines():
        is_example = "foliot " in line
        assert is_example or width_of(line) <= 110, line


def without_code(page: str) -> Iterator[str]:
    """The lines of a page without its examples, which are code, and without the names in front."""
    for line in page.splitlines():
        if re.match(r"\s+(\w+=\S+ )*foliot ", line):
            yield line.partition("  ")[2].partition("   ")[2]
        else:
            yield re.sub(r"^  [a-z][a-z-]*\s", "", re.sub(r"默认 [^\]]*", "", line))


def asked(*words: str, language: str = "zh-CN") -> str:
    """What a command says, on both streams."""
    return (
        CliRunner().invoke(main, [*words], prog_name="foliot", env={"FOLIOT_LANG": language, "COLUMNS": "110"}).output
    )


def test_english_help_is_as_it_was_after_chinese_help() -> None:
    before = asked("run", "logs", "--help", language="en")
    assert "选项" in asked("run", "logs", "--help")
    assert asked("run", "logs", "--help", language="en") == before
    assert "Options:" in before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nope",), "没有命令“nope”。是否想写 node？"),
        (("job", "show"), "缺少参数 '名称'"),
        (("job", "trigger", "x", "--priority", "99"), "'--priority' 的值无效：99 不在范围 1<=x<=10 之内。"),
        (("run", "logs", "r-1", "--levle", "x"), "没有选项 '--levle'。"),
        (("server", "--db-file", "nowhere"), "文件 'nowhere' 不存在。"),
        (("job", "pause"), "请指明任务：名称，或 -l 键=值。"),
        (("cron", "next", "0 2 * * *", "-n", "many"), "'many' 不是有效的整数。"),
    ],
)
def test_a_usage_error_is_said_in_chinese(words: tuple[str, ...], said: str) -> None:
    assert said in asked(*words)


@pytest.mark.parametrize(
    ("args", "language"),
    [
        (["job", "list", "--lang", "zh-CN"], Language.CHINESE),
        (["--lang=en", "--help"], Language.ENGLISH),
        (["job", "trigger", "x", "--", "--lang", "en"], Language.CHINESE),
        (["--help"], Language.CHINESE),
    ],
)
def test_the_language_is_known_before_a_command_begins(
    args: list[str], language: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FOLIOT_LANG", raising=False)
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert language_of(args) is language


def test_a_project_chooses_the_language_of_help(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("FOLIOT_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "foliot.toml").write_text('[client]\nlang = "zh-CN"\n', "utf-8")
    assert language_of(["--help"]) is Language.CHINESE
    (tmp_path / "foliot.toml").write_text("[client\n", "utf-8")
    assert language_of(["--help"]) is Language.ENGLISH


def test_lines_break_between_chinese_letters_and_never_before_a_comma() -> None:
    lines = wrapped("数据目录正被另一个 foliot up 使用，请停止它，或用 --data 另选目录。", 12)
    assert all(width_of(line) <= 14 for line in lines)
    assert not any(line.startswith(("，", "。")) for line in lines)
    assert "".join(lines).replace(" ", "") == "数据目录正被另一个foliotup使用，请停止它，或用--data另选目录。"


def test_commands_speak_english_unless_somebody_says_otherwise() -> None:
    with in_language(Language.CHINESE):
        assert main.get_command(click.Context(main), "job") is not ALL["job",]
    assert main.get_command(click.Context(main), "job") is ALL["job",]
