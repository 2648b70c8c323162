"""`run: {weather: {city: Rome, days: 3}}`: a kind of handler as another package brings it."""

import importlib.metadata
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from foliot import Ctx
from foliot.domain.errors import BadField
from foliot.ports.worker_link import HandlerOffer, LeasedRun


class Weather:
    """`ports.handler.HandlerKind`."""

    kind = "weather"
    version = importlib.metadata.version("foliot-weather")
    options_schema: Mapping[str, Any] | None = {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where."},
            "days": {
                "type": "integer",
                "minimum": 1,
                "maximum": 7,
                "default": 1,
                "description": "How many days ahead.",
            },
        },
        "required": ["city"],
        "additionalProperties": False,
    }

    def validate(self, options: Any) -> None:
        """Only a server that has this package calls it; the others go by the schema."""
        if not isinstance(options, Mapping) or "city" not in options:
            raise BadField("run.weather.city", "it is missing", hint="write {weather: {city: Rome}}")

    def describe(self, options: Any) -> str:
        return f"the weather of {options['city']}"

    def offers(self) -> Sequence[HandlerOffer]:
        return (HandlerOffer(name="weather"),)

    def handler_of(self, run: LeasedRun) -> "Forecast | None":
        return None if run.options is None else Forecast(json.loads(run.options))

    async def close(self) -> None: ...


class Forecast:
    """What executes one run (`ports.handler.Invocable`)."""

    title = "weather"
    is_async = True

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options

    def bind(self, params: str | None, ctx: Ctx) -> Callable[[], Any]:
        return partial(self._look, ctx)

    async def _look(self, ctx: Ctx) -> dict[str, Any]:
        ctx.log.info("looked", city=self._options["city"])
        return {"city": self._options["city"], "days": ["rain"] * self._options.get("days", 1)}
