"""Public holidays and working days of countries and markets, through the `holidays` package.

Some countries move working days onto weekends, and decree each year which (China's make-up days). For a year not
yet decreed nothing of that is known: `published_until` says up to which year it is.
"""

from datetime import date
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from foliot.domain.schedule.days import day_number
from foliot.domain.schedule.errors import BadCalendar

if TYPE_CHECKING:
    from holidays import HolidayBase

_DECREED_IN = 3  # a place that had make-up days in so many of five years running decrees them yearly
_LOOK_AHEAD = range(2015, 2041)


class Place(NamedTuple):
    """A country, with a part of it where holidays differ, or a market by its ISO code (XNYS)."""

    country: str = ""
    subdivision: str = ""
    market: str = ""


class YearOfDays(NamedTuple):
    """One year of a place: holidays with their names, and weekend days that are not worked."""

    holidays: dict[int, str]
    weekend: frozenset[int]


def check_place(place: Place) -> Place:
    """The place, if the holidays of it are known; BadCalendar with the nearest otherwise."""
    import holidays

    if place.market:
        _known(place.market, list(holidays.list_supported_financial()), "market", "XNYS")
        return place
    countries = holidays.list_supported_countries()
    _known(place.country, list(countries), "country", "CN")
    if place.subdivision:
        _known(place.subdivision, list(countries[place.country]), f"part of {place.country}", "")
    return place


def _known(name: str, known: list[str], what: str, example: str) -> None:
    if name not in known:
        close = get_close_matches(name[:100].upper(), known, n=1, cutoff=0.5)
        nearest = close[0] if close else example
        raise BadCalendar(
            f'The holidays of {what} "{name[:100]}" are not known.',
            hint=f"did you mean {nearest}?" if nearest else "leave the subdivision out",
            problem="holidays",
            name=name,
            nearest=nearest,
        )


@lru_cache(maxsize=512)
def year_of_days(place: Place, year: int) -> YearOfDays:
    """Holidays and free weekend days of one year, as day numbers."""
    book = _book(place, year)
    named = {}
    for day, name in book.items():
        if day.year == year:
            named[day_number(day)] = str(name)
    first = day_number(date(year, 1, 1))
    past = day_number(date(year + 1, 1, 1))
    free = (number for number in range(first, past) if _is_free_weekend(book, number))
    return YearOfDays(named, frozenset(free))


def _is_free_weekend(book: "HolidayBase", day: int) -> bool:
    moment = date.fromordinal(day + _ORDINAL)
    return book.is_weekend(moment) and moment not in book.weekend_workdays


@lru_cache(maxsize=64)
def published_until(place: Place) -> int | None:
    """The last year whose make-up days are known, None for places that do not decree them yearly."""
    years = sorted(
        {day.year for year in _LOOK_AHEAD for day in _book(place, year).weekend_workdays if day.year == year}
    )
    if not years:
        return None
    recent = [year for year in years if year > years[-1] - 5]
    return years[-1] if len(recent) >= _DECREED_IN else None


def _book(place: Place, year: int) -> "HolidayBase":
    import holidays

    if place.market:
        return holidays.financial_holidays(place.market, years=year)
    languages = holidays.country_holidays(place.country).supported_languages
    language = "en_US" if "en_US" in languages else None
    return holidays.country_holidays(place.country, subdiv=place.subdivision or None, years=year, language=language)


_ORDINAL = date(1970, 1, 1).toordinal()
