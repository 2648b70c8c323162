"""What stands in a job's line, counted in the database and packed into one number.

One number, because only a scalar sub-select may be correlated on every database. Each counter has 15 bits, and the
statement stops counting long before that (`CAP`).
"""

from typing import Final

from foliot.domain.fire import Situation
from foliot.domain.policies.overlap import QUEUE_ALL_MAX
from foliot.store.sql.kernel.packing import Packing

CAP: Final = QUEUE_ALL_MAX + 1
"""Runs of a line that are counted: a line of fifty thousand costs no more than one of a thousand."""

_BITS: Final = 15
_PACKING: Final = Packing(open=_BITS, waiting=_BITS, catch_up=_BITS, scheduled=_BITS)


class LineCounts(Situation):
    """A situation that can be one number."""

    __slots__ = ()

    @property
    def packed(self) -> int:
        counted = self._asdict()
        del counted["queued"]  # it is asked for by itself, of limited jobs alone
        return _PACKING.packed(**counted)

    @classmethod
    def unpacked(cls, number: int) -> "LineCounts":
        # `_make` is written in Python, and this is a hot path.
        return tuple.__new__(cls, (*_PACKING.unpacked(number), 0))

    @staticmethod
    def counted(**expressions: str) -> str:
        """The SQL of the packed number, of one counting expression for each field."""
        return _PACKING.sum_of(**expressions)
