"""The room of words: both languages say the same things, and what they name exists."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType

import click
import pytest

import foliot
from foliot.cli import main
from foliot.cli.catalogue import find_code
from foliot.domain.errors import FoliotError
from foliot.domain.why.verdicts import HoldKind, WhyVerdict
from foliot.words.chinese import checkup as chinese_checkup
from foliot.words.chinese import errors as chinese_errors
from foliot.words.chinese import explanations as chinese_explanations
from foliot.words.chinese import phrases as chinese_phrases
from foliot.words.chinese import why as chinese_why
from foliot.words.english import checkup as english_checkup
from foliot.words.english import errors as english_errors
from foliot.words.english import explanations as english_explanations
from foliot.words.english import phrases as english_phrases
from foliot.words.english import why as english_why
from foliot.words.language import Language
from foliot.words.schedules.warnings import CODES as WARNING_CODES
from foliot.words.templates import FORMS, Catalogue, Placeholder, Speech, Template, segments_of
from foliot.words.why import CODES as WHY_CODES
from tests.code_texts import texts_of, tree_of
from tests.latin import latin_words

SRC = Path(foliot.__path__[0])
ROOT = SRC.parent.parent
SOURCES = sorted([*SRC.rglob("*.py"), *(ROOT / "packages").glob("*/src/**/*.py")])
TREES = {file: tree_of(file) for file in SOURCES}

PAIRS: dict[str, tuple[Catalogue, Catalogue]] = {
    "titles": (english_errors.TITLES, chinese_errors.TITLES),
    "branches": (english_errors.BRANCHES, chinese_errors.BRANCHES),
    "phrases": (english_phrases.PHRASES, chinese_phrases.PHRASES),
    "states": (english_phrases.STATES, chinese_phrases.STATES),
    "why pieces": (english_why.PIECES, chinese_why.PIECES),
    "why sentences": (english_why.SENTENCES, chinese_why.SENTENCES),
    "why hints": (english_why.HINTS, chinese_why.HINTS),
    "checks": (english_checkup.TITLES, chinese_checkup.TITLES),
    "findings": (english_checkup.SENTENCES, chinese_checkup.SENTENCES),
    "next steps of checks": (english_checkup.HINTS, chinese_checkup.HINTS),
    "fixes": (english_checkup.FIXES, chinese_checkup.FIXES),
    "what fixes did": (english_checkup.DONE, chinese_checkup.DONE),
}
ENGLISH: list[ModuleType] = [english_errors, english_phrases, english_why, english_checkup]
CHINESE: list[ModuleType] = [chinese_errors, chinese_phrases, chinese_why, chinese_checkup]


def texts(template: Template) -> tuple[str, ...]:
    return (template,) if isinstance(template, str) else template


def placeholders(template: Template) -> set[Placeholder]:
    parts = (part for text in texts(template) for segment in segments_of(text) for part in segment.parts)
    return {part for part in parts if isinstance(part, Placeholder)}


def names(template: Template) -> set[str]:
    return {one.name for one in placeholders(template)}


def catalogues(modules: Iterable[ModuleType]) -> Iterator[tuple[str, Template]]:
    for module in modules:
        for name in ("TITLES", "BRANCHES", "SENTENCES", "HINTS", "PIECES", "PHRASES"):
            for key, template in getattr(module, name, {}).items():
                yield f"{module.__name__} {name} {key}", template


# ------------------------------------------------------------------------------------------------------- both languages


@pytest.mark.parametrize("pair", PAIRS)
def test_both_languages_have_the_same_keys_and_say_the_same_values(pair: str) -> None:
    english, chinese = PAIRS[pair]
    assert english.keys() == chinese.keys()
    assert {key: names(english[key]) for key in english} == {key: names(chinese[key]) for key in chinese}


def test_a_next_step_that_names_a_command_is_said_in_both_languages() -> None:
    english, chinese = english_errors.HINTS, chinese_errors.HINTS
    assert english.keys() <= chinese.keys()
    own = {"hint", "nearest", "suggestion", "bounds", "field"}  # the error's own next step, and what it is made of
    for key, template in english.items():
        assert names(template) - own == names(chinese[key]) - own, key


def test_every_template_can_be_filled() -> None:
    for key, template in [*catalogues(ENGLISH), *catalogues(CHINESE)]:
        assert {one.form for one in placeholders(template) if one.form} <= FORMS, key
        for text in texts(template):
            plain = "".join(part for segment in segments_of(text) for part in segment.parts if isinstance(part, str))
            assert not set("[]") & set(plain), f"{key}: a bracket that leaves nothing out"


def test_chinese_templates_are_chinese_unless_they_are_commands_or_names_alone() -> None:
    for key, template in catalogues(CHINESE):
        for text in texts(template):
            rest = re.sub(r"foliot [a-z -]+|\{[^}]*\}|[A-Za-z-]+", "", text)
            is_chinese = any("\u4e00" <= letter <= "\u9fff" for letter in text)
            assert is_chinese or not rest.strip(" .:：。，（）[]1-"), key


def test_every_verdict_has_a_sentence_and_every_hold_a_verdict() -> None:
    assert {key.partition(".")[0] for key in english_why.SENTENCES} == set(WhyVerdict)
    assert {key.partition(".")[0] for key in english_why.HINTS} <= {*WhyVerdict, "kept"}
    assert {f"held_{kind}" for kind in HoldKind if kind.is_held} == {
        one for one in WhyVerdict if one.startswith("held_")
    }


# ------------------------------------------------------------------------------------------------------------ formatter


@pytest.mark.parametrize(
    ("template", "values", "said"),
    [
        ("runs[ on {node}]", {"node": "n1"}, "runs on n1"),
        ("runs[ on {node}]", {"node": None}, "runs"),
        ("runs[ on {node}]", {}, "runs"),
        ("{n|shard|shards}", {"n": 1}, "1 shard"),
        ("{n|shard|shards}", {"n": 3}, "3 shards"),
        ("{took:span}", {"took": 1_500_000}, "1.5 s"),
        ("{late:lag}", {"late": 1_500_000}, "+1.5 s"),
        ("{names:list}", {"names": ["a", "b"]}, "a, b"),
        ("{size:bytes}", {"size": 2048}, "2 KiB"),
        ("misfire: {{latest: 6h}}", {}, "misfire: {latest: 6h}"),
        ("[{a}]", {"a": "[x] {b}"}, "[x] {b}"),
        (("did you mean {nearest}?", "see all"), {"nearest": "greet"}, "did you mean greet?"),
        (("did you mean {nearest}?", "see all"), {"nearest": ""}, "see all"),
    ],
)
def test_a_template_is_filled(template: Template, values: dict[str, object], said: str) -> None:
    assert Speech(Language.ENGLISH).fill(template, values) == said


def test_a_value_that_is_missing_is_an_error_not_a_gap() -> None:
    with pytest.raises(KeyError):
        Speech(Language.ENGLISH).fill("{job} runs", {})


# ------------------------------------------------------------------------------------------------------------- commands


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, name
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


COMMANDS = dict(commands(main))
OPTIONS = {
    path: {"--help", *(opt for one in command.params for opt in (*one.opts, *one.secondary_opts))}
    for path, command in COMMANDS.items()
}
EVERY_OPTION = {option for options in OPTIONS.values() for option in options}
SPOKEN = re.compile(r"\bfoliot ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*){0,2})((?: [^;；，。、()（）·]*)?)")
NO_COMMANDS = {"foliot on that"}  # "upgrade foliot on that worker"


def hints_in_code() -> Iterator[tuple[str, str]]:
    """Each text given as a `hint`, f-strings with a letter for what they are filled with."""
    for file, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg == "hint":
                for text in texts_of(node.value):
                    yield f"{file.name}:{node.value.lineno}", text


SAID = [
    *((key, text) for key, template in [*catalogues(ENGLISH), *catalogues(CHINESE)] for text in texts(template)),
    *hints_in_code(),
    *((code, text) for code, told in english_explanations.EXPLANATIONS.items() for text in told),
    *((code, text) for code, told in chinese_explanations.EXPLANATIONS.items() for text in told),
]


def test_every_command_and_option_named_in_a_hint_exists() -> None:
    assert sum("foliot " in text for _, text in SAID) > 80
    for where, text in SAID:
        for match in SPOKEN.finditer(text):
            if match[0].strip() in NO_COMMANDS or any(match[0].startswith(one) for one in NO_COMMANDS):
                continue
            path = tuple(match[1].split())
            while len(path) > 1 and path not in COMMANDS:
                path = path[:-1]
            assert path in COMMANDS, f"{where}: {text}"
            assert not isinstance(COMMANDS[path], click.Group), f"{where}: {text} stops at a group"
            for option in re.findall(r"(?<!\S)--?[a-z][a-z-]*", re.sub(r"\{kind\}", "group", match[2])):
                assert option in OPTIONS[path], f"{where}: {text} names {option}"
            words = [*match[1].split()[len(path) :], *match[2].split()]
            assert arguments(COMMANDS[path], words) >= needed(COMMANDS[path]), f"{where}: {text} lacks an argument"
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]", text):
            assert option in EVERY_OPTION or option == "--for", f"{where}: {text} names {option}"


def needed(command: click.Command) -> int:
    """How many arguments a command cannot do without."""
    return sum(isinstance(one, click.Argument) and one.required for one in command.params)


def arguments(command: click.Command, words: Sequence[str]) -> int:
    """How many of the words behind a command are its arguments, not options or their values."""
    valued = {opt for one in command.params if isinstance(one, click.Option) and not one.is_flag for opt in one.opts}
    previous = ["", *words]
    return sum(not word.startswith("-") and before not in valued for before, word in zip(previous, words, strict=False))


def test_the_domain_names_no_command() -> None:
    for file, tree in TREES.items():
        if not file.is_relative_to(SRC / "domain"):
            continue
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                found = SPOKEN.search(node.value)
                assert found is None or (found[1].split()[0],) not in COMMANDS, f"{file.name}:{node.lineno}"


# ---------------------------------------------------------------------------------------------------------------- codes


def classes_with_codes() -> dict[str, list[str]]:
    """The classes of each code. Those without one of their own share their base's."""
    found: dict[str, list[str]] = {}
    for tree in TREES.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                for line in node.body:
                    match line:
                        case ast.Assign(targets=[ast.Name(id="code")], value=ast.Constant(value=str() as code)):
                            found.setdefault(code, []).append(node.name)
    return found


CLASSES = classes_with_codes()


def test_every_code_has_a_title_and_every_title_a_code() -> None:
    spoken = set(CLASSES) | set(WARNING_CODES) | set(WHY_CODES.values()) | {FoliotError.code}
    assert spoken == set(english_errors.TITLES)
    for module in (english_errors, chinese_errors):
        for catalogue in ("SENTENCES", "HINTS"):
            assert {key.partition(".")[0] for key in getattr(module, catalogue, {})} <= spoken


def test_a_code_is_explained_in_both_languages_with_its_reason_and_the_next_step() -> None:
    english, chinese = english_explanations.EXPLANATIONS, chinese_explanations.EXPLANATIONS
    for explained in (english, chinese):
        assert english_errors.TITLES.keys() - explained.keys() == set(), "foliot docs has no explanation of these"
        assert explained.keys() <= english_errors.TITLES.keys()
    for code, told in [*english.items(), *chinese.items()]:
        assert all(told), code
        assert all(text.endswith((".", "。", ")", "）")) for text in told), code
    for code, told in chinese.items():
        assert latin_words(" ".join(told)) == set(), code


def test_every_code_is_raised_somewhere() -> None:
    nodes = [node for tree in TREES.values() for node in ast.walk(tree)]
    made: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Name):
            made.add(node.exc.id)
        if not isinstance(node, ast.Call):
            continue
        function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        made.add(function)
        if function != "isinstance":  # a class given to the function that raises it
            made |= {one.id for one in node.args if isinstance(one, ast.Name)}
    for node in nodes:  # a class without a code of its own has its base's
        if isinstance(node, ast.ClassDef) and node.name in made:
            made |= {one.id for one in node.bases if isinstance(one, ast.Name)}
    for code, kinds in CLASSES.items():
        assert code.endswith("000") or made & set(kinds), f"{code} {kinds} is never raised"


def codes_in_code() -> dict[str, str]:
    """Every code that stands in a text of the code, and a place where it does. Comments and docstrings count, too."""
    return {code: file.name for file in SOURCES for code in re.findall(r"FOL-\d{4}", file.read_text("utf-8"))}


def test_every_code_that_can_be_printed_is_explained() -> None:
    page = (ROOT / "docs" / "reference" / "errors.md").read_text("utf-8")
    printed = codes_in_code()
    assert len(printed) > 140
    for code, where in printed.items():
        assert find_code(code) is not None, f"{where}: foliot docs {code}"
        assert find_code(code, Language.CHINESE) is not None, f"{where}: foliot docs {code} --lang zh-CN"
        assert f"| {code} |" in page, f"{where}: {code} is not in errors.md"
