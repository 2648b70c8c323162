"""Why users' code does not load, in words: the place, the cause, the next step."""

import importlib.util
import pkgutil
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType

from foliot.domain.errors import FoliotError, InvalidInput
from foliot.domain.names import nearest
from foliot.sdk.handler import SourceLine, shown_path
from foliot.sdk.imports import is_file, is_foreign
from foliot.words.errors import tell


class LoadFailed(InvalidInput):
    """A file or module that cannot be loaded."""

    code = "FOL-1009"

    def __init__(
        self, source: str, place: SourceLine | None, cause: str, *, fix: str | None = None, kept: int | None = None
    ) -> None:
        previous = f" The previous version ({_jobs(kept)}) keeps running." if kept is not None else ""
        steps = [fix, "saving the file reloads it" if kept is not None else None]
        super().__init__(
            f"{place or source} cannot be loaded: {cause}.{previous}",
            hint="; ".join(step for step in steps if step) or None,
            source=source,
            place=str(place) if place else source,
            cause=cause,
            kept=kept,
        )


class Undeclarable(Exception):
    """A function that cannot be a job, for the reason that is its cause."""

    def __init__(self, place: SourceLine) -> None:
        super().__init__(str(place))
        self.place = place


def load_failed(source: str, error: BaseException, *, kept: int | None) -> LoadFailed:
    """The reason why a source does not load, from what its import raised."""
    if isinstance(error, Undeclarable) and error.__cause__ is not None:
        cause = error.__cause__
        return LoadFailed(source, error.place, _cause(cause), fix=_fix(source, cause), kept=kept)
    return LoadFailed(source, _place(source, error), _cause(error), fix=_fix(source, error), kept=kept)


def file_missing(source: str) -> LoadFailed:
    """The reason why a file does not load that is not there."""
    folder = Path(source).parent
    near = nearest(Path(source).name, [file.name for file in folder.glob("*.py")])
    fix = f"did you mean {folder / near}?" if near else "check its name and the folder you are in"
    return LoadFailed(source, None, "there is no such file", fix=fix)


def files_named_in(error: BaseException) -> list[Path]:
    """Users' files on the way to the error: one of them has to change."""
    named = [file for file, _ in _frames(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        named.insert(0, error.filename)
    users = [Path(file) for file in dict.fromkeys(named) if not is_foreign(file)]
    return [path for path in users if path.is_file()]


def _place(source: str, error: BaseException) -> SourceLine | None:
    if isinstance(error, SyntaxError) and error.filename:
        return SourceLine(shown_path(error.filename), error.lineno or 1)
    users = [(file, line) for file, line in _frames(error.__traceback__) if not is_foreign(file)]
    if users:
        file, line = users[-1]
        return SourceLine(shown_path(file), line)
    return SourceLine(shown_path(source), 1) if is_file(source) else None


def _cause(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f'no module "{error.name}"'
    if isinstance(error, SyntaxError):
        return f"{error.msg}"
    if isinstance(error, FoliotError):
        return error.sentence.removesuffix(".")
    if isinstance(error, SystemExit):
        return "it calls sys.exit() while being imported"
    text = str(error).strip()
    return f"{type(error).__name__}: {text.splitlines()[0]}" if text else type(error).__name__


def _fix(source: str, error: BaseException) -> str | None:
    if isinstance(error, ModuleNotFoundError) and error.name:
        is_source = f"{source}.".startswith(f"{error.name}.")  # the module that the user named, or a package it is in
        return _about_missing(error.name, is_source=is_source)
    if isinstance(error, FoliotError):
        return tell(error)[1]
    if isinstance(error, SystemExit):
        return 'put what is a script under if __name__ == "__main__"'
    return None


def _about_missing(module: str, *, is_source: bool) -> str:
    """What to do about a module that is not there: mend its name where its package is there, else install it."""
    package, _, name = module.rpartition(".")
    near = nearest(name, _modules_in(package)) if package or is_source else None
    if near:
        meant = f"{package}.{near}" if package else near
        return f"did you mean {meant}?"
    if package:
        return f"{package} is there, but it has no {name}"
    if is_source:
        return "is it in this folder, or installed? a file is named with its ending: jobs.py"
    return f"pip install {module}"


def _modules_in(package: str) -> list[str]:
    """The modules of a package, or of this folder; nothing when the package cannot be looked into."""
    folders: Iterable[str] | None = [str(Path.cwd())]
    if package:
        try:
            spec = importlib.util.find_spec(package)
        except (ImportError, ValueError):
            return []
        folders = spec.submodule_search_locations if spec is not None else None
    return [found.name for found in pkgutil.iter_modules(folders)] if folders else []


def _frames(trace: TracebackType | None) -> Iterator[tuple[str, int]]:
    for frame, line in traceback.walk_tb(trace):
        yield frame.f_code.co_filename, line


def _jobs(count: int) -> str:
    return f"{count} job" if count == 1 else f"{count} jobs"
