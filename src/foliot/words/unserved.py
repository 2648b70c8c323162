"""That no live worker would take the runs of a job, in words, with the next step."""

from typing import Final, NamedTuple

from foliot.domain.why.facts import Hold
from foliot.domain.why.verdicts import HoldKind
from foliot.words.language import Language
from foliot.words.phrases import phrase

_CODES: Final = {HoldKind.LABEL: "FOL-5005"}
_CODE: Final = "FOL-2002"


class Unserved(NamedTuple):
    """A warning in words."""

    code: str
    sentence: str
    hint: str


def unserved_in_words(hold: Hold, language: Language) -> Unserved:
    """A hold for want of a worker (`hold_of_job`)."""
    found = hold.nearest
    values = {
        "group": hold.group,
        "handler": _bare(hold.handler),
        "nearest": _bare(found[0]) if found else None,
        "nearest_on": found[1] if found else None,
        "needs": [f"{key}={value}" for key, value in hold.needs],
    }
    key = f"unserved_{hold.kind.value}"
    return Unserved(
        _CODES.get(hold.kind, _CODE), phrase(key, values, language), phrase(f"{key}_hint", values, language)
    )


def _bare(offer: str) -> str:
    """`python:billing.jobs:settle` as people write it."""
    return offer.removeprefix("python:")
