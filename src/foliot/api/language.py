"""Which language and which zone a reader wants."""

from starlette.requests import Request

from foliot.domain.schedule.zones import zone
from foliot.words.language import Language


def language_of(request: Request) -> Language:
    """Return the language of `Accept-Language` with the most weight, of those that Foliot speaks."""
    best = Language.ENGLISH
    best_weight = 0.0
    header = request.headers.get("accept-language", "")[:500]
    for part in header.split(","):
        tag, _, rest = part.strip().partition(";")
        weight = _weight(rest)
        if _is_spoken(tag) and weight > best_weight:
            best = Language.of(tag)
            best_weight = weight
    return best


def _is_spoken(tag: str) -> bool:
    return tag == "*" or tag.lower().startswith(("zh", "en"))


def zone_of(asked: str | None, usual: str) -> str:
    """The zone to show times in; `UnknownZone` for one that does not exist."""
    return usual if asked is None else str(zone(asked).name)


def _weight(written: str) -> float:
    name, _, value = written.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return max(0.0, min(1.0, float(value)))
    except ValueError:
        return 0.0
