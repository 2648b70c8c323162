"""Every statement of the store, found by walking its modules."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import NamedTuple

import foliot.store.sql
from foliot.store.sql.kernel.dialects import Dialect
from foliot.store.sql.kernel.statement import Statement

_ROOM = f"{foliot.store.sql.__name__}."
_NOT_OURS = f"{_ROOM}kernel.migrations"


class Named(NamedTuple):
    """A statement and where it is written: `firing/line.py` and `BUMP`."""

    file: str
    constant: str
    statement: Statement

    @property
    def folder(self) -> str:
        """The folder it is in; of a statement in a door, the door."""
        return self.file.partition("/")[0].removesuffix(".py")

    def text_in(self, dialect: Dialect) -> str | None:
        """Its text in this dialect; None: it is never used there."""
        try:
            text = self.statement.rendered(dialect).text
        except KeyError:  # it needs a piece that this dialect does not have
            return None
        return None if "LATERAL" in text and not dialect.lateral else text


def statements() -> list[Named]:
    """All of them, file by file, each in the order it is written and under the first name it has."""
    found: dict[Statement, Named] = {}
    for module in _modules():
        file = module.__name__.removeprefix(_ROOM).replace(".", "/") + ".py"
        for constant, statement in _of(module):
            if _is_written_in(module, constant):
                found.setdefault(statement, Named(file, constant, statement))
    return list(found.values())


def _modules() -> Iterator[ModuleType]:
    for info in walk_packages(foliot.store.sql.__path__, _ROOM):
        if not info.ispkg and not info.name.startswith(_NOT_OURS):
            yield import_module(info.name)


def _of(module: ModuleType) -> Iterator[tuple[str, Statement]]:
    """The module's own statements, also those that stand in a named tuple."""
    for name, value in vars(module).items():
        if isinstance(value, Statement):
            yield name, value
        elif isinstance(value, tuple):
            fields = getattr(value, "_fields", range(len(value)))
            for field, part in zip(fields, value, strict=True):
                if isinstance(part, Statement):
                    yield f"{name}.{field}", part


def _is_written_in(module: ModuleType, constant: str) -> bool:
    """Not imported from another file: a module annotates the constants that it makes itself."""
    return constant.partition(".")[0] in module.__annotations__
