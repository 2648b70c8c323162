"""Log lines of a run: all there are, or as they come. A stream that breaks goes on where it was."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import httpx2

from foliot.client.calls import Call, get, run_in_path
from foliot.client.sending import Tries, refusal

if TYPE_CHECKING:
    from foliot.client.foliot import AsyncFoliot, Foliot

QUIET_MAX_S: Final = 60.0  # a living stream says something every 15 s
END: Final = "end"


class Following:
    """Reads one run's log: plain text, or server-sent events whose `id` is where the next line begins, up to `end`."""

    def __init__(self, run: str, *, follow: bool, tail: int | None = None, **which: Any) -> None:
        """`which`: attempt, shard, level, since, as the API takes them."""
        self._run = run
        self._which = which
        self._tail = tail
        self._follow = follow
        self._last_id = ""
        self._ended = False

    def lines(self, client: Foliot) -> Iterator[str]:
        """Through a blocking client."""
        tries = client.tries(self.call())
        while not self._ended:
            pause: float | None = None
            try:
                with client.stream(self.call()) as response:
                    if not response.is_success:
                        response.read()
                        pause = _again(tries, response)
                    elif not _is_events(response):
                        yield from _lines(response.iter_text())
                        return
                    else:
                        for event in httpx2.EventSource(response):
                            tries = client.tries(self.call())  # it works: patience begins anew
                            yield from self._said(event)
                        self._stream_over()
            except httpx2.TransportError as error:
                pause = tries.failed(error)
            client.machine.pause(pause or 0)

    async def lines_async(self, client: AsyncFoliot) -> AsyncIterator[str]:
        """Through an async client."""
        tries = client.tries(self.call())
        while not self._ended:
            pause: float | None = None
            try:
                async with client.stream(self.call()) as response:
                    if not response.is_success:
                        await response.aread()
                        pause = _again(tries, response)
                    elif not _is_events(response):
                        rest = ""
                        async for text in response.aiter_text():
                            *whole, rest = (rest + text).split("\n")
                            for line in whole:
                                yield line
                        if rest:
                            yield rest
                        return
                    else:
                        async for event in httpx2.EventSource(response):
                            tries = client.tries(self.call())
                            for line in self._said(event):
                                yield line
                        self._stream_over()
            except httpx2.TransportError as error:
                pause = tries.failed(error)
            await client.machine.pause_async(pause or 0)

    def call(self) -> Call:
        """What to ask next: from the beginning, or from where the last stream broke off."""
        tail = None if self._last_id else self._tail  # a stream that goes on is behind it
        call = get(f"/runs/{run_in_path(self._run)}/logs", follow=self._follow or None, tail=tail, **self._which)
        headers = {"Accept": "text/event-stream" if self._follow else "text/plain"}
        return replace(
            call,
            headers=headers | ({"Last-Event-ID": self._last_id} if self._last_id else {}),
            wait_s=QUIET_MAX_S if self._follow else 0.0,
        )

    def _stream_over(self) -> None:
        self._ended |= not self._follow

    def _said(self, event: httpx2.ServerSentEvent) -> Iterator[str]:
        self._last_id = event.id or self._last_id
        if event.event == END:
            self._ended = True
        elif event.data:
            yield from event.data.split("\n")


def _lines(texts: Iterator[str]) -> Iterator[str]:
    """Lines as the log has them: a newline ends one, and no other character that might (such as U+2028) does."""
    rest = ""
    for text in texts:
        *whole, rest = (rest + text).split("\n")
        yield from whole
    if rest:
        yield rest


def _is_events(response: httpx2.Response) -> bool:
    return str(response.headers.get("content-type", "")).startswith("text/event-stream")


def _again(tries: Tries, response: httpx2.Response) -> float:
    pause = tries.answered(response)
    if pause is None:
        raise refusal(response)
    return pause
