"""Groups of commands."""

from difflib import get_close_matches

import click


class Group(click.Group):
    """A group that answers an unknown command with the nearest one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else "-"
        known = self.list_commands(ctx)
        if name.startswith("-") or name in known:
            return super().resolve_command(ctx, args)
        close = get_close_matches(name, known, 1)
        hint = f" Did you mean {close[0]}?" if close else ""
        raise click.UsageError(self.unknown(ctx, name, hint), ctx)

    def unknown(self, ctx: click.Context, name: str, hint: str) -> str:
        """The message for a command that does not exist."""
        return f'No command "{ctx.command_path} {name}".{hint}'
