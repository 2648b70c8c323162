"""Global options: what they are called, and how they get behind the command when a user writes them before it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import click

FORMATS: Final = ("table", "wide", "json", "jsonl", "yaml", "name")
_SPOKEN: Final = ("en", "zh")  # how the tags of languages begin that Foliot speaks


def spoken_language(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Take a language that Foliot speaks. English instead of another would leave the user wondering."""
    if value and not value.lower().startswith(_SPOKEN):
        raise click.BadParameter(f'Foliot speaks en and zh-CN, not "{value}".', context, parameter)
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalOption:
    """An option that every command which asks a server takes."""

    names: tuple[str, ...]  # the short one first
    help: str
    metavar: str | None = None  # None: a flag
    choices: tuple[str, ...] = ()
    default: str | None = None
    check: Callable[[click.Context, click.Parameter, str | None], str | None] | None = None

    @property
    def is_flag(self) -> bool:
        return self.metavar is None and not self.choices

    @property
    def parameter(self) -> str:
        """Its name as an argument of a function."""
        long_name = self.names[-1].removeprefix("--")
        return long_name.replace("-", "_")

    def decorate(self, command: Callable[..., Any]) -> Callable[..., Any]:
        """The command with this option."""
        how: dict[str, Any] = {"help": self.help, "callback": self.check}
        if self.is_flag:
            how["is_flag"] = True
        elif self.choices:
            how["type"] = click.Choice(self.choices)
        else:
            how["metavar"] = self.metavar
        if self.default is not None:
            how |= {"default": self.default, "show_default": True}
        return click.option(*self.names, **how)(command)


TITLE: Final = "Global options, before or behind a command that asks a server"

GLOBALS: Final = (
    GlobalOption(names=("--context",), metavar="NAME", help="Another context than the one in use."),
    GlobalOption(names=("--server",), metavar="URL", help="The cluster to ask."),
    GlobalOption(names=("--token-file",), metavar="FILE", help="A file with the token."),
    GlobalOption(names=("--ca-file",), metavar="FILE", help="Certificates of who signs the cluster's."),
    GlobalOption(names=("--insecure-http",), help="Send tokens unencrypted over a network."),
    GlobalOption(names=("-n", "--namespace"), metavar="NS", help="Where names are looked up."),
    GlobalOption(names=("-o", "--output"), choices=FORMATS, default="table", help="Form of the data."),
    GlobalOption(names=("-q", "--quiet"), help="Ids only."),
    GlobalOption(names=("-v", "--verbose"), help="Tell more when something fails."),
    GlobalOption(names=("--no-color",), help="No colour."),
    GlobalOption(names=("--tz",), metavar="ZONE", help="Zone of the times."),
    GlobalOption(names=("--lang",), metavar="LANG", help="en or zh-CN.", check=spoken_language),
    GlobalOption(names=("-y", "--yes"), help="Do not ask back."),
    GlobalOption(names=("--timeout",), metavar="DURATION", default="10s", help="How long to try."),
)
GLOBAL_NAMES: Final = tuple(option.parameter for option in GLOBALS)

_FLAGS: Final = frozenset(name for option in GLOBALS if option.is_flag for name in option.names)
_VALUED: Final = frozenset(name for option in GLOBALS if not option.is_flag for name in option.names)
_LONG: Final = {option.names[0]: option.names[-1] for option in GLOBALS}
_MOVED: Final = f"{__name__}.moved"
_LANGUAGE: Final = f"{__name__}.language"
_MANNERS: Final = ("lang", "no_color")  # how something is said: every command takes these


def take_leading(context: click.Context, words: Sequence[str]) -> list[str]:
    """The words from the first that is no global option on; the global ones before it wait for the command."""
    at = 0
    while at < len(words):
        count = _words_of(words[at])
        if count == 0:
            break
        if at + count > len(words):
            raise click.BadOptionUsage(words[at], f"Option '{words[at]}' requires an argument.", context)
        at += count
    moved = context.meta.setdefault(_MOVED, [])
    # By their long names: a short one may mean something else to a command that asks no server.
    moved.extend(_LONG.get(word, word) for word in words[:at])
    return list(words[at:])


def with_leading(context: click.Context, words: Sequence[str]) -> list[str]:
    """The words of a command, behind the global options that stood before it. What stands behind it wins."""
    moved = context.meta.get(_MOVED, [])
    return [*moved, *words]


def add_manners(command: click.Command) -> None:
    """Let a command that asks no server take `--lang` and `--no-color`, too."""
    known = {parameter.name for parameter in command.params}
    for option in GLOBALS:
        if option.parameter in _MANNERS and option.parameter not in known:
            command.params.append(_manner(option))


def _manner(option: GlobalOption) -> click.Option:
    return click.Option(
        option.names,
        help=option.help,
        metavar=option.metavar,
        is_flag=option.is_flag,
        expose_value=False,
        callback=_heed,
    )


def _heed(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    if parameter.name == "no_color" and value:
        context.color = False  # click takes every colour out
    if parameter.name == "lang" and value:
        context.meta[_LANGUAGE] = spoken_language(context, parameter, value)


def language_asked_for() -> str | None:
    """What `--lang` of a command that asks no server says."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(_LANGUAGE)


def _words_of(word: str) -> int:
    """How many words a global option takes that begins with this one; 0: it is none."""
    if word in _FLAGS:
        return 1
    if word in _VALUED:
        return 2
    name, equals, _ = word.partition("=")
    if equals and name in _VALUED:
        return 1
    return 1 if _is_short_cluster(word) else 0


def _is_short_cluster(word: str) -> bool:
    """Whether short options stand together: `-qv`, `-ojson`, `-qojson`."""
    if word.startswith("--") or len(word) < 3 or word[0] != "-":
        return False
    for letter in word[1:]:
        if f"-{letter}" in _VALUED:
            return True  # the rest is its value
        if f"-{letter}" not in _FLAGS:
            return False
    return True
