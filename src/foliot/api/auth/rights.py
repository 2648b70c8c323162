"""The right each route declares (SEC-03). A route without one is an error at start-up, not at the first attack."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from foliot.api.auth.authenticator import Authenticator
from foliot.api.bodies import LOGIN_BODY_MAX
from foliot.api.gate import GateKind
from foliot.domain.access import Principal, Scope

PUBLIC: Final = "public"
Right = Scope | Literal["public"]


class Needs:
    """A dependency: the principal of a request, who has this scope."""

    def __init__(self, scope: Scope) -> None:
        self.right: Right = scope
        self._scope = scope

    async def __call__(self, request: Request) -> Principal:
        authenticator: Authenticator = request.app.state.authenticator
        principal = await authenticator.principal(request)
        principal.demand(self._scope)
        return principal


class Open:
    """A dependency that declares: anybody may ask this, counted by address, with a body of so many bytes at most."""

    right: Right = PUBLIC

    def __init__(self, *, counts_as: GateKind = GateKind.LOGINS, bytes_max: int = LOGIN_BODY_MAX) -> None:
        self.counts_as = counts_as
        self.bytes_max = bytes_max

    async def __call__(self) -> None:
        return None


class UndeclaredRight(AssertionError):
    """A route that does not say who may call it: a bug, found when the server starts."""


def rights_of(routes: Sequence[BaseRoute], declared: Mapping[str, Right]) -> dict[tuple[str, str], Right]:
    """(method, path) -> right of every route; `UndeclaredRight` for one that declares none.

    `declared` has the rights of plain routes, by their name.
    """
    found: dict[tuple[str, str], Right] = {}
    for route in routes:
        if not isinstance(route, Route):  # a mounted app or router hides its routes
            raise UndeclaredRight(f"{route!r} cannot declare the rights of what it serves")
        right = _right_of(route, declared)
        for method in sorted((route.methods or set()) - {"HEAD"}):
            found[method, route.path] = right
    return found


def _right_of(route: Route, declared: Mapping[str, Right]) -> Right:
    if not isinstance(route, APIRoute):
        if route.name not in declared:
            raise UndeclaredRight(f"{route.path} ({route.name}) declares no right")
        return declared[route.name]
    rights = [needed.right for needed in calls_of(route.dependant) if isinstance(needed, Needs | Open)]
    if len(rights) != 1:
        raise UndeclaredRight(f"{sorted(route.methods or ())} {route.path} declares {len(rights)} rights, not one")
    return rights[0]


def calls_of(dependant: Any) -> Iterator[Any]:
    """Everything a route depends on."""
    for needed in dependant.dependencies:
        yield needed.call
        yield from calls_of(needed)
