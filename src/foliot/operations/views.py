"""Saved views: a person's own, and those that are shared with everybody."""

from collections.abc import Sequence
from typing import Final

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import BadField, Conflict
from foliot.domain.names import check_name
from foliot.operations.services import Services
from foliot.ports.store.views import SHARED, View, ViewNotFound

VIEWS_MAX: Final = 100
PATH_BYTES_MAX: Final = 1000


class TooManyViews(Conflict):
    """A person, or everybody together, has as many views as are kept."""

    code = "FOL-3070"

    def __init__(self) -> None:
        super().__init__(f"There are {VIEWS_MAX} saved views already.", hint="forget one first", most=VIEWS_MAX)


async def list_views(services: Services, who: Principal) -> Sequence[View]:
    """The person's own views and the shared ones, by name."""
    who.demand(Scope.READ)
    owners = [who.name]
    if not who.is_limited:  # an address may name jobs of any namespace
        owners.append(SHARED)
    return await services.store.views.list(owners)


async def save_view(services: Services, who: Principal, name: str, path: str, *, is_shared: bool) -> View:
    """Keep an address of the console under a name. A shared view needs the right to write everywhere."""
    owner = _owner(who, is_shared=is_shared)
    name = check_name("view", name)
    if not path.startswith("/") or path.startswith("//") or len(path.encode()) > PATH_BYTES_MAX:
        raise BadField("path", "it is no address of the console", hint="such as /jobs?failing=true")
    view = await services.store.views.save(owner, name, path, by=who.name, most=VIEWS_MAX)
    if view is None:
        raise TooManyViews
    return view


async def remove_view(services: Services, who: Principal, name: str, *, is_shared: bool) -> None:
    """Forget a view."""
    owner = _owner(who, is_shared=is_shared)
    if not await services.store.views.remove(owner, name):
        raise ViewNotFound(f'No saved view "{name[:100]}".', name=name[:100])


def _owner(who: Principal, *, is_shared: bool) -> str:
    if not is_shared:
        who.demand(Scope.READ)
        return who.name
    who.demand_everywhere(Scope.WRITE)
    return SHARED
