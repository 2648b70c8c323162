"""Parameters that a definition names (`by`) are parameters of its function: else all of its runs have one key."""

import inspect
from collections.abc import Callable
from typing import Any

from foliot.domain.errors import BadField
from foliot.domain.job import Definition


def check_named(function: Callable[..., Any], definition: Definition) -> None:
    """Refuse a `by` that the function has no parameter for. One that takes any keyword has them all."""
    parameters = inspect.signature(function).parameters.values()
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters):
        return
    known = [one.name for one in parameters]
    for path, name in _named(definition).items():
        if name and name not in known:
            hint = f"its parameters: {', '.join(known) or '-'}"
            raise BadField(path, f"{function.__name__} has no parameter {name}", hint=hint)


def _named(definition: Definition) -> dict[str, str | None]:
    """The parameters that a definition names, each by its place there."""
    debounce, throttle = definition.debounce, definition.throttle
    return {
        "place.route.by": definition.route.by,
        "place.concurrency_by": definition.concurrency_by,
        "place.rate_by": definition.rate_by,
        "debounce.by": debounce.by if debounce else None,
        "throttle.by": throttle.by if throttle else None,
    }
