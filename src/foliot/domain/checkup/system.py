"""Checks of the machines: processor, memory, disk, open files, clocks, and which nodes are there."""

from collections.abc import Iterator

from foliot.domain.checkup.database import percent
from foliot.domain.checkup.facts import Facts, NodeFigures
from foliot.domain.checkup.findings import Grade, Measure, Measuring
from foliot.domain.instants import SECOND


def of_share(figure: str) -> Measuring:
    """A check of one share that the beats of nodes carry."""

    def measure(facts: Facts) -> Iterator[Measure]:
        for node in _there(facts):
            share = node.load.get(figure)
            if share is not None:
                yield Measure(value=share, subject=node.name, said={"node": node.name, "percent": percent(share)})

    return measure


def open_files(facts: Facts) -> Iterator[Measure]:
    """How many of the files that a process may open are open."""
    for node in _there(facts):
        used, most = node.load.get("open_files"), node.load.get("open_files_max")
        if used is not None and most:
            said = {"node": node.name, "used": int(used), "most": int(most)}
            yield Measure(value=used / most, subject=node.name, said=said)


def clocks(facts: Facts) -> Iterator[Measure]:
    """How far the wall clock of each node is from the store's."""
    for node in _there(facts):
        if node.clock_offset_us is not None:
            apart_us = abs(node.clock_offset_us)
            case = "ahead" if node.clock_offset_us > 0 else "behind"
            yield Measure(
                value=apart_us / SECOND, subject=node.name, case=case, said={"node": node.name, "apart": apart_us}
            )


def nodes(facts: Facts) -> Iterator[Measure]:
    """Nodes that fell silent, or died a short time ago. One that is back under its name is well."""
    back = {node.name for node in _there(facts) if not node.is_silent}
    missing = [node for node in facts.nodes if node.name not in back]
    for node in missing:
        yield _missing(node, of=len(missing))
    if not missing:
        yield Measure(value=0, case="none", said={"count": len(back)})


def _missing(node: NodeFigures, *, of: int) -> Measure:
    said = {"node": node.name}
    if node.is_gone:
        return Measure(value=of, subject=node.name, case="dead", said=said, grade=Grade.NOTICE)
    return Measure(value=of, subject=node.name, case="silent", said=said, grade=Grade.WARNING)


def versions(facts: Facts) -> Iterator[Measure]:
    """Whether every node has the same version of Foliot."""
    found = sorted({node.version for node in _there(facts) if node.version})
    if found:
        case = "none" if len(found) == 1 else ""
        yield Measure(value=len(found), case=case, said={"versions": found, "version": found[-1]})


def _there(facts: Facts) -> Iterator[NodeFigures]:
    return (node for node in facts.nodes if not node.is_gone)
