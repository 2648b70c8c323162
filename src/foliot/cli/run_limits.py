"""`--limits memory=1G,cpu=10m,files=1024,processes=200`: what one run in a child process may use."""

import re
from typing import Any, Final

from foliot.domain.errors import InvalidInput
from foliot.domain.instants import SECOND, parse_duration
from foliot.worker.isolation.wire import ChildLimits

MEMORY_MIN: Final = 16 * 2**20  # less does not hold an interpreter
_FIELDS: Final = {"memory": "memory_bytes", "cpu": "cpu_s", "files": "open_files", "processes": "processes"}
_SIZE: Final = re.compile(r"(\d{1,12})\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_UNITS: Final = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_HINT: Final = "write --limits memory=1G,cpu=10m,files=1024,processes=200"


def read_limits(written: str) -> ChildLimits:
    """The limits people write; nothing written limits nothing."""
    found: dict[str, Any] = {}
    for pair in filter(None, (part.strip() for part in written.split(","))):
        name, _, value = (piece.strip() for piece in pair.partition("="))
        if name not in _FIELDS or not value:
            raise InvalidInput(f'"{pair}" is not a limit.', hint=_HINT)
        found[_FIELDS[name]] = _read(name, value)
    return ChildLimits(**found)


def _read(name: str, value: str) -> int:
    match name:
        case "memory":
            size = _SIZE.fullmatch(value)
            amount = int(size[1]) * _UNITS[size[2].upper()] if size else 0
            least = MEMORY_MIN
        case "cpu":
            amount, least = parse_duration(value) // SECOND, 1
        case _:
            amount, least = int(value) if value.isascii() and value.isdigit() else 0, 1
    if not least <= amount < 2**62:
        raise InvalidInput(f'{name}: "{value}" cannot be a limit.', hint=_HINT)
    return amount
