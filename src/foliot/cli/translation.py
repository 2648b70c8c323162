"""Help and usage errors in Chinese. English stands beside each command and in click; Chinese is looked up by it.

click takes its words from gettext, which knows only catalogues in files of the system. So `_said` takes the place of
gettext in click's modules, once a reader wants another language. It asks each time which language is spoken.
"""

import re
from copy import copy
from inspect import cleandoc
from types import ModuleType
from typing import Final

import click
from click import _termui_impl, core, decorators, exceptions, formatting, parser, termui, types

from foliot.cli.language import spoken
from foliot.cli.wide_help import WideContext
from foliot.words.chinese.click import CLICK, TYPES
from foliot.words.chinese.help_commands import BLOCKS, COMMANDS, EXAMPLES
from foliot.words.chinese.help_options import METAVARS, OPTIONS
from foliot.words.chinese.usage import USAGE
from foliot.words.language import Language
from foliot.words.patterns import Patterns

_SPEAKING: Final[tuple[ModuleType, ...]] = (
    _termui_impl, core, decorators, exceptions, formatting, parser, termui, types,
)  # fmt: skip
_TEXTS: Final = {**CLICK, **COMMANDS, **OPTIONS}
_USAGE: Final = Patterns(USAGE)
_EXAMPLE: Final = re.compile(r"(\s*\S.*?\s{2,})(\S.*)")  # a command, and behind two spaces what it does
_METAVAR: Final = re.compile(r"(\[?)(.+?)(\]?(?:\.\.\.)?)")


def translated(command: click.Command) -> click.Command:
    """A copy of a command that speaks Chinese."""
    _teach_click()
    own = copy(command)
    own.context_class = WideContext
    own.help = text_of(command.help)
    own.epilog = text_of(command.epilog)
    own.short_help = text_of(command.short_help) or _first_sentence(own.help)
    own.options_metavar = CLICK.get(command.options_metavar or "", command.options_metavar)
    context = click.Context(command)
    own.params = [_parameter(param, context) for param in command.params]
    vars(own)["_help_option"] = None  # click keeps the one it made in the language of the time
    if isinstance(own, click.Group):
        own.subcommand_metavar = CLICK.get(own.subcommand_metavar, own.subcommand_metavar)
    return own


def text_of(english: str | None) -> str | None:
    """A text of help, paragraph by paragraph. One that the catalogue does not know stays as it is."""
    if english is None:
        return None
    return "\n\n".join(_paragraph(one) for one in re.split(r"\n\s*\n", cleandoc(english)))


def sentence_of(english: str) -> str | None:
    """The sentence of a usage error, if the catalogue knows it."""
    return _USAGE.find(english)


def _paragraph(english: str) -> str:
    first, *lines = english.splitlines() or [""]
    if first.strip() != "\b":
        return _prose(" ".join(english.split()))
    whole = " ".join(" ".join(lines).split())
    return f"\b\n{BLOCKS[whole]}" if whole in BLOCKS else "\n".join(["\b", *map(_example, lines)])


def _prose(english: str) -> str:
    """A paragraph as a whole, or sentence by sentence: some sentences stand in many texts."""
    return _TEXTS.get(english) or "".join(_TEXTS.get(one, one) for one in sentences_of(english))


def sentences_of(text: str) -> list[str]:
    """The sentences of a paragraph."""
    return re.split(r"(?<=\.) (?=[A-Z0-9])", text)


def _example(line: str) -> str:
    found = _EXAMPLE.fullmatch(line)
    return EXAMPLES.get(line, line) if found is None else found[1] + EXAMPLES.get(found[2], found[2])


def _first_sentence(text: str | None) -> str | None:
    """What the list of commands says: click would look for a blank behind a full stop."""
    if not text:
        return text
    first, stop, _ = text.partition("\n\n")[0].partition("。")
    return first + stop


def _parameter(param: click.Parameter, context: click.Context) -> click.Parameter:
    own = copy(param)
    own.type = copy(param.type)
    own.type.name = TYPES.get(param.type.name, param.type.name)
    own.metavar = _metavar(param.make_metavar(context))
    if isinstance(own, click.Option):
        own.help = text_of(own.help)
    return own


def _metavar(english: str) -> str:
    """`[NAMES]...` is `[名称]...`; choices are words of the command line and stay."""
    found = _METAVAR.fullmatch(english)
    return english if found is None else f"{found[1]}{METAVARS.get(found[2], found[2])}{found[3]}"


def _teach_click() -> None:
    for module in _SPEAKING:
        names = vars(module)
        if "_" in names:
            names["_"] = _said
        if "ngettext" in names:
            names["ngettext"] = _counted


def _said(english: str) -> str:
    return CLICK.get(english, english) if spoken() is Language.CHINESE else english


def _counted(one: str, many: str, count: int) -> str:
    return _said(one if count == 1 else many)
