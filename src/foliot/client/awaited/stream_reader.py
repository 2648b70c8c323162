"""The reader of a stream through a client: it asks the next server when one is away."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import httpx2

from foliot.client.streams import Item, Stream, is_events, pause_before_next

if TYPE_CHECKING:
    from foliot.client.awaited.foliot import AsyncFoliot


async def streamed(client: AsyncFoliot, stream: Stream[Item]) -> AsyncIterator[Item]:
    """What a stream brings, as it comes, until it is over."""
    tries = client.tries(stream.call())
    while not stream.is_over:
        pause_s = stream.pause_s
        try:
            async with client.stream(stream.call()) as response:
                if not response.is_success:
                    await response.aread()
                    pause_s = pause_before_next(tries, response)
                elif is_events(stream.call(), response):
                    async for event in httpx2.EventSource(response):
                        tries = client.tries(stream.call())  # it works: patience begins again
                        for item in stream.of_event(event):
                            yield item
                else:
                    client.heard(response)
                    async for text in response.aiter_text():
                        for item in stream.of_text(text):
                            yield item
                    for item in stream.of_text_end():
                        yield item
        except httpx2.TransportError as error:
            pause_s = tries.failed(error)
        if not stream.is_over:
            await client.machine.pause_async(pause_s)
