"""A kind of handler as a package would bring it: it says its text, and can fail, wait and block."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from foliot import Ctx
from foliot.domain.errors import BadField
from foliot.ports.worker_link import HandlerOffer, LeasedRun

OPTIONS = {"text", "fails", "waits", "blocks"}
SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "description": "What it says."},
        "fails": {"type": "boolean", "default": False},
        "waits": {"type": "boolean", "default": False},
        "blocks": {"type": "boolean", "default": False},
    },
    "required": ["text"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EchoSettings:
    """What a worker may be told of the kind."""

    voice: str = ""
    times_max: int = 100
    is_mute: bool = False
    listeners: Mapping[str, "Listener"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """Somebody who hears it."""

    name: str
    password: str = ""


class Echo:
    """`run: {echo: {text: "hello"}}` (`ports.handler.HandlerKind`)."""

    kind = "echo"
    version = "1.0"
    options_schema: Mapping[str, Any] | None = SCHEMA

    def __init__(self) -> None:
        self.settings = EchoSettings()
        self.closed = 0

    def validate(self, options: Any) -> None:
        if not isinstance(options, Mapping) or not isinstance(options.get("text"), str):
            raise BadField("run.echo.text", "it is missing", hint='write {echo: {text: "hello"}}')
        for unknown in options.keys() - OPTIONS:
            raise BadField(f"run.echo.{unknown}", "it is not an option")

    def describe(self, options: Any) -> str:
        return f"says {options['text']}"

    def offers(self) -> Sequence[HandlerOffer]:
        return () if self.settings.is_mute else (HandlerOffer(name="echo"),)

    def handler_of(self, run: LeasedRun) -> "Saying | None":
        return None if run.options is None else Saying(json.loads(run.options), self.settings)

    async def close(self) -> None:
        self.closed += 1


@dataclass(frozen=True, slots=True)
class Saying:
    """What executes one run (`ports.handler.Invocable`)."""

    options: Mapping[str, Any]
    settings: EchoSettings

    @property
    def title(self) -> str:
        return "echo"

    @property
    def is_async(self) -> bool:
        return not self.options.get("blocks")

    def bind(self, params: str | None, ctx: Ctx) -> Callable[[], Any]:
        times = json.loads(params or "{}").get("times", 1)
        if not isinstance(times, int) or times > self.settings.times_max:
            raise TypeError("times is not a number")
        return partial(self._say_later if self.is_async else self._say, times, ctx)

    async def _say_later(self, times: int, ctx: Ctx) -> str:
        if self.options.get("waits"):
            await ctx.sleep_async("1h")
        return self._say(times, ctx)

    def _say(self, times: int, ctx: Ctx) -> str:
        if self.options.get("fails"):
            raise ConnectionError(self.options["text"])
        ctx.log.info("said", job=ctx.job)
        said = " ".join([self.options["text"]] * times)
        return f"{said} ({self.settings.voice})" if self.settings.voice else said
