"""Jobs that name limits, for tests."""

from typing import Any

from foliot.domain.job import Definition
from foliot.domain.limits import LimitChange, LimitNotYours
from foliot.ports.store.jobs import Saved
from foliot.ports.store.runs import TriggerRequest
from tests.conformance.building import PERSON, PLANS, definition
from tests.conformance.world import World


def naming(name: str, most: int, **document: Any) -> Definition:
    return definition(place={"concurrency": {name: most}}, **document)


def refuse(change: LimitChange) -> None:
    raise LimitNotYours(change)


async def save(world: World, says: Definition, *, namespace: str = "default", job: str = "tick", **how: Any) -> Saved:
    return await world.store.jobs.save(namespace, job, says, by=PERSON, plans=PLANS, **how)


async def maxima(world: World) -> dict[tuple[str | None, str], int | None]:
    found = await world.store.limits.list(namespace=None, after="", limit=100)
    return {(one.namespace, one.name): one.max for one in found}


def ask_in(namespace: str, key: str) -> Any:
    return TriggerRequest(namespace=namespace, job="tick", key=key, by=PERSON)
