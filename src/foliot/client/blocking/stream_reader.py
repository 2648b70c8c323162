"""The reader of a stream through a client: it asks the next server when one is away."""

# Written by python -m tests.client.derive: change foliot/client/awaited/stream_reader.py, then run it.

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx2

from foliot.client.streams import Item, Stream, is_events, pause_before_next

if TYPE_CHECKING:
    from foliot.client.blocking.foliot import Foliot


def streamed(client: Foliot, stream: Stream[Item]) -> Iterator[Item]:
    """What a stream brings, as it comes, until it is over."""
    tries = client.tries(stream.call())
    while not stream.is_over:
        pause_s = stream.pause_s
        try:
            with client.stream(stream.call()) as response:
                if not response.is_success:
                    response.read()
                    pause_s = pause_before_next(tries, response)
                elif is_events(stream.call(), response):
                    for event in httpx2.EventSource(response):
                        tries = client.tries(stream.call())  # it works: patience begins again
                        yield from stream.of_event(event)
                else:
                    client.heard(response)
                    for text in response.iter_text():
                        yield from stream.of_text(text)
                    yield from stream.of_text_end()
        except httpx2.TransportError as error:
            pause_s = tries.failed(error)
        if not stream.is_over:
            client.machine.pause(pause_s)
