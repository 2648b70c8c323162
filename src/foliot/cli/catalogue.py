"""Every code a person can meet, with what it means: gathered from the family of errors itself."""

import importlib
import importlib.util
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Final

from foliot.domain.errors import FoliotError

PACKAGES: Final = ("foliot", "foliot_bench")
"""Where codes come from; the second one may not be installed."""

WARNINGS: Final = {
    "FOL-1003": "A schedule whose day and weekday are joined by OR",
    "FOL-1005": "A time that does not exist on one day of the year, or comes twice",
    "FOL-1034": "A schedule that never fires",
    "FOL-1035": "A step that does not divide its range evenly",
    "FOL-1036": "A day that some months do not have",
    "FOL-1037": "A calendar that is not published that far ahead",
    "FOL-1039": "A step of weekdays that counts from Monday in Spring and from Sunday in Quartz",
    "FOL-1042": "A day to count from that lies ahead and holds nothing back",
}
BRANCHES: Final = {
    "1": "what was written cannot be understood or is not allowed",
    "2": "what was named does not exist",
    "3": "somebody else was first, or two things claim one name",
    "4": "login or permission",
    "5": "servers, workers or the store are not there, not ready or not fitting",
    "6": "a run went wrong",
    "7": "schema, import, backup",
}
BRANCHES_ZH: Final = {
    "1": "所写的内容无法理解或不被允许",
    "2": "所指名的对象不存在",
    "3": "他人已先行修改，或两者争用同一名称",
    "4": "登录或权限",
    "5": "服务器、工作节点或存储不在、未就绪或不匹配",
    "6": "一次执行出错",
    "7": "数据库结构、导入、备份",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One code."""

    code: str
    title: str
    branch: str
    name: str


def find_code(code: str) -> Entry | None:
    """The entry of a code, if there is one."""
    return next((entry for entry in catalogue() if entry.code == code), None)


def catalogue() -> list[Entry]:
    """Every code in order."""
    _load_all()
    found: dict[str, type[FoliotError]] = {}
    for error in _family(FoliotError):
        found.setdefault(error.code, error)  # whoever owns the code comes before those that share it
    entries = [
        Entry(code=code, title=_title(error), branch=_branch(code), name=error.__name__)
        for code, error in found.items()
    ]
    entries += [
        Entry(code=code, title=title, branch=f"warning: {_branch(code)}", name="")
        for code, title in WARNINGS.items()
        if code not in found
    ]
    return sorted(entries, key=lambda entry: entry.code)


def _title(error: type[FoliotError]) -> str:
    return (error.__doc__ or "").partition("\n")[0].rstrip(".")


def _branch(code: str) -> str:
    return BRANCHES.get(code[4:5], "")


def _family(kind: type[FoliotError]) -> Iterator[type[FoliotError]]:
    for child in kind.__subclasses__():
        if child.__module__.partition(".")[0] in PACKAGES and not child.__name__.startswith("_"):
            yield child
        yield from _family(child)


def _load_all() -> None:
    """Import every room, so that every class is known; what needs a missing extra is left out."""
    for package in PACKAGES:
        if importlib.util.find_spec(package) is not None:
            _load(importlib.import_module(package))


def _load(package: ModuleType) -> None:
    for module in pkgutil.walk_packages(package.__path__, prefix=f"{package.__name__}."):
        if ".migrations" in module.name or ".templates" in module.name or module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except ImportError:
            continue
