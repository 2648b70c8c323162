"""A run waits for work that goes on elsewhere: for a callback, which ends it in the store, or until asking shows it.

It takes no slot meanwhile. Each later request goes through the same guarded caller as the first, with its headers where
it goes to the same server.
"""

import asyncio
from dataclasses import dataclass, replace
from typing import Any, Final, NoReturn

from foliot.domain.errors import FoliotError
from foliot.domain.instants import SECOND
from foliot.domain.json_check import JsonCheck, value_at
from foliot.domain.template import RunValues, filled
from foliot.sdk.ctx import Ctx
from foliot.worker.handlers.http.answer import HttpAnswer
from foliot.worker.handlers.http.caller import HttpCaller, HttpRequest, redirected
from foliot.worker.handlers.http.disguises import Hide
from foliot.worker.handlers.http.errors import HttpAnswerUnfit, HttpReadTimeout, HttpTransient, status_error
from foliot.worker.handlers.http.message import Message
from foliot.worker.handlers.http.result import cut, json_of, result_of, text_of
from foliot.worker.handlers.http.urls import percent_encoded
from foliot.worker.handlers.http.wait_plan import LaterUrl, PollPlan, WaitPlan

ASK_WITHIN_S: Final = 60.0  # one later request
KEEP_BYTES: Final = 1024 * 1024
TROUBLES_MAX: Final = 10  # questions in a row without an answer
REST_MAX_S: Final = 3600.0
SHOWN_BYTES: Final = 2_000
CALLBACK_HEADERS: Final = ("foliot-callback", "foliot-callback-token")
SEE_OTHER: Final = 303  # as after a redirect that asks for a look elsewhere


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpWait:
    """One run that waits."""

    plan: WaitPlan
    message: Message
    values: RunValues
    request: HttpRequest  # the first one
    answer: HttpAnswer
    caller: HttpCaller
    ctx: Ctx
    grace_us: int
    signed_at: int  # seconds of the wall clock when the first one was signed
    began_at: float  # and about then by the loop's clock
    hidden: Hide

    async def result(self) -> Any:
        """What the work gave, when asking shows it. A callback ends the run elsewhere: then this is cancelled."""
        poll = self.plan.poll
        asked = None if poll is None else self._later(poll.target, "GET")
        cancel = None if self.plan.cancel is None else self._later(self.plan.cancel.target, self.plan.cancel.method)
        what = "poll" if poll is not None and not self.plan.has_callback else "callback"
        self.ctx.log.info("waits", what=what, at_most_s=self.plan.within_s)
        try:
            with self.ctx.waits.waiting(what):
                async with asyncio.timeout(self.plan.within_s):
                    return await self._end(poll, asked)
        except TimeoutError:
            await self._call_off(cancel)
            why = f"its end did not come within {self.plan.within_s:g} s"
            raise HttpReadTimeout(self.request.shown, why) from None
        except asyncio.CancelledError:
            if not self.ctx.waits.is_given_up:
                await self._call_off(cancel)
            raise

    async def _end(self, poll: PollPlan | None, asked: HttpRequest | None) -> Any:
        if poll is None or asked is None:
            await self.ctx.stop_asked()
            raise asyncio.CancelledError
        troubles = 0
        rest_s = poll.every_s
        while True:
            await self._rest(rest_s)
            try:
                answer = await self._asked(asked)
            except HttpTransient as trouble:
                troubles += 1
                self.ctx.log.warning("no answer about the end", why=trouble.sentence)
                if troubles >= TROUBLES_MAX:
                    raise
                continue
            troubles = 0
            value = self._value(answer)
            if self._is_over(poll, asked, answer, value):
                return self._found(poll, answer, value)
            rest_s = max(poll.every_s, _retry_after_s(answer))

    def _found(self, poll: PollPlan, answer: HttpAnswer, value: Any) -> Any:
        if poll.result is None:
            return result_of(answer, self.message.options, self.hidden)
        return self._shown(value_at(value, poll.result))

    async def _rest(self, rest_s: float) -> None:
        if not await self.ctx.sleep_async(rest_s):
            raise asyncio.CancelledError

    async def _asked(self, asked: HttpRequest) -> HttpAnswer:
        answer = await self._send(asked, keep_bytes=KEEP_BYTES)
        if not 200 <= answer.status < 300:
            raise status_error(answer.status)(asked.shown, answer=answer.status, expected="2xx")
        return answer

    def _value(self, answer: HttpAnswer) -> Any:
        if not answer.is_whole:
            raise HttpAnswerUnfit(answer.shown, f"more than {KEEP_BYTES} bytes cannot be checked")
        try:
            return json_of(answer.body)
        except ValueError:
            raise HttpAnswerUnfit(answer.shown, "it is not JSON") from None

    def _is_over(self, poll: PollPlan, asked: HttpRequest, answer: HttpAnswer, value: Any) -> bool:
        self._tell_progress(poll, value)
        failed = next((check for check in poll.failed if check.holds(value)), None)
        if failed is not None:
            self._fail(asked, answer, failed)
        return all(check.holds(value) for check in poll.until)

    def _fail(self, asked: HttpRequest, answer: HttpAnswer, check: JsonCheck) -> NoReturn:
        self.ctx.log.warning("the work has failed", body=cut(text_of(answer, self.hidden), SHOWN_BYTES))
        raise HttpAnswerUnfit(asked.shown, f"{check.written} holds")

    def _tell_progress(self, poll: PollPlan, value: Any) -> None:
        done = _whole(None if poll.progress is None else value_at(value, poll.progress))
        if done is not None:
            self.ctx.progress(done, _whole(None if poll.total is None else value_at(value, poll.total)))

    def _shown(self, value: Any) -> Any:
        """A part of the answer as the result, without secrets."""
        if isinstance(value, str):
            return self.hidden(value)
        if isinstance(value, dict):
            return {self.hidden(key): self._shown(item) for key, item in value.items()}
        return [self._shown(item) for item in value] if isinstance(value, list) else value

    async def _call_off(self, cancel: HttpRequest | None) -> None:
        """Tell the other system to stop, once, within the grace of the run. Whatever comes of it, the run ends."""
        if cancel is None:
            return
        try:
            async with asyncio.timeout(max(self.grace_us / SECOND, 1.0)):
                answer = await self._send(cancel, keep_bytes=SHOWN_BYTES)
        except (FoliotError, TimeoutError) as trouble:
            self.ctx.log.warning("the other system was not told to stop", why=str(trouble) or "time was over")
        else:
            self.ctx.log.info("the other system was told to stop", status=answer.status)

    def _later(self, target: LaterUrl, method: str) -> HttpRequest:
        """A later request of this run: the headers of the first, where it goes to the same server."""
        # A URL of the job is relative to the job's own URL. One that the answer names is relative to where the answer
        # came from: after a redirect that is another server, which must not choose where the job's secrets go.
        before = self.request if target.url is not None else self.answer.request
        looking = redirected(before, SEE_OTHER, self._location(target))
        request = replace(
            looking,
            method=method,
            shown=f"{method} {looking.url.origin}{looking.url.path}",
            redirects=0,
            read_s=min(looking.read_s, ASK_WITHIN_S),
            total_s=min(looking.total_s, ASK_WITHIN_S),
        )
        # Whoever is asked needs no token to end the run.
        kept = [(name, value) for name, value in request.headers if name.lower() not in CALLBACK_HEADERS]
        return replace(request, headers=tuple(kept))

    async def _send(self, request: HttpRequest, *, keep_bytes: int) -> HttpAnswer:
        """Send a later request, with a signature of its own if the job signs."""
        passed_s = asyncio.get_running_loop().time() - self.began_at
        signed = self.message.signed_again(request, self.values, self.signed_at + int(passed_s))
        return await self.caller.send(signed, keep_bytes=keep_bytes)

    def _location(self, target: LaterUrl) -> str:
        if target.url is not None:
            return filled(target.url, self.values, percent_encoded)
        if target.at is None:
            found = self.answer.headers.get("location")
        else:
            found = value_at(self._value(self.answer), target.at)
        if not isinstance(found, str) or not found:
            raise HttpAnswerUnfit(self.answer.shown, "it does not say where to ask for the end")
        return found


def _whole(value: Any) -> int | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value <= 2**53 else None


def _retry_after_s(answer: HttpAnswer) -> float:
    """How long the system wants to be left alone; 0: it does not say."""
    written = answer.headers.get("retry-after", "")
    return min(float(written), REST_MAX_S) if written.isascii() and written.isdecimal() else 0.0
