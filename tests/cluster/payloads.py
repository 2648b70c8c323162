"""Jobs that take and give what people send: for payloads of every kind (F18, F20)."""

from collections.abc import Callable
from typing import Any

from foliot import Ctx, job
from tests.cluster.acting import note


@job(overlap="allow")
async def echo(ctx: Ctx, value: Any = None) -> Any:
    """Gives back what it got."""
    note("start", ctx)
    note("end", ctx)
    return value


class Unsayable(Exception):
    """An error that cannot even be written down."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def _deep(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


RESULTS: dict[str, Callable[[str], Any]] = {
    "nan": lambda _: float("nan"),
    "huge": lambda _: 10**400,
    "deep": lambda _: _deep(500),
    "large": lambda secret: secret * 100_000,
    "bytes": lambda secret: secret.encode(),
    "object": lambda _: object(),
    "half": lambda secret: secret + "\ud800",
}


@job(overlap="allow")
def gives(ctx: Ctx, kind: str, secret: str) -> Any:
    """Returns what no store keeps, or raises what nobody can say."""
    note("start", ctx)
    match kind:
        case "raises":
            raise ValueError(secret)
        case "raises_much":
            raise ValueError(secret * 200_000)
        case "raises_badly":
            raise Unsayable(secret)
    note("end", ctx)
    return RESULTS[kind](secret)
