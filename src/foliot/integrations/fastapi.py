"""FastAPI and Starlette: `FastAPI(lifespan=foliot.lifespan())`.

A web application is a *client* unless it says otherwise: it triggers jobs and never fires or runs any, so that four web
processes cannot do it four times.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from importlib import import_module
from typing import Any, Final, Literal, TypeAlias, get_args

from foliot.domain.errors import BadField, ClusterTrouble
from foliot.domain.names import nearest
from foliot.sdk.connection import connection

Role: TypeAlias = Literal["client", "worker", "all_in_one"]
State: TypeAlias = Mapping[str, Any]
Lifespan: TypeAlias = Callable[[Any], AbstractAsyncContextManager[State]]
InnerLifespan: TypeAlias = Callable[[Any], AbstractAsyncContextManager[State | None]]

ROLES: Final[tuple[str, ...]] = get_args(Role)


def lifespan(
    *,
    role: Role = "client",
    url: str | Sequence[str] | None = None,
    token: str | None = None,
    jobs: Sequence[str] = (),
    inner: InnerLifespan | None = None,
    **options: Any,
) -> Lifespan:
    """The lifespan of an application that uses Foliot; `inner` is the application's own, if it has one.

    `client`: `job.trigger_async()` works in requests. `worker`: this process also runs the jobs of the modules or files
    in `jobs`. `all_in_one`: it is a whole Foliot, for one process and small things.
    """
    if role not in ROLES:
        meant = nearest(str(role), ROLES)
        raise BadField(
            "role", f'"{role}" is not one of {", ".join(ROLES)}', hint=f"did you mean {meant}?" if meant else None
        )

    @asynccontextmanager
    async def around(app: Any) -> AsyncIterator[State]:
        async with AsyncExitStack() as stack:
            if url is not None:
                connection.configure(url, token)
            stack.push_async_callback(connection.close_async)
            if role != "client":
                start = _embedded_start(role)
                await stack.enter_async_context(start(role, jobs=jobs, url=url, token=token, **options))
            state = None if inner is None else await stack.enter_async_context(inner(app))
            yield state or {}

    return around


class RoleNotHere(ClusterTrouble):
    """A role that this installation cannot play inside another program."""

    code = "FOL-5031"

    def __init__(self, role: str) -> None:
        command = "foliot worker MODULE" if role == "worker" else "foliot up"
        super().__init__(
            f'role="{role}" is not available inside an application here.',
            hint=f'keep role="client" and run {command} beside it',
            role=role,
        )


def _embedded_start(role: str) -> Callable[..., AbstractAsyncContextManager[Any]]:
    """What starts a node in this process; loaded only for those who ask for one."""
    try:
        start: Callable[..., AbstractAsyncContextManager[Any]] = import_module("foliot.app.embedded").start
    except ModuleNotFoundError as error:
        raise RoleNotHere(role) from error
    return start
