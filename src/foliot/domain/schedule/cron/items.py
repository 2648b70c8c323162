"""Reading one field of a cron expression."""

import hashlib
import re
from collections.abc import Callable
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from foliot.domain.schedule.cron.fields import (
    DAY,
    SPRING_WEEKDAY,
    Field,
    Item,
    Kind,
    LastDay,
    LastWeekday,
    NearestWeekday,
    NthWeekday,
    Span,
)

_NUMBER: Final = re.compile(r"[0-9]{1,4}")
_SPREAD: Final = re.compile(r"H(?:\(([0-9]{1,4})-([0-9]{1,4})\))?")
_TILDE: Final = re.compile(r"([0-9]{0,4})~([0-9]{0,4})")
_LAST_DAY: Final = re.compile(r"L(?:-([0-9]{1,2}))?(W)?")
_WEEKDAY_NAME: Final = "weekday"
_STEP_ADVICE: Final = "a step is a whole number from 1 on, as in */5"
_GROUPS: Final = {"WEEKDAY": "MON-FRI", "WORKDAY": "MON-FRI", "WEEKEND": "SAT,SUN"}
_NUMBER_AND_MORE: Final = re.compile(r"([0-9]{1,4})(?:TH|[A-GI-KM-VX-Z.]{1,3})")  # not L, W and H, which mean something
_HALF_DAYS: Final = re.compile(r"([0-9]{1,2})([AP])M")
_LIKENESS_MIN: Final = 0.6
_ROUNDS: Final = (("hour", "24"), ("minute", "60"), ("second", "60"))
_NEAR_MISS_MAX: Final = 2  # hour 25 was a slip; nobody knows what minute 100 was
_EMPTY_RANGE: Final = re.compile(r"([0-9]+)-\1(?:/[0-9]+)?")


class ItemProblem(Exception):
    """What is wrong with one item: the sentence, the value, what was probably meant. The parser makes it a BadCron."""

    def __init__(self, sentence: str, value: str, *, meant: str | None = None, advice: str = "") -> None:
        super().__init__(sentence)
        self.sentence, self.value, self.meant, self.advice = sentence, value, meant, advice


@lru_cache(maxsize=4096)
def read_field(kind: Kind, text: str, *, seed: str) -> Field:
    """Read a field; `seed` decides what H becomes. Raises ItemProblem."""
    items = tuple(_item(kind, part, seed) for part in text.split(","))
    mask = 0
    for item in items:
        if isinstance(item, Span):
            mask |= _mask(kind, item)
    return Field(kind, text, tuple(_from_sunday(kind, item) for item in items), mask)


def _item(kind: Kind, part: str, seed: str) -> Item:
    if not part:
        raise ItemProblem(f"{kind.name} has an empty value", "", meant="", advice="remove the spare comma")
    for read in _SPECIAL.get(kind.name, ()):
        item = read(kind, part)
        if item is not None:
            return item
    return _span(kind, part, seed)


def _span(kind: Kind, part: str, seed: str) -> Span:
    body, slash, step_text = part.partition("/")
    step = _step(kind, part, step_text) if slash else None
    if body in ("*", "?"):
        return _star(kind, part, body, step or 1)
    drawn = _SPREAD.fullmatch(body) or _TILDE.fullmatch(body)
    if drawn is not None:
        if kind.name == "year":
            raise ItemProblem("a year is not drawn from the job's name", part, advice="write the year, as in 2027")
        return _spread(kind, part, drawn[1] or None, drawn[2] or None, step, seed)
    first_text, dash, last_text = body.partition("-")
    first = _value(kind, first_text, part)
    if dash:
        last = _value(kind, last_text, part, ends_range=True)
        return _range(kind, part, first, last, step or 1)
    if step is not None:
        return Span(first, kind.high, step, is_open=True)
    return Span(first, first)


def _star(kind: Kind, part: str, body: str, step: int) -> Span:
    if body == "?" and kind.name not in ("day", _WEEKDAY_NAME):
        raise ItemProblem(f'"?" belongs into day or weekday, not {kind.name}', part, meant=part.replace("?", "*"))
    return Span(kind.star, kind.star + kind.cycle - 1, step, is_open=True)


def _range(kind: Kind, part: str, first: int, last: int, step: int) -> Span:
    if kind.name == "year" and last < first:
        raise ItemProblem(f"year {first} is after {last}", part, meant=_exchanged(part))
    if kind is SPRING_WEEKDAY and first == kind.high:
        first = kind.low  # at the front of a range Spring takes Sunday for 0, so SUN-SUN is the whole week there
    return Span(first, last, step)


def _exchanged(part: str) -> str:
    return re.sub(r"([0-9]+)-([0-9]+)", r"\2-\1", part, count=1)


def _step(kind: Kind, part: str, text: str) -> int:
    body = part.partition("/")[0]
    if not _NUMBER.fullmatch(text):
        raise ItemProblem(f'{kind.name} step "{text}" is not a number', text or part, advice=_STEP_ADVICE)
    step = int(text)
    if step == 0:
        raise ItemProblem(f"{kind.name} step 0 would never move on", text, advice=_STEP_ADVICE)
    if step > kind.cycle:
        advice = ""
        if kind.name in ("minute", "second", "hour") and body == "*":
            advice = f"for every {step} {kind.name}s write every: {step}{kind.name[0]}"
        raise ItemProblem(f"{kind.name} step {step} is larger than the range {_bounds(kind)}", text, advice=advice)
    return step


def _value(kind: Kind, text: str, part: str, *, ends_range: bool = False) -> int:
    if _NUMBER.fullmatch(text):
        value = int(text)
        if not kind.low <= value <= kind.high:
            meant = _within_bounds(kind, text, part, ends_range=ends_range)
            raise ItemProblem(f"{kind.name} {value} is out of range {_bounds(kind)}", text, meant=meant)
        return value
    if text in kind.names:
        return kind.names[text]
    raise ItemProblem(
        f'{kind.name} "{text or part}" cannot be read',
        text or part,
        meant=_meant(kind, text, part),
        advice=_advice(kind, part),
    )


def _within_bounds(kind: Kind, text: str, part: str, *, ends_range: bool) -> str | None:
    """The part with the nearest value in place of one that is just out of range; None where that is a mere guess."""
    value = int(text)
    nearest = min(max(value, kind.low), kind.high)
    if not ends_range and (kind.name, text) in _ROUNDS:
        nearest = kind.low  # 24:00 is 00:00
    elif abs(value - nearest) > _NEAR_MISS_MAX:
        return None
    meant = re.sub(rf"(?<![0-9]){text}(?![0-9])", str(nearest), part, count=1)
    return None if _EMPTY_RANGE.fullmatch(meant) else meant


def _meant(kind: Kind, text: str, part: str) -> str | None:
    """What was surely meant by a value that cannot be read: None where a guess could change the meaning."""
    if kind.name == "day" and (before := re.fullmatch(r"-([1-9]|[12][0-9])", part)):
        return f"L-{int(before[1]) - 1}".removesuffix("-0")  # other systems count days back from the last
    if kind.name == "day" and re.fullmatch(r"W[0-9]{1,2}", part):
        return f"{part[1:]}W"
    if kind.name == _WEEKDAY_NAME and part.rstrip("S") in _GROUPS:
        return _GROUPS[part.rstrip("S")]
    name = _nearest_name(kind, text) if text.isalpha() else _number_in(kind, text)
    return None if name is None else part.replace(text, name, 1)


def _number_in(kind: Kind, text: str) -> str | None:
    """The number in `5x`, `5th`, `9pm`."""
    half_day = _HALF_DAYS.fullmatch(text) if kind.name == "hour" else None
    if half_day is not None:
        return str(int(half_day[1]) % 12 + (12 if half_day[2] == "P" else 0))
    found = _NUMBER_AND_MORE.fullmatch(text)
    return found[1] if found else None


def _nearest_name(kind: Kind, text: str) -> str | None:
    """The one name that is nearest; None if names of two values are equally near."""
    near = [name for name in kind.names if name.startswith(text)] or _most_alike(kind, text)
    values = {kind.names[name] for name in near}
    if len(values) != 1:
        return None
    return near[0][:3]


def _most_alike(kind: Kind, text: str) -> list[str]:
    likeness = {name: SequenceMatcher(None, text, name).ratio() for name in kind.names}
    best = max(likeness.values(), default=0)
    if best < _LIKENESS_MIN:
        return []
    return [name for name, ratio in likeness.items() if ratio == best]


def _advice(kind: Kind, part: str) -> str:
    if "%" in part:
        return "a step is written with a slash: */5"
    if kind.name == "day" and re.match(r"L|[0-9]+W", part):
        return "L and W take neither a step nor a range: L, L-3, LW, 15W"
    return ""


def _spread(kind: Kind, part: str, low: str | None, high: str | None, step: int | None, seed: str) -> Span:
    first = kind.low if low is None else _value(kind, low, part)
    last = kind.spread_high if high is None else _value(kind, high, part, ends_range=True)
    if last < first:
        raise ItemProblem(f"{kind.name} {first} is after {last}", part, meant=f"H({last}-{first})")
    room = last - first + 1
    digest = hashlib.blake2b(f"{seed}\0{kind.name}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    drawn = int.from_bytes(digest, "big")
    if step is None:
        value = first + drawn % room
        return Span(value, value)
    return Span(first + drawn % min(step, room), last, step, is_open=True)


def _last_day(kind: Kind, part: str) -> Item | None:
    found = _LAST_DAY.fullmatch(part)
    if found is None:
        return None
    before = int(found[1] or 0)
    if before > 30:
        raise ItemProblem(f"day L-{before} is out of range L-0–L-30", part, meant="L-30")
    return LastDay(before, is_nearest_weekday=found[2] is not None)


def _nearest_weekday(kind: Kind, part: str) -> Item | None:
    if not part.endswith("W") or not _NUMBER.fullmatch(part[:-1]):
        return None
    return NearestWeekday(_value(DAY, part[:-1], part))


def _nth_weekday(kind: Kind, part: str) -> Item | None:
    name, hash_sign, nth = part.partition("#")
    if not hash_sign:
        return None
    weekday = _value(kind, name, part)
    if nth not in ("1", "2", "3", "4", "5"):
        sentence = f'weekday "{part}": a month has a 1st to 5th {_called(kind, weekday)}'
        meant = f"{name}L" if nth in ("L", "LAST", "-1") else None
        raise ItemProblem(sentence, part, meant=meant, advice=f"{name}#1 is the first, {name}L the last")
    return NthWeekday(weekday, int(nth))


def _last_weekday(kind: Kind, part: str) -> Item | None:
    if part == "L":
        if kind.low == 1:
            return Span(7, 7)  # Quartz: the last day of the week
        advice = "name the day: FRIL is the last Friday, SAT every Saturday"
        raise ItemProblem('weekday "L" needs a day', part, advice=advice)
    if part.startswith("L") and part[1:] in (*kind.names, *"01234567"):
        raise ItemProblem(f'weekday "{part}" cannot be read', part, meant=f"{part[1:]}L")
    if not part.endswith("L") or not (part[:-1] in kind.names or _NUMBER.fullmatch(part[:-1])):
        return None
    return LastWeekday(_value(kind, part[:-1], part))


_SPECIAL: Final[dict[str, tuple[Callable[[Kind, str], Item | None], ...]]] = {
    "day": (_last_day, _nearest_weekday),
    _WEEKDAY_NAME: (_nth_weekday, _last_weekday),
}


def _mask(kind: Kind, span: Span) -> int:
    last = span.last if span.last >= span.first else span.last + kind.cycle
    mask = 0
    for value in range(span.first, last + 1, span.step):
        mask |= 1 << _normal(kind, value)
    return mask


def _normal(kind: Kind, value: int) -> int:
    """A value as the masks count it: round the end of the field, years from 1970, weekdays from Sunday = 0."""
    if kind.name == "year":
        return value - kind.low
    value = (value - kind.low) % kind.cycle + kind.low
    return value - 1 if kind.name == _WEEKDAY_NAME and kind.low == 1 else value


def _from_sunday(kind: Kind, item: Item) -> Item:
    """Weekdays counted from Sunday = 0, whatever the dialect counts from."""
    if kind.name != _WEEKDAY_NAME:
        return item
    match item:
        case Span():
            is_week = item.last - item.first >= kind.cycle - 1
            last = (_normal(kind, item.first) + 6) % 7 if is_week else _normal(kind, item.last)
            return Span(_normal(kind, item.first), last, item.step, item.is_open)
        case NthWeekday():
            return NthWeekday(_normal(kind, item.weekday), item.nth)
        case LastWeekday():
            return LastWeekday(_normal(kind, item.weekday))
    return item


def _called(kind: Kind, weekday: int) -> str:
    full = [name for name, value in kind.names.items() if value % 7 == weekday % 7 and len(name) > 3]
    return full[0].capitalize()


def _bounds(kind: Kind) -> str:
    return f"{kind.low}–{kind.high}"
