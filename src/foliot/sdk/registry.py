"""Loading users' code: which jobs and handlers it declares, and what keeps it from loading, as data."""

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeAlias

from foliot.domain.errors import FoliotError, NameClaimedTwice
from foliot.domain.job import Definition
from foliot.domain.sources import MODULE_MAX
from foliot.sdk.handler import Handler, SourceLine
from foliot.sdk.handler_jobs import HandlerJob
from foliot.sdk.imports import anew, import_source, is_file, project_modules
from foliot.sdk.job import JobFunction, collecting
from foliot.sdk.load_failures import LoadFailed, Undeclarable, files_named_in, load_failed
from foliot.sdk.trigger_call import Triggerable

MODULES_BYTES: Final = 96 * 1024

AnyJob: TypeAlias = JobFunction[..., ..., Any] | HandlerJob


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A job as some code declares it."""

    name: str
    namespace: str
    definition: Definition
    place: SourceLine
    function: AnyJob
    module: str  # the one that was to be loaded, whatever module the function is in

    @property
    def key(self) -> tuple[str, str]:
        return self.namespace, self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeSource:
    """One of the files or modules that were to be loaded. With a `problem`, what is here is its last good version."""

    name: str
    declarations: tuple[Declaration, ...] = ()
    modules: Mapping[str, Path] = field(default_factory=dict)  # users' own that came with it
    files: Mapping[Path, str] = field(default_factory=dict)  # to watch, with the hash of what was read
    problem: FoliotError | None = None
    is_missing: bool = False  # a file that is not there (yet)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What all sources together declare."""

    sources: tuple[CodeSource, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    problems: tuple[FoliotError, ...] = ()

    @property
    def handlers(self) -> dict[str, Handler]:
        """Every function a worker can run, by its name."""
        functions = [declaration.function for declaration in self.declarations]
        found = [handler for function in functions for handler in (function.handler, function.merge_handler) if handler]
        return {handler.name: handler for handler in found}

    @property
    def modules(self) -> tuple[str, ...]:
        """Users' own modules that are loaded; none while something is wrong: what they declare may be incomplete.

        Of a very large program only some, those that declare jobs first: a worker's message has its limits.
        """
        if self.problems:
            return ()
        declaring = {declaration.module for declaration in self.declarations}
        loaded = {name for source in self.sources for name in source.modules if len(name) <= MODULE_MAX}
        in_order = [*sorted(declaring), *sorted(loaded - declaring)]
        lengths = accumulate(len(name.encode()) for name in in_order)
        return tuple(name for name, length in zip(in_order, lengths, strict=True) if length <= MODULES_BYTES)

    @property
    def files(self) -> frozenset[Path]:
        """What to watch."""
        return frozenset(file for source in self.sources for file in source.files)

    @property
    def missing(self) -> tuple[str, ...]:
        """Files that are not there."""
        return tuple(source.name for source in self.sources if source.is_missing)

    @property
    def is_stale(self) -> bool:
        """Whether some file is not what it was when it was read."""
        return any(_is_stale(source) for source in self.sources)


def load(sources: Sequence[str | Path], *, previous: Loaded | None = None) -> Loaded:
    """Import files and modules and collect the jobs they declare; never raises for what is wrong with them.

    With `previous`, only what changed since is imported again, and a source that does not load keeps its last good
    version: swap the old for the new `Loaded` whatever came out.
    """
    known = {source.name: source for source in previous.sources} if previous else {}
    names = [str(source) for source in sources]
    affected = _affected([known[name] for name in names if name in known])
    taken: dict[str, Path] = {}
    found = [
        known[name] if name in known and name not in affected else _load_one(name, known.get(name), taken)
        for name in names
    ]
    declarations, clashes = _without_clashes(found, previous)
    problems = [source.problem for source in found if source.problem is not None]
    return Loaded(sources=tuple(found), declarations=declarations, problems=(*problems, *clashes))


def _affected(sources: Sequence[CodeSource]) -> set[str]:
    """Sources to import again: those with changed files, and those that share modules with them."""
    affected = {source.name for source in sources if _is_stale(source)}
    while True:
        modules = {module for source in sources if source.name in affected for module in source.modules}
        more = {source.name for source in sources if modules & source.modules.keys()} - affected
        if not more:
            return affected
        affected |= more


def _is_stale(source: CodeSource) -> bool:
    return source.is_missing or any(_hash(file) != before for file, before in source.files.items())


def _load_one(name: str, before: CodeSource | None, taken: dict[str, Path]) -> CodeSource:
    if is_file(name) and not Path(name).is_file():
        return _gone(name, before)
    already = set(project_modules())
    read = _hashed([*(before.files if before else ()), *_file_of(name)])  # before: a file saved meanwhile is stale then
    with ExitStack() as stack:
        declared = stack.enter_context(collecting())
        try:
            with anew(before.modules if before else {}):
                module = import_source(name, taken)
                found = _declarations(module, declared)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  users' code may raise anything, sys.exit() included
            problem = load_failed(name, error, kept=len(before.declarations) if before else None)
            watch = [*(before.files if before else ()), *_file_of(name), *files_named_in(error)]
            return replace(
                before or CodeSource(name=name), problem=problem, files=_hashed(watch) | read, is_missing=False
            )
    modules = {
        new: path for new, path in project_modules().items() if new not in already or (before and new in before.modules)
    }
    modules[module.__name__] = Path(module.__file__ or name)
    now = _hashed([*modules.values(), *_file_of(name)])
    return CodeSource(
        name=name,
        declarations=found,
        modules=modules,
        files={file: read.get(file, digest) for file, digest in now.items()},
        problem=None,
    )


def _declarations(module: ModuleType, declared: Iterable[Triggerable]) -> tuple[Declaration, ...]:
    """What was declared while importing, and what is visible in the module though it was imported before."""
    found = [*declared, *vars(module).values()]
    jobs = dict.fromkeys(value for value in found if isinstance(value, JobFunction | HandlerJob))
    return tuple(_declaration(job, module.__name__) for job in jobs)


def _declaration(function: AnyJob, module: str) -> Declaration:
    for handler in (function.handler, function.merge_handler):
        try:
            _ = handler and handler.parameters  # annotations that cannot be read must show now, not at the first run
        except Exception as error:
            raise Undeclarable(function.place) from error
    return Declaration(
        name=function.name,
        namespace=function.namespace,
        definition=function.definition,
        place=function.place,
        function=function,
        module=module[:MODULE_MAX],
    )


def _gone(name: str, before: CodeSource | None) -> CodeSource:
    if before is None or not before.declarations:
        return CodeSource(name=name, is_missing=True)
    problem = LoadFailed(name, None, "it is not there any more", kept=len(before.declarations))
    return replace(before, problem=problem, is_missing=True)


def _without_clashes(
    sources: Sequence[CodeSource], previous: Loaded | None
) -> tuple[tuple[Declaration, ...], list[FoliotError]]:
    """Each name once. Where two functions claim one, neither counts, and what was there before stays."""
    claims: dict[tuple[str, str], dict[SourceLine, Declaration]] = {}
    for declaration in (declaration for source in sources for declaration in source.declarations):
        claims.setdefault(declaration.key, {}).setdefault(declaration.place, declaration)
    before = {declaration.key: declaration for declaration in previous.declarations} if previous else {}
    kept: list[Declaration] = []
    clashes: list[FoliotError] = []
    for key, claimants in claims.items():
        first, *others = claimants.values()
        if others:
            clashes.append(NameClaimedTwice(first.name, first=str(first.place), second=str(others[0].place)))
        kept += _chosen(first if not others else before.get(key))
    return tuple(kept), clashes


def _chosen(declaration: Declaration | None) -> Iterator[Declaration]:
    if declaration is not None:
        yield declaration


def _file_of(name: str) -> list[Path]:
    if is_file(name):
        return [Path(name).resolve()]
    module = sys.modules.get(name)
    return [Path(module.__file__)] if module is not None and module.__file__ else []


def _hashed(files: Iterable[Path]) -> dict[Path, str]:
    return {file: _hash(file) for file in dict.fromkeys(files)}


def _hash(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""
