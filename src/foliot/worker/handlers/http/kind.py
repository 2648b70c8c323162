"""The kind `http` (`ports.handler.HandlerKind`): jobs that call a URL."""

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from foliot import __version__
from foliot.domain.errors import FoliotError
from foliot.domain.instants import SECOND, to_datetime
from foliot.domain.job import Definition
from foliot.domain.json_check import JsonCheck
from foliot.domain.payload import PARAMS_BYTES_MAX, parse_json
from foliot.domain.redaction import HIDDEN, redacted
from foliot.domain.run import format_run_id
from foliot.domain.template import RunValues
from foliot.ports.secrets import NO_SECRETS, Destination, Secrets
from foliot.ports.worker_link import CallbackAddress, HandlerOffer, LeasedRun
from foliot.sdk.ctx import Ctx
from foliot.worker.handlers.http.advice import SecretOverPlainHttp, WaitUnlimited, says_within
from foliot.worker.handlers.http.answer import HttpAnswer
from foliot.worker.handlers.http.caller import HttpCaller, HttpRequest
from foliot.worker.handlers.http.disguises import Hide, hiding
from foliot.worker.handlers.http.errors import HttpAnswerUnfit, HttpFailed, status_error
from foliot.worker.handlers.http.message import Message, idempotency_key, message_from, message_of
from foliot.worker.handlers.http.options import MEANINGS, HttpOptions
from foliot.worker.handlers.http.result import cut, json_of, result_of, text_of
from foliot.worker.handlers.http.settings import KIND, HttpSettings
from foliot.worker.handlers.http.tls import tls_contexts
from foliot.worker.handlers.http.wait import HttpWait
from foliot.worker.handlers.options import options_schema
from foliot.worker.secrets.settings import is_this_machine

CHECKED_BYTES_MAX: Final = 1024 * 1024  # of an answer that is checked
DESCRIBED_MAX: Final = 150
SHOWN_BYTES: Final = 2_000  # of an answer that is not as expected, in the log of the run
SECRET_BYTES: Final = 4_096  # kept beyond what is shown, so that no secret is cut in half and then not recognised
_OTHER_LOOPS: Final = ("process", "thread")


class HttpHandlers:
    """Calls URLs. The calls of one worker share one pool of connections."""

    kind = KIND
    version = __version__
    options_schema: Final[Mapping[str, Any]] = options_schema(HttpOptions, MEANINGS)

    def __init__(self) -> None:
        self.settings = HttpSettings()
        self.secrets: Secrets = NO_SECRETS
        self._shared: HttpCaller | None = None

    def validate(self, options: Any) -> None:
        """Read them as a run would."""
        message_of(options)

    def parameters_in(self, options: Any) -> Iterable[tuple[str, str]]:
        """Those that places of the request name."""
        return message_of(options).parameters()

    def keeps_callback_result(self, options: Any) -> bool:
        """Unless the job says `callback: {result: none}`."""
        callback = options.get("callback")
        return not isinstance(callback, Mapping) or callback.get("result") != "none"

    def advice(self, definition: Definition) -> Iterable[FoliotError]:
        """What to look at again: a wait without a limit of the job's own, a secret that the network can read."""
        options = definition.handler.options
        message = message_of(options)
        if message.wait is not None and definition.timeout_us is None and not says_within(options):
            yield WaitUnlimited(message.wait.within_s)
        if message.secrets and message.scheme == "http" and not is_this_machine(message.host):
            yield SecretOverPlainHttp(message.secrets[0], message.host)

    def describe(self, options: Any) -> str:
        """Method and URL, without what is behind the question mark."""
        message = message_of(options)
        line = f"{message.method} {message.options.url.partition('?')[0]}"
        return line if len(line) <= DESCRIBED_MAX else f"{line[: DESCRIBED_MAX - 1]}…"

    def offers(self) -> Sequence[HandlerOffer]:
        """One offer: a URL is data of the job. Settings that cannot be used are refused here, before a run comes."""
        import aiohttp  # noqa: F401  the loop of the worker must not wait for this import

        self.settings.check()
        tls_contexts(self.settings)
        return (HandlerOffer(name=KIND),)

    def handler_of(self, run: LeasedRun) -> "HttpCall | None":
        if run.handler != KIND or run.options is None:
            return None
        return HttpCall(self, run, message_from(run.options))

    async def close(self) -> None:
        """Close the connections."""
        if self._shared is not None:
            await self._shared.close()
            self._shared = None

    def caller(self) -> HttpCaller:
        """What makes requests in the worker's loop."""
        if self._shared is None:
            self._shared = HttpCaller(self.settings)
        return self._shared


@dataclass(frozen=True, slots=True)
class ReadyRequest:
    """The request of a run with its secrets, the values in it, and what hides those in texts of the server."""

    values: RunValues
    request: HttpRequest
    hide: Hide


@dataclass(frozen=True, slots=True)
class HttpCall:
    """What executes one run (`ports.handler.Invocable`)."""

    kind: HttpHandlers
    run: LeasedRun
    message: Message

    @property
    def title(self) -> str:
        return KIND

    @property
    def is_async(self) -> bool:
        return True

    def bind(self, params: str | None, ctx: Ctx) -> Callable[[], Any]:
        """Fill the request without its secrets: what does not fit rejects the run before anything is sent."""
        values = self._values(params, dict.fromkeys(self.message.secrets, HIDDEN))
        request = self._filled(_with_callback(values, CallbackAddress(url=HIDDEN, token=HIDDEN)))
        return partial(self._call, values, replace(request, shown=redacted(request.shown)), ctx)

    async def _call(self, values: RunValues, request: HttpRequest, ctx: Ctx) -> Any:
        if self.run.isolation not in _OTHER_LOOPS:
            return await self._called(self.kind.caller(), values, request, ctx)
        caller = HttpCaller(self.kind.settings)  # connections belong to one loop, and this one ends with the run
        try:
            return await self._called(caller, values, request, ctx)
        finally:
            await caller.close()

    async def _called(self, caller: HttpCaller, values: RunValues, request: HttpRequest, ctx: Ctx) -> Any:
        began_at = asyncio.get_running_loop().time()
        ready = await self._ready(values, request, ctx)
        answer = await self._answered(caller, ready, ctx)
        wait = self.message.wait
        if wait is None or answer.status not in wait.accepted:
            return result_of(answer, self.message.options, ready.hide)
        waiting = HttpWait(
            plan=wait,
            message=self.message,
            values=ready.values,
            request=ready.request,
            answer=answer,
            caller=caller,
            ctx=ctx,
            grace_us=self.run.grace_us,
            signed_at=self.run.leased_at // SECOND,
            began_at=began_at,
            hidden=ready.hide,
        )
        return await waiting.result()

    async def _ready(self, values: RunValues, request: HttpRequest, ctx: Ctx) -> "ReadyRequest":
        """Fill in the secrets, and the address of the callback, which a server gives now."""
        secrets = await self._secrets()
        address = await self._callback(ctx)
        values = replace(_with_callback(values, address), secrets=secrets)
        if secrets or address is not None:  # what is shown of the request stays as it is: it never held one
            request = replace(self._filled(values, address), shown=request.shown)
        own = [*secrets.values()]
        if address is not None:
            own.append(address.token)
        credentials = request.headers if secrets else ()
        return ReadyRequest(values, request, hiding(self.kind.secrets, own, credentials))

    async def _secrets(self) -> Mapping[str, str]:
        """The secrets that the request holds, by name."""
        message = self.message
        if not message.secrets:
            return {}
        to = Destination(message.host, message.port, is_encrypted=message.scheme == "https")
        return await self.kind.secrets.values(message.secrets, namespace=self.run.namespace, to=to)

    async def _callback(self, ctx: Ctx) -> CallbackAddress | None:
        wait = self.message.wait
        return await ctx.waits.callback() if wait is not None and wait.has_callback else None

    async def _answered(self, caller: HttpCaller, ready: "ReadyRequest", ctx: Ctx) -> HttpAnswer:
        """Send the request; the answer, if it is what the job expects."""
        request = ready.request
        ctx.log.info("request", method=request.method, url=request.shown.partition(" ")[2])
        answer = await caller.send(request, keep_bytes=self._keep_bytes())
        ctx.log.info("answer", status=answer.status, bytes=answer.size, ms=round(answer.took_s * 1000))
        try:
            self._check(answer)
        except HttpFailed:
            ctx.log.warning("answer is not as expected", body=cut(text_of(answer, ready.hide), SHOWN_BYTES))
            raise
        return answer

    def _filled(self, values: RunValues, address: CallbackAddress | None = None) -> HttpRequest:
        return self.message.filled(
            values,
            namespace=self.run.namespace,
            own_headers={**own_headers(self.run), **_callback_headers(address)},
            signed_at=self.run.leased_at // SECOND,
        )

    def _values(self, params: str | None, secrets: Mapping[str, str]) -> RunValues:
        run = self.run
        facts: dict[str, str | int] = {
            "job.name": run.job,
            "job.namespace": run.namespace,
            "run.attempt": run.attempt,
            "run.due": due_text(run),
            "run.fence": run.fence,
            "run.id": format_run_id(run.run_id),
            "run.shard": max(run.shard, 0),
            "run.shards": run.shards,
        }
        given = {} if params is None else parse_json(params, bytes_max=PARAMS_BYTES_MAX, what="The parameters")
        return RunValues(params=given, facts=facts, secrets=secrets)

    def _keep_bytes(self) -> int:
        wanted = max(self.message.options.capture, SHOWN_BYTES) + SECRET_BYTES
        wait = self.message.wait
        is_read = self.message.checks or (wait is not None and wait.reads_answer)
        return max(wanted, CHECKED_BYTES_MAX) if is_read else wanted

    def _check(self, answer: HttpAnswer) -> None:
        """Refuse an answer that is not what the job expects."""
        if answer.status not in self.message.statuses:
            raise status_error(answer.status)(
                answer.shown, answer=answer.status, expected=self.message.statuses.written
            )
        failed = self._failed_check(answer)
        if failed is not None:
            raise HttpAnswerUnfit(answer.shown, f"{failed.written} does not hold")

    def _failed_check(self, answer: HttpAnswer) -> JsonCheck | None:
        if not self.message.checks:
            return None
        if not answer.is_whole:
            raise HttpAnswerUnfit(answer.shown, f"more than {CHECKED_BYTES_MAX} bytes cannot be checked")
        try:
            value = json_of(answer.body)
        except ValueError:
            raise HttpAnswerUnfit(answer.shown, "it is not JSON") from None
        return next((check for check in self.message.checks if not check.holds(value)), None)


def _with_callback(values: RunValues, address: CallbackAddress | None) -> RunValues:
    """The values with what `${callback.url}` and `${callback.token}` stand for."""
    if address is None:
        return values
    return replace(values, facts={**values.facts, "callback.url": address.url, "callback.token": address.token})


def _callback_headers(address: CallbackAddress | None) -> dict[str, str]:
    if address is None:
        return {}
    return {"Foliot-Callback": address.url, "Foliot-Callback-Token": address.token}


def own_headers(run: LeasedRun) -> dict[str, str]:
    """What Foliot says with each request of a run."""
    run_id, due = format_run_id(run.run_id), due_text(run)
    # A lease is fresh and random, and it is nobody's business: its hash is random as well, and says nothing of it.
    drawn = hashlib.blake2b(run.lease_id.encode(), digest_size=24, person=b"foliot-trace").hexdigest()
    return {
        "Foliot-Attempt": str(run.attempt),
        "Foliot-Due": due,
        "Foliot-Fence": str(run.fence),
        "Foliot-Job": quote(f"{run.namespace}/{run.job}"),
        "Foliot-Run": run_id,
        "Idempotency-Key": idempotency_key(run.namespace, run.job, run_id, due),
        "traceparent": run.trace or f"00-{drawn[:32]}-{drawn[32:]}-01",
        "User-Agent": f"foliot/{__version__}",
    }


def due_text(run: LeasedRun) -> str:
    """The due instant in UTC: `2026-11-16T02:00:00Z`."""
    return to_datetime(run.due_at).isoformat().replace("+00:00", "Z")
