"""Which times of day: sets of seconds counted from midnight by the wall clock."""

from bisect import bisect_left, bisect_right
from functools import lru_cache
from typing import Final

DAY_S: Final = 86_400
LISTED_MAX: Final = 1440  # up to one time a minute is kept as a plain list; denser sets as minutes × seconds


class TimesOfDay:
    """A non-empty set of times of day: listed, or every one of some seconds in every one of some minutes."""

    __slots__ = ("_mask", "_minutes", "_seconds", "first", "last", "listed", "per_day")

    def __init__(self, minutes: tuple[int, ...], seconds: tuple[int, ...], listed: tuple[int, ...] | None) -> None:
        self._minutes = minutes
        self._seconds = seconds
        self.listed = listed
        self._mask = 0
        if listed is not None:
            self.per_day = len(listed)
            self.first = listed[0]
            self.last = listed[-1]
        else:
            self.per_day = len(minutes) * len(seconds)
            self.first = minutes[0] * 60 + seconds[0]
            self.last = minutes[-1] * 60 + seconds[-1]

    def at_or_after(self, second: int) -> int:
        """The first time not before this one, -1 if the day has none left."""
        if self.listed is not None:
            i = bisect_left(self.listed, second)
            return self.listed[i] if i < len(self.listed) else -1
        minute, second = divmod(second, 60)
        minutes, seconds = self._minutes, self._seconds
        i = bisect_left(minutes, minute)
        if i == len(minutes):
            return -1
        if minutes[i] == minute:
            if second <= seconds[-1]:
                return minute * 60 + seconds[bisect_left(seconds, second)]
            i += 1
            if i == len(minutes):
                return -1
        return minutes[i] * 60 + seconds[0]

    def at_or_before(self, second: int) -> int:
        """The last time not after this one, -1 if the day has none yet."""
        if self.listed is not None:
            i = bisect_right(self.listed, second)
            return self.listed[i - 1] if i else -1
        minute, second = divmod(second, 60)
        minutes, seconds = self._minutes, self._seconds
        i = bisect_right(minutes, minute)
        if i and minutes[i - 1] == minute:
            if second >= seconds[0]:
                return minute * 60 + seconds[bisect_right(seconds, second) - 1]
            i -= 1
        return minutes[i - 1] * 60 + seconds[-1] if i else -1

    def below(self, second: int) -> int:
        """How many times lie before this one."""
        if self.listed is not None:
            return bisect_left(self.listed, second)
        minute, second = divmod(second, 60)
        i = bisect_left(self._minutes, minute)
        n = i * len(self._seconds)
        if i < len(self._minutes) and self._minutes[i] == minute:
            n += bisect_left(self._seconds, second)
        return n

    @property
    def mask(self) -> int:
        """Bit `s` is set if the second `s` of the day belongs to the set."""
        if not self._mask:
            if self.listed is not None:
                self._mask = mask_of(self.listed)
            else:
                within = sum(1 << second for second in self._seconds)
                self._mask = sum(within << (60 * minute) for minute in self._minutes)
        return self._mask


@lru_cache(maxsize=4096)
def product(hours: int, minutes: int, seconds: int) -> TimesOfDay:
    """All combinations of three masks; equal ones share one object."""
    seconds_in = bits(seconds)
    minutes_in = tuple(hour * 60 + minute for hour in bits(hours) for minute in bits(minutes))
    listed = None
    if len(minutes_in) * len(seconds_in) <= LISTED_MAX:
        listed = tuple(minute * 60 + second for minute in minutes_in for second in seconds_in)
    return TimesOfDay(minutes_in, seconds_in, listed)


def listed(seconds: tuple[int, ...]) -> TimesOfDay:
    """Just these seconds of the day, sorted and distinct."""
    return TimesOfDay((), (), seconds)


def split(times: TimesOfDay, edges: tuple[int, ...]) -> list[TimesOfDay]:
    """The times in pieces, each from one edge (a time of day, ascending) up to the next."""
    starts = [0, *(edge for edge in edges if times.first < edge <= times.last)]
    if len(starts) == 1:
        return [times]
    pieces: list[TimesOfDay] = []
    for start, end in zip(starts, [*starts[1:], DAY_S], strict=True):
        piece: list[int] = []
        second = times.at_or_after(start)
        while 0 <= second < end:
            piece.append(second)
            second = times.at_or_after(second + 1)
        if piece:
            pieces.append(listed(tuple(piece)))
    return pieces


def bits(mask: int) -> tuple[int, ...]:
    """The numbers of the set bits, ascending."""
    return tuple(n for n in range(mask.bit_length()) if mask >> n & 1)


def mask_of(numbers: tuple[int, ...]) -> int:
    """The mask with these bits set."""
    buffer = bytearray(numbers[-1] // 8 + 1)
    for n in numbers:
        buffer[n >> 3] |= 1 << (n & 7)
    return int.from_bytes(buffer, "little")
