"""Several small numbers in one: where each stands, for Python and for SQL alike.

    SHAPE = Packing(parked=1, priority=4, lane=None)      # lowest bits first; None: the rest
    SHAPE.packed(parked=1, priority=5, lane=7)            # 1 + 5 * 2 + 7 * 32
    SHAPE.taken_out("priority", of="d.shape")             # "(d.shape >> 1) & 15"

The bits are a format: servers of two versions share one store during an upgrade. A field may be added above the others
as long as none has the rest, and none may move.
"""

from typing import NamedTuple


class _Field(NamedTuple):
    shift: int
    mask: int  # -1: everything above


class Packing:
    """The places of named fields in one number."""

    __slots__ = ("_fields", "_places")

    def __init__(self, **bits: int | None) -> None:
        self._fields: dict[str, _Field] = {}
        shift = 0
        for name, width in bits.items():
            self._fields[name] = _Field(shift, -1 if width is None else 2**width - 1)
            shift += width or 0
        self._places = tuple(self._fields.values())

    def one(self, field: str) -> int:
        """The number in which this field is 1 and the others are 0."""
        return 1 << self._fields[field].shift

    def packed(self, **values: int) -> int:
        """The number that holds these values, one of each field."""
        number = 0
        for name, (shift, mask) in self._fields.items():
            assert values[name] & mask == values[name], f"{name} = {values[name]} does not fit"
            number |= values[name] << shift
        return number

    def unpacked(self, number: int) -> list[int]:
        """What a number holds, lowest field first."""
        return [number >> shift & mask for shift, mask in self._places]

    def sum_of(self, **expressions: str) -> str:
        """The SQL of the number that holds these expressions, one of each field."""
        return " + ".join(
            f"{1 << shift} * {expressions[name]}" if shift else expressions[name]
            for name, (shift, _) in self._fields.items()
        )

    def taken_out(self, field: str, *, of: str) -> str:
        """The SQL of one field of a packed expression."""
        shift, mask = self._fields[field]
        shifted = f"{of} >> {shift}" if shift else of
        if mask == -1:
            return shifted
        return f"({shifted}) & {mask}" if shift else f"{shifted} & {mask}"
