"""Which language and which zone a reader wants."""

from starlette.requests import Request

from foliot.domain.schedule.zones import zone
from foliot.words.language import Language


def language_of(request: Request) -> Language:
    """From `Accept-Language`: the best of those Foliot speaks."""
    best, best_weight = Language.ENGLISH, 0.0
    for part in request.headers.get("accept-language", "")[:500].split(","):
        tag, _, rest = part.strip().partition(";")
        weight = _weight(rest)
        if tag and weight > best_weight and (tag.lower().startswith(("zh", "en")) or tag == "*"):
            best, best_weight = Language.of(tag), weight
    return best


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
