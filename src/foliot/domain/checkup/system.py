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
        used, most = node.load.get("files"), node.load.get("files_max", 0)
        if used is not None and most > 0:
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
    """Nodes that fell silent, get less work, or died a short time ago. One that is back under its name is well."""
    well = {node.name for node in _there(facts) if not node.is_silent and not node.is_strained}
    unwell = [node for node in facts.nodes if node.name not in well]
    for node in unwell:
        yield _unwell(node, of=len(unwell))
    if not unwell:
        yield Measure(value=0, case="none", said={"count": len(well)})


def _unwell(node: NodeFigures, *, of: int) -> Measure:
    case, grade = "strained", Grade.NOTICE
    if node.is_gone:
        case = "dead"
    elif node.is_silent:
        case, grade = "silent", Grade.WARNING
    return Measure(value=of, subject=node.name, case=case, said={"node": node.name}, grade=grade)


def versions(facts: Facts) -> Iterator[Measure]:
    """Whether every node has the same version of Foliot."""
    found = sorted({node.version for node in _there(facts) if node.version})
    if found:
        case = "none" if len(found) == 1 else ""
        yield Measure(value=len(found), case=case, said={"versions": found, "version": found[-1]})


def _there(facts: Facts) -> Iterator[NodeFigures]:
    return (node for node in facts.nodes if not node.is_gone)
