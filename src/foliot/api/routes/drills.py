"""`/drills`: failures that a user makes on purpose, to see what the cluster does."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query

from foliot.api.models.common import Page
from foliot.api.models.drills import (
    TYPES,
    DrillAskIn,
    DrillIn,
    DrillOut,
    DrillPreviewOut,
    DrillTypeOut,
    DrillTypesOut,
)
from foliot.api.pages import number_of_cursor
from foliot.api.request_parts import (
    PREFIX,
    READS,
    WRITES,
    Admin,
    Cursor,
    Limit,
    Reader,
    Services,
    Speaks,
    read_duration,
    read_words,
)
from foliot.api.route import FoliotRoute
from foliot.domain.drill_sizes import read_size
from foliot.domain.drills import FOR_USUAL, DrillType
from foliot.domain.errors import BadDuration, BadField
from foliot.operations import drills as operations

router: Final = APIRouter(prefix=PREFIX, tags=["drills"], route_class=FoliotRoute)

Number = Annotated[int, Path(ge=1, lt=2**63)]


@router.get("/drills", responses=READS, summary="The drills there were")
async def list_drills(
    services: Services,
    who: Reader,
    type: Annotated[str | None, Query(max_length=40, examples=["crash"])] = None,  # noqa: A002  as clients say
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[DrillOut]:
    """Newest first."""
    words = read_words(type, "type", TYPES)
    wanted = DrillType(words[0]) if words else None
    before_id = number_of_cursor(cursor, digits_max=18)
    found = await operations.list_drills(services, who, type_=wanted, limit=limit + 1, before_id=before_id)
    next_cursor = str(found[limit - 1].id) if len(found) > limit else None
    return Page(items=[DrillOut.of(one) for one in found[:limit]], next_cursor=next_cursor)


@router.get("/drills/types", responses=READS, summary="What can be broken")
async def list_drill_types(services: Services, who: Reader, language: Speaks) -> DrillTypesOut:
    """Every type of drill, and the nodes that take part in drills."""
    nodes = await operations.nodes_taking_part(services, who)
    return DrillTypesOut(items=[DrillTypeOut.of(type_, language) for type_ in DrillType], nodes=list(nodes))


@router.post("/drills:preview", responses=WRITES, summary="What a drill would break")
async def preview_drill(services: Services, who: Admin, language: Speaks, body: DrillIn) -> DrillPreviewOut:
    """Nothing is broken."""
    preview = await operations.preview_drill(
        services, who, _type(body), on=body.on, for_us=_for_us(body), size_us=_size_us(body)
    )
    return DrillPreviewOut.of(preview, language)


@router.post("/drills", status_code=201, responses=WRITES, summary="Break a node for a short time")
async def run_drill(services: Services, who: Admin, body: DrillAskIn) -> DrillOut:
    """The node begins with its next beat. At most one drill is under way."""
    drill = await operations.ask_drill(
        services,
        who,
        _type(body),
        on=body.on,
        for_us=_for_us(body),
        size_us=_size_us(body),
        alone=body.alone,
        reason=body.reason,
    )
    return DrillOut.of(drill)


@router.get("/drills/{number}", responses=READS, summary="One drill")
async def get_drill(services: Services, who: Reader, number: Number) -> DrillOut:
    """How far it is; when it is over, what the cluster did, and how that compares with earlier drills of its type."""
    drill, compared = await operations.find_drill(services, who, number)
    return DrillOut.of(drill, compared)


@router.post("/drills/{number}:stop", responses=WRITES, summary="End a drill early")
async def stop_drill(services: Services, who: Admin, number: Number) -> DrillOut:
    """One that has not begun never does. A node that is killed, stopped or cut off cannot hear of it."""
    return DrillOut.of(await operations.stop_drill(services, who, number))


def _type(body: DrillIn) -> DrillType:
    said = body.type.replace(",", " ").strip() or "?"  # one word, so that a list is unknown as a whole
    (word,) = read_words(said, "type", TYPES)
    return DrillType(word)


def _for_us(body: DrillIn) -> int:
    for_us = read_duration(body.for_, "for")
    return FOR_USUAL if for_us is None else for_us


def _size_us(body: DrillIn) -> int | None:
    try:
        return read_size(body.size)
    except BadDuration as error:
        raise BadField("size", error.sentence.rstrip("."), hint=error.hint) from error
