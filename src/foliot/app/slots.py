"""Slots: how many runs a worker executes at one time, of single kinds of handlers and of all others together.

People write them as `8`, `http=2000` or `8,http=2000`, or as `slots` in the table of a kind: `[handlers.http]`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from foliot.app.handler_kinds import PYTHON, HandlerSettings, InstalledKinds, KindsHere, beside_python
from foliot.app.plugins import UnknownPart
from foliot.domain.errors import InvalidInput

SLOTS: Final = 8
SLOTS_MAX: Final = 10_000
SHOWN: Final = 100  # letters of what people wrote
EXAMPLE: Final = "billing.jobs"
KEY: Final = "slots"
"""The key in the table of a kind that is the worker's own, not the kind's."""


class UnreadableSlots(InvalidInput):
    """Something else than a number stands for slots."""

    code = "FOL-1145"

    def __init__(self, written: str) -> None:
        super().__init__(
            f'"{written[:SHOWN]}" is not a number of slots.',
            hint="write --slots 8 for all kinds of handlers, or --slots 8,http=2000",
            written=written[:SHOWN],
        )


class SlotsOutOfRange(InvalidInput):
    """A worker cannot have this many slots."""

    code = "FOL-1146"

    def __init__(self, written: str) -> None:
        super().__init__(
            f"{written[:SHOWN]}: a worker has at least 1 slot and at most {SLOTS_MAX} of a kind.",
            hint="a kind that should not run at all is not enabled; for more slots start another worker",
            written=written[:SHOWN],
            most=SLOTS_MAX,
        )


class SlotsTwice(InvalidInput):
    """Slots are given twice for the same kind."""

    code = "FOL-1147"

    def __init__(self, written: str, other: str) -> None:
        super().__init__(
            f'"{other}" and "{written}" are slots for the same runs.',
            hint="write one of them",
            written=written,
            other=other,
        )


class SlotsOfNothing(InvalidInput):
    """Slots are given for a kind of handler that this worker does not execute."""

    code = "FOL-1148"

    def __init__(self, kind: str) -> None:
        is_python = kind == PYTHON
        missing = f"name a module with jobs, such as {EXAMPLE}" if is_python else f"add --enable {kind}"
        super().__init__(
            f'There are slots for "{kind}", and this worker does not execute that kind of handler.',
            hint=f"{missing}, or leave its slots out",
            kind=kind,
            module=EXAMPLE if is_python else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """The slots of a worker."""

    shared: int = SLOTS  # by all kinds that have none of their own
    own: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, written: Iterable[str]) -> Self:
        """Slots as people write them. Each part is `N` or `KIND=N`."""
        found: dict[str, tuple[str, int]] = {}  # by kind, empty: shared; as it was written
        for part in " ".join(written).replace(",", " ").split():
            kind, equals, number = part.rpartition("=")
            if equals and not kind:
                raise UnreadableSlots(part)
            if kind in found:
                raise SlotsTwice(part, found[kind][0])
            found[kind] = part, _number(part, number)
        own = {kind: number for kind, (_, number) in found.items() if kind}
        return cls(shared=found[""][1] if "" in found else SLOTS, own=own)

    def and_of(self, handlers: HandlerSettings) -> Self:
        """Those of the kinds' tables, too; these win."""
        in_tables = {kind: _of_table(kind, table[KEY]) for kind, table in handlers.items() if KEY in table}
        return replace(self, own={**in_tables, **self.own})


def kinds_and_slots(handlers: HandlerSettings, slots: Slots, modules: Sequence[str]) -> tuple[KindsHere, Slots]:
    """The kinds that a worker has beside Python, each set up, and the slots of all."""
    all_slots = slots.and_of(handlers)
    here = beside_python({kind: _of_the_kind(table) for kind, table in handlers.items()})
    executed = {kind.kind for kind in here.kinds} | ({PYTHON} if modules else set())
    executed |= {failed.kind for failed in here.failed}  # a package that fails stops nothing
    for kind in all_slots.own:
        if kind not in executed:
            _refuse(kind)
    return here, all_slots


def _of_the_kind(table: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the kind itself reads of its table."""
    return {key: value for key, value in table.items() if key != KEY}


def _refuse(kind: str) -> None:
    known = {PYTHON, *InstalledKinds().names()}
    if kind in known:
        raise SlotsOfNothing(kind)
    raise UnknownPart("handler", kind, known)


def _number(written: str, number: str) -> int:
    if not (number.isascii() and number.removeprefix("-").isdigit()):
        raise UnreadableSlots(written)
    if len(number) > len(str(SLOTS_MAX)) or not 1 <= int(number) <= SLOTS_MAX:
        raise SlotsOutOfRange(written)
    return int(number)


def _of_table(kind: str, value: Any) -> int:
    is_number = isinstance(value, int | str) and not isinstance(value, bool)
    written = f"handlers.{kind}.{KEY} = {value}"
    return _number(written, str(value) if is_number else "")
