"""Charts in one line of text: values over a range of time as bars."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from foliot.cli.output import Output

BARS_MAX: Final = 60
LEVELS: Final = "▁▂▃▄▅▆▇█"
ASCII_LEVELS: Final = ".:-=+*%#"
NOTHING: Final = " "
STEP_S: Final = {"minute": 60, "hour": 3600, "day": 86_400}


def levels_of(out: Output) -> str:
    """The letters of bars that a terminal can show."""
    return ASCII_LEVELS if out.ascii else LEVELS


def columns(
    found: Mapping[str, Any], points: Sequence[Mapping[str, Any]], value_of: Callable[[Mapping[str, Any]], float]
) -> Sequence[float]:
    """The greatest value of each part of the range of an answer, in as many parts as a line has room for."""
    begin = _seconds(found["from_at"])
    step_s = STEP_S[found["step"]]
    steps = max(1, round((_seconds(found["to_at"]) - begin) / step_s))
    parts = min(steps, BARS_MAX)
    greatest = [0.0] * parts
    for point in points:
        step = round((_seconds(point["start"]) - begin) / step_s)
        part = min(step * parts // steps, parts - 1)
        greatest[part] = max(greatest[part], value_of(point))
    return greatest


def _seconds(written: str) -> float:
    return datetime.fromisoformat(written).timestamp()


def bars(values: Sequence[float], levels: str = LEVELS) -> str:
    """Values as a line of bars: the greatest one is full, none is blank. Empty when there is nothing to compare."""
    most = max(values, default=0.0)
    if most <= 0 or len(values) < 2:
        return ""
    top = len(levels) - 1
    shown = [levels[round(value / most * top)] if value > 0 else NOTHING for value in values]
    return "".join(shown)
