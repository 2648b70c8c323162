"""Options that take a time: which way each of them looks, and what a bare duration or clock face means then."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


class Tense(Enum):
    """Which way an option looks."""

    PAST = auto()
    FUTURE = auto()


TENSES: Final[Mapping[str, Tense]] = {
    # The commands with options that take a time, and which way these look.
    "alert history --since": Tense.PAST,
    "alert list --since": Tense.PAST,
    "alert silence --until": Tense.FUTURE,
    "cluster events --since": Tense.PAST,
    "cluster failovers --since": Tense.PAST,
    "cron explain --from": Tense.FUTURE,
    "cron next --from": Tense.FUTURE,
    "job anomalies --since": Tense.PAST,
    "job backfill --from": Tense.PAST,
    "job backfill --to": Tense.PAST,
    "job create --at": Tense.FUTURE,
    "job fires --from": Tense.PAST,
    "job fires --to": Tense.PAST,
    "job pause --until": Tense.FUTURE,
    "job skips --since": Tense.PAST,
    "job skips --until": Tense.PAST,
    "job stats --from": Tense.PAST,
    "job stats --to": Tense.PAST,
    "job trigger --at": Tense.FUTURE,
    "job why --at": Tense.PAST,
    "job why --since": Tense.PAST,
    "node stats --from": Tense.PAST,
    "cluster stats --from": Tense.PAST,
    "node stats --to": Tense.PAST,
    "cluster stats --to": Tense.PAST,
    "run list --since": Tense.PAST,
    "run list --until": Tense.PAST,
    "run list --ended-since": Tense.PAST,
    "run list --ended-until": Tense.PAST,
    "run logs --since": Tense.PAST,
    "run retry --since": Tense.PAST,
    "why --at": Tense.PAST,
    "why --since": Tense.PAST,
}

RULES: Final[Mapping[Tense, str]] = {
    Tense.PAST: "2h is two hours ago, +2h ahead; 16:45 is today's.",
    Tense.FUTURE: "2h is two hours ahead, -2h ago; 16:45 is the next one.",
}


@dataclass(frozen=True, slots=True)
class TypedTime:
    """A time as the user typed it, and which way its option looks. `Times.read` turns it into an instant."""

    text: str
    tense: Tense = Tense.PAST

    @property
    def is_now(self) -> bool:
        """Whether it is the word for the present."""
        return self.text.strip() == "now"


if TYPE_CHECKING:
    _ParamType = click.ParamType[TypedTime]
else:
    _ParamType = click.ParamType  # older versions of click take no parameter


class TimeType(_ParamType):
    """The type of an option that takes a time."""

    name = "TIME"

    def __init__(self, tense: Tense) -> None:
        self.tense = tense

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> TypedTime:
        """Keep what was typed: the reader's zone and clock are known later."""
        if isinstance(value, TypedTime):
            return value
        return TypedTime(str(value), self.tense)


def time_option(place: str, *names: str, help: str = "", required: bool = False) -> Callable[[Command], Command]:  # noqa: A002
    """An option that takes a time: `run list --since`. Its help says the rule."""
    tense = TENSES[place]
    flag = place.rpartition(" ")[2]
    return click.option(
        flag,
        *names,
        metavar="TIME",
        type=TimeType(tense),
        required=required,
        help=f"{help} {RULES[tense]}".strip(),
    )
