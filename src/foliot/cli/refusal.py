"""How a command ends when something refuses: what happened, the next step, the code; the exit code says which kind."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NoReturn

from foliot.cli.language import reader_language
from foliot.cli.output import Output
from foliot.cli.terminal import Line, echo, parts_of
from foliot.words.language import Language

if TYPE_CHECKING:
    from foliot.domain.errors import FoliotError

NOT_SUCCEEDED: Final = 6
TOOK_TOO_LONG: Final = 9
INTERRUPTED: Final = 130


@contextmanager
def refusals(options: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Turn errors of the family, alone or in groups, into messages in the reader's language and an exit code."""
    from foliot.domain.errors import FoliotError

    try:
        yield
    except FoliotError as error:
        _end([error], options or {})
    except BaseExceptionGroup as group:
        known, others = group.split(FoliotError)
        if known is None or others is not None:
            raise
        _end(list(_leaves(known)), options or {})


@contextmanager
def failures(options: Mapping[str, Any]) -> Iterator[None]:
    """The same for a command that asks a server: it may also be interrupted, or its reader may go."""
    try:
        with refusals(options):
            yield
    except KeyboardInterrupt:
        echo("", err=True)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
        sys.exit(0)


def tell(error: "FoliotError", options: Mapping[str, Any] | None = None) -> None:
    """One error, on stderr. `options`: lang, no_color and verbose, as the command got them."""
    from foliot.words import errors

    given = options or {}
    language = reader_language(given.get("lang"))
    sentence, hint = errors.tell(error, language)
    colour = False if given.get("no_color") else None
    out = Output(form="table", quiet=False, colour=colour, chinese=language is Language.CHINESE)
    lines = _lines(error, str(sentence))
    code = out.dim(f"  [{error.code}]")
    if not hint:  # the code alone is no line
        lines[-1] = (*parts_of(lines[-1]), code)
    for number, line in enumerate(lines):
        echo("  " if number else out.mark("bad"), line, err=True)
    if hint:
        echo(out.dim(f"  {hint}"), code, err=True)
    if given.get("verbose") and error.data.get("trace_id"):
        echo(out.dim(f"  trace {error.data['trace_id']}"), err=True)


def exit_code(error: "FoliotError") -> int:
    """As documented in every help."""
    from foliot.cli.last_resort import Unexpected
    from foliot.client.errors import RunNotFinished, RunNotSucceeded
    from foliot.domain.errors import ClusterTrouble, Conflict, Denied, InvalidInput, NotFound

    codes = {
        Unexpected: 1,
        RunNotSucceeded: NOT_SUCCEEDED,
        RunNotFinished: TOOK_TOO_LONG,
        InvalidInput: 2,
        NotFound: 3,
        Denied: 4,
        Conflict: 5,
        ClusterTrouble: 8,
    }
    return next((code for kind, code in codes.items() if isinstance(error, kind)), 1)


def _end(errors: "list[FoliotError]", options: Mapping[str, Any]) -> NoReturn:
    for error in errors:
        tell(error, options)
    sys.exit(exit_code(errors[0]))


def _lines(error: "FoliotError", sentence: str) -> list[Line]:
    """The sentence, and each field that is wrong and that it does not name."""
    lines: list[Line] = [*sentence.splitlines()] or [""]
    for item in error.data.get("errors") or ():
        if not isinstance(item, Mapping):
            continue
        path, message = item.get("path"), item.get("message")
        is_named = str(path or "") in sentence
        if not is_named:
            lines.append(f"{path}: {message}")
    return lines


def _leaves(group: "BaseExceptionGroup[FoliotError]") -> "Iterator[FoliotError]":
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error
