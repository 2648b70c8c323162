"""`--health` and `--load-weights`: when a node is in which band, and what share of work a worker in WARNING gets."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any, Final, TypeVar

import click

from foliot.app.settings import Timing
from foliot.domain.errors import InvalidInput
from foliot.domain.health import BadHealthRules
from foliot.domain.instants import parse_duration
from foliot.domain.load import BadLoadWeights, LoadWeights

Command = TypeVar("Command", bound=Callable[..., Any])
Read = Callable[[str], Any]

_RULES: Final[Mapping[str, tuple[str, Read]]] = {
    "warning_after": ("warning_after_us", parse_duration),
    "offline_after": ("offline_after_us", parse_duration),
    "warning_share": ("warning_share", float),
    "score": ("score", float),
    "calm": ("calm", float),
    "memory": ("memory", float),
    "memory_calm": ("memory_calm", float),
    "beats": ("beats", int),
    "connections_max": ("connections_max", int),
}
_WEIGHTS: Final[Mapping[str, tuple[str, Read]]] = {field.name: (field.name, float) for field in fields(LoadWeights)}


def health_options(command: Command) -> Command:
    """Add both options to a command, which gets what was written as `health` and `load_weights`."""
    weights = click.option(
        "--load-weights",
        envvar="FOLIOT_LOAD_WEIGHTS",
        default="",
        metavar="NAME=VALUE,..",
        help="How much each figure counts in a node's score: cpu=0.4,memory=0.3,connections=0.2,running=0.1.",
    )
    rules = click.option(
        "--health",
        envvar="FOLIOT_HEALTH",
        default="",
        metavar="NAME=VALUE,..",
        help="When nodes get less work or none, and how much less: warning_after=7s,warning_share=0.5.",
    )
    return rules(weights(command))


def with_health(timing: Timing, *, health: str, load_weights: str) -> Timing:
    """The timing with the thresholds that were written; what was not written is as usual."""
    if not health and not load_weights:
        return timing
    written = dict(_read(pair, _RULES, BadHealthRules) for pair in _pairs(health))
    weights = dict(_read(pair, _WEIGHTS, BadLoadWeights) for pair in _pairs(load_weights))
    usual = timing.bands
    rules = replace(usual, weights=replace(usual.weights, **weights), **written)
    return replace(timing, health=rules)


def _pairs(written: str) -> list[str]:
    parts = (part.strip() for part in written.split(","))
    return [part for part in parts if part]


def _read(pair: str, table: Mapping[str, tuple[str, Read]], refusal: type[InvalidInput]) -> tuple[str, Any]:
    name, _, value = (piece.strip() for piece in pair.partition("="))
    known = table.get(name)
    if known is None:
        raise refusal(f'There is no "{name}" to set.', hint=f"known here: {', '.join(table)}")
    field, read = known
    try:
        return field, read(value)
    except ValueError as error:
        raise refusal(f'{name}: "{value}" is not a number.', hint=f"known here: {', '.join(table)}") from error
