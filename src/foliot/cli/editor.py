"""Changing a definition in the user's editor. What they wrote stays in a file until the server has accepted it."""

import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import click

from foliot.cli.refusal import tell
from foliot.cli.server_access import User
from foliot.cli.terminal import echo
from foliot.domain.errors import InvalidInput
from foliot.domain.visible import visible

NOTE: Final = "// "
"""Begins a line that is for the reader of the file and no part of the definition."""


class EditedNotJson(InvalidInput):
    """What the user wrote in the editor is not JSON."""

    code = "FOL-1100"

    def __init__(self, trouble: str, line: int, column: int) -> None:
        super().__init__(
            f"What you wrote is not JSON: {trouble} (line {line}, column {column}).",
            hint="mend it in the editor",
            trouble=trouble,
            line=line,
            column=column,
        )


class EditedFile:
    """A definition in a file of the user's, while they edit it."""

    def __init__(self, definition: Mapping[str, Any], *, name: str) -> None:
        self._original = visible(
            json.dumps(definition, indent=2, ensure_ascii=False)
        )  # an editor may obey what it shows
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", prefix=f"foliot-{name[:40]}-", suffix=".json", delete=False
        ) as file:
            file.write(f"{self._original}\n")
        self.path = Path(file.name)

    def edit(self) -> None:
        """Open the editor on it and wait for its end."""
        click.edit(filename=str(self.path))

    @property
    def text(self) -> str:
        """What the user wrote, without our notes. Each note leaves its line, so that the numbers of lines stay."""
        written = self.path.read_text("utf-8").splitlines()
        lines = ["" if line.startswith(NOTE) else line for line in written]
        return "\n".join(lines)

    @property
    def is_unchanged(self) -> bool:
        return self.text.strip() == self._original.strip()

    def read(self) -> Any:
        """The definition that the user wrote."""
        try:
            return json.loads(self.text)
        except ValueError as error:
            line, column = getattr(error, "lineno", 1), getattr(error, "colno", 1)
            raise EditedNotJson(getattr(error, "msg", str(error)), line, column) from None

    def note(self, said: str) -> None:
        """Put a note at its head, in the place of the one before."""
        notes = "".join(f"{NOTE}{line}\n" for line in said.splitlines())
        self.path.write_text(f"{notes}{self.text.lstrip()}\n", "utf-8")

    def forget(self) -> None:
        """Take the file away."""
        self.path.unlink(missing_ok=True)


def edited(user: User, definition: Mapping[str, Any], save: Callable[[Any], Any], *, name: str) -> Any:
    """What `save` returns for the definition that the user wrote; None when they changed nothing.

    A mistake is told, and the editor opens again on what they wrote. Whoever gives up keeps the file.
    """
    if not sys.stdin.isatty():
        raise click.UsageError("Without a terminal there is no editor: use --set.")
    draft = EditedFile(definition, name=name)
    try:
        saved = _until_accepted(user, draft, save)
    except BaseException:  # however it ends: a conflict, a server that is away, Ctrl-C
        echo(user.out.mark("warn"), user.out.say("draft_kept", file=str(draft.path)), err=True)
        raise
    draft.forget()
    return saved


def _until_accepted(user: User, draft: EditedFile, save: Callable[[Any], Any]) -> Any:
    while True:
        draft.edit()
        if draft.is_unchanged:
            return None
        try:
            return save(draft.read())
        except InvalidInput as mistake:
            tell(mistake, user.options)
            draft.note(mistake.sentence)
        if not click.confirm(user.out.say("edit_again"), default=True, err=True):
            raise SystemExit(2)
