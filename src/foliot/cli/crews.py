"""Crews: workers of one process, told apart by the kinds of handlers that they execute."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

Node: TypeAlias = Mapping[str, Any]

GONE: Final = ("DEAD", "LEFT")


def crews(nodes: Iterable[Node]) -> dict[str, list[Node]]:
    """For the id of each live worker that has others in its process: all of them, itself among them."""
    members: dict[tuple[Any, ...], list[Node]] = {}
    for one in nodes:
        if one["health"] not in GONE:
            members.setdefault(_process_of(one), []).append(one)
    of_several = [crew for crew in members.values() if len(crew) > 1]
    return {one["id"]: sorted(crew, key=kinds_of) for crew in of_several for one in crew}


def kinds_of(node: Node) -> str:
    """The kinds of handlers that a worker executes: `http, sql`."""
    return ", ".join(sorted({offer.partition(":")[0] for offer in node["handlers"]}))


def live_workers(name: str, nodes: Iterable[Node]) -> list[Node]:
    """The live workers that a name, or the id of one, stands for."""
    workers = [one for one in nodes if one["kind"] != "server" and one["health"] not in GONE]
    return [one for one in workers if name in (one["name"], one["id"])]


def _process_of(node: Node) -> tuple[Any, ...]:
    return node["kind"], node["name"], node["host"], node["pid"]
