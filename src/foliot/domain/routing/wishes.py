"""Wishes: which labels of a worker a job prefers and avoids, and over which label its runs are spread.

Unlike `place.require` no wish keeps a run from a worker for good: how they are weighed stands in `placement`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from foliot.domain.document_values import in_one_form, mapping, name, whole
from foliot.domain.errors import BadField

WEIGHT_MAX: Final = 100


@dataclass(frozen=True, slots=True)
class Preference:
    """A value of a label, and how much a worker with it is preferred."""

    value: str
    weight: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a job wishes of the workers that fit it."""

    prefer: Mapping[str, Preference] = field(default_factory=dict)
    avoid: Mapping[str, str] = field(default_factory=dict)
    spread: str | None = None  # a label

    @property
    def is_none(self) -> bool:
        return not (self.prefer or self.avoid or self.spread)

    def score(self, labels: Mapping[str, str]) -> int:
        """How much a worker with these labels is preferred: the sum of the weights that it meets."""
        return sum(wish.weight for label, wish in self.prefer.items() if labels.get(label) == wish.value)

    def avoided(self, labels: Mapping[str, str]) -> int:
        """How many of the labels to be avoided it has."""
        return sum(labels.get(label) == value for label, value in self.avoid.items())

    def part(self, labels: Mapping[str, str]) -> str:
        """Its value of the label that runs are spread over; without that label a value of its own."""
        return labels.get(self.spread, "") if self.spread else ""


def prefer_from(written: Any, path: str) -> dict[str, Preference]:
    """Read `{disk: ssd}`, or `{disk: {value: ssd, weight: 5}}`."""
    return {in_one_form(label): _preference(wish, f"{path}.{label}") for label, wish in mapping(written, path).items()}


def _preference(written: Any, path: str) -> Preference:
    if not isinstance(written, Mapping):
        return Preference(name("" if written is None else written, path))
    parts = mapping(written, path, ("value", "weight"))
    if parts.get("value") is None:
        raise BadField(f"{path}.value", "it is missing", hint="write disk: {value: ssd, weight: 5}")
    weight = parts.get("weight")
    value = name(parts["value"], f"{path}.value")
    return Preference(value, 1 if weight is None else whole(weight, f"{path}.weight"))


def written_prefer(prefer: Mapping[str, Preference]) -> dict[str, Any]:
    """The same for a job file."""
    return {
        label: wish.value if wish.weight == 1 else {"value": wish.value, "weight": wish.weight}
        for label, wish in prefer.items()
    }


def check_wishes(wishes: Wishes, require: Mapping[str, str]) -> None:
    """Refuse wishes that contradict each other, or what the job requires."""
    for field_, labels in (("prefer", wishes.prefer), ("avoid", wishes.avoid)):
        for label in labels:
            if label in require:
                raise BadField(
                    f"place.{field_}.{label}",
                    "place.require settles this label already",
                    hint=f"take it out of place.{field_} or of place.require",
                )
    for label, wish in wishes.prefer.items():
        if wishes.avoid.get(label) == wish.value:
            raise BadField(f"place.prefer.{label}", "place.avoid names the same value", hint="take one of them out")
    if wishes.spread is None:
        return
    for field_, labels in (("require", require), ("prefer", wishes.prefer)):
        if wishes.spread in labels:
            raise BadField(
                "place.spread",
                f"place.{field_} names one value of this label, so there is nothing to spread over",
                hint=f"spread over another label, or take it out of place.{field_}",
            )
