"""The load of a node, or of the cluster, as lines: what was usual, the most, and bars over time."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from foliot.cli.charts import bars, columns, levels_of
from foliot.cli.server_access import User
from foliot.cli.terminal import Line

SHARES: Final = ("cpu", "memory", "disk", "score")


def load_lines(user: User, found: Mapping[str, Any]) -> Iterator[tuple[str, Line]]:
    """The lines of an answer; none when it has no load, as that of a job."""
    load = found.get("load")
    if not load:
        return
    out = user.out
    if load["scheduled"] or load["skipped"] or load["leased"]:
        yield "fired", out.say("stats_fired", **{name: load[name] for name in ("scheduled", "skipped", "leased")})
    yield "bands", ", ".join(_band(found, *band) for band in load["bands"].items())
    yield "cpu", _reading(user, load, "cpu")
    yield "cpu", _bars(user, found, "cpu")
    yield "memory", _reading(user, load, "memory")
    yield "memory", _bars(user, found, "memory")
    yield "disk", _reading(user, load, "disk")
    yield "score", _reading(user, load, "score")
    yield "threads", _reading(user, load, "threads")
    yield "running", _reading(user, load, "running")
    yield "running", _bars(user, found, "running")
    yield "slots", _reading(user, load, "slots")


def _reading(user: User, load: Mapping[str, Any], name: str) -> str:
    """The mean and the most of a figure; empty when nobody said it."""
    reading = load[name]
    if reading is None:
        return ""
    return user.out.say("stats_reading", mean=_shown(name, reading["mean"]), max=_shown(name, reading["max"]))


def _bars(user: User, found: Mapping[str, Any], name: str) -> str:
    return bars(columns(found, found["load_points"], partial(_highest, name)), levels_of(user.out))


def _band(found: Mapping[str, Any], band: str, looks: float) -> str:
    """Of a node the share of the time, of the cluster how many nodes."""
    return f"{band} {looks:.1f}" if found["name"] == "cluster" else f"{band} {_shown('cpu', looks)}"


def _shown(name: str, value: float) -> str:
    return f"{100 * value:.1f} %" if name in SHARES else f"{value:.1f}".removesuffix(".0")


def _highest(name: str, point: Mapping[str, Any]) -> float:
    reading = point[name]
    return float(reading["max"]) if reading else 0.0
