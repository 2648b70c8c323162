"""What a job says of its route: the word of the route, and the parameter whose value it goes by."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from foliot.domain.document_values import mapping, text
from foliot.domain.errors import BadField, InvalidInput
from foliot.domain.names import nearest
from foliot.domain.payload import canonical_json
from foliot.domain.routing import ANY, ROUTES
from foliot.domain.texts import NAME_BYTES_MAX

BY_A_KEY: Final = ("consistent_hash", "sticky")
"""Routes that tell runs apart by a key: `by` means something to them."""


class UnknownRoute(InvalidInput):
    """A job names a route that this cluster does not have."""

    code = "FOL-1230"

    def __init__(self, route: str, known: Collection[str]) -> None:
        names = ", ".join(sorted(known))
        meant = nearest(route[:200], known)
        super().__init__(
            f'There is no route "{route[:200]}".',
            hint=f"{f'did you mean {meant}? ' if meant else ''}the routes are: {names}",
            route=route[:200],
            known=names,
            meant=meant,
        )


@dataclass(frozen=True, slots=True)
class RouteChoice:
    """A route, and its parameter."""

    name: str = ANY
    by: str = ""  # a parameter of the job; empty: the job itself is the key

    @property
    def is_any(self) -> bool:
        return self.name == ANY


ANY_ROUTE: Final = RouteChoice()


def route_from(written: Any, path: str) -> RouteChoice:
    """Read `round`, or `{name: sticky, by: customer}`."""
    if isinstance(written, str):
        return RouteChoice(written)
    parts = mapping(written, path, ("name", "by"))
    by = parts.get("by")
    return RouteChoice(text(parts.get("name"), f"{path}.name"), "" if by is None else text(by, f"{path}.by"))


def written_route(choice: RouteChoice) -> Any:
    """The same for a job file."""
    return {"name": choice.name, "by": choice.by} if choice.by else choice.name


def key_of(params: object, by: str) -> str:
    """What runs are told apart by: the value of a parameter, as a text."""
    value = params.get(by) if isinstance(params, Mapping) else None
    return value if isinstance(value, str) else canonical_json(value)


def check_route(path: str, choice: RouteChoice) -> None:
    """Refuse a parameter where it means nothing. Which routes there are is known to a server: `check_known`."""
    for part, said in (("name", choice.name), ("by", choice.by)):
        if len(said.encode(errors="replace")) > NAME_BYTES_MAX or not said.isprintable():
            raise BadField(f"{path}.{part}", "it is no name", hint=f"up to {NAME_BYTES_MAX} bytes, all of them visible")
    if choice.by and choice.name in ROUTES and choice.name not in BY_A_KEY:
        raise BadField(
            f"{path}.by", f"the route {choice.name} goes by no parameter", hint=f"these do: {', '.join(BY_A_KEY)}"
        )


def check_known(choice: RouteChoice, known: Collection[str]) -> None:
    """`UnknownRoute` for a word that names none."""
    if choice.name not in known:
        raise UnknownRoute(choice.name, known)
