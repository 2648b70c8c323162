"""Groups of commands: they know the nearest command, and take global options before a command."""

from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice
from typing import Final

import click

from foliot.cli.global_options import add_manners, take_leading, with_leading
from foliot.cli.language import spoken
from foliot.words.language import Language

MEANT_MAX: Final = 3
"""Commands that an unknown one is answered with, at most."""

GROUPS: Final = (
    "job",
    "run",
    "cluster",
    "node",
    "handler",
    "calendar",
    "limit",
    "lock",
    "alert",
    "check",
    "report",
    "drill",
    "token",
    "context",
    "cron",
    "db",
)
"""Foliot's own groups, those that users need most first. To load every command would take seconds."""


def in_readers_language(command: click.Command) -> click.Command:
    """A command whose help is in the language of the command line. English help imports no catalogue."""
    if spoken() is Language.ENGLISH:
        return command
    from foliot.cli.translation import translated

    return translated(command)


def help_for_reader(english: str) -> str:
    """A text of help in that language."""
    if spoken() is Language.ENGLISH:
        return english
    from foliot.cli.translation import text_of

    return text_of(english) or english


def sentence_for_reader(english: str) -> str:
    """The sentence of a usage error in that language."""
    if spoken() is Language.ENGLISH:
        return english
    from foliot.cli.translation import sentence_of

    return sentence_of(english) or english


class Group(click.Group):
    """A group that answers an unknown command with the nearest one."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = self.find_command(ctx, cmd_name)
        if found is None:
            return None
        if not isinstance(found, click.Group):
            add_manners(found)
        return in_readers_language(found)

    def find_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of a name, in English."""
        return super().get_command(ctx, name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        rest = take_leading(ctx, args)
        return super().parse_args(ctx, rest)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else "-"
        known = self.list_commands(ctx)
        if name.startswith("-") or name in known:
            found, command, rest = super().resolve_command(ctx, args)
            is_group = isinstance(command, click.Group)
            return found, command, rest if is_group else with_leading(ctx, rest)
        meant = list(islice(_of_other_groups(ctx.find_root(), name), MEANT_MAX)) or get_close_matches(name, known, 1)
        hint = f" Did you mean {', '.join(meant)}?" if meant else ""
        raise click.UsageError(self.unknown(ctx, name, hint), ctx)

    def unknown(self, ctx: click.Context, name: str, hint: str) -> str:
        """The message for a command that does not exist."""
        return f'No command "{ctx.command_path} {name}".{hint}'


def _of_other_groups(root: click.Context, name: str) -> Iterator[str]:
    """The commands of all groups that have this name: `job trigger` for a user who typed `foliot trigger`."""
    assert isinstance(root.command, Group), root.command
    for group in GROUPS:
        found = root.command.find_command(root, group)
        if isinstance(found, click.Group) and name in found.commands:
            yield f"{group} {name}"
