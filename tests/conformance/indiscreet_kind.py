"""A kind of handler that tells the secrets it is given wherever it can: log, result, notes, checkpoint, error."""

import asyncio
import base64
import json
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from foliot import Ctx
from foliot.ports.secrets import NO_SECRETS, Destination, Secrets
from foliot.ports.worker_link import HandlerOffer, LeasedRun


class Indiscreet:
    """`run: {indiscreet: {text: "Bearer ${secret:TOKEN}", host: "api.example.org", fails: true}}`."""

    kind = "indiscreet"
    version = "1.0"
    options_schema: Mapping[str, Any] | None = None
    secret_fields = ("text",)

    def __init__(self) -> None:
        self.secrets: Secrets = NO_SECRETS

    def validate(self, options: Any) -> None: ...

    def describe(self, options: Any) -> str:
        return "tells everything"

    def offers(self) -> Sequence[HandlerOffer]:
        return (HandlerOffer(name="indiscreet"),)

    def handler_of(self, run: LeasedRun) -> "Telling | None":
        return None if run.options is None else Telling(json.loads(run.options), self.secrets)

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Telling:
    """What executes one run."""

    options: Mapping[str, Any]
    secrets: Secrets

    @property
    def title(self) -> str:
        return "indiscreet"

    @property
    def is_async(self) -> bool:
        return True

    def bind(self, params: str | None, ctx: Ctx) -> Callable[[], Any]:
        return partial(self._tell, ctx)

    async def _tell(self, ctx: Ctx) -> Any:
        host = self.options.get("host")
        to = None if host is None else Destination(host, 443, is_encrypted=True)
        text = await self.secrets.filled(self.options["text"], namespace=ctx.namespace, to=to)
        forms = [text, quote(text, safe=""), base64.b64encode(f"user:{text}".encode()).decode(), repr(text)]
        ctx.log.info("told", forms=forms, text=text)
        print(text)
        print(text, file=sys.stderr)
        logging.getLogger("indiscreet").error("told %s", text)
        ctx.progress(1, 2, note=text)
        ctx.checkpoint["told"] = text
        if self.options.get("waits"):
            await self._wait(ctx)
        if self.options.get("fails"):
            raise ConnectionError(f"refused: {json.dumps(forms)}")
        return {"forms": forms, "length": len(text)}

    async def _wait(self, ctx: Ctx) -> None:
        """Until it is asked to stop. One that fails does so after it was asked, too."""
        try:
            await asyncio.wait_for(ctx.stop_asked(), 60)
        except asyncio.CancelledError:
            if not self.options.get("fails"):
                raise
