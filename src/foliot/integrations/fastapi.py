"""FastAPI and Starlette: `FastAPI(lifespan=foliot.lifespan())`.

A web application is a *client* unless it says otherwise: it triggers jobs and never fires or runs any, so that four web
processes cannot do it four times.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from importlib import import_module
from typing import Any, Final, Literal, TypeAlias, get_args

from foliot.domain.errors import BadField
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
                embedded = import_module("foliot.app.embedded")  # a whole node: only for those who ask for one
                await stack.enter_async_context(embedded.start(role, jobs=jobs, url=url, token=token, **options))
            state = None if inner is None else await stack.enter_async_context(inner(app))
            yield state or {}

    return around
