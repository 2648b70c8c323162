"""asyncpg's connection, less its habit of cancelling what nobody waits for any more."""

import asyncio

import asyncpg


class Uncancelled(asyncpg.Connection):  # type: ignore[misc]  # the driver has no types
    """A connection that is cut off, and never asks the server to cancel.

    A commit that waits for a synchronous standby is let through when it is cancelled: it counts on this primary and on
    no other. Somebody would read it, act on it, acknowledge it, and a failover would have forgotten it. Left alone it
    goes on waiting, and nobody sees it before the standby has it; statements are ended by `statement_timeout`.
    """

    def _cancel_current_command(
        self, waiter: asyncio.Future[None], cancel_waiter: asyncio.Future[None] | None = None
    ) -> None:
        self._loop.call_soon(self.terminate)  # not at once: the protocol is still busy with the cancellation
        if not waiter.done():
            waiter.set_result(None)
