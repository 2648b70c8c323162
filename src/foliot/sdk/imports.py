"""Imports of users' files and modules: under names that are the same on every machine, again when files change."""

import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Final

from foliot.sdk.handler import name_of_file

_OURS: Final = "__foliot_file__"
_INSTALLED: Final = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_ELSEWHERE: Final = ("<", *(str(Path(file).parents[1]) + os.sep for file in (importlib.__file__, __file__)))


def is_file(source: str) -> bool:
    """Whether a source names a file rather than a module."""
    return source.endswith(".py") or "/" in source


def import_source(source: str, names: dict[str, Path]) -> ModuleType:
    """Import a file or a module; whatever it raises comes out. `names`: those that files of this load have so far."""
    _look_in(Path.cwd())
    importlib.invalidate_caches()
    if not is_file(source):
        return importlib.import_module(source)
    file = Path(source).resolve()
    _look_in(file.parent, last=True)  # so that it can import its neighbours, as a script can
    return _import_file(file, names)


def project_modules() -> dict[str, Path]:
    """Modules that are users' own, with their files."""
    found: dict[str, Path] = {}
    for name, module in sys.modules.copy().items():  # in one step: other threads import too
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and name != "__main__" and file.endswith(".py") and not is_foreign(file):
            found[name] = Path(file)
    return found


def is_foreign(file: str) -> bool:
    """Whether a file is Python's, installed, or Foliot's own."""
    return file.startswith(_ELSEWHERE) or any(folder in file for folder in _INSTALLED)


@contextmanager
def anew(modules: Mapping[str, Path]) -> Iterator[None]:
    """Forget these modules, so that the block imports them again; when it fails, users' modules are as before."""
    known = set(project_modules())
    before = {name: sys.modules.pop(name) for name in modules if name in sys.modules}
    _drop_bytecode(modules.values())
    try:
        yield
    except BaseException:
        for name in project_modules().keys() - (known - before.keys()):
            sys.modules.pop(name, None)
        sys.modules.update(before)
        raise


def _import_file(file: Path, names: dict[str, Path]) -> ModuleType:
    name = _free_name(file, names)
    names[name] = file
    if _found_as(name) == file:
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file.name} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    setattr(module, _OURS, True)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _free_name(file: Path, names: Mapping[str, Path]) -> str:
    """The file's own name, unless another file of this load has it or another program's module does."""
    name = name_of_file(file)
    loaded = sys.modules.get(name)
    if names.get(name, file) == file and (
        loaded is None or hasattr(loaded, _OURS) or getattr(loaded, "__file__", None) == str(file)
    ):
        return name
    return f"{name}_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}"


def _found_as(name: str) -> Path | None:
    """The file that Python itself would import under this name."""
    loaded = sys.modules.get(name)
    if loaded is not None and hasattr(loaded, _OURS):
        return None
    try:
        spec = importlib.util.find_spec(name)
    except (ModuleNotFoundError, ValueError):
        return None
    return Path(spec.origin).resolve() if spec is not None and spec.origin else None


def _look_in(folder: Path, *, last: bool = False) -> None:
    path = str(folder)
    if path not in sys.path:
        sys.path.insert(len(sys.path) if last else 0, path)


def _drop_bytecode(files: Iterable[Path]) -> None:
    """Python takes a second's edits of equal length for the old file: do not let it."""
    for file in files:
        Path(importlib.util.cache_from_source(str(file))).unlink(missing_ok=True)
