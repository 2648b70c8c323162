"""Formats: text that stands for something else in JSON, how it is read, and what people call it."""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from foliot.domain.errors import BadDuration
from foliot.domain.instants import parse_duration

_ISO_DURATION: Final = re.compile(
    r"(?P<sign>[+-]?)P(?=[0-9T])(?:(?P<weeks>\d+)W)?(?:(?P<days>\d+)D)?"
    r"(?:T(?=[0-9])(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+(?:\.\d{1,6})?)S)?)?",
    re.ASCII | re.IGNORECASE,
)
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_INTEGER: Final = re.compile(r"-?[0-9]{1,20}", re.ASCII)


def read_datetime(text: str) -> datetime:
    """ISO 8601, with or without a zone."""
    if "T" not in text.upper() and " " not in text:
        raise ValueError(text)  # a date alone is not a moment
    return datetime.fromisoformat(text)


def read_duration(value: str | float) -> timedelta:
    """`1h30m`, `90` (seconds), or ISO 8601 (`PT1H30M`, also negative)."""
    found = _ISO_DURATION.fullmatch(value) if isinstance(value, str) else None
    if found is not None:
        micros = int(Decimal(found["seconds"] or 0) * 1_000_000)
        parts = {unit: int(found[unit] or 0) for unit in ("weeks", "days", "hours", "minutes")}
        length = timedelta(microseconds=micros, **parts)
        return -length if found["sign"] == "-" else length
    try:
        return timedelta(microseconds=parse_duration(value))
    except BadDuration as error:
        raise ValueError(value) from error


def read_decimal(value: str | int) -> Decimal:
    """A finite decimal number, exactly as written."""
    try:
        number = Decimal(value)
    except InvalidOperation as error:
        raise ValueError(value) from error
    if not number.is_finite():
        raise ValueError(value)
    return number


def read_uuid(text: str) -> str:
    """A UUID in its usual form."""
    if not _UUID.fullmatch(text):
        raise ValueError(text)
    return text


def read_integer(text: str) -> int:
    """A whole number written as text, as in the keys of an object."""
    if not _INTEGER.fullmatch(text):
        raise ValueError(text)
    return int(text)


FORMATS: Final[Mapping[str, tuple[str, Callable[[Any], Any]]]] = {
    "date": ("date", date.fromisoformat),
    "date-time": ("date and time", read_datetime),
    "time": ("time", time.fromisoformat),
    "duration": ("duration", read_duration),
    "decimal": ("decimal number", read_decimal),
    "uuid": ("UUID", read_uuid),
    "integer": ("whole number", read_integer),
}
