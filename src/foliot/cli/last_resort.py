"""The last handler of the command line: what no command expected becomes a sentence and a saved report.

A user never gets a traceback. What the machine refuses (no permission, no space, no such folder) is told as the machine
says it. Everything else is a mistake of Foliot's: its traceback goes into a file that only this user can read.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

from foliot.cli.refusal import refusals
from foliot.domain.errors import ClusterTrouble, FoliotError, StorageTrouble

REPORTS_KEPT: Final = 20
_FOLDER: Final = "reports"
_PREFIX: Final = "report-"


class MachineRefused(StorageTrouble):
    """The machine refused to open, write or make something."""

    code = "FOL-7013"

    def __init__(self, error: OSError) -> None:
        file = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
        why = error.strerror or str(error) or type(error).__name__
        super().__init__(
            f"{file} cannot be used: {why}." if file else f"The machine refused it: {why}.",
            hint="name another file or folder, or make room" if file else "make room, or ask for less at once",
            file=file,
            why=why,
        )


class Unexpected(ClusterTrouble):
    """Something went wrong that no command expected: a mistake of Foliot's."""

    code = "FOL-5034"

    def __init__(self, error: BaseException, report: Path | None) -> None:
        what = type(error).__name__
        saved = f"a report is in {report}" if report else "no report of it could be saved"
        super().__init__(
            f"Something went wrong that Foliot did not expect ({what}): {saved}.",
            hint="look through that file and report it; passwords of addresses, tokens and values are left out",
            what=what,
            report=str(report) if report else None,
        )


def end_with(error: Exception, words: Sequence[str]) -> NoReturn:
    """End the process with a sentence for what a command raised. `words`: the command as it was typed."""
    _stop_output()
    with refusals():
        raise _told(error, words)
    raise AssertionError("unreachable")


def _told(error: Exception, words: Sequence[str]) -> Exception:
    found = list(_leaves(error))
    if all(isinstance(one, FoliotError) for one in found):
        return error
    for one in found:
        if not isinstance(one, FoliotError | OSError):
            return Unexpected(one, save_report(error, words))
    return MachineRefused(next(one for one in found if isinstance(one, OSError)))


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _leaves(one)
    else:
        yield error


def _stop_output() -> None:
    """Give up what stdout could not take: the interpreter would try again at its end, and complain a second time."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)


# -------------------------------------------------------------------------------------------------------------- reports


def save_report(error: BaseException, words: Sequence[str]) -> Path | None:
    """Write what went wrong into a file of this user alone; None when there is no place for it."""
    import tempfile

    from foliot.worker.state_folder import state_folder

    text = report_text(error, words)
    try:
        return _write(state_folder(os.environ) / _FOLDER, text)
    except (OSError, FoliotError):
        pass
    try:
        return _write(Path(tempfile.mkdtemp(prefix="foliot-")), text)
    except (OSError, FoliotError):
        return None


def report_text(error: BaseException, words: Sequence[str]) -> str:
    """The traceback without secrets, and what ran where."""
    import platform
    import traceback

    from foliot import __version__
    from foliot.app.system import SystemClock
    from foliot.domain.redaction import without_tokens
    from foliot.observability.hidden import without_secrets

    lines = [
        f"foliot {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"at {SystemClock().now().isoformat(timespec='seconds')}",
        f"command: foliot {' '.join(_names_alone(words))}",
        "",
        "".join(traceback.format_exception(error)),
    ]
    return without_tokens(without_secrets("\n".join(lines)))


def _names_alone(words: Sequence[str]) -> Iterator[str]:
    """The command as it was typed, with … for every value: a value may be a secret."""
    from foliot.cli import COMMANDS

    is_command = True
    for number, word in enumerate(words):
        if word.startswith("-"):
            is_command = False
            yield word.partition("=")[0] if word.startswith("--") else word[:2]
        elif is_command and number < 2 and (number or word in COMMANDS) and word.isalpha():
            yield word
        else:
            yield "…"


def _write(folder: Path, text: str) -> Path:
    from foliot.app.system import SystemClock
    from foliot.client.private import open_private_folder

    opened = open_private_folder(folder, is_ours=lambda name: name.startswith(_PREFIX))
    try:
        _forget_old(opened)
        name = f"{_PREFIX}{SystemClock().now():%Y%m%dT%H%M%S}-{os.getpid()}.txt"
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=opened)
        with os.fdopen(file, "w", encoding="utf-8", errors="backslashreplace") as report:
            report.write(text)
    finally:
        os.close(opened)
    return folder / name


def _forget_old(folder: int) -> None:
    """Keep the newest reports; their names are in the order of time."""
    reports = sorted(name for name in os.listdir(folder) if name.startswith(_PREFIX))
    too_many = max(0, len(reports) + 1 - REPORTS_KEPT)
    for name in reports[:too_many]:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
